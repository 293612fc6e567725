import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { addAllTables } from '../../support/databases/all-tables.ts';
import { openFolder } from '../../support/folder.ts';
import { makeBare } from '../../support/fresh-database.ts';
import { openProgram } from '../../support/program.ts';

type Db = Kysely<Record<never, never>>;

async function read(url: string): Promise<Record<string, readonly unknown[]>> {
  await using database = await openDatabase(url);
  const db = database.as();
  const all = await tablesOf(db);
  return Object.fromEntries(await Promise.all(all.map(async ({ name }) => [name, await rowsOf(db, name)] as const)));
}

async function tablesOf(db: Db) {
  const tables = await db.introspection.getTables();
  return tables.filter(table => table.name !== 'schema_migration' && [undefined, 'public'].includes(table.schema));
}

async function rowsOf(db: Db, table: string): Promise<readonly string[]> {
  const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(db);
  return rows.map(row => JSON.stringify(Object.entries(row).toSorted())).toSorted();
}

/** Puts rows into every table that there is, 1,201 into the largest. */
async function fill(url: string): Promise<void> {
  await addAllTables(url);
  await using database = await openDatabase(url);
  for (const { name, columns } of await tablesOf(database.as())) {
    // Its rows are those of the schema, and stay.
    if (name === 'counter') {
      await database.single(db => sql`update counter set value = 7`.execute(db));
      continue;
    }
    for (let at = 1; at <= (name === 'bot_sighting' ? 1201 : 2); at += 1) {
      const values = columns.map(column =>
        /text|char/i.test(column.dataType)
          ? `${column.name} ${at} “é\n😀”`
          : /real|double|float/i.test(column.dataType)
            ? at + 0.5
            : at,
      );
      await database.single(db =>
        sql`insert into ${sql.table(name)} (${sql.join(columns.map(each => sql.ref(each.name)))}) values (${sql.join(values)})`.execute(
          db,
        ),
      );
    }
  }
}

test('every row of every table is moved into a database of the other kind, and back', async () => {
  const file = `sqlite:${join(await openFolder(), 'data', 'muster.db')}`;
  const [home, other] = [await makeBare(), await makeBare()];
  await fill(home);
  const before = await read(home);
  expect(Object.values(before).filter(rows => rows.length === 0)).toEqual([]);
  const { said, run } = openProgram();
  await run('move', '--from', home, '--to', file);
  expect(await read(file)).toEqual(before);
  expect(said.printed).toMatch(/^bot_sighting +1201$/m);
  expect(said.noted).toContain('Put the new database into DATABASE_URL and start Muster.');
  await run('move', '--from', file, '--to', other);
  expect(await read(other)).toEqual(before);
  expect(await read(home)).toEqual(before);
}, 60_000);

test('a database that holds something is not moved into, and stays as it is', async () => {
  const [home, other] = [await makeBare(), await makeBare()];
  await addAllTables(home);
  await addAllTables(other);
  {
    await using database = await openDatabase(other);
    await database.single(db => sql`insert into bot_sighting (name, seen_at) values ('mine', '')`.execute(db));
  }
  const before = await read(other);
  const { run } = openProgram();
  await expect(run('move', '--from', home, '--to', other)).rejects.toThrow('its table bot_sighting has rows');
  expect(await read(other)).toEqual(before);
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
