import { type Kysely, sql } from 'kysely';
import { type CopiedTable, copyRows, listTables, type Table } from './copy-rows.ts';
import { type Database, openDatabase } from './database.ts';
import type { NoTables } from './engine.ts';
import { type Migration, migrate } from './migrate.ts';

/** The steps of each part's schema. */
export type Parts = Readonly<Record<string, readonly Migration[]>>;

/** Thrown when the database to fill holds something. */
export class FilledDatabase extends Error {
  override readonly name = 'FilledDatabase';
  readonly table: string;

  constructor(table: string) {
    super(
      `The database to move to is not empty: its table ${table} has rows. Name an empty one, so that nothing is mixed up.`,
    );
    this.table = table;
  }
}

/**
 * Copies every row of every table of Muster's from one database into another, which holds nothing yet, and compares both afterwards.
 * All of it is there, or none of it. Both databases get the newest schema first. Throws with a sentence when Muster runs on one of
 * them, and {@link FilledDatabase} when the target holds something, unless the caller wants it `replaced`.
 */
export async function moveDatabase(
  from: Database,
  to: Database,
  parts: Parts,
  how: { readonly now: Date; readonly target?: 'empty' | 'replaced' },
): Promise<readonly CopiedTable[]> {
  const { now, target = 'empty' } = how;
  await using stack = new AsyncDisposableStack();
  for (const database of [from, to]) {
    for (const part of Object.keys(parts)) stack.use(await database.occupy(part));
    if ((await database.countOthers()) > 0) throw new Error('Muster runs on one of the two databases. Stop it first.');
    await migrateAll(database, parts, now);
  }
  const tables = await listTables(from.as());
  if (target === 'empty') await refuseFilled(to, tables, parts, now);
  const source = { db: from.as<NoTables>(), rowAddress: from.rowAddress };
  const copy = (db: Kysely<NoTables>) => copyRows(source, { db, rowAddress: to.rowAddress }, tables);
  return await to.withLock<NoTables, readonly CopiedTable[]>('schema', copy);
}

async function migrateAll(database: Database, parts: Parts, now: Date): Promise<void> {
  for (const [part, migrations] of Object.entries(parts)) await migrate(database, part, migrations, now);
}

/** Throws when a database holds more than its migrations put there. */
async function refuseFilled(database: Database, tables: readonly Table[], parts: Parts, now: Date): Promise<void> {
  await using fresh = await openDatabase('sqlite::memory:');
  await migrateAll(fresh, parts, now);
  for (const { name } of tables) {
    if ((await countRows(database.as(), name)) === (await countRows(fresh.as(), name))) continue;
    throw new FilledDatabase(name);
  }
}

async function countRows(db: Kysely<NoTables>, table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db);
  return Number(rows[0]?.n);
}
