import { expect, test } from 'vitest';
import { renderView } from '../../../../../playground/fake-slack/fake-slack.ts';
import { openFakeGrafana } from '../../../../support/fake-grafana.ts';
import { declareNow, lastMessage, notesOf } from '../../../../support/incident-room.ts';
import { phrases } from '../../../../support/phrases.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test('a whole thread goes on the timeline from the menu of any of its messages, each message once', async () => {
  const { place, alice, bob, home: room, reads, act } = await openVerbs();
  const parent = alice.say(room, 'anybody looking?');
  const reply = bob.say(room, 'I am', { threadTs: parent.ts });
  bob.say(room, 'it is the pool', { threadTs: parent.ts });
  bob.say(room, 'unrelated');
  for (const message of [reply, parent]) {
    await act(() => alice.shortcut('add_thread', message));
  }
  expect(reads()).toContain(':memo: On the timeline of incident 1: 0 added, 3 were there already.');
  const notes = await notesOf(place, '1');
  expect(notes.map(note => note.body.split('\n\n')[0])).toEqual(['anybody looking?', 'I am', 'it is the pool']);
  expect(notes.map(note => note.fieldValues.saidBy)).toEqual([undefined, 'bob', 'bob']);
});

test('elsewhere a thread asks for its incident, and one of a private channel is added only when the person confirms', async () => {
  const { place, slack, alice, act } = await openVerbs();
  const board = slack.addChannel({ name: 'board', isPrivate: true, members: [alice], botIsMember: true });
  const parent = alice.say(board, 'we knew');
  alice.say(board, 'since May', { threadTs: parent.ts });
  await act(() => alice.shortcut('add_thread', parent));
  expect(await notesOf(place, '1')).toEqual([]);
  expect(alice.view && renderView(slack, alice.view)).toContain('This message is from a private channel');
  await act(() => alice.submit({ incident: '1' }));
  expect((await notesOf(place, '1')).map(note => note.body.split('\n\n')[0])).toEqual(['we knew', 'since May']);
  expect(place.lastRead(alice, 'board')).toContain(':memo: On the timeline of incident 1: 2 added.');
});

test('a message goes on the timeline at another time, with other words, as important', async () => {
  const { place, slack, alice, bob, home: room, now, act } = await openVerbs();
  const message = bob.say(room, 'I think it began when <@U0NOBODY> deployed at noon');
  await act(() => alice.shortcut('add_worded', message));
  expect(alice.view && renderView(slack, alice.view)).toContain('I think it began when');
  const noon = Math.floor(now().getTime() / 1000) - 15 * 60;
  const later = await alice.submit({ text: 'Deploy of v42', at: noon + 3600, options: ['important'] });
  expect(JSON.stringify(later)).toContain('That is in the future');
  await act(() => alice.submit({ text: 'Deploy of v42', at: noon, options: ['important'] }));
  const [note] = await notesOf(place, '1');
  expect(note?.body).toBe(`❗ Deploy of v42\n\n${phrases.saidByBob}, edited by alice: ${message.permalink}`);
  expect(note?.eventTime).toBe('2026-11-20T12:00:00Z');
  expect(note?.fieldValues).toMatchObject({ source: 'message', saidBy: 'bob', permalink: message.permalink });
  expect(message.reactions.map(each => each.name)).toEqual(['memo']);
  // It is the same message, however it is added.
  await act(() => bob.shortcut('add_timeline', message));
  expect(place.lastRead(bob, room.name)).toContain('Nothing was done twice');
  expect(await notesOf(place, '1')).toHaveLength(1);
});

test('a long message whose words are left alone is added whole, under its own time and author', async () => {
  const { place, alice, bob, home: room, act } = await openVerbs();
  const long = `${'x'.repeat(3500)} end`;
  const message = bob.say(room, long);
  await act(() => alice.shortcut('add_worded', message));
  await act(() => alice.submit({}));
  const [note] = await notesOf(place, '1');
  expect(note?.body).toBe(`${long}\n\n${phrases.saidByBob}: ${message.permalink}`);
  expect(Date.parse(note?.eventTime ?? '')).toBe(Math.floor(Number(message.ts) * 1000));
});

