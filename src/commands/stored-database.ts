import type { Command } from 'commander';
import type { Database } from '../db/database.ts';
import { nameDatabase } from '../db/database-name.ts';
import { openExisting } from '../db/existing.ts';
import { addExample, addSettings, type Host, readOptions, type Terminal } from './command.ts';

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

/** The database of `--database`, and the process that works on it. */
export interface GivenDatabase extends Host {
  readonly url: string;
  /** Opens it as {@link openStored} does. */
  open(): Promise<Database>;
}

/** A command that works on the database, as a row of a table: the help shows all but its act. */
export interface DatabaseCommand {
  /** Its name and its arguments as commander writes them: `show <id>`. */
  readonly usage: string;
  readonly summary: string;
  /** Flags, their meaning, and a default where there is one. */
  readonly options?: readonly (readonly [flags: string, meaning: string, fallback?: string])[];
  /** Flags that a caller must give, and their meaning. */
  readonly required?: readonly [flags: string, meaning: string];
  /** A sentence of the help behind the options. */
  readonly remark?: string;
  readonly examples: readonly string[];
  /** Gets the typed arguments and then the typed options. Rejects with a sentence that says why it cannot do its work. */
  act(given: GivenDatabase, ...typed: never[]): Promise<void>;
}

/** Adds commands, each with its option `--database`, to the program or to a group of it. */
export function addRows(parent: Command, host: Host, rows: readonly DatabaseCommand[]): void {
  for (const { usage, summary, options = [], required, remark, examples, act } of rows) {
    const command = parent.command(usage).description(summary);
    if (required) command.requiredOption(...required);
    for (const option of options) command.option(...option);
    if (remark !== undefined) command.addHelpText('after', `\n${remark}`);
    addSettings(command, ['DATABASE_URL']).action(async (...typed: unknown[]) => {
      const { databaseUrl: url } = readOptions(command, ['DATABASE_URL']);
      await act({ ...host, url, open: () => openStored(host.terminal, url) }, ...(typed as never[]));
    });
    addExample(command, ...examples);
  }
}
