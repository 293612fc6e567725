import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { addAllTables } from '../../support/databases/all-tables.ts';
import { fillDatabase, readDatabase } from '../../support/databases/filled.ts';
import { openFolder } from '../../support/folder.ts';
import { makeBare } from '../../support/fresh-database.ts';
import { openProgram } from '../../support/program.ts';

test('every row of every table is moved into a database of the other kind, and back', async () => {
  const file = `sqlite:${join(await openFolder(), 'data', 'muster.db')}`;
  const [home, other] = [await makeBare(), await makeBare()];
  await fillDatabase(home);
  const before = await readDatabase(home);
  expect(Object.values(before).filter(rows => rows.length === 0)).toEqual([]);
  const { said, run } = openProgram();
  await run('move', '--from', home, '--to', file);
  expect(await readDatabase(file)).toEqual(before);
  expect(said.printed).toMatch(/^bot_sighting +1201$/m);
  expect(said.noted).toContain('Put the new database into DATABASE_URL and start Muster.');
  await run('move', '--from', file, '--to', other);
  expect(await readDatabase(other)).toEqual(before);
  expect(await readDatabase(home)).toEqual(before);
});

test('a database that holds something is not moved into, and stays as it is', async () => {
  const [home, other] = [await makeBare(), await makeBare()];
  await addAllTables(home);
  await addAllTables(other);
  {
    await using database = await openDatabase(other);
    await database.single(db => sql`insert into bot_sighting (name, seen_at) values ('mine', '')`.execute(db));
  }
  const before = await readDatabase(other);
  const { run } = openProgram();
  await expect(run('move', '--from', home, '--to', other)).rejects.toThrow('its table bot_sighting has rows');
  expect(await readDatabase(other)).toEqual(before);
});

test('while Muster runs on one of them, nothing is moved', async () => {
  const home = await makeBare();
  const file = `sqlite:${join(await openFolder(), 'muster.db')}`;
  await addAllTables(file);
  await addAllTables(home);
  await using database = await openDatabase(home);
  await using _bot = await database.occupy('bot');
  await sql`select 1`.execute(database.as());
  for (const [from, to] of [
    [home, file],
    [file, home],
  ] as const) {
    const { run } = openProgram();
    await expect(run('move', '--from', from, '--to', to)).rejects.toThrow('Stop it first');
  }
});

test('a database that is not there, or the same one, is said', async () => {
  const home = await makeBare();
  const { run } = openProgram();
  await expect(run('move', '--from', home, '--to', home)).rejects.toThrow('name the same database');
  const none = join(await openFolder(), 'none.db');
  await expect(run('move', '--from', `sqlite:${none}`, '--to', home)).rejects.toThrow(
    `There is no database at ${none}`,
  );
  await expect(run('move', '--from', home, '--to', 'sqlite::memory:')).rejects.toThrow('ends with its process');
});
