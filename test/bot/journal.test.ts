import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { defineIntent } from '../../src/bot/journal/intent.ts';
import { createJournal, type Submission } from '../../src/bot/journal/journal.ts';
import { type MemoryTables, memoryMigrations } from '../../src/bot/memory/tables.ts';
import { createClient } from '../../src/client/client.ts';
import { RpcError } from '../../src/contract/errors.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makeDatabase } from '../databases/fresh.ts';

const now = new Date('2026-03-02T14:00:00Z');
const alice = { teamId: 'T1', userId: 'U1' };
const bob = { teamId: 'T1', userId: 'U2' };

/** A write whose attempts the test lets end as it likes. */
function createWrite() {
  const attempts: { payload: string; tried: number; budget: number; end: PromiseWithResolvers<string> }[] = [];
  const changed = { wake: () => {} };
  const write = defineIntent({
    kind: 'test.write',
    payload: z.object({ text: z.string() }),
    result: z.string(),
    run: ({ call, tried }, { text }) => {
      const end = Promise.withResolvers<string>();
      attempts.push({ payload: text, tried, budget: call.budget ?? 0, end });
      changed.wake();
      return end.promise;
    },
    aim: ({ text }) => `write ${text}`,
    done: result => ({ text: result }),
  });
  /** The attempt of that number, once it has begun. */
  const attempt = async (number: number) => {
    for (;;) {
      const begun = attempts[number - 1];
      if (begun) return begun;
      await new Promise<void>(resolve => {
        changed.wake = resolve;
      });
    }
  };
  return { write, attempts, attempt };
}

async function openFresh(): Promise<string> {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  return fresh.url;
}

async function openJournal(url: string) {
  const database: Database = await openDatabase(url);
  onTestFinished(() => database[Symbol.asyncDispose]());
  await migrate(database, 'bot', memoryMigrations, now);
  const { write, attempts, attempt } = createWrite();
  const api = createClient({ transport: () => Promise.reject(new RpcError('unavailable', 'no API here')) });
  const log = pino({ enabled: false });
  const db = database.as<MemoryTables>();
  const journal = createJournal({ db, api, intents: [write], budget: 5000, clock: () => now, log });
  const submit = (key: string, text = 'hello', renew = false) => journal.submit(write, toSubmission(key, text, renew));
  return { journal, db, attempts, attempt, submit };
}

function toSubmission(key: string, text: string, renew: boolean): Submission<{ text: string }> {
  return { key, renew, payload: { text }, people: {}, ...alice, channelId: 'C1', incidentID: '' };
}

const down = new RpcError('unavailable', 'no answer', { maybeApplied: false });

test('the same key at once and later takes effect once, and says so', async () => {
  const { attempts, attempt, submit, journal } = await openJournal(await openFresh());
  const first = submit('k');
  const second = submit('k');
  (await attempt(1)).end.resolve('written');
  expect(await first).toMatchObject({ state: 'done', result: 'written', repeated: false });
  expect(await second).toMatchObject({ state: 'done', result: 'written', repeated: true });
  expect(await submit('k')).toMatchObject({ state: 'done', result: 'written', repeated: true });
  expect(attempts).toHaveLength(1);
  expect(await journal.census()).toEqual([{ state: 'done', count: 1, since: now.toISOString() }]);
});

test('different keys do not wait for each other', async () => {
  const { attempt, submit } = await openJournal(await openFresh());
  const first = submit('a', 'one');
  await attempt(1);
  const second = submit('b', 'two');
  (await attempt(2)).end.resolve('two');
  expect(await second).toMatchObject({ result: 'two' });
  (await attempt(1)).end.resolve('one');
  expect(await first).toMatchObject({ result: 'one' });
});

