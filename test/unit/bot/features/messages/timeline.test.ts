import { expect, test } from 'vitest';
import { renderMessage, renderView } from '../../../../../playground/fake-slack/fake-slack.ts';
import { openBareWorkplace } from '../../../../support/bare-workplace.ts';
import { openFakeGrafana } from '../../../../support/fake-grafana.ts';
import { declareNow, lastMessage, notesOf } from '../../../../support/incident-room.ts';
import { phrases } from '../../../../support/phrases.ts';
import { recover } from '../../../../support/recover.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test('a message in the incident’s channel becomes a note with its own time, author and permalink, once', async () => {
  const { place, alice, bob, home: room, act } = await openVerbs();
  bob.say(room, 'Within a second, the digits after the point tell messages apart.');
  const message = bob.say(room, 'The pool is exhausted & <b>retries</b> pile up, @alice');

  await act(() => alice.shortcut('add_timeline', message));
  const [note, ...others] = await notesOf(place, '1');
  expect(others).toEqual([]);
  expect(note?.body).toBe(
    `The pool is exhausted & <b>retries</b> pile up, @alice\n\n${phrases.saidByBob}: ${message.permalink}`,
  );
  expect(note?.eventTime).toBe('2026-11-20T12:15:00.000001Z');
  expect(note?.user.name).toBe('alice');
  expect(note?.fieldValues).toMatchObject({
    source: 'message',
    saidBy: 'bob',
    addedBy: 'alice',
    permalink: message.permalink,
  });
  expect(message.reactions).toEqual([{ name: 'memo', users: [place.slack.botUserId] }]);
  const receipt = lastMessage(place, alice, room);
  expect(receipt.ephemeralTo).toBe(alice.id);
  expect(renderMessage(place.slack, receipt)).toContain(
    `${phrases.added}: “The pool is exhausted & <b>retries</b> pile up, @alice”, said by bob.`,
  );
  expect(place.reads(bob, room.name).at(-1)).not.toContain('Added');

  await act(() => alice.shortcut('add_timeline', message));
  expect(place.lastRead(alice, room.name)).toContain(
    'You already added a message to the timeline of incident 1: “The pool is exhausted & <b>retries</b> pile up, @alice”, said by bob. Nothing was done twice.',
  );
  await act(() => bob.shortcut('add_timeline', message));
  expect(place.lastRead(bob, room.name)).toContain('already');
  expect(await notesOf(place, '1')).toHaveLength(1);
});

test('a message on the timelines of two incidents keeps its mark until both notes are removed', async () => {
  const { place, slack, alice, bob, general, home, act } = await openVerbs();
  alice.invite(general, slack.botUserId);
  const other = await declareNow(place, alice, home, 'Mail is late');
  const message = bob.say(general, 'it was me');
  for (const incident of ['1', '2']) {
    await act(() => alice.shortcut('add_timeline', message));
    await act(() => alice.submit({ incident }));
  }
  const remove = async (room: typeof home) => {
    await act(() => alice.command(room, '/note list'));
    await act(() => alice.press(lastMessage(place, alice, room), 'Remove'));
  };
  await remove(home);
  expect([(await notesOf(place, '1')).length, (await notesOf(place, '2')).length]).toEqual([0, 1]);
  expect(message.reactions).toHaveLength(1);
  await remove(other);
  expect(await notesOf(place, '2')).toEqual([]);
  expect(message.reactions).toEqual([]);
});

test('two people at the same moment add it once', async () => {
  const { place, alice, bob, home: room } = await openVerbs();
  const message = bob.say(room, 'It is the database');
  await Promise.all([alice.shortcut('add_timeline', message), bob.shortcut('add_timeline', message)]);
  await place.quiet();
  expect(await notesOf(place, '1')).toHaveLength(1);
  const read = [place.lastRead(alice, room.name), place.lastRead(bob, room.name)];
  expect(read.filter(text => text.includes('already'))).toHaveLength(1);
  expect(read.filter(text => text.includes(':memo: You added'))).toHaveLength(1);
});

