import { expect, test } from 'vitest';
import { notesOf, openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

test.each([
  ['HTTP', false],
  ['a socket', true],
])('over %s, a note follows its message when the author edits it, and says so', async (_how, socketMode) => {
  const { place, slack, alice, bob, home, act, note, bodies, wait, publicLines, type } = await openIncident({
    socketMode,
  });
  const parent = bob.say(home, 'anybody?');
  const message = await note('rolled bakc to v41', bob, parent.ts);
  const lines = [publicLines(), place.reads(alice, home.id), place.reads(bob, home.id)].map(each => each.length);
  wait(1);
  await act(() => bob.editMessage(message, 'rolled back to v41, @alice'));
  const foot = `${phrases.saidByBob}, edited by bob: ${message.permalink}`;
  expect(await bodies()).toEqual([`rolled back to v41, @alice\n\n${foot}`]);
  wait(1);
  await act(() => bob.editMessage(message, 'rolled back to v42'));
  wait(1);
  await slack.redeliver(slack.deliveries.findLast(each => each.body.includes('message_changed')) ?? never());
  await place.quiet();
  expect(await bodies()).toEqual([`rolled back to v42\n\n${foot}`]);
  const now = [publicLines(), place.reads(alice, home.id), place.reads(bob, home.id)].map(each => each.length);
  expect(now).toEqual(lines);
  expect(await type('/incident timeline notes')).toContain('edited by bob');
  const [stored] = await notesOf(place, '1');
  expect(stored?.fieldValues).toMatchObject({ saidBy: 'bob', addedBy: 'alice', permalink: message.permalink });
});

function never(): never {
  throw new Error('There was no such delivery');
}

test('a note whose message is deleted keeps its words and says so, once', async () => {
  const { place, slack, alice, bob, home, act, note, bodies, wait, type } = await openIncident();
  const parent = await note('it was me', bob);
  const reply = await note('really', bob, parent.ts);
  const lines = place.reads(alice, home.id).length;
  wait(1);
  await act(() => alice.deleteMessage(reply, 'administrator'));
  wait(1);
  await slack.redeliver(slack.deliveries.findLast(each => each.body.includes('message_deleted')) ?? never());
  await place.quiet();
  const lone = await note('and me', bob);
  const withReply = await note('a thread', bob);
  bob.say(home, 'reply', { threadTs: withReply.ts });
  await act(() => bob.editMessage(lone, 'and me too'));
  await act(() => bob.deleteMessage(lone));
  await act(() => bob.deleteMessage(withReply));
  expect(await bodies()).toEqual([
    `it was me\n\n${phrases.saidByBob}: ${parent.permalink}`,
    `really\n\n${phrases.saidByBob}, since deleted in Slack: ${reply.permalink}`,
    `and me too\n\n${phrases.saidByBob}, edited by bob, since deleted in Slack: ${lone.permalink}`,
    `a thread\n\n${phrases.saidByBob}, since deleted in Slack: ${withReply.permalink}`,
  ]);
  expect(place.reads(alice, home.id).length).toBeGreaterThan(lines);
  expect(await type('/incident timeline notes')).toContain('since deleted in Slack');
  expect(place.troubles).toEqual([]);
});
