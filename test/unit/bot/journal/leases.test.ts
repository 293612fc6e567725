import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { AlreadyAnswered, Stopped } from '../../../../src/bot/journal/intent.ts';
import { maxConcurrentLanes } from '../../../../src/bot/journal/worker.ts';
import type { BotTables } from '../../../../src/bot/schema/tables.ts';
import {
  begin,
  down,
  openJournals,
  openOne,
  type Process,
  type ProcessOptions,
  pass,
  textsOf,
  type World,
} from '../../../support/journal-world.ts';
import { openVirtualTime } from '../../../support/virtual-time.ts';
import type { LogRecord } from '../../../support/watched-log.ts';

const leaseTime = 20_000;
/** How often a caller looks whether another process has settled its intent, in milliseconds. */
const pollEvery = 250;

const step = (world: World, ms: number) => {
  world.clock.now = new Date(world.clock.now.getTime() + ms);
};

/** A process that was killed while it tried `half`, which took effect, with `behind` behind it. */
async function openKilled(options: ProcessOptions = {}) {
  const { world, start } = await openJournals();
  const dead = await start(options);
  world.script.set('half', ['hang']);
  world.lostAnswers.add('half');
  const half = dead.write('1', 'half', { caller: 'half' });
  await expect.poll(() => world.effects).toEqual(['1: half']);
  const behind = dead.write('2', 'behind', { caller: 'behind' });
  await expect.poll(() => dead.journal.unfinished('1')).toHaveLength(2);
  // The dead hear nothing of what the living do.
  for (const each of [half, behind]) each.catch(() => {});
  dead.kill();
  return { world, start, dead };
}

/** The watch of a process ends it, and leaves word. */
async function hang({ inspect, database, kill }: Process): Promise<void> {
  const [running] = (await inspect()).filter(row => row.state === 'running');
  kill();
  const word = database.as<BotTables>().updateTable('bot_process').set({ hung: 1 });
  await word.where('owner', '=', running?.lease_owner ?? '').execute();
}

test('what a dead process began is finished by another one after the lease, repeats nothing, and is told', async () => {
  const { world, start } = await openKilled();
  const other = await start();
  await other.catchUp();
  pass(world, leaseTime - 1);
  await other.catchUp();
  expect(await other.states()).toEqual({ running: 1, pending: 1 });
  expect(world.attempts).toEqual(['half']);
  pass(world, 1);
  await other.catchUp();
  await other.catchUp();
  expect(world.attempts).toEqual(['half', '?half', 'behind']);
  expect(world.effects).toEqual(['1: half', '1: behind']);
  expect(await other.states()).toEqual({ done: 2 });
  expect(textsOf(other.told)).toEqual(['half', 'behind']);
});

test('the lease is measured from when another process first sees it', async () => {
  const { world, start } = await openKilled();
  pass(world, 3_600_000);
  const other = await start();
  await other.catchUp();
  expect(await other.states()).toEqual({ running: 1, pending: 1 });
  pass(world, leaseTime);
  await other.catchUp();
  expect(await other.states()).toEqual({ done: 2 });
});

test.each([3_600_000, -3_600_000])('a clock that steps by %i ms hastens and delays nothing', async ms => {
  const { world, start } = await openKilled();
  const other = await start();
  await other.catchUp();
  step(world, ms);
  world.clock.elapsed += leaseTime - 1;
  await other.catchUp();
  expect(await other.states()).toEqual({ running: 1, pending: 1 });
  world.clock.elapsed += 1;
  await other.catchUp();
  expect(await other.states()).toEqual({ done: 2 });
});

