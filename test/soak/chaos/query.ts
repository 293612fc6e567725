import { DatabaseSync } from 'node:sqlite';
import { execute } from '../../support/databases/execute.ts';

const sqlite = 'sqlite:';

/** Reads from the bots' database, whichever it is, on a connection of its own. */
export async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  if (!url.startsWith(sqlite)) return execute(url, statement);
  const database = new DatabaseSync(url.slice(sqlite.length), { readOnly: true, timeout: 5000 });
  try {
    return database.prepare(statement).all();
  } finally {
    database.close();
  }
}
