import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isProvisional, provisionalID } from '../../../../src/bot/journal/provisional-id.ts';
import type { BotTables } from '../../../../src/bot/schema/tables.ts';
import { RpcError } from '../../../../src/contract/errors.ts';
import {
  alice,
  bob,
  createWorld,
  down,
  keysOf,
  lost,
  openFresh,
  openProcess,
  pass,
  refused,
  Taken,
} from '../../../support/journal-world.ts';

const states = async (process: Awaited<ReturnType<typeof openProcess>>) =>
  Object.fromEntries((await process.journal.countByState()).map(each => [each.state, each.count]));

test('the same key at once and later takes effect once, and says so', async () => {
  const world = createWorld();
  const { write, journal } = await openProcess(await openFresh(), world);
  const both = await Promise.all([write('k', 'hello'), write('k', 'hello')]);
  expect(both.map(each => [each.state, each.repeated]).sort()).toEqual([
    ['done', false],
    ['done', true],
  ]);
  expect(await write('k', 'hello')).toMatchObject({ state: 'done', repeated: true, result: { text: 'hello' } });
  expect(world.effects).toEqual(['1: hello']);
  expect(await journal.countByState()).toMatchObject([{ state: 'done', count: 1 }]);
});

test('what cannot be done now is kept, done once by itself, and told', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('hello', [down]);
  expect(await process.write('k', 'hello')).toMatchObject({ state: 'kept', error: { code: 'unavailable' } });
  expect(await process.write('k', 'hello')).toMatchObject({ state: 'kept', repeated: true });
  expect(await process.journal.waiting('1')).toMatchObject([
    { aim: 'write hello', state: 'waiting', attempts: 1, why: { code: 'unavailable' } },
  ]);
  expect(process.told).toEqual([]);
  await process.catchUp();
  expect(world.effects).toEqual(['1: hello']);
  expect(process.told.map(each => [each.kept.payload, each.outcome.state])).toEqual([
    [{ text: 'hello', incidentID: '1' }, 'done'],
  ]);
  await process.catchUp();
  expect(process.told).toHaveLength(1);
  expect(await process.journal.waiting('1')).toEqual([]);
});

test('of one incident everything is done in the order in which it was asked for; others do not wait', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('one', [down, down]);
  await process.write('1', 'one');
  const later = await Promise.all([process.write('2', 'two'), process.write('3', 'three')]);
  expect(later.map(each => each.state)).toEqual(['kept', 'kept']);
  expect(await process.write('4', 'other', { incidentID: '2' })).toMatchObject({ state: 'done' });
  expect(world.effects).toEqual(['2: other']);
  await process.catchUp();
  expect(world.effects).toEqual(['2: other']);
  await process.catchUp();
  expect(world.effects).toEqual(['2: other', '1: one', '1: two', '1: three']);
  expect(process.told.map(each => Reflect.get(Object(each.kept.payload), 'text'))).toEqual(['one', 'two', 'three']);
});

test('while something is being tried, what comes after it waits its turn and is answered', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  const end = Promise.withResolvers<void>();
  world.script.set('slow', [end.promise]);
  const slow = process.write('1', 'slow');
  await expect.poll(() => process.rows()).toHaveLength(1);
  const next = process.write('2', 'next');
  await expect.poll(() => process.rows()).toHaveLength(2);
  expect(world.effects).toEqual([]);
  end.resolve();
  expect(await slow).toMatchObject({ state: 'done' });
  expect(await next).toMatchObject({ state: 'done', repeated: false });
  expect(world.effects).toEqual(['1: next']);
});

test('a refusal holds up nothing, and its own person can try it again', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('bad', [down, refused]);
  const { id } = await process.write('1', 'bad');
  await process.write('2', 'good');
  await process.catchUp();
  expect(world.effects).toEqual(['1: good']);
  expect(process.told.map(each => each.outcome)).toMatchObject([
    { state: 'refused', error: { code: 'invalid_argument', message: 'not that' } },
    { state: 'done' },
  ]);
  expect(await process.write('1', 'bad')).toMatchObject({ state: 'refused', repeated: true });
  expect(await process.journal.retry(id, bob)).toBeUndefined();
  expect(await process.journal.find(id, bob)).toBeUndefined();
  expect(await process.journal.retry(id, alice)).toMatchObject({ state: 'done', repeated: false });
  expect(await process.journal.retry(id, alice)).toMatchObject({ state: 'done', repeated: true });
  expect(world.effects).toEqual(['1: good', '1: bad']);
});