test('what an app posts with the token of a person is said by that person, as Slack shows it', async () => {
  const { place, slack, alice, bob, home: room, act } = await openVerbs();
  slack.addPerson({ name: 'voice', realName: 'Voice desk', isBot: true });
  const message = Object.assign(bob.say(room, 'the primary is read only'), {
    botId: slack.person('voice').record.botId,
  });
  await act(() => alice.shortcut('add_timeline', message));
  const [note] = await notesOf(place, '1');
  expect(note?.fieldValues).toMatchObject({ saidBy: 'bob', addedBy: 'alice' });
});

test('what was removed is added again when somebody asks for that message', async () => {
  const { place, alice, home: room, act } = await openVerbs();
  const message = alice.say(room, 'rolled back');
  await act(() => alice.shortcut('add_timeline', message));
  const [first] = await notesOf(place, '1');
  expect(first?.body).toBe(`rolled back\n\n— alice in Slack: ${message.permalink}`);
  await place.api.ActivityService.RemoveActivity({
    incidentID: '1',
    activityItemID: first?.activityItemID ?? '',
  });
  await act(() => alice.shortcut('add_timeline', message));
  expect(place.lastRead(alice, room.name)).toContain(':memo: You added');
  await act(() => alice.shortcut('add_timeline', message));
  expect(place.lastRead(alice, room.name)).toContain('already');
  expect(await notesOf(place, '1')).toHaveLength(1);
});

test('a reply keeps its own address, and the whole thread follows in order, each once', async () => {
  const { place, slack, alice, bob, home: room, act } = await openVerbs();
  slack.addPerson({ name: 'alertmanager', realName: 'Alertmanager', isBot: true }).join(room);
  const parent = slack.person('alertmanager').say(room, '', {
    attachments: [{ title: 'HighErrorRate', title_link: 'https://alerts.example.com/1', text: '5xx > 2%' }],
  });
  const first = bob.say(room, 'looking', { threadTs: parent.ts });
  const second = alice.say(room, 'it is the pool', { threadTs: parent.ts });
  bob.say(room, 'agreed', { threadTs: parent.ts });
  expect(second.permalink).toContain('thread_ts=');

  await act(() => alice.shortcut('add_timeline', second));
  const [reply] = await notesOf(place, '1');
  expect(reply?.body).toBe(`it is the pool\n\n— alice in Slack: ${second.permalink}`);
  expect(second.reactions).toHaveLength(1);
  expect(first.reactions).toEqual([]);

  const receipt = lastMessage(place, alice, room);
  await act(() => alice.press(receipt, 'Add the whole thread'));
  expect(renderMessage(slack, receipt)).toBe(
    ':memo: On the timeline of incident 1: 3 added, 1 was there already.\n[Undo]',
  );
  const notes = await notesOf(place, '1');
  expect(notes.map(note => note.body.split('\n\n')[0])).toEqual([
    'HighErrorRate (https://alerts.example.com/1)\n5xx > 2%',
    'looking',
    'it is the pool',
    'agreed',
  ]);
  expect(notes[0]?.fieldValues).toMatchObject({ saidBy: 'Alertmanager (bot)', addedBy: 'alice' });
  expect(new Set(notes.map(note => note.fieldValues.permalink)).size).toBe(4);
  expect(parent.reactions.map(each => each.name)).toEqual(['memo']);
});

test('a thread of more messages than one press adds goes on at the next', async () => {
  const { place, alice, home: room, act } = await openVerbs();
  const parent = alice.say(room, 'one');
  for (let each = 2; each <= 230; each += 1) alice.say(room, `reply ${each}`, { threadTs: parent.ts });
  await act(() => alice.shortcut('add_timeline', parent));
  const receipt = lastMessage(place, alice, room);
  await act(() => alice.press(receipt, 'Add the whole thread'));
  expect(renderMessage(place.slack, receipt)).toContain('200 added, 1 was there already');
  expect(renderMessage(place.slack, receipt)).toContain('29 are left');
  await act(() => alice.press(receipt, 'Go on'));
  expect(renderMessage(place.slack, receipt)).toContain('29 added, 201 were there already');
  expect(place.slack.callsOf('conversations.replies').length).toBeGreaterThan(2);
});