test('what was refused stays refused until its own person tries it again', async () => {
  const { attempts, attempt, submit, journal } = await openJournal(await openFresh());
  const first = submit('k');
  (await attempt(1)).end.reject(down);
  const refused = await first;
  expect(refused).toMatchObject({ state: 'refused', repeated: false });
  expect(await submit('k')).toMatchObject({
    state: 'refused',
    repeated: true,
    error: { code: 'unavailable', maybeApplied: false },
  });
  expect(await journal.find(refused.id, bob)).toBeUndefined();
  expect(await journal.retry(refused.id, bob)).toBeUndefined();
  expect(attempts).toHaveLength(1);

  const again = journal.retry(refused.id, alice);
  const begun = await attempt(2);
  expect(begun.tried).toBe(1);
  begun.end.resolve('written');
  expect(await again).toMatchObject({ state: 'done', result: 'written', repeated: false });
  expect(await journal.retry(refused.id, alice)).toMatchObject({ state: 'done', repeated: true });
  expect(attempts).toHaveLength(2);
});

test('trying again twice at once, or right after it was done, repeats nothing', async () => {
  const { attempts, attempt, submit, journal } = await openJournal(await openFresh());
  const first = submit('k');
  (await attempt(1)).end.reject(down);
  const { id } = await first;
  const [one, two] = [journal.retry(id, alice), journal.retry(id, alice)];
  (await attempt(2)).end.resolve('written');
  const [first2, second2] = await Promise.all([one, two]);
  expect([first2?.repeated, second2?.repeated].sort()).toEqual([false, true]);
  expect(attempts).toHaveLength(2);
});

test('a key of the thing itself is tried anew when it was refused, with what is submitted now', async () => {
  const { attempt, submit } = await openJournal(await openFresh());
  const first = submit('note/1', 'old');
  (await attempt(1)).end.reject(down);
  await first;
  const second = submit('note/1', 'new', true);
  const begun = await attempt(2);
  expect(begun).toMatchObject({ payload: 'new', tried: 1 });
  begun.end.resolve('written');
  expect(await second).toMatchObject({ state: 'done', repeated: false });
});

test('what a stop left in the middle is not blindly repeated: the person is told and decides', async () => {
  const url = await openFresh();
  const before = await openJournal(url);
  void before.submit('k');
  await before.attempt(1);
  // The process is gone here; its attempt never ends.
  const after = await openJournal(url);
  expect(await after.journal.census()).toMatchObject([{ state: 'trying', count: 1 }]);
  const told = await after.submit('k');
  expect(told).toMatchObject({ state: 'refused', repeated: true, error: { code: 'canceled', maybeApplied: true } });
  expect(after.attempts).toHaveLength(0);
  expect(await after.submit('k')).toMatchObject({ state: 'refused', error: { code: 'canceled', maybeApplied: true } });

  const again = after.journal.retry(told.id, alice);
  (await after.attempt(1)).end.resolve('written');
  expect(await again).toMatchObject({ state: 'done', result: 'written' });
});

test('a stop in the middle of trying again is not taken for the refusal before it', async () => {
  const url = await openFresh();
  const before = await openJournal(url);
  const first = before.submit('k');
  (await before.attempt(1)).end.reject(down);
  const { id } = await first;
  void before.journal.retry(id, alice);
  await before.attempt(2);
  const after = await openJournal(url);
  expect(await after.journal.retry(id, alice)).toMatchObject({
    state: 'refused',
    error: { code: 'canceled', maybeApplied: true },
  });
  expect(after.attempts).toHaveLength(0);
});

test('a fault of ours is kept as one that may have taken effect', async () => {
  const { attempt, submit } = await openJournal(await openFresh());
  const first = submit('k');
  (await attempt(1)).end.reject(new TypeError('x is not a function'));
  await expect(first).rejects.toThrow('x is not a function');
  expect(await submit('k')).toMatchObject({ state: 'refused', error: { code: 'internal', maybeApplied: true } });
});

test('an intent’s calls share its time', async () => {
  const { attempt, submit } = await openJournal(await openFresh());
  const first = submit('k');
  const begun = await attempt(1);
  expect(begun.budget).toBeGreaterThan(4000);
  expect(begun.budget).toBeLessThanOrEqual(5000);
  begun.end.resolve('written');
  await first;
});