test('a process that shows signs of life keeps its lease', async () => {
  const time = openVirtualTime(['setInterval', 'clearInterval']);
  const { world, start } = await openJournals();
  const alive = await start();
  const { asked: slow, end: api } = await begin(world, alive.write, '1', 'slow');
  const other = await start();
  await other.catchUp();
  const life = async () => (await alive.life()) ?? 0;
  for (let seconds = 0; seconds < 60; seconds += 5) {
    const before = await life();
    pass(world, 5000);
    await time.advance(5000);
    await expect.poll(life).toBeGreaterThan(before);
    await other.catchUp();
  }
  expect(await slow).toMatchObject({ state: 'queued' });
  api.resolve();
  await alive.catchUp();
  await other.catchUp();
  expect(world.attempts).toEqual(['slow']);
  expect(textsOf([...alive.told, ...other.told])).toEqual(['slow']);
});

test.each<[moves: string, sign: string, isTaken: boolean]>([
  ['its process', 'update bot_process set heartbeat = heartbeat + 1', false],
  [
    'the lease, of a process that is not known',
    "update bot_intent set heartbeat = heartbeat + 1 where state = 'running'",
    false,
  ],
  [
    'another process',
    "insert into bot_process values ('another', 1, 1, 0) on conflict (owner) do update set heartbeat = bot_process.heartbeat + 1",
    true,
  ],
])('a lease is taken where the heartbeats of neither lease nor process change: %s', async (_moves, sign, isTaken) => {
  const { world, start, dead } = await openKilled();
  const other = await start();
  for (let seconds = 0; seconds < 60; seconds += 10) {
    await other.catchUp();
    await sql.raw(sign).execute(dead.database.as());
    pass(world, 10_000);
  }
  await other.catchUp();
  expect(await other.states()).toEqual(isTaken ? { done: 2 } : { running: 1, pending: 1 });
});

test('a process that is alone on its database takes up at start what a dead one held', async () => {
  const { world, start } = await openKilled();
  const other = await start({ isSoleProcess: true });
  await other.catchUp();
  expect(world.effects).toEqual(['1: half', '1: behind']);
  expect(textsOf(other.told)).toEqual(['half', 'behind']);
});

test('a process that is alone tells at start what a dead one had not told', async () => {
  const { start } = await openJournals();
  const dead = await start();
  await dead.write('1', 'hello');
  dead.kill();
  const other = await start({ isSoleProcess: true });
  await other.catchUp();
  expect(textsOf(other.told)).toEqual(['hello']);
});

test.each([
  ['beside others', false],
  ['alone on its database', true],
])(
  'an intent with which two processes hung is set aside and told, by one that is %s',
  async (_words, isSoleProcess) => {
    const { world, start } = await openJournals();
    const expectErrors = ({ msg }: LogRecord) => msg.startsWith('journal: intent failed');
    const open = () => start({ isSoleProcess, expectErrors });
    const other = { subject: '2' };
    const began = async (attempts: readonly string[]) => {
      await expect.poll(() => world.attempts).toEqual(attempts);
      world.attempts.length = 0;
    };
    world.script.set('poison', ['hang', 'hang']);
    world.script.set('beside', ['hang']);
    const first = await open();
    for (const asked of [first.write('1', 'poison'), first.write('2', 'beside', other)]) asked.catch(() => {});
    await began(['poison', 'beside']);
    await hang(first);

    const second = await open();
    await second.journal.tick();
    if (!isSoleProcess) pass(world, leaseTime);
    await second.journal.tick();
    await began(['?poison', 'poison']);
    // One at a time, so that it alone is blamed; a new one in another lane does not wait for it.
    expect(await second.write('3', 'new', { subject: '3' })).toMatchObject({ state: 'done' });
    await second.journal.tick();
    await began(['new']);
    await hang(second);

    const third = await open();
    await third.catchUp();
    if (!isSoleProcess) pass(world, leaseTime);
    await third.catchUp();
    await third.catchUp();
    expect(world.attempts).toEqual(['?beside', 'beside']);
    expect(world.effects).toEqual(['3: new', '2: beside']);
    expect(textsOf(third.told).toSorted()).toEqual(['beside', 'new', 'poison']);
    expect(third.told.flat()).toContainEqual(
      expect.objectContaining({
        ...{ owner: 'alice', payload: { text: 'poison', subject: '1', causes: [] } },
        outcome: expect.objectContaining({ state: 'failed', error: expect.objectContaining({ maybeApplied: true }) }),
      }),
    );
    expect((await third.inspect()).map(({ state, hangs }) => `${state} ${hangs}`).toSorted()).toEqual([
      'done 0',
      'done 1',
      'failed 2',
    ]);
  },
);