test('elsewhere a form asks which incident it belongs to', async () => {
  const { place, slack, alice, bob, general, home: room, act } = await openVerbs();
  await declareNow(place, alice, general, 'Search is slow');
  const message = bob.say(general, 'customers call about checkout <!channel>');
  await act(() => alice.shortcut('add_timeline', message));
  const form = alice.view && renderView(slack, alice.view);
  expect(form).toContain('customers call about checkout');
  expect(form).not.toContain('!!!');
  expect(form).not.toContain('private channel');
  await alice.submit({});
  expect(alice.view?.errors).not.toEqual({});
  await act(() => alice.submit({ incident: '1' }));
  expect(alice.view).toBeUndefined();
  const receipt = place.lastRead(alice, 'general');
  expect(receipt).toContain(phrases.added);
  expect(receipt).toContain(`“Checkout answers 500”, is handled in #${room.name}`);
  expect(receipt).not.toContain('@channel !!!');
  // The bot is no member of #general.
  expect(receipt).toContain('I am not in that channel');
  const [note] = await notesOf(place, '1');
  expect(note?.body).toContain(`added by alice: ${message.permalink}`);
  await act(() => alice.resubmit());
  expect(await notesOf(place, '1')).toHaveLength(1);
});

test('from a private channel the form warns, and a form that came too late is kept', async () => {
  const { place, slack, alice, act } = await openVerbs();
  const secret = slack.addChannel({ name: 'board', isPrivate: true, members: [alice] });
  const message = alice.say(secret, 'we knew');
  slack.delayTriggers();
  await act(() => alice.shortcut('add_timeline', message));
  expect(alice.view).toBeUndefined();
  await act(() => alice.press(lastMessage(place, alice, secret), 'Open the form'));
  expect(alice.view && renderView(slack, alice.view)).toContain('This message is from a private channel');
  await act(() => alice.submit({ incident: '1' }));
  const [note] = await notesOf(place, '1');
  expect(note?.body).toBe('we knew\n\n— alice in Slack');
  expect(place.lastRead(alice, slack.openDm(alice).id)).toContain('Slack gave me no link to the message');
});

test('hostile and over-long words are stored as they are and shown harmlessly', async () => {
  const { place, alice, bob, home: room, act } = await openVerbs();
  const text = `<!channel> &lt;\u0007 @bob ${'x'.repeat(200)}`;
  await act(() => alice.shortcut('add_timeline', bob.say(room, text)));
  const [note] = await notesOf(place, '1');
  expect(note?.body.startsWith('<!channel> &lt; @bob xxx')).toBe(true);
  expect(place.lastRead(alice, room.name)).not.toContain('!!!');

  const long = bob.say(room, 'short', { blocks: [] });
  Reflect.set(long, 'text', 'y'.repeat(70_000));
  await act(() => alice.shortcut('add_timeline', long));
  expect(place.lastRead(alice, room.name)).toContain('more than 60000 characters');
  const all = await notesOf(place, '1');
  expect(all[1]?.body.length).toBeLessThan(65_536);
});

test('a form whose note is refused opens again with its incidents and the choice', async () => {
  const grafana = await openFakeGrafana();
  const { place, slack, alice, bob, general, act } = await openVerbs({ settings: grafana.settings });
  await declareNow(place, alice, general, 'Search is slow');
  const message = bob.say(general, 'customers call about checkout');
  await act(() => alice.shortcut('add_timeline', message));
  grafana.fail({ when: /AddActivity/, times: 1, answer: { status: 403, body: '{"message":"no"}' } });
  await act(() => alice.submit({ incident: '2' }));
  expect(await notesOf(place, '2')).toEqual([]);
  await act(() => alice.press(lastMessage(place, alice, general), 'Change it'));
  expect(alice.view && renderView(slack, alice.view)).toContain('#2 Search is slow');
  expect(JSON.stringify(alice.view)).toContain('#1 Checkout answers 500');
  await act(() => alice.submit({}));
  expect(await notesOf(place, '2')).toHaveLength(1);
});

