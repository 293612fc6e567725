import type { Database } from '../db/database.ts';
import { nameDatabase } from '../db/database-name.ts';
import { openExisting } from '../db/existing.ts';
import type { Terminal } from './command.ts';

/** Tells which database a command works on: with other settings, or in another folder, it would be another one. */
export function tellDatabase(terminal: Terminal, url: string): void {
  terminal.note(`Database: ${nameDatabase(url)}\n`);
}

/** Opens the database that a command works on, and tells which one it is. Throws with a sentence when there is none. */
export async function openStored(terminal: Terminal, url: string): Promise<Database> {
  const database = await openExisting(url);
  tellDatabase(terminal, url);
  return database;
}
