import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { openFolder } from '../../support/folder.ts';

type Notes = { note: { id: number; text: string } };

/** A file with 20 MB of notes, which a Muster has open. `older`: it was made without the setting that lets it shrink. */
async function openNotes(age: 'new' | 'older' = 'new') {
  const file = join(await openFolder(), 'muster.db');
  if (age === 'older') {
    using before = new DatabaseSync(file);
    before.exec('create table early (id integer primary key)');
  }
  const database = await openDatabase(`sqlite:${file}`);
  onTestFinished(() => database[Symbol.asyncDispose]());
  await sql`create table note (id integer primary key, text text not null)`.execute(database.as());
  await database.withLock<Notes, void>('notes', async db => {
    for (let id = 0; id < 2000; id += 1) {
      await db
        .insertInto('note')
        .values({ id, text: `secret of ${id} ${'x'.repeat(10_000)}` })
        .execute();
    }
  });
  await sql`pragma wal_checkpoint(truncate)`.execute(database.as());
  const size = () => statSync(file).size + (existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0);
  const deleteAll = () => database.single<Notes, unknown>(db => db.deleteFrom('note').where('id', '>', 9).execute());
  return { file, database, size, deleteAll };
}

test.each(['new', 'older'] as const)(
  'a file that is %s becomes smaller after deletions, while it is in use',
  async age => {
    const { database, size, deleteAll } = await openNotes(age);
    const before = size();
    expect(before).toBeGreaterThan(20_000_000);
    await deleteAll();
    await database.shrink('some');
    expect(size()).toBeLessThan(before / 3);
    const rows = await database.as<Notes>().selectFrom('note').select('id').execute();
    expect(rows).toHaveLength(10);
    await database.single<Notes, unknown>(db => db.insertInto('note').values({ id: 10, text: 'on' }).execute());
    const { rows: checks } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(database.as());
    expect(checks).toEqual([{ integrity_check: 'ok' }]);
  },
);

test('a file that has little to give back is left alone', async () => {
  const { database, size } = await openNotes();
  const before = size();
  await database.single<Notes, unknown>(db => db.deleteFrom('note').where('id', '<', 9).execute());
  await database.shrink('some');
  expect(size()).toBeGreaterThanOrEqual(before);
});

test('a file that is shrunk all the way holds nothing of what was deleted', async () => {
  const { database, file, deleteAll } = await openNotes();
  await deleteAll();
  await database.shrink('all');
  expect((await readFile(file)).includes('secret of 1999')).toBe(false);
  expect((await readFile(`${file}-wal`)).length).toBe(0);
});
