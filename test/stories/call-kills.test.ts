import { expect, test } from 'vitest';
import type { JsonObject } from '../../playground/fake-slack/protocol/json.ts';
import { stopsAtOnce } from '../support/deadlines.ts';
import { declareNow } from '../support/incident-room.ts';
import { openRestarts } from '../support/restarts.ts';

/** A call of Slack at which a Muster dies: `whose` names the person to whom it goes. */
interface Moment {
  readonly method: string;
  readonly whose?: 'carol' | 'dave' | 'room';
}

/** The clock by which a Muster sees that another one is dead runs twenty times as fast: a lease of twenty seconds ends within one. */
const aFastClock = { monotonicNow: () => performance.now() * 20 };

const moments: readonly Moment[] = [
  { method: 'usergroups.list' },
  { method: 'usergroups.users.list' },
  { method: 'conversations.invite' },
  { method: 'chat.postMessage', whose: 'carol' },
  { method: 'chat.postMessage', whose: 'dave' },
  { method: 'chat.postMessage', whose: 'room' },
];

/** Alice in the room of an incident, and the group @sre of carol and dave. */
async function openTeam() {
  const restarts = await openRestarts({
    deadlines: stopsAtOnce,
    // What waits for Slack still when the process ends finds no database.
    expectErrors: record => JSON.stringify(record).includes('driver has already been destroyed'),
  });
  const { slack, alice, general, open } = restarts;
  const [carol, dave] = [slack.addPerson({ name: 'carol' }), slack.addPerson({ name: 'dave' })];
  slack.addUserGroup({ handle: 'sre', members: [carol, dave] });
  const place = await open();
  const room = await declareNow(place, alice, general, 'Disk is full');
  const ids = { carol: carol.id, dave: dave.id, room: room.id };
  const isAt =
    ({ whose }: Moment) =>
    (args: JsonObject) =>
      whose === undefined ||
      (args.channel === ids[whose] && String(args.text).includes(whose === 'room' ? 'Called' : ''));
  return { ...restarts, carol, dave, place, room, isAt };
}

test.each(
  moments.flatMap(moment => [
    [moment.method, moment.whose ?? '', 'before', moment] as const,
    [moment.method, moment.whose ?? '', 'after', moment] as const,
  ]),
)(
  'a Muster dies at %s %s, %s it takes effect: each is asked once, and one line says so',
  async (method, _who, when, moment) => {
    const { slack, alice, carol, dave, place, room, open, isAt } = await openTeam();
    const dies = when === 'before' ? ({ stall: true } as const) : ({ stallAfterEffect: true } as const);
    slack.fail(method, dies, { times: 5, when: isAt(moment) });
    const known = slack.callsOf(method).length;
    await alice.command(room, '/incident call @sre come');
    await expect.poll(() => slack.callsOf(method).length).toBeGreaterThan(known);
    await place[Symbol.asyncDispose]();
    slack.heal();
    const next = await open(aFastClock);
    await next.quiet();
    await next.muster.bot.journal.wake();
    await next.quiet();
    for (const person of [carol, dave]) {
      expect(room.members.has(person.id)).toBe(true);
      expect(next.reads(person, slack.openDm(person).id).filter(each => each.includes('calls you'))).toHaveLength(1);
    }
    const lines = () => room.messages.filter(each => each.text.includes('Called') && each.ephemeralTo === undefined);
    await expect
      .poll(async () => {
        await next.muster.bot.journal.tick();
        await next.quiet();
        return lines().length;
      })
      .toBe(1);
  },
);

test.each(moments)('Slack loses its answer at $method $whose: each is asked once', async moment => {
  const { slack, alice, carol, dave, place, room, isAt } = await openTeam();
  slack.fail(moment.method, { dropAfterEffect: true }, { times: 1, when: isAt(moment) });
  await alice.command(room, '/incident call @sre come');
  await place.quiet();
  const isDone = async () => {
    await place.muster.bot.journal.wake();
    await place.quiet();
    return (await place.muster.bot.journal.countByState()).every(each => each.state === 'done');
  };
  await expect.poll(isDone).toBe(true);
  for (const person of [carol, dave])
    expect(place.reads(person, slack.openDm(person).id).filter(each => each.includes('calls you'))).toHaveLength(1);
  expect(room.messages.filter(each => each.text.includes('Called') && each.ephemeralTo === undefined)).toHaveLength(1);
});

test('who was found first is called, whoever is in the group when it goes on', async () => {
  const { slack, alice, carol, dave, place, room, open } = await openTeam();
  slack.fail('chat.postMessage', { stall: true }, { times: 5, when: args => args.channel === dave.id });
  await alice.command(room, '/incident call @sre come');
  await expect.poll(() => place.reads(carol, slack.openDm(carol).id).length).toBe(1);
  await place[Symbol.asyncDispose]();
  slack.heal();
  const [group] = slack.userGroups;
  slack.setGroupMembers(group?.id ?? '', [alice]);
  const next = await open();
  await next.quiet();
  expect(next.reads(dave, slack.openDm(dave).id)).toHaveLength(1);
});
