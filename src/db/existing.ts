import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import { type Database, openDatabase } from './database.ts';
import { nameDatabase, toDatabaseFile } from './database-name.ts';
import { openPlainFile } from './sqlite.ts';
import { toCode } from './sqlite-files.ts';

/** There is no database of Muster's where a command looks for one. */
export class NoDatabase extends Error {}

/**
 * Opens a database of Muster's that is there, and makes none: a person who works on the wrong one by mistake must not read that all is well.
 * Throws {@link NoDatabase} when there is none, or something else is in its place; that is left as it is.
 */
export async function openExisting(url: string): Promise<Database> {
  const file = toDatabaseFile(url);
  if (file !== undefined) await checkFile(file);
  const database = await openDatabase(url);
  try {
    if (file === undefined && !(await hasTables(database))) throw noTables(nameDatabase(url));
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

/** Throws with a sentence unless a file is a database of Muster's; `whole`: and is damaged nowhere. */
export async function checkFile(file: string, { whole = false } = {}): Promise<void> {
  await stat(file).catch(error => {
    if (toCode(error) !== 'EACCES')
      throw new NoDatabase(`There is no database at ${file}; is DATABASE_URL set?`, { cause: error });
    throw new Error(
      `The database ${file} may be there, but this user may not enter ${dirname(file)}. Run the command as Muster’s user.`,
      { cause: error },
    );
  });
  using plain = openPlainFile(file, { readOnly: true });
  const found = plain.run("select 1 from sqlite_schema where type = 'table' and name = 'schema_migration'");
  if (found.length === 0) throw noTables(file);
  if (whole) plain.checkPages();
}

async function hasTables(database: Database): Promise<boolean> {
  const { rows } = await sql<{ found: string | null }>`select to_regclass('schema_migration')::text as found`.execute(
    database.as(),
  );
  return rows[0]?.found !== null;
}

function noTables(name: string): Error {
  return new NoDatabase(`The database ${name} has no tables of Muster; is DATABASE_URL set?`);
}
