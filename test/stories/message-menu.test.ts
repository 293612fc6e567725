import { expect, test } from 'vitest';
import { renderMessage, renderView } from '../../playground/fake-slack/fake-slack.ts';
import { notesOf, openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

test('an incident is declared from a message, which becomes its first note and shows where it is handled', async () => {
  const { place, slack, alice, bob, general, reads, act } = await openIncident();
  alice.invite(general, slack.botUserId);
  const message = bob.say(general, 'Search answers 502 since noon\n@channel customers call');
  await act(() => alice.shortcut('declare_message', message));
  const form = alice.view && renderView(slack, alice.view);
  expect(form).toContain('Search answers 502 since noon');
  expect(form).not.toContain('private channel');
  await act(() => alice.submit({ severity: 'major' }));
  expect(reads(alice, general)).toContain('You declared incident 2: “Search answers 502 since noon”');
  const [note, ...others] = await notesOf(place, '2');
  expect(others).toEqual([]);
  expect(note?.body).toBe(
    `Search answers 502 since noon\n@channel customers call\n\n${phrases.saidByBob}: ${message.permalink}`,
  );
  expect(message.reactions.map(each => each.name)).toEqual(['memo']);
  const room = slack.channels.find(channel => channel.name.startsWith('inc-2'));
  const told = place.messages(bob, general.id).filter(each => each.threadTs === message.ts && each !== message);
  expect(told.map(each => renderMessage(slack, each))).toEqual([
    `🚨 @alice declared incident 2 from this message. It is handled in #${room?.name}.\n[Join]`,
  ]);
  // It counts as added: nothing adds it twice.
  await act(() => alice.shortcut('add_timeline', message));
  await act(() => alice.submit({ incident: '2' }));
  expect(await notesOf(place, '2')).toHaveLength(1);
});

test('what is said in private is offered as a private incident, and nothing is said in its thread', async () => {
  const { place, slack, alice, act } = await openIncident();
  const board = slack.addChannel({ name: 'board', isPrivate: true, members: [alice], botIsMember: true });
  const message = alice.say(board, 'The data is out');
  await act(() => alice.shortcut('declare_message', message));
  expect(alice.view && renderView(slack, alice.view)).toContain('This message is from a private channel');
  await act(() => alice.submit({}));
  expect(slack.channels.find(channel => channel.name.startsWith('inc-2'))?.isPrivate).toBe(true);
  expect((await notesOf(place, '2')).map(note => note.body.split('\n\n')[0])).toEqual(['The data is out']);
  expect(place.messages(alice, board.id).filter(each => each.threadTs === message.ts)).toEqual([]);
});
