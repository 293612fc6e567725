import { describe, expect, test } from 'vitest';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { createLeaseWatch, mayTake, nextHeartbeat, type SeenLease } from '../../../src/db/leases.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';

test('a lease is left once it has not changed for its whole time, by a clock that never steps', () => {
  let now = 0;
  const watch = createLeaseWatch(20, () => now);
  const a = { key: 'a', owner: 'one', mark: 5 };
  const b = { key: 'b', owner: 'two', mark: 5 };
  expect(watch.findDead([a, b])).toEqual([]);
  now = 19;
  expect(watch.findDead([a, { ...b, mark: 6 }])).toEqual([]);
  now = 20;
  expect(watch.findDead([a, { ...b, mark: 6 }]).map(each => each.key)).toEqual(['a']);
  now = 39;
  expect(
    watch
      .findDead([
        { ...a, owner: 'three' },
        { ...b, mark: 6 },
      ])
      .map(each => each.key),
  ).toEqual(['b']);
  expect(watch.findDead([])).toEqual([]);
  expect(watch.findDead([b])).toEqual([]);
});

test('a lease is not left while its process lives', () => {
  let now = 0;
  const watch = createLeaseWatch(20, () => now);
  const lease = { key: 'a', owner: 'one', mark: 5 };
  for (let life = 0; now < 100; life += 1) {
    expect(watch.findDead([{ ...lease, life }])).toEqual([]);
    now += 19;
  }
  expect(watch.findDead([{ ...lease, life: 5 }])).toEqual([]);
  now += 20;
  expect(watch.findDead([{ ...lease, life: 5 }])).toMatchObject([lease]);
});

test('a lease whose process left word that it hung is left after a second', () => {
  let now = 0;
  const watch = createLeaseWatch(20_000, () => now);
  const lease = { key: 'a', owner: 'one', mark: 5 };
  expect(watch.findDead([{ ...lease, life: 7 }])).toEqual([]);
  now = 900;
  expect(watch.findDead([{ ...lease, life: -1 }])).toEqual([]);
  now = 1899;
  expect(watch.findDead([{ ...lease, life: -1 }])).toEqual([]);
  now = 1900;
  expect(watch.findDead([{ ...lease, life: -1 }])).toMatchObject([lease]);
});

describe('a row', () => {
  type Tables = { job: { id: number; lease_owner: string; heartbeat: number } };

  async function openJobs(lease_owner: string, heartbeat: number) {
    const fresh = await makeDatabase();
    const database = await openDatabase(fresh.url);
    const db = database.as<Tables>();
    await db.schema
      .createTable('job')
      .addColumn('id', 'integer')
      .addColumn('lease_owner', 'text')
      .addColumn('heartbeat', 'integer')
      .execute();
    await db.insertInto('job').values({ id: 1, lease_owner, heartbeat }).execute();
    const take = async (owner: string, dead?: SeenLease) => {
      const { numUpdatedRows } = await db
        .updateTable('job')
        .set({ lease_owner: owner, heartbeat: nextHeartbeat() })
        .where(mayTake(owner, dead))
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    };
    const read = () => db.selectFrom('job').select(['lease_owner', 'heartbeat']).executeTakeFirstOrThrow();
    const live = (owner: string, heartbeat: number) =>
      database.as<BotTables>().insertInto('bot_process').values({ owner, heartbeat, beaten_at: 0, hung: 0 }).execute();
    return {
      take,
      live,
      read,
      async [Symbol.asyncDispose]() {
        await database[Symbol.asyncDispose]();
        await fresh[Symbol.asyncDispose]();
      },
    };
  }

  test('may be taken when it is free, and held by its owner, whose heartbeat changes each time', async () => {
    await using jobs = await openJobs('', 7);
    expect(await jobs.take('one')).toBe(true);
    expect(await jobs.take('one')).toBe(true);
    expect(await jobs.read()).toEqual({ lease_owner: 'one', heartbeat: 9 });
  });

  test('may not be taken from an owner who may be alive', async () => {
    await using jobs = await openJobs('one', 7);
    expect(await jobs.take('two')).toBe(false);
    expect(await jobs.read()).toEqual({ lease_owner: 'one', heartbeat: 7 });
  });

  test('may not be taken while the process of its owner shows that it lives', async () => {
    await using jobs = await openJobs('one', 7);
    const dead = { key: '1', owner: 'one', mark: 7 };
    expect(await jobs.take('two', { ...dead, life: 3 })).toBe(false);
    await jobs.live('one', 4);
    expect(await jobs.take('two', { ...dead, life: 3 })).toBe(false);
    expect(await jobs.take('two', { ...dead, life: 4 })).toBe(true);
  });

  test('may be taken once from an owner who is dead, and not when it has changed since', async () => {
    await using jobs = await openJobs('one', 7);
    const dead = { key: '1', owner: 'one', mark: 7 };
    expect(await jobs.take('two', { ...dead, mark: 6 })).toBe(false);
    expect(await jobs.take('two', dead)).toBe(true);
    expect(await jobs.take('three', dead)).toBe(false);
    expect(await jobs.read()).toEqual({ lease_owner: 'two', heartbeat: 8 });
  });
});
