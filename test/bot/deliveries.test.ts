import { addDays } from 'date-fns/addDays';
import { addSeconds } from 'date-fns/addSeconds';
import { expect, onTestFinished, test } from 'vitest';
import { createDeliveries, type Deliveries, maxAttempts } from '../../src/bot/memory/deliveries.ts';
import { type MemoryTables, memoryMigrations } from '../../src/bot/memory/tables.ts';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makeDatabase } from '../databases/fresh.ts';

const now = new Date('2026-03-02T14:00:00Z');
const later = (seconds: number) => addSeconds(now, seconds);

/** Two replicas on one database. */
async function openReplicas() {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const open = async (owner: string) => {
    const database = await openDatabase(fresh.url);
    onTestFinished(() => database[Symbol.asyncDispose]());
    await migrate(database, 'bot', memoryMigrations, now);
    return { database, deliveries: createDeliveries({ database, owner }) };
  };
  const { database, deliveries: anne } = await open('anne');
  const { deliveries: bert } = await open('bert');
  const rows = () => database.as<MemoryTables>().selectFrom('bot_delivery').selectAll().orderBy('key').execute();
  return { anne, bert, rows };
}

const event = (key: string) => ({ key, kind: 'command', body: `{"text":"of ${key} \\u0000 💥"}` });
const taken = async (deliveries: Deliveries, at: Date, except: readonly string[] = []) =>
  (await deliveries.takeUp(at, except, 10)).map(each => each.key);

test('of many who store the same key at once, in two replicas, one is told that it is theirs', async () => {
  const { anne, bert, rows } = await openReplicas();
  const told = await Promise.all(
    Array.from({ length: 20 }, (_, index) => (index % 2 ? anne : bert).keep(event('a'), now)),
  );
  expect(told.filter(Boolean)).toHaveLength(1);
  expect(await anne.keep(event('b'), now)).toBe(true);
  expect(await rows()).toMatchObject([{ key: 'a' }, { key: 'b', state: 'open', attempts: 1, lease_owner: 'anne' }]);
});

test('what is done leaves its key and nothing of what was in it', async () => {
  const { anne, bert, rows } = await openReplicas();
  await anne.keep(event('a'), now);
  await anne.done('a');
  expect(await rows()).toMatchObject([{ key: 'a', state: 'done', body: '', lease_owner: '' }]);
  expect(await bert.keep(event('a'), later(300))).toBe(false);
  expect(await taken(bert, later(300))).toEqual([]);
});

test('what a replica that is gone left is taken up once its lease is over, by one of the others, oldest first', async () => {
  const { anne, bert } = await openReplicas();
  await anne.keep(event('b'), now);
  await anne.keep(event('a'), later(1));
  expect(await taken(bert, later(44))).toEqual([]);
  expect(await taken(bert, later(45.5))).toEqual(['b']);
  const [mine, yours] = await Promise.all([anne.takeUp(later(90), ['b'], 10), bert.takeUp(later(90), ['b'], 10)]);
  expect([...mine, ...yours]).toEqual([{ key: 'a', body: event('a').body, attempts: 2, receivedAt: later(1) }]);
});

test('what is held on to is not taken up, also not by the one that holds it', async () => {
  const { anne, bert } = await openReplicas();
  await anne.keep(event('a'), now);
  await anne.keep(event('b'), now);
  await anne.hold(['a'], later(40));
  await bert.hold(['b'], later(40));
  expect(await taken(bert, later(60))).toEqual(['b']);
  expect(await taken(anne, later(3600), ['a'])).toEqual(['b']);
});

test('what is handed back is taken up at once', async () => {
  const { anne, bert } = await openReplicas();
  await anne.keep(event('a'), now);
  await bert.keep(event('b'), now);
  await anne.keep(event('c'), now);
  await anne.done('c');
  await anne.handBack();
  expect(await taken(bert, now)).toEqual(['a']);
});

test('a lease that was given before the clock stepped back an hour holds nothing up', async () => {
  const { anne, bert } = await openReplicas();
  await anne.keep(event('a'), now);
  expect(await taken(bert, later(-3600))).toEqual(['a']);
});

test('what was tried in vain is tried later, after longer pauses, and then never again', async () => {
  const { anne, rows } = await openReplicas();
  await anne.keep(event('a'), now);
  let at = now;
  const pauses: number[] = [];
  for (let attempt = 1; attempt < maxAttempts; attempt += 1) {
    expect(await anne.failed('a', at)).toBe('later');
    const before = at;
    do at = addSeconds(at, 15);
    while ((await taken(anne, at)).length === 0);
    pauses.push((at.getTime() - before.getTime()) / 1000);
  }
  expect(pauses).toEqual([30, 60, 120, 240, 480, 900, 900, 900, 900, 900]);
  expect(await anne.failed('a', at)).toBe('given up');
  expect(await taken(anne, addDays(at, 1))).toEqual([]);
  expect(await rows()).toMatchObject([{ state: 'given up', body: '' }]);
});

test('keys are forgotten after two days, a batch at a time; what is still to be done is not', async () => {
  const { anne, rows } = await openReplicas();
  const many = Array.from({ length: 510 }, (_, index) => event(`done ${index}`));
  await Promise.all(many.map(each => anne.keep(each, now)));
  await Promise.all(many.map(each => anne.done(each.key)));
  await anne.keep(event('open'), now);
  await anne.keep(event('young'), addDays(now, 1));
  await anne.done('young');
  expect(await anne.purge(addDays(now, 2))).toBe(0);
  expect(await anne.purge(addSeconds(addDays(now, 2), 1))).toBe(500);
  expect(await anne.purge(addSeconds(addDays(now, 2), 1))).toBe(10);
  expect(await anne.purge(addSeconds(addDays(now, 2), 1))).toBe(0);
  expect((await rows()).map(each => each.key)).toEqual(['open', 'young']);
});