test('nothing to add, nobody to add it, and no incident to add it to are said', async () => {
  const place = await openBareWorkplace();
  const { slack } = place;
  const alice = slack.addPerson({ name: 'alice' });
  const guest = slack.addPerson({ name: 'gina', isRestricted: true });
  const stranger = slack.addPerson({ name: 'stan', isStranger: true, teamId: 'T0OTHER' });
  const general = slack.addChannel({ name: 'general', members: [alice, guest, stranger], isExtShared: true });
  const message = guest.say(general, 'I see errors');
  await alice.shortcut('add_timeline', message);
  await place.quiet();
  expect(place.lastRead(alice, 'general')).toContain(phrases.noIncidentYet);

  const room = await declareNow(place, alice, general, 'Errors');
  alice.share(room);
  for (const person of [guest, stranger]) alice.invite(room, person);
  const said = guest.say(room, 'I see errors');
  for (const person of [guest, stranger]) {
    await person.shortcut('add_timeline', said);
    await place.quiet();
    expect(lastMessage(place, person, room).ephemeralTo).toBe(person.id);
  }
  expect(await notesOf(place, '1')).toEqual([]);
  await alice.shortcut('add_timeline', said);
  await alice.shortcut('add_timeline', stranger.say(room, 'me too'));
  await alice.shortcut('add_timeline', alice.say(room, ' ', { blocks: [] }));
  await place.quiet();
  expect((await notesOf(place, '1')).map(note => note.fieldValues.saidBy)).toEqual([
    'gina (guest)',
    'stan (of another organisation)',
  ]);
  expect(place.reads(alice, room.name).some(text => text.includes('There is nothing to add'))).toBe(true);
});

test('a refusal is said, and what only lost its answer is kept, found and told once', async () => {
  const grafana = await openFakeGrafana();
  const { place, alice, bob, home: room, act } = await openVerbs({ settings: grafana.settings });
  const message = bob.say(room, 'words');
  const when = /AddActivity/;
  grafana.fail({ when, times: 1, answer: { status: 403, body: '{"message":"no"}' } });
  await act(() => alice.shortcut('add_timeline', message));
  expect(place.lastRead(alice, room.name)).toContain('I could not add “words” to the timeline of incident 1');
  expect(message.reactions).toEqual([]);

  grafana.fail({ when, times: 1, afterEffect: true, answer: { status: 500, body: '{"error":"gateway"}' } });
  // Until it can be looked for, the next attempt does not find it. A 500 is an answer: the card reads too, and silence would open the breaker.
  grafana.fail({ when: /QueryActivity/, answer: { status: 500, body: '{"error":"away"}' } });
  await act(() => bob.shortcut('add_timeline', message));
  expect(place.lastRead(bob, room.name)).toContain(
    '⏳ Saved. I’ll add “words” to the timeline of incident 1 as soon as Grafana works again.',
  );
  await recover(place, grafana);
  await place.quiet();
  expect(place.lastRead(bob, room.name)).toContain('☑️ What you asked for earlier is done:\n:memo: You added');
  const notes = await notesOf(place, '1');
  expect(notes.map(note => note.body)).toEqual([`words\n\n— bob in Slack: ${message.permalink}`]);
  expect(notes[0]?.user.name).not.toBe('bob');
  expect(message.reactions).toHaveLength(1);
  await act(() => alice.shortcut('add_timeline', message));
  expect(place.lastRead(alice, room.name)).toContain('already');
  expect(place.lastRead(alice, room.name)).not.toContain('https://grafana');
});
