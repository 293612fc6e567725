import { DatabaseSync } from 'node:sqlite';

/** The tables of an SQLite file in which some words stand, by name. */
export function tablesWith(file: string, words: string): readonly string[] {
  using database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("select name from sqlite_master where type = 'table' order by name").all();
  return tables
    .map(({ name }) => String(name))
    .filter(name => JSON.stringify(database.prepare(`select * from "${name}"`).all().map(toText)).includes(words));
}

/** The columns of an SQLite file in which a text fits, as `table.column`. */
export function columnsWith(file: string, pattern: RegExp): readonly string[] {
  using database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("select name from sqlite_master where type = 'table' order by name").all();
  const found = tables.flatMap(({ name }) => {
    const rows = database.prepare(`select * from "${name}"`).all();
    return rows.flatMap(row =>
      Object.keys(row)
        .filter(column => pattern.test(String(row[column])))
        .map(column => `${name}.${column}`),
    );
  });
  return [...new Set(found)];
}

function toText(row: Record<string, unknown>): readonly string[] {
  return Object.values(row).map(value => (value instanceof Uint8Array ? Buffer.from(value).toString() : String(value)));
}