test('a key that may be renewed is tried anew when it was refused, with what is submitted now', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('old', [refused]);
  expect(await process.write('k', 'old')).toMatchObject({ state: 'refused' });
  expect(await process.write('k', 'new', { renew: true })).toMatchObject({ state: 'done', repeated: false });
  expect(world.effects).toEqual(['1: new']);
});

test('an effect whose answer was lost is found and not repeated', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('hello', [lost]);
  world.lostAnswers.add('hello');
  expect(await process.write('k', 'hello')).toMatchObject({ state: 'kept' });
  expect(world.effects).toEqual(['1: hello']);
  await process.catchUp();
  expect(world.effects).toEqual(['1: hello']);
  expect(process.told).toMatchObject([{ outcome: { state: 'done' } }]);
});

test('kept intents can be discarded by their own person, until they are done', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('hello', [down]);
  const { id } = await process.write('k', 'hello');
  await process.write('after', 'after');
  expect(await process.journal.discard(id, bob)).toBeUndefined();
  expect(await process.journal.discard(id, alice)).toBe(true);
  await process.catchUp();
  expect(world.effects).toEqual(['1: after']);
  expect(await process.write('k', 'hello')).toMatchObject({ state: 'refused', error: { message: 'it was discarded' } });
  expect(await process.journal.discard((await process.write('done', 'done')).id, alice)).toBe(false);
});

test('what was asked for under a name made from the incident’s first id is not done again under its own', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('db is down', [down]);
  const { id } = await process.declare('d', 'db is down');
  const before = provisionalID(id);
  await process.write(`note/${before}/C1/1.2`, 'message', { incidentID: before });
  await process.catchUp();
  expect(await process.write('note/7/C1/1.2', 'message', { incidentID: '7' })).toMatchObject({
    state: 'done',
    repeated: true,
  });
  const late = await process.write(`note/${before}/C1/1.2`, 'message', { incidentID: before });
  expect(late).toMatchObject({ state: 'done', repeated: true });
  // A turn that began before the registration and submits after it.
  const begun = await process.write(`note/${before}/C1/1.2`, 'message', { incidentID: '7' });
  expect(begun).toMatchObject({ state: 'done', repeated: true });
  expect(world.effects).toEqual(['declared: db is down', '7: message']);
});

test('“Try now” for what stands behind something else answers with its own outcome, and it is not told again', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('one', [down]);
  await process.write('1', 'one');
  const { id } = await process.write('2', 'two');
  expect(await process.journal.retry(id, alice)).toMatchObject({ state: 'done', id, result: { text: 'two' } });
  await process.journal.close([id]);
  await process.catchUp();
  expect(process.told.map(each => each.kept.payload)).toMatchObject([{ text: 'one' }]);
});

test('an incident that two declarations find is one’s, and the other’s is found or made', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  const first = await process.declare('d', 'db is down');
  expect(first).toMatchObject({ state: 'done', result: { incidentID: '7' } });
  world.nextIncident = '8';
  world.script.set('again', [new Taken('7')]);
  expect(await process.declare('e', 'again')).toMatchObject({ state: 'done', result: { incidentID: '8' } });
});

test('what comes of an intent is stored with it, and done before what waits behind', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('first', [down]);
  await process.write('1', 'first', { brings: 'consequence' });
  await process.write('2', 'second');
  await process.catchUp();
  expect(world.effects).toEqual(['1: first', '1: consequence', '1: second']);
  expect(process.told.map(each => [Reflect.get(Object(each.kept.payload), 'text'), each.isQuiet])).toEqual([
    ['first', false],
    ['consequence', true],
    ['second', false],
  ]);
});

test('what is wanted of an incident that is only declared waits until it is registered', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('db is down', [down]);
  const declared = await process.declare('d', 'db is down');
  expect(declared.state).toBe('kept');
  const incidentID = provisionalID(declared.id);
  expect(isProvisional(incidentID)).toBe(true);
  expect(await process.write('n', 'note', { incidentID })).toMatchObject({ state: 'kept' });
  expect(await process.journal.waiting(incidentID)).toMatchObject([
    { aim: 'declare db is down' },
    { aim: 'write note' },
  ]);
  await process.catchUp();
  expect(world.effects).toEqual(['declared: db is down', '7: note']);
  expect((await process.rows()).map(each => [each.state, each.incident_id])).toEqual([
    ['done', '7'],
    ['done', '7'],
  ]);
  // Somebody whose message still bore the old id.
  expect(await process.write('m', 'more', { incidentID })).toMatchObject({ state: 'done' });
  expect(world.effects.at(-1)).toBe('7: more');
});

