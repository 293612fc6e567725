import { copyFile, mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/db/database.ts';
import { isUnavailable } from '../../../src/db/failure.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { openFolder } from '../../support/folder.ts';
import { type LogRecord, openWatchedLog } from '../../support/watched-log.ts';

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

/** The sentence with which a start on a file fails. */
async function whyNotStarted(file: string): Promise<string> {
  const start = async () => {
    await using database = await openDatabase(`sqlite:${file}`);
    const table = async (db: Parameters<Parameters<typeof database.withLock>[1]>[0]) => {
      await db.schema.createTable('incident').addColumn('id', 'integer').execute();
    };
    await migrate(database, 'shelf', [{ name: '001-incidents', up: table }], new Date(0));
  };
  const failure = await start().catch(error => error);
  if (!(failure instanceof Error)) throw new Error(`a start on ${file} succeeded`);
  return failure.message;
}

/** A database file with a table of its own, in a folder that disposal removes. */
async function makeFile(statement = 'create table thing (id integer primary key, name text not null)') {
  const file = join(await openFolder(), 'muster.db');
  await using database = await openDatabase(`sqlite:${file}`);
  await sql.raw(statement).execute(database.as());
  return file;
}

test('a start on a file that cannot be used names the file, the setting and the way out', async () => {
  const folder = await openFolder();
  const noDatabase = join(folder, 'letter.db');
  await writeFile(noDatabase, 'Dear Sir or Madam, '.repeat(100));
  expect(await whyNotStarted(noDatabase)).toBe(
    `The database ${noDatabase} of DATABASE_URL cannot be used: it is not a SQLite database. Name another file, or restore a backup (file is not a database).`,
  );
  const isFolder = join(folder, 'folder.db');
  await mkdir(isFolder);
  expect(await whyNotStarted(isFolder)).toMatch(
    /folder\.db of DATABASE_URL cannot be used: it cannot be opened\. Check .* \(unable to open database file\)\.$/,
  );
  const damaged = await makeFile();
  const bytes = await readFile(damaged);
  await writeFile(damaged, bytes.fill(0xff, 100, 4096));
  expect(await whyNotStarted(damaged)).toMatch(
    /it is damaged\. Restore a backup.* \(database disk image is malformed\)\.$/,
  );
  const foreign = await makeFile('create table incident (name text)');
  expect(await whyNotStarted(foreign)).toMatch(
    /it has tables of another program\. Name another file.* \(table "?incident"? already exists\)\.$/,
  );
});

test.skipIf(process.platform !== 'linux')('a folder that cannot be made is refused at once', async () => {
  expect(await whyNotStarted('/proc/x/y.db')).toMatch(
    /^The folder \/proc\/x of the database in DATABASE_URL cannot be made: ENOENT/,
  );
});

test('missing folders of the file are made', async () => {
  const file = join(await openFolder(), 'a/b/c', 'muster.db');
  await using database = await openDatabase(`sqlite:${file}`);
  await sql`create table thing (id integer primary key)`.execute(database.as());
  expect(await readFile(file)).not.toHaveLength(0);
});

test('a write-ahead log that SQLite drops is logged, and a sound one is not', async () => {
  const file = await makeFile();
  await using writing = await openDatabase(`sqlite:${file}`);
  await sql`insert into thing values (1, 'in the log')`.execute(writing.as());
  const openCopy = async (name: string, damage: (wal: string) => Promise<void>) => {
    const copy = join(await openFolder(), name);
    await copyFile(file, copy);
    await copyFile(`${file}-wal`, `${copy}-wal`);
    await damage(`${copy}-wal`);
    const expectErrors = ({ msg }: LogRecord) => msg.includes('write-ahead log is damaged');
    const { log, records } = openWatchedLog({ level: 'warn', expectErrors, close: async () => {} });
    await using database = await openDatabase(`sqlite:${copy}`, { log });
    const { rows } = await sql`select name from thing`.execute(database.as());
    return { rows, said: records.map(record => record.msg) };
  };
  expect(await openCopy('sound.db', async () => {})).toEqual({ rows: [{ name: 'in the log' }], said: [] });
  expect(await openCopy('empty.db', wal => truncate(wal))).toEqual({ rows: [], said: [] });
  expect(await openCopy('damaged.db', async wal => writeFile(wal, (await readFile(wal)).fill(0, 0, 32)))).toEqual({
    rows: [],
    said: [expect.stringMatching(/^database: the write-ahead log is damaged and SQLite drops it/)],
  });
});
