import { type Kysely, sql } from 'kysely';
import { openDatabase } from '../../../src/db/database.ts';
import { addAllTables } from './all-tables.ts';

type Db = Kysely<Record<never, never>>;

/** Every row of every table of Muster's, by table, in one order. */
export async function readDatabase(url: string): Promise<Record<string, readonly unknown[]>> {
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
export async function fillDatabase(url: string): Promise<void> {
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
          ? // A row about an intent is of one that there is.
            `${column.name.replace(/^intent_id$/, 'id')} ${at} “é\n😀”`
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