test('when a declaration is refused, what waits for it goes on waiting; discarded, it goes with it', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('db is down', [down, refused, refused]);
  const { id } = await process.declare('d', 'db is down');
  await process.write('n', 'note', { incidentID: provisionalID(id) });
  await process.catchUp();
  expect(await states(process)).toEqual({ refused: 1, waiting: 1 });
  expect(await process.journal.retry(id, alice)).toMatchObject({ state: 'refused' });
  expect(await process.journal.discard(id, alice)).toBe(true);
  await process.catchUp();
  expect(await states(process)).toEqual({ discarded: 2 });
  expect(world.effects).toEqual([]);
});

test('what waits behind a declaration that nobody takes up is given up after a week, and told', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('db is down', [down, refused]);
  const { id } = await process.declare('d', 'db is down');
  await process.write('n', 'note', { incidentID: provisionalID(id) });
  await process.catchUp();
  pass(world, 8 * 24 * 3_600_000);
  await process.journal.tidy();
  await process.catchUp();
  expect(await states(process)).toEqual({ refused: 2 });
  expect(process.told.map(each => each.outcome.state)).toEqual(['refused', 'refused']);
});

test('a refused declaration that is tried again brings everything behind it along', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('db is down', [down, refused]);
  const { id } = await process.declare('d', 'db is down');
  await process.write('n', 'note', { incidentID: provisionalID(id) });
  await process.catchUp();
  expect(await process.journal.retry(id, alice)).toMatchObject({ state: 'done' });
  await process.catchUp();
  expect(world.effects).toEqual(['declared: db is down', '7: note']);
});

test('what this process is at is not begun again beside it, however long its lease could not be renewed', async () => {
  const world = createWorld();
  const { write, journal, rows } = await openProcess(await openFresh(), world);
  const api = Promise.withResolvers<void>();
  world.script.set('slow', [api.promise, 'done']);
  const first = write('1', 'slow');
  await expect.poll(rows).toHaveLength(1);
  for (const ms of [1000, 21_000]) {
    pass(world, ms);
    await journal.wake();
  }
  const again = write('1', 'slow');
  await pause(100);
  api.resolve();
  expect(await first).toMatchObject({ state: 'done', repeated: false });
  expect(await again).toMatchObject({ state: 'done', repeated: true });
  await journal.idle();
  expect(world.effects).toEqual([]);
});

test('what somebody else takes up after a crash is told to whoever asked for it first', async () => {
  const url = await openFresh();
  const world = createWorld();
  const dead = await openProcess(url, world);
  const api = Promise.withResolvers<void>();
  world.script.set('half', [new Promise(() => {}), api.promise]);
  void dead.write('0', 'half');
  await expect.poll(() => dead.rows()).toHaveLength(1);
  void dead.write('1', 'seen');
  await expect.poll(() => dead.rows()).toHaveLength(2);
  const other = await openProcess(url, world);
  await other.catchUp();
  pass(world, 21_000);
  await other.journal.wake();
  const asked = other.write('1', 'seen', bob);
  await pause(100);
  api.resolve();
  expect(await asked).toMatchObject({ state: 'done', repeated: true });
  for (const ms of [1000, 1000]) {
    pass(world, ms);
    await other.catchUp();
  }
  // Whatever is held is held on to every five seconds.
  await pause(5500);
  pass(world, 21_000);
  await other.catchUp();
  expect(keysOf(other.told)).toEqual(['0', '1']);
  expect(await other.rows()).toMatchObject([{ aftermath: 0 }, { aftermath: 0 }]);
}, 20_000);

test('a process that dies in the middle leaves nothing behind that another does not finish, and repeats nothing', async () => {
  const url = await openFresh();
  const world = createWorld();
  const dead = await openProcess(url, world);
  world.script.set('half', [new Promise(() => {})]);
  world.lostAnswers.add('half');
  void dead.write('1', 'half');
  await expect.poll(() => world.effects).toEqual(['1: half']);
  void dead.write('2', 'behind');
  await expect.poll(() => dead.rows()).toHaveLength(2);
  const other = await openProcess(url, world);
  await other.catchUp();
  expect(await states(other)).toEqual({ trying: 1, waiting: 1 });
  pass(world, 21_000);
  await other.catchUp();
  expect(world.effects).toEqual(['1: half', '1: behind']);
  expect(await states(other)).toEqual({ done: 2 });
  for (const ms of [1000, 21_000]) {
    pass(world, ms);
    await other.catchUp();
  }
  // Nobody is left to answer, so both are told of.
  expect(other.told.map(each => each.outcome.state)).toEqual(['done', 'done']);
});

