import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/* Databases as SQL text. What Muster does not use is left out. Triggers come last: what they keep is among the rows. */

type Row = Record<string, unknown>;

/** The statements that make a database without its rows: what comes before the rows, and what comes after them. */
interface Schema {
  readonly tables: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The SQL that makes a database of what these files of SQLite have together. */
export function dumpSqlite(files: readonly string[]): string {
  return files
    .flatMap(file => {
      using database = new DatabaseSync(file, { readOnly: true });
      const { tables, before, after } = readSqlite(database);
      const rows = tables.flatMap(name => toInserts(name, database.prepare(`select * from "${name}"`).all()));
      // Both parts have these.
      const shared = /^create table "(schema_migration|backup)"/i;
      return [...before.map(each => each.replace(shared, 'create table if not exists "$1"')), ...rows, ...after];
    })
    .map(statement => `${statement};\n`)
    .join('');
}

function readSqlite(database: DatabaseSync): Schema {
  const all = database.prepare(
    "select type, name, sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by type desc, rowid",
  );
  const { table = [], index = [], trigger = [] } = Object.groupBy(all.all(), each => String(each.type));
  return {
    tables: table.map(each => String(each.name)),
    before: [...table, ...index].map(each => String(each.sql)),
    after: trigger.map(each => String(each.sql)),
  };
}

/** The SQL that makes the tables and rows of a Postgres. */
export async function dumpPostgres(url: string): Promise<string> {
  return await withClient(url, async read => {
    const { tables, before, after } = await readPostgres(read);
    const rows: string[] = [];
    for (const name of tables) rows.push(...toInserts(name, await read(`select * from "${name}"`)));
    return [...before, ...rows, ...after].map(statement => `${statement};\n`).join('');
  });
}

type Read = (statement: string) => Promise<readonly Row[]>;

async function withClient<T>(url: string, work: (read: Read) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(async statement => (await client.query(statement)).rows);
  } finally {
    await client.end();
  }
}

async function readPostgres(read: Read): Promise<Schema> {
  const tables = await read("select tablename as name from pg_tables where schemaname = 'public' order by 1");
  const columns = await read(`
    select c.relname as name, string_agg(
      quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
        || case when l.collname = 'C' then ' collate "C"' else '' end
        || case when a.attnotnull then ' not null' else '' end
        || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ''), ', ' order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_collation l on l.oid = a.attcollation
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by c.relname order by 1`);
  // Those that refer to another table come last.
  const constraints = await read(`
    select conrelid::regclass as name, conname, pg_get_constraintdef(oid) as words
    from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n' order by contype = 'f', 1::text, 2`);
  const indexes = await read(`
    select indexdef as words from pg_indexes i where schemaname = 'public'
      and not exists (select from pg_constraint where conname = i.indexname) order by indexname`);
  const triggers = await read(`
    select pg_get_functiondef(p.oid) || ';' || pg_get_triggerdef(t.oid) as words
    from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where not tgisinternal and pronamespace = 'public'::regnamespace order by tgname`);
  return {
    tables: tables.map(each => String(each.name)),
    before: columns.map(each => `create table "${each.name}" (${each.columns})`),
    after: [
      ...constraints.map(each => `alter table ${each.name} add constraint "${each.conname}" ${each.words}`),
      ...[...indexes, ...triggers].map(each => String(each.words)),
    ],
  };
}

/**
 * All that a database has but rows, as statements in an order that is always the same: each column in its place with its type, default, collation
 * and constraints, each index, trigger and function.
 */
export async function readSchema(url: string): Promise<readonly string[]> {
  const all = url.startsWith('sqlite:') ? readFile(url.slice('sqlite:'.length)) : await withClient(url, readPostgres);
  return [...all.before, ...all.after].map(normalise).toSorted();
}

function readFile(file: string): Schema {
  using database = new DatabaseSync(file, { readOnly: true });
  return readSqlite(database);
}

/** SQLite keeps the words of a statement, and puts a column that is added behind the constraints of a table. */
function normalise(statement: string): string {
  const plain = statement.replaceAll('"', '').replaceAll(/\s+/g, ' ').trim();
  const [, head, parts] = /^(create table \w+) ?\((.*)\)$/i.exec(plain) ?? [];
  if (head === undefined || parts === undefined)
    return plain.replace(/^(create (?:unique )?index \w+ on \w+) ?\(/i, '$1 (');
  const all = parts.split(/, (?![^(]*\))/);
  const ofTable = (part: string) => part.startsWith('constraint ');
  return `${head.toLowerCase()} (${[...all.filter(each => !ofTable(each)), ...all.filter(ofTable)].join(', ')})`;
}

function toInserts(table: string, rows: readonly Row[]): readonly string[] {
  return rows.map(row => {
    const names = Object.keys(row).map(name => `"${name}"`);
    return `insert into "${table}" (${names.join(', ')}) values (${Object.values(row).map(toLiteral).join(', ')})`;
  });
}

function toLiteral(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  throw new Error(`A column holds ${typeof value}, which no table of Muster's has.`);
}
