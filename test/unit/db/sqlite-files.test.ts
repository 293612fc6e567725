import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { openFolder } from '../../support/folder.ts';

async function openShelf(file: string) {
  const database = await openDatabase(`sqlite:${file}`);
  onTestFinished(() => database[Symbol.asyncDispose]());
  await sql`create table if not exists thing (id integer primary key, name text not null)`.execute(database.as());
  return { fill: (count: number) => fill(database, count) };
}

async function fill(database: Awaited<ReturnType<typeof openDatabase>>, count: number): Promise<void> {
  for (let each = 0; each < count; each += 1) {
    await database.single(db => sql`insert into thing (name) values (${'x'.repeat(3000)})`.execute(db));
  }
}

const rightsOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);
const sizeOf = async (file: string) => (await stat(file)).size;

test.skipIf(process.platform === 'win32')(
  'strangers may read neither the folder, nor the file, its log and its lock',
  async () => {
    const folder = join(await openFolder(), 'data');
    const file = join(folder, 'muster.db');
    const database = await openDatabase(`sqlite:${file}`);
    onTestFinished(() => database[Symbol.asyncDispose]());
    await sql`create table thing (id integer primary key)`.execute(database.as());
    await using _held = await database.occupy('bot');
    expect(await rightsOf(folder)).toBe('700');
    const files = ['', '-wal', '-shm', '-bot.lock'].map(part => file + part);
    expect(await Promise.all(files.map(rightsOf))).toEqual(files.map(() => '600'));
  },
);

test.skipIf(process.platform === 'win32')(
  'a file that everybody could read is shut to strangers, and stays open to its group',
  async () => {
    const file = join(await openFolder(), 'muster.db');
    await writeFile(file, '');
    await chmod(file, 0o644);
    await openShelf(file);
    expect(await rightsOf(file)).toBe('640');
  },
);

test('the log of a busy file stays at about four megabytes', async () => {
  const file = join(await openFolder(), 'muster.db');
  const { fill } = await openShelf(file);
  await fill(3000);
  expect(await sizeOf(`${file}-wal`)).toBeLessThan(5_000_000);
  expect(await sizeOf(file)).toBeGreaterThan(4_000_000);
});

test('a file that nobody writes to has everything, and its log is empty', async () => {
  const file = join(await openFolder(), 'muster.db');
  const { fill } = await openShelf(file);
  await fill(10);
  await expect.poll(() => sizeOf(`${file}-wal`)).toBe(0);
  expect(await sizeOf(file)).toBeGreaterThan(10 * 3000);
});

test('the log is emptied while others look at the database again and again and change nothing', async () => {
  const file = join(await openFolder(), 'muster.db');
  await using database = await openDatabase(`sqlite:${file}`);
  await sql`create table thing (name text not null)`.execute(database.as());
  const stop = new AbortController();
  const looking = (async () => {
    while (!stop.signal.aborted) {
      await database.withLock('look', db => sql`select name from thing`.execute(db));
      await wait(20);
    }
  })();
  await expect
    .poll(() => sizeOf(`${file}-wal`))
    .toBe(0)
    .finally(() => stop.abort());
  await looking;
});
