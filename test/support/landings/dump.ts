import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/* Databases as SQL text. What Muster does not use is left out. Triggers come last: what they keep is among the rows. */

type Row = Record<string, unknown>;

/** The SQL that makes a database of what these files of SQLite have together. */
export function dumpSqlite(files: readonly string[]): string {
  return files
    .flatMap(file => {
      using database = new DatabaseSync(file, { readOnly: true });
      const all = database.prepare(
        "select type, name, sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by type desc, rowid",
      );
      const { table = [], index = [], trigger = [] } = Object.groupBy(all.all(), each => String(each.type));
      return [
        ...[...table, ...index].map(each =>
          String(each.sql).replace(
            // Both parts have these.
            /^create table "(schema_migration|backup)"/i,
            'create table if not exists "$1"',
          ),
        ),
        ...table.flatMap(({ name }) => toInserts(String(name), database.prepare(`select * from "${name}"`).all())),
        ...trigger.map(each => String(each.sql)),
      ];
    })
    .map(statement => `${statement};\n`)
    .join('');
}

/** The SQL that makes the tables and rows of a Postgres. */
export async function dumpPostgres(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const read = async (statement: string): Promise<readonly Row[]> => (await client.query(statement)).rows;
  try {
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
    const rows: string[] = [];
    for (const { name } of tables) rows.push(...toInserts(String(name), await read(`select * from "${name}"`)));
    return [
      ...columns.map(each => `create table "${each.name}" (${each.columns})`),
      ...rows,
      ...constraints.map(each => `alter table ${each.name} add constraint "${each.conname}" ${each.words}`),
      ...[...indexes, ...triggers].map(each => String(each.words)),
    ]
      .map(statement => `${statement};\n`)
      .join('');
  } finally {
    await client.end();
  }
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
