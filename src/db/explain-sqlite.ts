import { isForeignTable, toSqliteResult } from './failure.ts';

/** What each result code means to the person who starts Muster, and the way out (sqlite.org/rescode.html). */
const remedies: Readonly<Record<number, string>> = {
  5: 'another program holds it locked. Stop that program',
  6: 'another program holds it locked. Stop that program',
  8: 'Muster may not write there. Give its user the right to write the file and its folder',
  10: 'the disk reports an error. Check the disk and its mount',
  11: 'it is damaged. Restore a backup, or save what can be read: sqlite3 <file> .recover',
  13: 'the disk is full. Make room on it; a Muster that waits for it goes on by itself',
  14: 'it cannot be opened. Check that it is a file in a folder that Muster’s user may read and write',
  26: 'it is not a SQLite database. Name another file, or restore a backup',
};

/** The error of a start on a SQLite file, as one that names the file, the setting, and the way out. */
export function explainSqlite(error: unknown, file: string): Error {
  const reason = error instanceof Error ? error.message : String(error);
  const remedy = isForeignTable(error)
    ? 'it has tables of another program. Name another file, or one that does not exist yet'
    : remedies[toSqliteResult(error) ?? 0];
  if (remedy === undefined) return error instanceof Error ? error : new Error(reason);
  return new Error(`The database ${file} of DATABASE_URL cannot be used: ${remedy} (${reason}).`, { cause: error });
}
