import { expect, onTestFinished, test } from 'vitest';
import { createDeliveries } from '../../src/bot/inbox/delivery-store.ts';
import { openDatabase } from '../../src/db/database.ts';
import { makeDatabase } from '../support/databases/fresh.ts';
import { declareNow, notesOf } from '../support/incident-room.ts';
import { bob, createWorld, down, openFresh, openProcess, pass } from '../support/journal-world.ts';
import { openWorkplace } from '../support/workplace.ts';

/** A journal, and the deliveries of a process beside it that may have died. */
async function openStory() {
  const world = createWorld();
  const url = await openFresh();
  const process = await openProcess(url, world);
  const database = await openDatabase(url);
  onTestFinished(() => database[Symbol.asyncDispose]());
  const deliveries = createDeliveries({ database, owner: 'another', steady: () => world.clock.steady });
  /** Slack delivers something; yields what its intent says of it. */
  const keep = async (key: string, channelId = 'C1', holdsUp = true) => {
    const delivery = { key, kind: 'command', body: '{}', channelId, holdsUp };
    const { place } = await deliveries.keep(delivery, world.clock.now);
    return { asked: { delivery: key, place }, channelId };
  };
  /** Both have been looked for by now. */
  const settled = async () => {
    await process.catchUp();
    return world.effects.map(each => each.replace('1: ', ''));
  };
  return { world, process, deliveries, keep, settled };
}

test('what was asked for later waits for what was asked for earlier in its channel, and its outcome is waited for', async () => {
  const { world, process, keep, settled } = await openStory();
  const first = await keep('a');
  const second = await keep('b');
  const later = process.write('b', 'second', second);
  await expect.poll(() => process.rows()).toMatchObject([{ state: 'waiting', attempts: 0 }]);
  expect(await settled()).toEqual([]);
  const third = process.write('c', 'third', await keep('c'));
  expect(await process.write('a', 'first', first)).toMatchObject({ state: 'done' });
  expect(await later).toMatchObject({ state: 'done' });
  expect(await third).toMatchObject({ state: 'done' });
  expect(world.effects).toEqual(['1: first', '1: second', '1: third']);
});

test('another channel, what is in no channel, and what only shows something hold nobody up', async () => {
  const { process, keep } = await openStory();
  await keep('elsewhere', 'C2');
  await keep('nowhere', '');
  await keep('look', 'C1', false);
  expect(await process.write('a', 'first', await keep('a'))).toMatchObject({ state: 'done' });
});

test.each(['done', 'failed', 'letPass'] as const)(
  'what is %s without an intent holds nobody up any longer',
  async how => {
    const { world, process, deliveries, keep, settled } = await openStory();
    await keep('a');
    const later = process.write('b', 'second', await keep('b'));
    await expect.poll(() => process.rows()).toHaveLength(1);
    expect(await settled()).toEqual([]);
    await deliveries[how]('a', world.clock.now);
    expect(await later).toMatchObject({ state: 'done' });
  },
);

test('what is handed back holds others up until somebody takes it up, and then until its intent is stored', async () => {
  const { world, process, deliveries, keep, settled } = await openStory();
  const first = await keep('a');
  const later = process.write('b', 'second', await keep('b'));
  await expect.poll(() => process.rows()).toHaveLength(1);
  await deliveries.handBack();
  expect(await settled()).toEqual([]);
  const left = await deliveries.takeUp(world.clock.now, [], 10);
  expect(left.map(each => [each.key, each.place])).toEqual([
    ['a', first.asked.place],
    ['b', first.asked.place + 1],
  ]);
  expect(await settled()).toEqual([]);
  await process.write('a', 'first', first);
  expect(await later).toMatchObject({ state: 'done' });
  expect(world.effects).toEqual(['1: first', '1: second']);
});

test('what comes late is done before what waits untried, and after what was tried before', async () => {
  const { world, process, keep, settled } = await openStory();
  const late = [await keep('a'), await keep('b')];
  const tried = { ...(await keep('c')), channelId: 'C2' };
  const untried = { ...(await keep('d')), channelId: 'C2' };
  world.script.set('tried', [down]);
  expect(await process.write('c', 'tried', tried)).toMatchObject({ state: 'kept' });
  expect(await process.write('d', 'untried', untried)).toMatchObject({ state: 'kept' });
  expect(await process.write('x', 'retried')).toMatchObject({ state: 'kept' });
  for (const [index, each] of late.entries()) await process.write(`late ${index}`, `late ${index}`, each);
  pass(world, 60_000);
  expect(await settled()).toEqual(['tried', 'late 0', 'late 1', 'untried', 'retried']);
});

