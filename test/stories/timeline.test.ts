import { expect, test } from 'vitest';
import { toSourceMessage } from '../../src/bot/slack/source-message.ts';
import { lastMessage, notesOf, openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

test('when the note of a message is removed, the mark goes from the message', async () => {
  const { place, alice, bob, home: room, act } = await openIncident();
  const message = bob.say(room, 'it was me');
  await act(() => alice.shortcut('add_timeline', message));
  expect(message.reactions).toHaveLength(1);
  await act(() => alice.command(room, '/note list'));
  await act(() => alice.press(lastMessage(place, alice, room), 'Remove'));
  expect(message.reactions).toEqual([]);
  expect(await notesOf(place, '1')).toEqual([]);
  expect(place.troubles).toEqual([]);
});

test('a message that was added by mistake is taken off by Undo, with its mark, and may be added again', async () => {
  const { place, alice, bob, home: room, act } = await openIncident();
  const message = bob.say(room, 'it was me');
  await act(() => alice.shortcut('add_timeline', message));
  await act(() => alice.press(lastMessage(place, alice, room), 'Undo'));
  expect(place.reads(alice, room.name)).toContain(
    ':wastebasket: You removed a note from the timeline of incident 1: “it was me”.',
  );
  expect(await notesOf(place, '1')).toEqual([]);
  expect(message.reactions).toEqual([]);
  await expect
    .poll(() => place.reads(bob, room.name).at(-1))
    .toBe(':wastebasket: @alice removed a note from the timeline of the incident: “it was me”');

  await act(() => alice.shortcut('add_timeline', message));
  expect(place.lastRead(alice, room.name)).toContain(`${phrases.added}: “it was me”, said by bob.`);
  expect((await notesOf(place, '1')).length).toBe(1);
  expect(message.reactions).toHaveLength(1);
  expect(place.troubles).toEqual([]);
});

test('files stand on the timeline by name and address', () => {
  const message = toSourceMessage('C1', {
    ts: '1700000000.000100',
    thread_ts: '1700000000.000100',
    reply_count: 2,
    user: 'U1',
    files: [{ name: 'graph.png', permalink: 'https://x.slack.com/files/1' }, { title: 'log' }],
  });
  expect(message).toMatchObject({
    threadTs: '',
    isThreaded: true,
    text: '',
    files: [
      { name: 'graph.png', permalink: 'https://x.slack.com/files/1' },
      { name: 'log', permalink: '' },
    ],
  });
});
