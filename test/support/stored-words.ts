import { DatabaseSync } from 'node:sqlite';

/** The tables of an SQLite file in which some words stand, by name. */
export function tablesWith(file: string, words: string): readonly string[] {
  using database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("select name from sqlite_master where type = 'table' order by name").all();
  return tables
    .map(({ name }) => String(name))
    .filter(name => JSON.stringify(database.prepare(`select * from "${name}"`).all().map(toText)).includes(words));
}

function toText(row: Record<string, unknown>): readonly string[] {
  return Object.values(row).map(value => (value instanceof Uint8Array ? Buffer.from(value).toString() : String(value)));
}