test('a message becomes a task with its link, once until the task is deleted; a long one is shown first', async () => {
  const { slack, alice, bob, home: room, incident, reads, type, act } = await openVerbs();
  const message = bob.say(room, 'somebody should\ncheck the replica');
  const tasks = async () => (await incident()).taskList.tasks.map(each => each.text);
  await act(() => alice.shortcut('task_message', message));
  expect(await tasks()).toEqual([`somebody should check the replica ${message.permalink}`]);
  await act(() => bob.shortcut('task_message', message));
  expect(reads(bob)).toContain('Nothing was done twice');
  expect(await tasks()).toHaveLength(1);
  await type('/task delete 1');
  await act(() => bob.shortcut('task_message', message));
  expect(await tasks()).toEqual([`somebody should check the replica ${message.permalink}`]);

  const long = bob.say(room, `check everything: ${'and more '.repeat(400)}`);
  await act(() => alice.shortcut('task_message', long));
  expect(await tasks()).toHaveLength(1);
  const form = (alice.view && renderView(slack, alice.view)) ?? '';
  expect(form).toContain('check everything');
  expect(form).toContain(`… ${long.permalink}`);
  await act(() => alice.submit({ text: 'check everything', assignee: bob.id }));
  expect(await tasks()).toEqual([expect.any(String), 'check everything']);
});

test('a task from a private channel, outside of incidents, is added only when the person confirms', async () => {
  const { slack, alice, incident, act } = await openVerbs();
  const board = slack.addChannel({ name: 'board', isPrivate: true, members: [alice] });
  await act(() => alice.shortcut('task_message', alice.say(board, 'call the lawyers')));
  expect((await incident()).taskList.tasks).toEqual([]);
  expect(alice.view && renderView(slack, alice.view)).toContain('This message is from a private channel');
  await act(() => alice.submit({ incident: '1' }));
  expect((await incident()).taskList.tasks.map(each => each.text)).toEqual(['call the lawyers']);
});

test('what an app posts for a person is theirs, and what it posts itself is its own', async () => {
  const { place, slack, alice, bob, home: room, act } = await openVerbs();
  const desk = slack.addPerson({ name: 'desk', isBot: true });
  desk.join(room.id);
  for (const message of [bob.say(room, 'the pool is empty'), desk.say(room, 'and full again')]) {
    Object.assign(message, { botId: 'B77' });
    await act(() => alice.shortcut('add_timeline', message));
  }
  const saidBy = (await notesOf(place, '1')).map(note => String(note.fieldValues.saidBy));
  expect(saidBy.toSorted()).toEqual(['bob', 'bot (bot)']);
});

test('guests and people of other organisations are quoted, and use none of these entries', async () => {
  const { place, slack, alice, gus, general, home: room, incident, act } = await openVerbs();
  const petra = slack.addPerson({ name: 'petra', isStranger: true, teamId: 'T0OTHER' });
  alice.share(room);
  petra.join(room);
  const message = alice.say(room, 'words');
  for (const person of [gus, petra]) {
    for (const entry of ['add_thread', 'add_worded', 'declare_message', 'task_message']) {
      await act(() => person.shortcut(entry, message));
      expect(person.view).toBeUndefined();
      expect(lastMessage(place, person, room).ephemeralTo).toBe(person.id);
    }
  }
  expect(await notesOf(place, '1')).toEqual([]);
  expect((await incident()).taskList.tasks).toEqual([]);
  expect(slack.channels.filter(channel => channel.name.startsWith('inc-2'))).toEqual([]);
  await act(() => alice.shortcut('add_worded', petra.say(room, 'we see it too')));
  await act(() => alice.submit({}));
  expect((await notesOf(place, '1')).map(note => note.fieldValues.saidBy)).toEqual(['petra (of another organisation)']);
  await declareNow(place, alice, general, 'Another');
});

test('while the API is away the message waits with the declaration, and is added once', async () => {
  const grafana = await openFakeGrafana();
  const { place, alice, bob, general, act } = await openVerbs({ settings: grafana.settings });
  const message = bob.say(general, 'Mail is late');
  grafana.fail({ when: /CreateIncident/, times: 1, answer: { status: 503, body: '{"error":"away"}' } });
  await act(() => alice.shortcut('declare_message', message));
  await act(() => alice.submit({}));
  await place.muster.bot.journal.wake();
  await place.quiet();
  expect((await notesOf(place, '2')).map(note => note.body)).toEqual([
    `Mail is late\n\n${phrases.saidByBob}: ${message.permalink}`,
  ]);
});
