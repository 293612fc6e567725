import { expect, test } from 'vitest';
import { notesOf } from '../../../../support/incident-room.ts';
import { phrases } from '../../../../support/phrases.ts';
import { openVerbs } from '../../../../support/verbs.ts';

const emoji = { TIMELINE_EMOJI: ':memo::note, pushpin:note, mega:update, ballot_box_with_check:task' };

test('two people who react at once add one note', async () => {
  const { place, slack, alice, bob, home: room, bodies } = await openVerbs({ settings: emoji });
  const message = bob.say(room, 'rolled back');
  alice.react(message, 'memo');
  bob.react(message, 'pushpin');
  await slack.settled();
  await place.quiet();
  expect(await bodies()).toHaveLength(1);
});

test('unless set otherwise, 📝 and 📌 make notes', async () => {
  const { place, slack, alice, bob, home } = await openVerbs();
  alice.react(bob.say(home, 'one'), 'memo');
  alice.react(bob.say(home, 'two'), 'pushpin');
  alice.react(bob.say(home, 'three'), 'ballot_box_with_check');
  await slack.settled();
  await place.quiet();
  expect((await notesOf(place, '1')).map(note => note.body.split('\n')[0])).toEqual(['one', 'two']);
});

test('an update is an important note, a task a task with the link, once', async () => {
  const { alice, bob, home: room, react, unreact, bodies, incident } = await openVerbs({ settings: emoji });
  const update = bob.say(room, 'traffic is back');
  await react(alice, update, 'mega');
  expect(await bodies()).toEqual([`❗ traffic is back\n\n${phrases.saidByBob}: ${update.permalink}`]);
  const todo = bob.say(room, `somebody should check the replica ${'x'.repeat(3000)}`);
  await react(alice, todo, 'ballot_box_with_check');
  await react(bob, todo, 'ballot_box_with_check');
  await unreact(alice, todo, 'ballot_box_with_check');
  const { tasks } = (await incident()).taskList;
  expect(tasks).toHaveLength(1);
  expect(tasks[0]?.text).toMatch(/^somebody should check the replica x+… https/);
  expect(tasks[0]?.text.endsWith(` ${todo.permalink}`)).toBe(true);
  expect(tasks[0]?.text.length).toBeLessThanOrEqual(2000);
});

test('what somebody added from the menu stays when a reaction is taken back', async () => {
  const { alice, bob, home: room, react, unreact, bodies, act } = await openVerbs({ settings: emoji });
  const message = bob.say(room, 'rolled back');
  await act(() => alice.shortcut('add_timeline', message));
  await react(bob, message);
  await unreact(bob, message);
  expect(await bodies()).toHaveLength(1);
});

test('a reaction to one of my own messages adds nothing, and I say so', async () => {
  const { place, alice, home: room, showCard, react, bodies } = await openVerbs({ settings: emoji });
  await react(alice, await showCard());
  expect(place.lastRead(alice, room.id)).toContain('I added nothing: it is one of my own messages');
  expect(await bodies()).toEqual([]);
});

test('without the permission to read messages the person reads why, and what works', async () => {
  const { place, slack, alice, bob, home: room, react, bodies } = await openVerbs({ settings: emoji });
  slack.fail('conversations.replies', { error: 'missing_scope' });
  await react(alice, bob.say(room, 'words'));
  expect(await bodies()).toEqual([]);
  expect(place.lastRead(alice, room.id)).toContain('the app lacks a permission');
  expect(place.lastRead(alice, room.id)).toContain('use Add to timeline in its menu');
});

test('an unsigned reaction is refused', async () => {
  const { slack, alice, bob, home: room, react, bodies } = await openVerbs({ settings: emoji });
  const message = bob.say(room, 'words');
  await react(alice, message, 'eyes');
  const [sent] = slack.deliveries.filter(each => each.body.includes('reaction_added')).slice(-1);
  const forged = (sent?.body ?? '').replace('"eyes"', '"memo"');
  const reply = await slack.deliver({ body: forged, headers: { ...sent?.headers } });
  expect(reply.status).toBe(401);
  expect(await bodies()).toEqual([]);
});

test.each(['conversations.replies', 'chat.getPermalink', 'reactions.add'])(
  'a reaction is carried out once although Slack limits %s',
  async method => {
    const { slack, alice, bob, home: room, react, unreact, bodies, marks } = await openVerbs({ settings: emoji });
    const message = bob.say(room, 'rolled back');
    slack.fail(method, { rateLimited: 1 }, { times: 1 });
    await react(alice, message);
    expect(slack.callsOf(method).length).toBeGreaterThan(1);
    expect(await bodies()).toEqual([`rolled back\n\n${phrases.saidByBob}: ${message.permalink}`]);
    expect(marks(message)).toEqual(['memo']);
    slack.fail('conversations.replies', { rateLimited: 1 }, { times: 1 });
    await unreact(alice, message);
    expect(await bodies()).toEqual([]);
  },
);

test('other emoji do nothing, other channels neither, and off means off', async () => {
  const { place, slack, alice, bob, general, home: room, react, bodies } = await openVerbs({ settings: emoji });
  alice.invite(general, slack.botUserId);
  await react(alice, bob.say(room, 'looking'), 'eyes');
  await react(alice, bob.say(general, 'lunch?'));
  expect(await bodies()).toEqual([]);
  expect(place.troubles).toEqual([]);
  const off = await openVerbs({ settings: { TIMELINE_EMOJI: 'off' } });
  await off.react(off.alice, off.bob.say(off.home, 'words'));
  expect(await off.bodies()).toEqual([]);
});

test('the last person who takes the reaction back takes the note off; a new one brings it back', async () => {
  const {
    place,
    alice,
    bob,
    home: room,
    react,
    unreact,
    bodies,
    marks,
    publicLines,
  } = await openVerbs({ settings: emoji });
  const message = bob.say(room, 'it was me');
  await react(alice, message);
  await react(bob, message, 'pushpin');
  await unreact(alice, message);
  expect(await bodies()).toHaveLength(1);
  expect(marks(message)).toEqual(['memo']);
  await unreact(bob, message, 'pushpin');
  expect(await bodies()).toEqual([]);
  expect(message.reactions).toEqual([]);
  expect((await publicLines()).at(-1)).toContain(
    '@bob removed a note by alice from the timeline of the incident: “it was me”',
  );
  expect(place.lastRead(bob, room.id)).toContain(
    'You removed a note by alice from the timeline of incident 1: “it was me”.',
  );
  await react(alice, message);
  expect(await bodies()).toHaveLength(1);
  await unreact(alice, message);
  expect(await bodies()).toEqual([]);
  expect(place.troubles).toEqual([]);
});

test('a reaction that was taken back before its message is read adds nothing', async () => {
  const { place, slack, alice, bob, home: room, bodies } = await openVerbs({ settings: emoji });
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
  const { place, slack, alice, gus, home: room, react, unreact, bodies } = await openVerbs({ settings: emoji });
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
  const {
    place,
    slack,
    alice,
    home: room,
    react,
    bodies,
    carol,
  } = await openVerbs({ settings: emoji, isPrivate: true });
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
  const { place, slack, alice, bob, home: room, bodies } = await openVerbs({ settings: emoji });
  const message = bob.say(room, 'oops');
  alice.react(message, 'memo');
  bob.deleteMessage(message);
  await slack.settled();
  await place.quiet();
  expect(await bodies()).toEqual([]);
  expect(place.troubles).toEqual([]);
});