test('a dead process is taken over also when its lease seems to last for ever, since the clock stepped back', async () => {
  const url = await openFresh();
  const world = createWorld();
  const dead = await openProcess(url, world);
  world.script.set('half', [new Promise(() => {})]);
  void dead.write('1', 'half');
  await expect.poll(() => dead.rows()).toMatchObject([{ state: 'trying' }]);
  const other = await openProcess(url, world);
  await other.catchUp();
  world.clock.now = new Date(world.clock.now.getTime() - 3_600_000);
  world.clock.steady += 21_000;
  await other.catchUp();
  expect(world.effects).toEqual(['1: half']);
});

test('a process that is stopped hands back what it was trying, and others need not wait', async () => {
  const url = await openFresh();
  const world = createWorld();
  const first = await openProcess(url, world);
  const end = Promise.withResolvers<void>();
  world.script.set('half', [end.promise]);
  void first.write('1', 'half');
  await expect.poll(() => first.rows()).toMatchObject([{ state: 'trying' }]);
  setTimeout(() => end.reject(down), 50);
  await first.journal.stop(10);
  const second = await openProcess(url, world);
  await second.catchUp();
  expect(world.effects).toEqual(['1: half']);
});

test('a process that is alive is not taken over, whatever the clocks of others say', async () => {
  const url = await openFresh();
  const world = createWorld();
  const alive = await openProcess(url, world);
  const end = Promise.withResolvers<void>();
  world.script.set('slow', [end.promise]);
  const slow = alive.write('1', 'slow');
  await expect.poll(() => alive.rows()).toMatchObject([{ state: 'trying' }]);
  const other = await openProcess(url, world);
  await other.catchUp();
  world.clock.now = new Date(world.clock.now.getTime() + 3_600_000);
  await other.catchUp();
  world.clock.now = new Date(world.clock.now.getTime() - 7_200_000);
  await other.catchUp();
  end.resolve();
  expect(await slow).toMatchObject({ state: 'done' });
  await other.catchUp();
  expect(world.effects).toEqual([]);
});

test('who did not get an answer because the process died is told by another one', async () => {
  const url = await openFresh();
  const world = createWorld();
  const dead = await openProcess(url, world);
  expect(await dead.write('1', 'hello')).toMatchObject({ state: 'done' });
  const other = await openProcess(url, world);
  await other.catchUp();
  expect(other.told).toEqual([]);
  pass(world, 21_000);
  await other.catchUp();
  expect(other.told).toMatchObject([{ outcome: { state: 'done' } }]);
  expect(world.effects).toEqual(['1: hello']);
});

test('who got an answer is not told again', async () => {
  const url = await openFresh();
  const world = createWorld();
  const process = await openProcess(url, world);
  const { id } = await process.write('1', 'hello');
  await process.journal.close([id]);
  pass(world, 60_000);
  await process.catchUp();
  expect(process.told).toEqual([]);
});

test('two processes share the work of one database: each thing is done once and in order', async () => {
  const url = await openFresh();
  const world = createWorld();
  const [one, two] = [await openProcess(url, world), await openProcess(url, world)];
  const incidents = ['1', '2', '3', '4'];
  for (const incidentID of incidents) {
    world.script.set(`${incidentID}/0`, [down]);
    for (let n = 0; n < 10; n += 1) {
      const process = n % 2 === 0 ? one : two;
      expect(await process.write(`${incidentID}/${n}`, `${incidentID}/${n}`, { incidentID })).toMatchObject({
        state: 'kept',
      });
    }
  }
  for (let round = 0; world.effects.length < 40 && round < 20; round += 1)
    await Promise.all([one.catchUp(), two.catchUp()]);
  for (const incidentID of incidents) {
    expect(world.effects.filter(each => each.startsWith(`${incidentID}:`))).toEqual(
      Array.from({ length: 10 }, (_, n) => `${incidentID}: ${incidentID}/${n}`),
    );
  }
  await Promise.all([one.catchUp(), two.catchUp()]);
  expect(one.told.length + two.told.length).toBe(40);
});

test('somebody who waits for what another process tries gets its answer', async () => {
  const url = await openFresh();
  const world = createWorld();
  const [one, two] = [await openProcess(url, world), await openProcess(url, world)];
  const end = Promise.withResolvers<void>();
  world.script.set('slow', [end.promise]);
  const first = one.write('k', 'slow');
  await expect.poll(() => one.rows()).toMatchObject([{ state: 'trying' }]);
  const second = two.write('k', 'slow');
  end.resolve();
  expect(await first).toMatchObject({ state: 'done', repeated: false });
  expect(await second).toMatchObject({ state: 'done', repeated: true });
});

