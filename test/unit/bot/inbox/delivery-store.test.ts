import { addDays } from 'date-fns/addDays';
import { addSeconds } from 'date-fns/addSeconds';
import { expect, onTestFinished, test } from 'vitest';
import { createDeliveries, type Deliveries, maxAttempts } from '../../../../src/bot/inbox/delivery-store.ts';
import { botMigrations } from '../../../../src/bot/schema/migrations.ts';
import type { BotTables } from '../../../../src/bot/schema/tables.ts';
import { openDatabase } from '../../../../src/db/database.ts';
import { migrate } from '../../../../src/db/migrate.ts';
import { makeDatabase } from '../../../support/databases/fresh.ts';

const now = new Date('2026-03-02T14:00:00Z');
const later = (seconds: number) => addSeconds(now, seconds);

/** Two replicas on one database; each calls the time what it likes, and time goes by for both. */
async function openReplicas() {
  let steady = 0;
  const pass = (seconds: number) => {
    steady += seconds * 1000;
  };
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const open = async (owner: string) => {
    const database = await openDatabase(fresh.url);
    onTestFinished(() => database[Symbol.asyncDispose]());
    await migrate(database, 'bot', botMigrations, now);
    return { database, deliveries: createDeliveries({ database, owner, steady: () => steady }) };
  };
  const { database, deliveries: anne } = await open('anne');
  const { deliveries: bert } = await open('bert');
  const rows = () => database.as<BotTables>().selectFrom('bot_delivery').selectAll().orderBy('key').execute();
  return { anne, bert, rows, pass };
}

const event = (key: string) => ({
  key,
  kind: 'command',
  body: `{"text":"of ${key} \\u0000 💥"}`,
  channelId: 'C1',
  holdsUp: true,
});
const taken = async (deliveries: Deliveries, at: Date, except: readonly string[] = []) =>
  (await deliveries.takeUp(at, except, 10)).map(each => each.key);

test('of many who store the same key at once, in two replicas, one is told that it is theirs', async () => {
  const { anne, bert, rows } = await openReplicas();
  const told = await Promise.all(
    Array.from({ length: 20 }, (_, index) => (index % 2 ? anne : bert).keep(event('a'), now)),
  );
  expect(told.filter(each => each.isNew)).toHaveLength(1);
  expect(new Set(told.map(each => each.place)).size).toBe(1);
  expect(await anne.keep(event('b'), now)).toMatchObject({ isNew: true });
  expect(await rows()).toMatchObject([{ key: 'a' }, { key: 'b', state: 'open', attempts: 1, lease_owner: 'anne' }]);
});

test('what is done leaves its key and nothing of what was in it', async () => {
  const { anne, bert, rows } = await openReplicas();
  await anne.keep(event('a'), now);
  await anne.done('a');
  expect(await rows()).toMatchObject([{ key: 'a', state: 'done', body: '', lease_owner: '' }]);
  expect(await bert.keep(event('a'), later(300))).toMatchObject({ isNew: false });
  expect(await taken(bert, later(300))).toEqual([]);
});

test('what a replica that is gone left is taken up once its lease is over, by one of the others, in the order it came', async () => {
  const { anne, bert, pass } = await openReplicas();
  await anne.keep(event('b'), now);
  await anne.keep(event('a'), later(1));
  expect(await taken(bert, now)).toEqual([]);
  pass(19.9);
  expect(await taken(bert, now)).toEqual([]);
  pass(0.1);
  expect((await bert.takeUp(now, [], 1)).map(each => each.key)).toEqual(['b']);
  expect(await taken(anne, now)).toEqual([]);
  pass(20);
  const [mine, yours] = await Promise.all([anne.takeUp(now, ['b'], 10), bert.takeUp(now, ['b'], 10)]);
  const place = later(1).getTime();
  const a = { key: 'a', body: event('a').body, attempts: 2, receivedAt: later(1), place, channelId: 'C1' };
  expect([...mine, ...yours]).toEqual([a]);
});

test('what is held on to is not taken up, also not by the one that holds it', async () => {
  const { anne, bert, pass } = await openReplicas();
  await anne.keep(event('a'), now);
  await anne.keep(event('b'), now);
  expect(await taken(bert, now)).toEqual([]);
  pass(10);
  await anne.hold(['a'], now);
  await bert.hold(['b'], now);
  expect(await taken(bert, now)).toEqual([]);
  pass(10);
  expect(await taken(bert, now)).toEqual(['b']);
  expect(await taken(anne, now, ['a'])).toEqual([]);
  pass(20);
  expect(await taken(anne, now, ['a'])).toEqual(['b']);
});

test('what a replica does whose clock is an hour wrong is not taken up while it lives', async () => {
  const { anne, bert, pass, rows } = await openReplicas();
  await anne.keep(event('a'), later(3600));
  await bert.keep(event('b'), now);
  for (let seconds = 0; seconds < 120; seconds += 5) {
    await anne.hold(['a'], later(3600));
    await bert.hold(['b'], now);
    expect(await taken(bert, now, ['b'])).toEqual([]);
    expect(await taken(anne, later(3600), ['a'])).toEqual([]);
    pass(5);
  }
  expect(await rows()).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
});

test('two replicas of which one clock is an hour wrong do not use up all attempts at once', async () => {
  const { anne, bert, pass, rows } = await openReplicas();
  await anne.keep(event('a'), later(3600));
  await anne.failed('a', later(3600));
  for (let looks = 0; looks < 20; looks += 1) {
    pass(1);
    if ((await taken(bert, now)).length > 0) await bert.failed('a', now);
    if ((await taken(anne, later(3600))).length > 0) await anne.failed('a', later(3600));
  }
  expect((await rows())[0]).toMatchObject({ state: 'open', attempts: 2 });
});

test('places grow with every delivery, whatever the clocks of replicas say; that of a key stays', async () => {
  const { anne, bert } = await openReplicas();
  const first = await anne.keep(event('a'), now);
  const second = await bert.keep(event('b'), later(-3600));
  const third = await anne.keep(event('c'), now);
  expect(first.place).toBe(now.getTime());
  expect(second.place).toBeGreaterThan(first.place);
  expect(third.place).toBeGreaterThan(second.place);
  expect(await bert.keep(event('b'), later(60))).toEqual({ isNew: false, place: second.place });
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

test('a pause that began before the clock stepped back an hour holds nothing up', async () => {
  const { anne, bert } = await openReplicas();
  await anne.keep(event('a'), now);
  await anne.failed('a', now);
  expect(await taken(bert, later(-3600))).toEqual(['a']);
});

test('what was taken over from a replica is no longer its to give up', async () => {
  const { anne, bert, pass, rows } = await openReplicas();
  await anne.keep(event('a'), now);
  await taken(bert, now);
  pass(20);
  expect(await taken(bert, now)).toEqual(['a']);
  expect(await anne.failed('a', now)).toBe('later');
  expect(await rows()).toMatchObject([{ lease_owner: 'bert', holds_up: 1 }]);
});

test('what was tried in vain is tried later, after longer pauses, and then never again', async () => {
  const { anne, rows, pass } = await openReplicas();
  await anne.keep(event('a'), now);
  let at = now;
  const pauses: number[] = [];
  for (let attempt = 1; attempt < maxAttempts; attempt += 1) {
    expect(await anne.failed('a', at)).toBe('later');
    const before = at;
    do {
      at = addSeconds(at, 15);
      pass(15);
    } while ((await taken(anne, at)).length === 0);
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
