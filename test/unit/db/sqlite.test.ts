import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/db/database.ts';
import { isUnavailable } from '../../../src/db/failure.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';

type Shelf = { thing: { id: number; name: string } };

async function openShelf() {
  const fresh = await makeDatabase('no tables');
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const open = async () => {
    const database = await openDatabase(fresh.url);
    onTestFinished(() => database[Symbol.asyncDispose]());
    return database;
  };
  const database = await open();
  await sql`create table thing (id integer primary key, name text not null)`.execute(database.as());
  const put = (id: number, name = '') =>
    database.withLock<Shelf, unknown>('shelf', db => db.insertInto('thing').values({ id, name }).execute());
  const ids = async () => {
    const rows = await database.as<Shelf>().selectFrom('thing').select('id').orderBy('id').execute();
    return rows.map(each => each.id);
  };
  return { open, database, put, ids };
}

/** Gives the file so many pages, as a disk that is nearly full does. */
async function limitPages(database: Database, count: number): Promise<void> {
  await sql`pragma max_page_count = ${sql.lit(count)}`.execute(database.as());
}

/** Takes the write lock of the file until `release` is called. */
async function holdLock(database: Database) {
  const held = Promise.withResolvers<void>();
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const done = database.withLock('any', async () => {
    held.resolve();
    await promise;
  });
  await held.promise;
  return async () => {
    release();
    await done;
  };
}

test('each write that a full disk refuses says so, though other work shares its commit', async () => {
  const { database, put, ids } = await openShelf();
  await limitPages(database, 12);
  const results = await Promise.allSettled(
    Array.from({ length: 100 }, (_, id) => put(id, 'x'.repeat(id % 2 ? 900 : 9))),
  );
  const refusals = results.flatMap(each => (each.status === 'rejected' ? [each.reason] : []));
  expect(refusals.length).toBeGreaterThan(0);
  expect([...new Set(refusals.map(String))]).toEqual(['Error: database or disk is full']);
  expect(refusals.every(isUnavailable)).toBe(true);
  expect(await ids()).toEqual(results.flatMap((each, id) => (each.status === 'fulfilled' ? [id] : [])));
  await limitPages(database, 1000);
  await put(1000, 'x'.repeat(900));
  expect(await ids()).toContain(1000);
});

test('work that goes on after the disk was full changes nothing', async () => {
  const { database, put, ids } = await openShelf();
  await put(1);
  await limitPages(database, 3);
  const stubborn = database.withLock<Shelf, void>('shelf', async db => {
    await db.insertInto('thing').values({ id: 2, name: '' }).execute();
    await db
      .insertInto('thing')
      .values({ id: 3, name: 'x'.repeat(20_000) })
      .execute()
      .catch(() => undefined);
    await db.deleteFrom('thing').where('id', '=', 1).execute();
  });
  await expect(stubborn).rejects.toThrow('database or disk is full');
  expect(await ids()).toEqual([1]);
});

test('reads wait for no lock of another process, while a write waits for it', async () => {
  const { open, put, ids } = await openShelf();
  await put(1);
  const release = await holdLock(await open());
  const write = put(2);
  expect(await Promise.all([ids(), ids()])).toEqual([[1], [1]]);
  await release();
  await write;
  expect(await ids()).toEqual([1, 2]);
});

test('reads do not wait for a transaction of this process, and see its effect as soon as it is answered', async () => {
  const { database, put, ids } = await openShelf();
  const release = await holdLock(database);
  const write = put(1);
  expect(await ids()).toEqual([]);
  await release();
  await write;
  expect(await ids()).toEqual([1]);
});

test('a database in memory has one connection, and is read between transactions', async () => {
  const database = await openDatabase('sqlite::memory:');
  onTestFinished(() => database[Symbol.asyncDispose]());
  const db = database.as<Shelf>();
  await sql`create table thing (id integer primary key, name text not null)`.execute(db);
  const failing = database.withLock<Shelf, void>('shelf', async transaction => {
    await transaction.insertInto('thing').values({ id: 1, name: '' }).execute();
    throw new Error('changed my mind');
  });
  const [rows] = await Promise.all([
    db.selectFrom('thing').selectAll().execute(),
    expect(failing).rejects.toThrow('changed my mind'),
  ]);
  expect(rows).toEqual([]);
});
