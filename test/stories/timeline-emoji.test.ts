import { expect, test } from 'vitest';
import type { FakeSlack } from '../../playground/fake-slack/fake-slack.ts';
import { declareNow, notesOf, openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';
import { phrases } from '../support/phrases.ts';

const emoji = { TIMELINE_EMOJI: ':memo::note, pushpin:note, mega:update, ballot_box_with_check:task' };

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
    const {
      place,
      slack,
      alice,
      bob,
      home: room,
      react,
      bodies,
      marks,
      wait,
      act,
    } = await openIncident({ settings: emoji, socketMode });
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
    await act(() => alice.shortcut('add_timeline', reply));
    expect(await bodies()).toHaveLength(1);
    expect((await notesOf(place, '1'))[0]?.fieldValues).toMatchObject({ saidBy: 'bob', addedBy: 'alice' });
  },
);

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
  const { place, api, alice, bob, home: room, react, unreact, bodies } = await openIncident({ settings: emoji });
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
  expect(place.lastRead(bob, room.id)).toContain('You removed a note from the timeline of incident 1: “rolled back”.');
  await expect
    .poll(() => place.reads(alice, room.name).at(-1))
    .toBe(':wastebasket: @bob removed a note from the timeline of the incident: “rolled back”');
});
