import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Deps } from '../../../../src/bot/dispatch/deps.ts';
import { defineIntent } from '../../../../src/bot/journal/intent.ts';
import { createJournal } from '../../../../src/bot/journal/journal.ts';
import type { BotTables } from '../../../../src/bot/schema/tables.ts';
import { createClient } from '../../../../src/client/client.ts';
import type { Database } from '../../../../src/db/database.ts';
import {
  alice,
  awayWhile,
  createWorld,
  down,
  keysOf,
  openFresh,
  openProcess,
  type Process,
  pass,
  refused,
} from '../../../support/journal-world.ts';

test('of several that are tried in one go, each knows what those before it did, however long that takes to store', async () => {
  const { database } = await openProcess(await openFresh(), createWorld());
  const slow: Database = {
    ...database,
    withLock: async (...turn) => {
      await pause(20);
      return database.withLock(...turn);
    },
  };
  const find = defineIntent({
    kind: 'test.find',
    payload: z.object({}),
    result: z.object({ others: z.number() }),
    run: () => Promise.reject(down),
    reconcile: async ({ others }) => ({ others: (await others()).length }),
    aim: () => 'find it',
    done: () => ({ text: 'found' }),
  });
  const journal = createJournal({
    database: slow,
    api: createClient({ transport: () => Promise.reject(down) }),
    intents: [find],
    deps: () => ({}) as Deps,
    budget: 2000,
    clock: () => new Date(),
    log: pino({ enabled: false }),
  });
  onTestFinished(() => journal.stop(0));
  for (const key of ['1', '2', '3']) {
    const terms = { key, renew: false, people: {}, ...alice, channelId: 'C1', threadTs: '', incidentID: '1' };
    await journal.submit(find, { ...terms, payload: {} });
  }
  const intents = database.as<BotTables>();
  await intents.updateTable('bot_intent').set({ doubt: 1 }).execute();
  await journal.wake();
  await journal.idle();
  const rows = await intents.selectFrom('bot_intent').select('outcome').orderBy('key').execute();
  expect(rows.map(row => JSON.parse(row.outcome))).toEqual([{ others: 0 }, { others: 1 }, { others: 2 }]);
});

/** Four that wait for the API, which is back. */
async function openBacklog() {
  const world = createWorld();
  world.script.set('a', [down]);
  const url = await openFresh();
  const process = await openProcess(url, world);
  for (const text of ['a', 'b', 'c', 'd']) expect(await process.step(text)).toMatchObject({ state: 'kept' });
  return { world, url, process };
}

const standing = async (process: Process) =>
  (await process.rows()).map(row => `${row.key} ${row.state} ${row.attempts} ${row.lease_until > 0 ? 'held' : 'free'}`);

test('what is tried in one go cannot be given up while it is', async () => {
  const { world, process } = await openBacklog();
  const end = Promise.withResolvers<void>();
  world.script.set('b', [end.promise]);
  await process.journal.wake();
  await expect.poll(() => world.effects).toEqual(['1: a']);
  const ids = (await process.rows()).map(row => row.id);
  for (const id of ids) expect(await process.journal.discard(id, alice)).toBe(false);
  end.resolve();
  await process.journal.idle();
  expect(world.effects).toEqual(['1: a', '1: c', '1: d']);
  expect((await process.rows()).map(row => row.state)).toEqual(['done', 'done', 'done', 'done']);
});

test('one of several that cannot be done yet keeps those behind it, and those before it are done', async () => {
  const { world, process } = await openBacklog();
  world.script.set('c', [down]);
  await process.journal.wake();
  await process.journal.idle();
  expect(await standing(process)).toEqual(['a done 2 free', 'b done 1 free', 'c waiting 1 free', 'd waiting 0 free']);
  await process.catchUp();
  expect(world.effects).toEqual(['1: a', '1: b', '1: c', '1: d']);
  expect(keysOf(process.told)).toEqual(['a', 'b', 'c', 'd']);
});

test('of several that a process was at when it died, none is lost, and none is done twice', async () => {
  const { world, url, process } = await openBacklog();
  world.script.set('c', [new Promise(() => {})]);
  await process.journal.wake();
  await expect.poll(() => standing(process)).toContain('b done 1 free');
  const other = await openProcess(url, world);
  await other.catchUp();
  expect(world.effects).toEqual(['1: a', '1: b']);
  pass(world, 21_000);
  await other.catchUp();
  await other.catchUp();
  expect(world.effects).toEqual(['1: a', '1: b', '1: c', '1: d']);
  expect(await standing(other)).toEqual(['a done 2 free', 'b done 1 free', 'c done 1 free', 'd done 1 free']);
  expect(keysOf(other.told).toSorted()).toEqual(['a', 'b', 'c', 'd']);
});

