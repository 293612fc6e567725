import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { type Database, openDatabase } from './database.ts';
import type { NoTables } from './engine.ts';
import { type Migration, migrate } from './migrate.ts';

/** The steps of each part's schema. */
export type Parts = Readonly<Record<string, readonly Migration[]>>;

/** A table that was moved, and its rows. */
export interface MovedTable {
  readonly name: string;
  readonly rows: number;
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The transaction that fills the target. */
interface Target extends Pick<Database, 'rowAddress'> {
  readonly db: Kysely<NoTables>;
}

type Row = Readonly<Record<string, string | number | null>>;

/** A table of the migrations themselves: each database keeps its own. */
const ownTable = 'schema_migration';
/** Rows that are read and written together. */
const rowsTogether = 500;
/** Parameters of one statement: SQLite takes 32,766, Postgres 65,535. */
const maxParameters = 30_000;
/** How long another process may hold the target's schema, in milliseconds. */
const patience = 10_000;

/**
 * Copies every row of every table of Muster's from one database into another, which holds nothing yet, and compares both afterwards.
 * All of it is there, or none of it. Both databases get the newest schema first. Throws with a sentence when Muster runs on one of
 * them, or when the target holds something.
 */
export async function moveDatabase(
  from: Database,
  to: Database,
  parts: Parts,
  now: Date,
): Promise<readonly MovedTable[]> {
  await using stack = new AsyncDisposableStack();
  for (const database of [from, to]) {
    for (const part of Object.keys(parts)) stack.use(await database.occupy(part));
    if ((await database.countOthers()) > 0) throw new Error('Muster runs on one of the two databases. Stop it first.');
    await migrateAll(database, parts, now);
  }
  const tables = await listTables(from);
  await refuseFilled(to, tables, parts, now);
  const copy = (db: Kysely<NoTables>) => copyAll(from, { db, rowAddress: to.rowAddress }, tables);
  return await to.withLock<NoTables, readonly MovedTable[]>('schema', copy, patience);
}

async function migrateAll(database: Database, parts: Parts, now: Date): Promise<void> {
  for (const [part, migrations] of Object.entries(parts)) await migrate(database, part, migrations, now);
}

/** The tables of a database, from the database itself, so that none is forgotten. */
async function listTables(database: Database): Promise<readonly Table[]> {
  const tables = await database.as<NoTables>().introspection.getTables();
  return tables
    .filter(table => !table.isView && table.name !== ownTable && [undefined, 'public'].includes(table.schema))
    .map(({ name, columns }) => ({ name, columns: columns.map(column => column.name).toSorted() }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Throws when a database holds more than its migrations put there. */
async function refuseFilled(database: Database, tables: readonly Table[], parts: Parts, now: Date): Promise<void> {
  await using fresh = await openDatabase('sqlite::memory:');
  await migrateAll(fresh, parts, now);
  for (const { name } of tables) {
    if ((await countRows(database.as(), name)) === (await countRows(fresh.as(), name))) continue;
    throw new Error(
      `The database to move to is not empty: its table ${name} has rows. Name an empty one, so that nothing is mixed up.`,
    );
  }
}

async function copyAll(from: Database, to: Target, tables: readonly Table[]): Promise<readonly MovedTable[]> {
  const moved: MovedTable[] = [];
  for (const table of tables) {
    await sql`delete from ${sql.table(table.name)}`.execute(to.db);
    const sent = new Digest();
    for await (const rows of readRows(from.as(), from.rowAddress, table)) {
      sent.add(rows);
      await writeRows(to.db, table, rows);
    }
    const stored = new Digest();
    for await (const rows of readRows(to.db, to.rowAddress, table)) stored.add(rows);
    if (sent.text !== stored.text)
      throw new Error(`The table ${table.name} differs after the copy. Nothing was moved.`);
    moved.push({ name: table.name, rows: sent.rows });
  }
  return moved;
}

async function* readRows(
  db: Kysely<NoTables>,
  rowAddress: Database['rowAddress'],
  { name, columns }: Table,
): AsyncGenerator<readonly Row[]> {
  const address = sql.ref(rowAddress);
  let last: string | number | null | undefined;
  for (;;) {
    const behind = last === undefined ? sql`` : sql`where ${address} > ${last}`;
    const { rows } = await sql<Row>`
      select ${address} as row_address, ${sql.join(columns.map(each => sql.ref(each)))}
      from ${sql.table(name)} ${behind} order by ${address} limit ${rowsTogether}`.execute(db);
    last = rows.at(-1)?.row_address;
    yield rows.map(({ row_address: _, ...row }) => row);
    if (rows.length < rowsTogether) return;
  }
}

async function writeRows(db: Kysely<NoTables>, { name, columns }: Table, rows: readonly Row[]): Promise<void> {
  const most = Math.max(1, Math.floor(maxParameters / columns.length));
  for (let at = 0; at < rows.length; at += most) {
    const values = rows.slice(at, at + most).map(row => sql`(${sql.join(columns.map(column => row[column] ?? null))})`);
    const into = sql`${sql.table(name)} (${sql.join(columns.map(each => sql.ref(each)))})`;
    await sql`insert into ${into} values ${sql.join(values)}`.execute(db);
  }
}

async function countRows(db: Kysely<NoTables>, table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db);
  return Number(rows[0]?.n);
}

/** Says whether two sets of rows are equal, whatever their order. */
class Digest {
  rows = 0;
  #sum = 0n;

  add(rows: readonly Row[]): void {
    for (const row of rows) {
      const text = JSON.stringify(Object.entries(row).toSorted(([one], [other]) => (one < other ? -1 : 1)));
      this.#sum += BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
      this.rows += 1;
    }
  }

  get text(): string {
    return `${this.rows}/${this.#sum}`;
  }
}