test('intents with which a process hung are tried an act at a time, also where their callers ask again', async () => {
  const { world, start } = await openJournals();
  const ask = ({ write }: Process) => [
    write('1', 'one', { subject: '1', caller: 'anne' }),
    write('2', 'with it', { subject: '2', caller: 'anne' }),
    write('3', 'other', { subject: '3', caller: 'bert' }),
  ];
  const { promise: slow, resolve: end } = Promise.withResolvers<void>();
  for (const text of ['one', 'with it', 'other']) world.script.set(text, ['hang']);
  const first = await start();
  for (const asked of ask(first)) asked.catch(() => {});
  await expect.poll(() => world.attempts.toSorted()).toEqual(['one', 'other', 'with it']);
  await hang(first);

  world.attempts.length = 0;
  world.script.set('one', [slow]);
  const second = await start({ isSoleProcess: true });
  const answers = ask(second);
  expect(await answers[1]).toMatchObject({ state: 'done' });
  await second.journal.tick();
  expect(world.attempts.toSorted()).toEqual(['?one', '?with it', 'one', 'with it']);
  end();
  expect(await Promise.all(answers)).toMatchObject([{ state: 'done' }, { state: 'done' }, { state: 'done' }]);
});

test('intents with which a process hung hold no others up, however many they are', async () => {
  const { world, start } = await openJournals();
  const lanes = Array.from({ length: maxConcurrentLanes }, (_, index) => `poison ${index}`);
  for (const text of [...lanes, 'later']) world.script.set(text, text === 'later' ? [down] : ['hang']);
  const first = await start();
  for (const text of lanes) first.write(text, text, { subject: text }).catch(() => {});
  await expect.poll(() => world.attempts).toHaveLength(lanes.length);
  pass(world, 1);
  await first.write('later', 'later', { subject: 'later' });
  await hang(first);

  world.attempts.length = 0;
  world.script.set(lanes[0] ?? '', [Promise.withResolvers<void>().promise]);
  const second = await start({ isSoleProcess: true });
  await second.journal.wake();
  await expect.poll(() => world.effects).toEqual(['later: later']);
});

test('a process that starts beside others frees nothing', async () => {
  const { world, start } = await openKilled();
  const other = await start();
  await other.catchUp();
  await other.wake();
  expect(world.attempts).toEqual(['half']);
});

test('what this process runs is not begun again beside it, however long its lease could not be renewed', async () => {
  const { world, write, journal } = await openOne();
  const { asked: first, end: api } = await begin(world, write, '1', 'slow');
  for (const ms of [1000, leaseTime]) {
    pass(world, ms);
    await journal.tick();
    await journal.wake();
  }
  const again = write('1', 'slow');
  await journal.tick();
  // It has lasted longer than a caller waits.
  expect(await first).toMatchObject({ state: 'queued', repeated: false });
  api.resolve();
  expect(await again).toMatchObject({ state: 'done', repeated: true });
  await journal.idle();
  expect(world.attempts).toEqual(['slow']);
});

test('an outcome that comes after another process has taken the intent over is ignored', async () => {
  // The caller looks after the other process has told the outcome, not while it tells it.
  const time = openVirtualTime(['setTimeout', 'clearTimeout']);
  const { world, start } = await openJournals();
  const late = await start({
    expectErrors: each => each.msg === 'journal: intent failed because of a bug in Muster',
  });
  const { asked, end: api } = await begin(world, late.write, '1', 'slow', { caller: 'command' });
  // It is so slow that another one thinks it dead.
  const other = await start({ isSoleProcess: true });
  await other.catchUp();
  expect(world.attempts).toEqual(['slow', '?slow', 'slow']);
  expect(textsOf(other.told)).toEqual(['slow']);
  api.reject(new TypeError('the first attempt fails'));
  await late.journal.idle();
  const answered = expect(asked).rejects.toThrow(AlreadyAnswered);
  await time.advance(pollEvery);
  await answered;
  expect(await other.states()).toEqual({ done: 1 });
  await late.catchUp();
  await other.catchUp();
  expect(late.told).toEqual([]);
  expect(other.told).toHaveLength(1);
});

