import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { NoTables } from './engine.ts';

/** A table that was copied, and how many rows it has. */
export interface CopiedTable {
  readonly name: string;
  readonly rows: number;
}

/** A table, and its columns by name. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** A database, or a transaction in one, whose rows are read or written. */
interface Side {
  readonly rowAddress: string;
  readonly db: Kysely<NoTables>;
}

type Row = Readonly<Record<string, string | number | null>>;

/** A table of the migrations themselves: each database keeps its own. */
const ownTable = 'schema_migration';
/** Rows that are read and written together. */
const rowsTogether = 500;
/** Parameters of one statement: SQLite takes 32,766, Postgres 65,535. */
const maxParameters = 30_000;
/** The tables of a database, from the database itself, so that none is forgotten. */
export async function listTables(db: Kysely<NoTables>): Promise<readonly Table[]> {
  const tables = await db.introspection.getTables();
  return tables
    .filter(table => !table.isView && table.name !== ownTable && [undefined, 'public'].includes(table.schema))
    .map(({ name, columns }) => ({ name, columns: columns.map(column => column.name).toSorted() }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * Puts the rows of one database in the place of those of another, and compares both afterwards. Throws with a sentence when they
 * differ: the transaction of the target must then be undone.
 */
export async function copyRows(from: Side, to: Side, tables: readonly Table[]): Promise<readonly CopiedTable[]> {
  const moved: CopiedTable[] = [];
  for (const table of tables) {
    await sql`delete from ${sql.table(table.name)}`.execute(to.db);
    const sent = new Digest();
    for await (const rows of readRows(from, table)) {
      sent.add(rows);
      await writeRows(to.db, table, rows);
    }
    const stored = new Digest();
    for await (const rows of readRows(to, table)) stored.add(rows);
    if (sent.text !== stored.text)
      throw new Error(`The table ${table.name} differs after the copy. Nothing was copied.`);
    moved.push({ name: table.name, rows: sent.rows });
  }
  return moved;
}

async function* readRows({ db, rowAddress }: Side, { name, columns }: Table): AsyncGenerator<readonly Row[]> {
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

/** Says whether two sets of rows are equal, in any order. */
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
