import { expect, test } from 'vitest';
import { lastMessage, notesOf, openIncident } from '../support/incident-room.ts';

/** An incident, and #support, where people speak of it. */
async function openSupport() {
  const world = await openIncident();
  const { place, slack, alice, bob, home: room } = world;
  const support = slack.addChannel({ name: 'support', members: [alice, bob], botIsMember: true });
  const lines = () => place.reads(bob, room.name).slice(-1);
  return { ...world, support, lines };
}

test('the room reads of a message that was added elsewhere, with a link to it; Undo takes the line back', async () => {
  const { place, alice, bob, support, lines, act } = await openSupport();
  const message = bob.say(support, 'customers cannot pay <!channel>');
  await act(() => alice.shortcut('add_timeline', message));
  await act(() => alice.submit({ incident: '1' }));
  const line = `:memo: @alice added a message from another channel (${message.permalink}) to the timeline of the incident: “customers cannot pay <!channel>”`;
  await expect.poll(lines).toEqual([line]);

  await act(() => alice.press(lastMessage(place, alice, support), 'Undo'));
  expect(await notesOf(place, '1')).toEqual([]);
  await expect.poll(lines).toEqual([`:leftwards_arrow_with_hook: @alice took this back: ${line}`]);
});

test('Undo of a message whose note is gone already removes nothing, says so, and leaves the line as it is', async () => {
  const { place, alice, bob, support, lines, act } = await openSupport();
  await act(() => alice.shortcut('add_timeline', bob.say(support, 'customers cannot pay')));
  await act(() => alice.submit({ incident: '1' }));
  await expect.poll(lines).toEqual([expect.stringContaining('@alice added a message')]);
  const before = lines();
  const [note] = await notesOf(place, '1');
  const address = { incidentID: '1', activityItemID: note?.activityItemID ?? '' };
  await place.api.ActivityService.RemoveActivity(address);
  await act(() => alice.press(lastMessage(place, alice, support), 'Undo'));
  expect(place.lastRead(alice, support.name)).toContain(
    'Nothing was removed: “customers cannot pay” is not on the timeline of incident 1.',
  );
  expect(lines()).toEqual(before);
});

test('a message of the room itself is no line: its mark tells of it', async () => {
  const { alice, bob, home: room, lines, act } = await openSupport();
  const before = lines();
  const message = bob.say(room, 'looking');
  await act(() => alice.shortcut('add_timeline', message));
  expect(message.reactions.map(each => each.name)).toEqual(['memo']);
  expect(lines()).not.toEqual(before);
  expect(lines().join()).not.toContain('added a message');
});

test('a thread that was added elsewhere is one message in the room, a line for each of its messages', async () => {
  const { alice, bob, support, lines, act } = await openSupport();
  const parent = bob.say(support, 'customers cannot pay');
  const reply = alice.say(support, 'since noon', { threadTs: parent.ts });
  await act(() => alice.shortcut('add_thread', parent));
  await act(() => alice.submit({ incident: '1' }));
  const begin = ':memo: @alice added a message from another channel';
  await expect
    .poll(() => lines().join().split('\n'))
    .toEqual([
      `${begin} (${parent.permalink}) to the timeline of the incident: “customers cannot pay”`,
      `${begin} (${reply.permalink}) to the timeline of the incident: “since noon”`,
    ]);
});
