import { expect, test } from 'vitest';
import { notesOf } from '../../../../support/incident-room.ts';
import { phrases } from '../../../../support/phrases.ts';
import { openVerbs } from '../../../../support/verbs.ts';

/** What Slack makes of a message that somebody forwards. */
function forwarded(more: object = {}) {
  return {
    ...{ is_share: true, is_msg_unfurl: true, author_name: 'Carol', text: 'the pool is full\nsince noon' },
    ...{
      from_url: 'https://team.slack.com/archives/C9/p1795183559000100',
      fallback: '[no preview available]',
      ...more,
    },
  };
}

test('a comment comes before what it forwards, and is said by who wrote it', async () => {
  const { place, alice, bob, carol, home, act } = await openVerbs();
  const message = bob.say(home, 'look at this', { attachments: [forwarded({ author_id: carol.id })] });
  await act(() => alice.shortcut('add_timeline', message));
  const [note] = await notesOf(place, '1');
  expect(note?.body.split('\n\n')).toEqual([
    'look at this',
    'Carol (https://team.slack.com/archives/C9/p1795183559000100):\n> the pool is full\n> since noon',
    `${phrases.saidByBob}: ${message.permalink}`,
  ]);
});

test('names stand in place of ids wherever a message goes', async () => {
  const { place, slack, alice, bob, home, incident, carol, act } = await openVerbs();
  slack.addChannel({ name: 'checkout', members: [bob] });
  slack.addChannel({ name: 'hush', isPrivate: true, members: [alice, bob, carol], botIsMember: true });
  slack.addUserGroup({ handle: 'sre', name: 'SRE', members: [bob] });
  const message = bob.say(home, 'moved from #checkout to #hush, ask @sre');
  const words = 'moved from #checkout to #a channel, ask @sre';
  await alice.shortcut('add_timeline', message);
  await act(() => alice.shortcut('task_message', message));
  expect((await notesOf(place, '1'))[0]?.body).toContain(words);
  expect((await incident()).taskList.tasks[0]?.text).toContain(words);
  await act(() => alice.shortcut('declare_message', message));
  expect(alice.view?.values.title?.title?.value).toBe(words);
});