test('a pause that comes after another process has taken the intent over is ignored', async () => {
  const { world, start } = await openJournals();
  const late = await start();
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  world.script.set('slow', [first.promise, second.promise]);
  const asked = late.write('1', 'slow');
  await expect.poll(() => world.attempts).toEqual(['slow']);
  const other = await start({ isSoleProcess: true });
  await other.journal.tick();
  await expect.poll(() => world.attempts).toHaveLength(3);
  first.reject(down);
  expect(await asked).toMatchObject({ state: 'queued' });
  expect(await other.states()).toEqual({ running: 1 });
  second.resolve();
  await other.catchUp();
  expect(textsOf(other.told)).toEqual(['slow']);
});

test('a stopped process tells its callers that it stops, and the next one tells them the outcome', async () => {
  const { world, start } = await openJournals();
  const first = await start();
  world.script.set('half', ['hang']);
  const half = first.write('1', 'half');
  await expect.poll(() => world.attempts).toEqual(['half']);
  const behind = first.write('2', 'behind');
  await expect.poll(() => first.journal.unfinished('1')).toHaveLength(2);
  const both = Promise.allSettled([half, behind]);
  await first.journal.stop(10);
  const reasons = (await both).map(each => (each.status === 'rejected' ? each.reason : undefined));
  for (const reason of reasons) expect(reason).toBeInstanceOf(Stopped);
  expect(await first.states()).toEqual({ pending: 2 });
  const second = await start();
  await second.catchUp();
  expect(world.effects).toEqual(['1: half', '1: behind']);
  expect(textsOf(second.told)).toEqual(['half', 'behind']);
});

test('the caller of a stopped process submits again to the next one, and is answered as if nothing had been', async () => {
  const { world, start } = await openJournals();
  const first = await start();
  world.script.set('half', ['hang']);
  world.lostAnswers.add('half');
  world.openCallers.add('command');
  const half = first.write('1', 'half', { caller: 'command' });
  await expect.poll(() => world.attempts).toEqual(['half']);
  const stopped = expect(half).rejects.toBeInstanceOf(Stopped);
  await first.journal.stop(0);
  await stopped;
  const second = await start();
  await second.catchUp();
  expect(second.told).toEqual([]);
  const again = await second.write('1', 'half', { caller: 'command' });
  expect(again).toMatchObject({ state: 'done', repeated: false });
  await second.journal.told([again.id]);
  await second.catchUp();
  expect(second.told).toEqual([]);
  expect(world.effects).toEqual(['1: half']);
});

test('attempts that end in time when the process stops are stored', async () => {
  const { world, start } = await openJournals();
  const first = await start();
  const { asked: slow, end: api } = await begin(world, first.write, '1', 'slow', { caller: 'command' });
  const stopped = expect(slow).rejects.toBeInstanceOf(Stopped);
  const stopping = first.journal.stop(60_000);
  api.resolve();
  await stopping;
  await stopped;
  expect(await first.states()).toEqual({ done: 1 });
  const second = await start();
  await second.catchUp();
  expect(world.attempts).toEqual(['slow']);
  expect(textsOf([...first.told, ...second.told])).toEqual(['slow']);
});