test('a fault of ours is a refusal that may have taken effect, and holds up nothing', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('k', [new TypeError('x is not a function')]);
  expect(await process.write('k', 'k')).toMatchObject({
    state: 'refused',
    error: { code: 'internal', maybeApplied: true },
  });
  expect(await process.write('l', 'l')).toMatchObject({ state: 'done' });
});

test('what was kept for a week is given up, and told', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('old', [down, down]);
  await process.write('k', 'old');
  pass(world, 8 * 24 * 3_600_000);
  await process.catchUp();
  expect(process.told).toMatchObject([{ outcome: { state: 'refused', error: { code: 'unavailable' } } }]);
});

test('an intent of a kind that this version does not know is refused, and holds up nothing', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  world.script.set('one', [down]);
  await process.write('1', 'one');
  await process.write('2', 'two');
  await process.database
    .as<BotTables>()
    .updateTable('bot_intent')
    .set({ kind: 'test.gone' })
    .where('key', '=', '1')
    .execute();
  await process.catchUp();
  expect(world.effects).toEqual(['1: two']);
  expect(await states(process)).toEqual({ refused: 1, done: 1 });
});

test('the pause between attempts grows, and is as long as the API asks for', async () => {
  const world = createWorld();
  const process = await openProcess(await openFresh(), world);
  const busy = new RpcError('resource_exhausted', 'slow down', { retryAfter: 30, maybeApplied: false });
  world.script.set('k', [down, down, busy]);
  const pauses: number[] = [];
  const note = async () => {
    const [row] = await process.rows();
    pauses.push((row?.next_at ?? 0) - world.clock.now.getTime());
  };
  await process.write('k', 'k');
  await note();
  await process.catchUp();
  await note();
  await process.catchUp();
  await note();
  expect(pauses).toEqual([750, 1500, 30_000]);
});

test('who asks again for what somebody still waits for elsewhere has it told by them alone', async () => {
  const world = createWorld();
  const url = await openFresh();
  const [anne, bert] = [await openProcess(url, world), await openProcess(url, world)];
  const first = Promise.withResolvers<unknown>();
  world.script.set('one', [first.promise]);
  const one = bert.write('1', 'one');
  await expect.poll(() => bert.journal.countByState()).toMatchObject([{ state: 'trying' }]);
  const two = anne.write('2', 'two');
  await expect.poll(() => bert.rows()).toHaveLength(2);
  first.reject(down);
  expect(await one).toMatchObject({ state: 'kept' });
  expect(await bert.write('2', 'two')).toMatchObject({ state: 'kept', repeated: true });
  await bert.catchUp();
  expect(await two).toMatchObject({ state: 'done', repeated: false });
  await anne.catchUp();
  await bert.catchUp();
  const told = () => keysOf([...anne.told, ...bert.told]);
  expect(told()).toEqual(['1']);
  // They were cut off before they had answered.
  for (let seconds = 0; seconds < 30; seconds += 5) {
    await bert.catchUp();
    pass(world, 5000);
  }
  expect(told()).toEqual(['1', '2']);
});

test.each([
  ['was kept', 'the same process'],
  ['was kept', 'another one'],
  ['was handed back', 'the same process'],
  ['was handed back', 'another one'],
])(
  'what %s and is being told is not told by others because whoever asked again, of %s, could not be answered',
  async (what, where) => {
    const world = createWorld();
    const url = await openFresh();
    if (what === 'was kept') world.script.set('one', [down]);
    const first = await openProcess(url, world);
    await first.write('a', 'one');
    await first.journal.stop(0);
    const teller = await openProcess(url, world);
    const telling: string[] = [];
    teller.journal.onEnd(ends => {
      telling.push(...keysOf(ends));
      return new Promise(() => {});
    });
    await teller.journal.wake();
    await expect.poll(() => telling).toEqual(['a']);
    const other = await openProcess(url, world);
    const asked = where === 'another one' ? other : teller;
    const again = await asked.write('a', 'one');
    expect(again).toMatchObject({ state: 'done', repeated: true });
    await asked.journal.leave([again.id]);
    await other.catchUp();
    const [left] = await teller.rows();
    pass(world, 15_000);
    const until = () => teller.rows().then(([row]) => row?.lease_until ?? 0);
    await expect.poll(until, { timeout: 8000 }).toBeGreaterThan(left?.lease_until ?? 0);
    await other.catchUp();
    pass(world, 15_000);
    await other.catchUp();
    expect(other.told).toEqual([]);
    expect(telling).toEqual(['a']);
  },
);
