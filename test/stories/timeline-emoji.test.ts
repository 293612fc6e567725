import { expect, test } from 'vitest';
import type { FakeSlack, Message, Person } from '../../src/fake-slack/fake-slack.ts';
import { declareNow, notesOf, openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';
import { phrases } from '../support/phrases.ts';

const emoji = { TIMELINE_EMOJI: ':memo::note, pushpin:note, mega:update, ballot_box_with_check:task' };

/** An incident with these reactions. */
async function openRoom(options: Parameters<typeof openIncident>[0] = {}) {
  const incident = await openIncident({ ...options, settings: { ...emoji, ...options.settings } });
  const { slack, act } = incident;
  return {
    ...incident,
    react: (person: Person, message: Message, name = 'memo') => act(() => person.react(message, name)),
    unreact: (person: Person, message: Message, name = 'memo') => act(() => person.unreact(message, name)),
    marks: (message: Message) =>
      message.reactions.flatMap(each => (each.users.includes(slack.botUserId) ? [each.name] : [])),
  };
}

/** Sends the last event of a type again, as Slack does when it got no answer. */
async function redeliverLast(slack: FakeSlack, type: string): Promise<void> {
  const last = slack.deliveries.findLast(each => each.body.includes(`"type":"${type}"`));
  if (!last) throw new Error(`There was no ${type}`);
  await slack.redeliver(last);
}

test.each([
  ['HTTP', false],
  ['a socket', true],
])(
  'over %s, a reaction on a reply stores that very reply, by its author, once whoever reacts',
  async (_how, socketMode) => {
    const { place, slack, alice, bob, home: room, react, bodies, marks, wait } = await openRoom({ socketMode });
    const parent = alice.say(room, 'anybody looking?');
    const before = bob.say(room, 'not me', { threadTs: parent.ts });
    const reply = bob.say(room, 'it is the pool', { threadTs: parent.ts });
    const after = bob.say(room, 'or the cache', { threadTs: parent.ts });
    const read = place.reads(alice, room.id).length;
    await react(alice, reply);
    expect(await bodies()).toEqual([`it is the pool\n\n${phrases.saidByBob}: ${reply.permalink}`]);
    expect(marks(reply)).toEqual(['memo']);
    for (const other of [parent, before, after]) expect(other.reactions).toEqual([]);
    // The mark answers; nobody reads a line about it.
    expect(place.reads(alice, room.id)).toHaveLength(read);

    await react(bob, reply, 'pushpin');
    await react(bob, reply);
    wait(1);
    await redeliverLast(slack, 'reaction_added');
    await alice.shortcut('add_timeline', reply);
    await place.quiet();
    expect(await bodies()).toHaveLength(1);
    expect((await notesOf(place, '1'))[0]?.fieldValues).toMatchObject({ saidBy: 'bob', addedBy: 'alice' });
  },
);

test('other emoji do nothing, other channels neither, and off means off', async () => {
  const { place, slack, alice, bob, general, home: room, react, bodies } = await openRoom();
  alice.invite(general, slack.botUserId);
  await react(alice, bob.say(room, 'looking'), 'eyes');
  await react(alice, bob.say(general, 'lunch?'));
  expect(await bodies()).toEqual([]);
  expect(place.troubles).toEqual([]);
  const off = await openRoom({ settings: { TIMELINE_EMOJI: 'off' } });
  await off.react(off.alice, off.bob.say(off.home, 'words'));
  expect(await off.bodies()).toEqual([]);
});

test('the last person who takes the reaction back takes the note off; a new one brings it back', async () => {
  const { place, alice, bob, home: room, react, unreact, bodies, marks, publicLines } = await openRoom();
  const message = bob.say(room, 'it was me');
  await react(alice, message);
  await react(bob, message, 'pushpin');
  await unreact(alice, message);
  expect(await bodies()).toHaveLength(1);
  expect(marks(message)).toEqual(['memo']);
  await unreact(bob, message, 'pushpin');
  expect(await bodies()).toEqual([]);
  expect(message.reactions).toEqual([]);
  expect(publicLines().at(-1)).toContain('@bob removed a note by alice from the timeline: “it was me”');
  expect(place.lastRead(bob, room.id)).toContain('Removed from the timeline of incident 1: “it was me”.');
  await react(alice, message);
  expect(await bodies()).toHaveLength(1);
  await unreact(alice, message);
  expect(await bodies()).toEqual([]);
  expect(place.troubles).toEqual([]);
});

test('a reaction that was taken back before its message is read adds nothing', async () => {
  const { place, slack, alice, bob, home: room, bodies } = await openRoom();
  const message = bob.say(room, 'no, wrong channel');
  alice.react(message, 'memo');
  alice.unreact(message, 'memo');
  await slack.settled();
  await place.quiet();
  expect(await bodies()).toEqual([]);
  expect(message.reactions).toEqual([]);
  expect(place.troubles).toEqual([]);
});

test('guests and other organisations are quoted, and their reactions add and remove nothing', async () => {
  const { place, slack, alice, gus, home: room, react, unreact, bodies } = await openRoom();
  const petra = slack.addPerson({ name: 'petra', isStranger: true, teamId: 'T0OTHER' });
  const robot = slack.addPerson({ name: 'robot', isBot: true });
  alice.share(room);
  for (const person of [petra, robot]) person.join(room);
  const message = petra.say(room, 'we see it too');
  for (const person of [gus, petra, robot]) await react(person, message);
  expect(await bodies()).toEqual([]);
  expect(place.lastRead(gus, room.id)).toContain('guests cannot change incidents');
  expect(place.lastRead(petra, room.id)).toContain('You are from another workspace or organisation');
  for (const person of [gus, petra, robot]) await unreact(person, message);
  await react(alice, message);
  await react(gus, message);
  expect((await notesOf(place, '1')).map(note => note.fieldValues.saidBy)).toEqual(['petra (of another organisation)']);
  await unreact(alice, message);
  await unreact(gus, message);
  // Gus took the last one back, and may not change the timeline.
  expect(await bodies()).toHaveLength(1);
  expect(place.troubles).toEqual([]);
});

test('a private room keeps private what is said there', async () => {
  const { place, slack, alice, home: room, react, bodies, carol } = await openRoom({ flags: '--private' });
  expect(room.isPrivate).toBe(true);
  const message = alice.say(room, 'the data is out');
  await react(alice, message);
  expect(await bodies()).toEqual([`the data is out\n\n— alice in Slack: ${message.permalink}`]);
  const other = slack.addChannel({ name: 'elsewhere', members: [carol], botIsMember: true });
  await react(carol, carol.say(other, 'words'));
  expect(await bodies()).toHaveLength(1);
  expect(JSON.stringify(place.reads(carol, other.id))).not.toContain('data');
});

test('a message that is gone when its reaction is read adds nothing', async () => {
  const { place, slack, alice, bob, home: room, bodies } = await openRoom();
  const message = bob.say(room, 'oops');
  alice.react(message, 'memo');
  bob.deleteMessage(message);
  await slack.settled();
  await place.quiet();
  expect(await bodies()).toEqual([]);
  expect(place.troubles).toEqual([]);
});

test('while the API is away a reaction is kept, and one that is taken back is forgotten', async () => {
  const { place, slack, alice, bob, goAway, comeBack, general, timeline, states } = await openOutage();
  const room = await declareNow(place, alice, general, 'Disk is full');
  bob.join(room);
  const [keep, drop] = [bob.say(room, 'keep'), bob.say(room, 'drop')];
  goAway();
  alice.react(keep, 'memo');
  alice.react(drop, 'memo');
  await slack.settled();
  await place.quiet();
  expect(place.reads(alice, room.id).join('\n')).toContain('Saved. I’ll add “drop” to the timeline');
  alice.unreact(drop, 'memo');
  await slack.settled();
  await place.quiet();
  expect(await states()).toMatchObject({ pending: 1, discarded: 1 });
  await comeBack();
  const notes = (await timeline()).filter(item => item.activityKind === 'userNote');
  expect(notes.map(item => item.body.split('\n')[0])).toEqual(['keep']);
  expect(keep.reactions).toEqual([{ name: 'memo', users: [alice.id, slack.botUserId] }]);
});

test('a note that somebody changed is taken off with the words it has then', async () => {
  const { place, api, alice, bob, home: room, react, unreact, bodies } = await openRoom();
  const message = bob.say(room, 'rolled bakc');
  await react(bob, message);
  const [note] = await notesOf(place, '1');
  const body = note?.body.replace('rolled bakc', 'rolled back') ?? '';
  await api.ActivityService.UpdateActivityBody({
    incidentID: '1',
    activityItemID: note?.activityItemID ?? '',
    body,
  });
  await unreact(bob, message);
  expect(await bodies()).toEqual([]);
  expect(place.lastRead(bob, room.id)).toContain('Removed from the timeline of incident 1: “rolled back”.');
  await expect
    .poll(() => place.reads(alice, room.name).at(-1))
    .toBe(':wastebasket: @bob removed a note from the timeline: “rolled back”');
});