test('of a lane that waits, only what stands before the first that must wait is tried together', async () => {
  const { world, process, keep, settled } = await openStory();
  const end = Promise.withResolvers<void>();
  world.script.set('slow', [end.promise]);
  const slow = process.write('s', 'slow');
  await expect.poll(() => process.rows()).toMatchObject([{ state: 'trying' }]);
  const elsewhere = await keep('e', 'C2');
  const first = await keep('a');
  const waiting = [
    process.write('e', 'elsewhere', elsewhere),
    process.write('b', 'second', await keep('b')),
    process.write('f', 'third', await keep('f', 'C2')),
  ];
  await expect.poll(() => process.rows()).toHaveLength(4);
  end.reject(down);
  expect(await slow).toMatchObject({ state: 'kept' });
  pass(world, 60_000);
  expect(await settled()).toEqual(['slow', 'elsewhere']);
  await process.write('a', 'first', first);
  await Promise.all(waiting);
  expect(await settled()).toEqual(['slow', 'elsewhere', 'first', 'second', 'third']);
});

test('what was refused and is tried again waits for nothing that was asked for', async () => {
  const { world, process, keep } = await openStory();
  const { id } = await process.write('r', 'refused', { ...(await keep('r')), ...bob });
  await keep('a');
  expect(world.effects).toEqual(['1: refused']);
  expect(await process.journal.retry(id, bob)).toMatchObject({ state: 'done' });
});

/** Bob and Alice in the channel of an incident, and two replicas. */
async function openTwo() {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const settings = { DATABASE_URL: fresh.url };
  const anne = await openWorkplace({ settings });
  const bert = await openWorkplace({ settings, slack: anne.slack });
  const { slack } = anne;
  const alice = slack.addPerson({ name: 'alice' });
  const rob = slack.addPerson({ name: 'rob' });
  const general = slack.addChannel({ name: 'general', members: [alice, rob], botIsMember: true });
  slack.connectApp(`${anne.muster.url}/slack/events`);
  const room = await declareNow(anne, alice, general, 'Disk is full');
  rob.join(room);
  const notes = async () => (await notesOf(anne, '1')).map(each => each.body.split('\n')[0]);
  const quiet = async () => {
    await anne.quiet();
    await bert.quiet();
  };
  return { anne, bert, slack, alice, rob, room, notes, quiet };
}

test('a slow look at one replica does not hold up a note at another one', async () => {
  const { bert, slack, alice, rob, room, notes, quiet, anne } = await openTwo();
  slack.fail('users.info', { stall: true }, { times: 1 });
  await rob.command(room, '/incident status');
  await slack.until(() => slack.callsOf('users.info').length > 1);
  slack.connectApp(`${bert.muster.url}/slack/events`);
  await alice.command(room, '/note add It is the log');
  await expect.poll(notes).toEqual(['It is the log']);
  expect(anne.reads(rob, room.name).join('\n')).not.toContain('Latest on the timeline');
  await quiet();
  expect(anne.reads(rob, room.name).join('\n')).toContain('Latest on the timeline');
});

test('a note waits for one that was made before it and is slower, at another replica', async () => {
  const { bert, slack, alice, rob, room, notes, quiet } = await openTwo();
  slack.fail('users.info', { stall: true }, { times: 1 });
  await rob.command(room, '/note add first');
  await slack.until(() => slack.callsOf('users.info').length > 1);
  slack.connectApp(`${bert.muster.url}/slack/events`);
  await alice.command(room, '/note add second');
  await quiet();
  expect(await notes()).toEqual(['first', 'second']);
  expect(bert.reads(alice, room.name).at(-1)).toContain('Added to the timeline of incident 1: “second”');
});

test('a form that is slow to open holds nobody up', async () => {
  const { anne, slack, alice, rob, room, notes, quiet } = await openTwo();
  slack.fail('views.open', { stall: true }, { times: 1 });
  await rob.command(room, '/incident declare');
  await slack.until(() => slack.callsOf('views.open').length > 0);
  await alice.command(room, '/note add first');
  await expect.poll(notes).toEqual(['first']);
  expect(anne.reads(rob, room.name).join('\n')).not.toContain('they were over');
  await quiet();
  expect(anne.reads(rob, room.name).join('\n')).toContain('they were over');
});
