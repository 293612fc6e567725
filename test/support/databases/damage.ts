import { readFile, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';

/** Overwrites the first page of some tables in a SQLite file that no process has open, as a failing disk does: the schema can still be read. */
export async function damageTables(file: string, isMeant: (table: string) => boolean): Promise<void> {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = delete');
  const size = Number(database.prepare('pragma page_size').get()?.page_size);
  const tables = database
    .prepare("select name, rootpage from sqlite_schema where type = 'table' and rootpage > 1")
    .all();
  database.close();
  const bytes = await readFile(file);
  for (const { name, rootpage } of tables)
    if (isMeant(String(name))) bytes.fill(7, (Number(rootpage) - 1) * size, Number(rootpage) * size);
  await writeFile(file, bytes);
}