/** Four that were tried, and are being told of, which ends as `telling` does; `ofFirst` comes of the first. */
async function openTelling(telling: Promise<void>, ofFirst: readonly Error[] = []) {
  const { world, url, process } = await openBacklog();
  world.script.set('a', [...ofFirst]);
  const told: (readonly string[])[] = [];
  process.journal.onEnd(ends => {
    told.push(keysOf(ends));
    return telling;
  });
  await process.journal.wake();
  await expect.poll(() => told).toEqual([['a', 'b', 'c', 'd']]);
  const [first] = await process.rows();
  return { world, url, process, told, first: first?.id ?? '' };
}

const never = new Promise<void>(() => {});

test('what a process did in one go and told nobody of is told by another one, each once', async () => {
  const { world, url, process } = await openTelling(never);
  expect(await standing(process)).toEqual(['a done 2 held', 'b done 1 free', 'c done 1 free', 'd done 1 free']);
  const other = await openProcess(url, world);
  await other.catchUp();
  expect(other.told).toEqual([]);
  pass(world, 21_000);
  await other.catchUp();
  await other.catchUp();
  expect(keysOf(other.told)).toEqual(['a', 'b', 'c', 'd']);
  expect(world.effects).toEqual(['1: a', '1: b', '1: c', '1: d']);
});

test('whoever is answered about the first of several does not silence the others', async () => {
  const { world, url } = await openTelling(never);
  const other = await openProcess(url, world);
  await other.catchUp();
  const again = await other.step('a');
  expect(again).toMatchObject({ state: 'done', repeated: true });
  await other.journal.close([again.id]);
  await other.journal.leave([again.id]);
  pass(world, 21_000);
  await other.catchUp();
  await other.catchUp();
  expect(keysOf(other.told)).toEqual(['a', 'b', 'c', 'd']);
});

test.each(['retry', 'discard'] as const)('a %s of the first of several does not silence the others', async verb => {
  const { world, url, first } = await openTelling(never, [refused]);
  const other = await openProcess(url, world);
  await other.catchUp();
  await other.journal[verb](first, alice);
  pass(world, 21_000);
  await other.catchUp();
  await other.catchUp();
  expect(keysOf(other.told)).toEqual(['b', 'c', 'd']);
});

test.each(['retry', 'discard'] as const)(
  'a %s of the first of several while they are told does not repeat the others',
  async verb => {
    const slow = Promise.withResolvers<void>();
    const { process, told, first } = await openTelling(slow.promise, [refused]);
    await process.journal[verb](first, alice);
    slow.resolve();
    await process.catchUp();
    await process.catchUp();
    expect(told.slice(1).flat()).not.toContain('b');
    expect((await process.rows()).slice(1).map(row => row.aftermath)).toEqual([0, 0, 0]);
  },
);

test('what was done in one go, however much it is, is told in one go, and again when that fails', async () => {
  const world = createWorld();
  world.script.set('1', [down]);
  const process = await openProcess(await openFresh(), world);
  const all = Array.from({ length: 70 }, (_, index) => `${index + 1}`);
  for (const text of all) await process.step(text);
  const told: (readonly string[])[] = [];
  process.journal.onEnd(async ends => {
    told.push(keysOf(ends));
    if (told.length === 1) throw new Error('Slack is away');
  });
  await process.catchUp();
  expect(told).toEqual([all]);
  await pause(2100);
  await process.catchUp();
  expect(told.slice(1).flat()).toEqual(all);
  const rows = await process.rows();
  expect(rows.filter(row => row.aftermath === 1 || row.covers !== '')).toEqual([]);
});

test('what is answered before its outcome is stored is closed with it, in one go', async () => {
  const seen: string[] = [];
  const { write, journal, rows } = await openProcess(await openFresh(), createWorld(), database => ({
    ...database,
    withLock: async (...turn) => {
      const result = await database.withLock(...turn);
      const all = await database.as<BotTables>().selectFrom('bot_intent').select(['state', 'aftermath']).execute();
      seen.push(...all.map(row => `${row.state} ${row.aftermath}`));
      return result;
    },
  }));
  const { id } = await write('1', 'note');
  await journal.close([id]);
  expect(await rows()).toMatchObject([{ state: 'done', aftermath: 0, lease_owner: '', lease_until: 0 }]);
  expect([...new Set(seen)]).toEqual(['trying 0', 'done 0']);
});

test('what was answered, and could not be closed, is told once its lease runs out', async () => {
  const world = createWorld();
  const state = { isAway: false };
  const { write, journal, told, catchUp } = await openProcess(await openFresh(), world, awayWhile(state));
  const { id } = await write('1', 'note');
  await expect.poll(async () => (await journal.countByState())[0]?.state).toBe('done');
  state.isAway = true;
  await expect(journal.close([id])).rejects.toThrow('the database is away');
  state.isAway = false;
  await catchUp();
  pass(world, 21_000);
  await catchUp();
  expect(keysOf(told)).toEqual(['1']);
  expect(world.effects).toEqual(['1: note']);
});
