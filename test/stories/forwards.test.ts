import { expect, test } from 'vitest';
import { notesOf, openIncident } from '../support/incident-room.ts';

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

test.each([
  ['alice', 'alice', 'bob forwards and alice adds it'],
  ['bob', 'bob', 'bob forwards and adds it himself'],
])('a forward is said by its author (%s adds it)', async (adder, addedBy) => {
  const { place, alice, bob, carol, home } = await openIncident();
  const message = bob.say(home, '', { attachments: [forwarded({ author_id: carol.id })], blocks: [] });
  await (adder === 'alice' ? alice : bob).shortcut('add_timeline', message);
  await place.quiet();
  const [note] = await notesOf(place, '1');
  expect(note?.body).toBe(
    [
      'Carol (https://team.slack.com/archives/C9/p1795183559000100):\n> the pool is full\n> since noon',
      `— said by Carol, forwarded by bob in Slack, added by ${addedBy}: ${message.permalink}`,
    ].join('\n\n'),
  );
  expect(note?.fieldValues).toMatchObject({ saidBy: 'Carol, forwarded by bob', addedBy });
  expect(place.troubles).toEqual([]);
});