test('a stopped process starts nothing any more', async () => {
  const { world, journal, write, states } = await openOne();
  world.script.set('hello', [down]);
  await write('1', 'hello');
  await journal.stop(0);
  pass(world, 60_000);
  await journal.tick();
  await journal.wake();
  await expect(write('2', 'late', { subject: '2' })).rejects.toBeInstanceOf(Stopped);
  expect(world.attempts).toEqual(['hello']);
  // What it would have stored late would be leased to a process that is about to end.
  expect(await states()).toEqual({ pending: 1 });
});

test('an outcome that a stopping process is telling is not told by the next one as well', async () => {
  const { world, start } = await openJournals();
  const slack = Promise.withResolvers<void>();
  let isTelling = false;
  const first = await start({
    tell: () => {
      isTelling = true;
      return slack.promise;
    },
  });
  world.script.set('hello', [down]);
  await first.write('1', 'hello');
  await first.journal.wake();
  await expect.poll(() => isTelling).toBe(true);
  const stopping = first.journal.stop(60_000);
  const second = await start();
  for (let n = 0; n < 5; n += 1) await second.catchUp();
  slack.resolve();
  await stopping;
  await second.catchUp();
  expect([...first.told, ...second.told]).toHaveLength(1);
});

test('an outcome that a stopping process cannot tell in time is told by the next one', async () => {
  const { world, start } = await openJournals();
  let isTelling = false;
  const first = await start({
    tell: () => {
      isTelling = true;
      return new Promise(() => {});
    },
  });
  world.script.set('hello', [down]);
  await first.write('1', 'hello');
  await first.journal.wake();
  await expect.poll(() => isTelling).toBe(true);
  await first.journal.stop(0);
  const second = await start();
  await second.catchUp();
  expect(textsOf(second.told)).toEqual(['hello']);
});

test('two processes share the work of one database: each intent takes effect once and in order', async () => {
  const { world, start } = await openJournals();
  const [one, two] = [await start(), await start()];
  const subjects = ['1', '2', '3', '4'];
  for (const subject of subjects) {
    world.script.set(`${subject}/0`, [down]);
    for (let n = 0; n < 10; n += 1) {
      const process = n % 2 === 0 ? one : two;
      expect(await process.write(`${subject}/${n}`, `${subject}/${n}`, { subject })).toMatchObject({ state: 'queued' });
    }
  }
  for (let round = 0; world.effects.length < 40 && round < 20; round += 1) await Promise.all([one.wake(), two.wake()]);
  for (const subject of subjects) {
    expect(world.effects.filter(each => each.startsWith(`${subject}:`))).toEqual(
      Array.from({ length: 10 }, (_, n) => `${subject}: ${subject}/${n}`),
    );
  }
  await Promise.all([one.catchUp(), two.catchUp()]);
  expect(textsOf([...one.told, ...two.told]).toSorted()).toEqual(
    subjects.flatMap(subject => Array.from({ length: 10 }, (_, n) => `${subject}/${n}`)).toSorted(),
  );
});

test('a caller that waits for what another process runs gets its outcome', async () => {
  const { world, start } = await openJournals();
  const [one, two] = [await start(), await start()];
  const { asked: first, end } = await begin(world, one.write, 'k', 'slow');
  const second = two.write('k', 'slow');
  world.openCallers.add('waits');
  const behind = two.write('l', 'behind', { caller: 'waits' });
  await expect.poll(() => two.journal.unfinished('1')).toHaveLength(2);
  end.resolve();
  expect(await first).toMatchObject({ state: 'done', repeated: false });
  expect(await second).toMatchObject({ state: 'done', repeated: true });
  expect(await behind).toMatchObject({ state: 'done', repeated: false });
  expect(world.attempts).toEqual(['slow', 'behind']);
});

test('a caller that waits for what another process runs hears that it was put off', async () => {
  const { world, start } = await openJournals();
  const [one, two] = [await start(), await start()];
  const { asked: first, end } = await begin(world, one.write, 'k', 'slow');
  const second = two.write('k', 'slow');
  end.reject(down);
  expect(await first).toMatchObject({ state: 'queued', repeated: false });
  expect(await second).toMatchObject({ state: 'queued', repeated: true });
});
