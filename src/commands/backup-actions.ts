import { botMigrations } from '../bot/schema/migrations.ts';
import { backUpSqlite, type Contents, restoreSqlite } from '../db/sqlite-copy.ts';
import { serviceMigrations } from '../service/store/migrations.ts';
import { prepareRestored } from '../transfer/prepare-restored.ts';
import type { Terminal } from './host.ts';

const known = { bot: botMigrations, service: serviceMigrations };

/** `muster backup`: rejects with a sentence when the file exists, the database is a Postgres, or the copy is not sound. */
export async function backupCommand(
  terminal: Terminal,
  { out, database }: { readonly out: string; readonly database: string },
): Promise<void> {
  const contents = await backUpSqlite(toFile(database), out, known);
  terminal.note(`${out} is a sound copy: ${describe(contents)}. muster restore ${out} brings it back.\n`);
}

/** `muster restore`: rejects with a sentence, and has changed nothing, when the copy is not sound or Muster runs. */
export async function restoreCommand(
  terminal: Terminal,
  copy: string,
  { database }: { readonly database: string },
): Promise<void> {
  const file = toFile(database);
  const { contents, aside } = await restoreSqlite(copy, file, { known, now: new Date(), prepare: prepareRestored });
  terminal.note(`${file} is what ${copy} holds: ${describe(contents)}.\n`);
  if (aside !== undefined)
    terminal.note(`The database that was there stands at ${aside}. Delete it when you need it no more.\n`);
  terminal.note(
    'What was done after the backup is not in it, though Slack and the API may show it. Muster looks for the effect of each open intent before it does it, and leaves out a hundred incident numbers.\n',
  );
}

function describe(contents: Contents): string {
  return [...contents].map(([noun, count]) => `${count} ${noun}`).join(', ');
}

/** The file of a database. Throws with the way out for a Postgres. */
function toFile(url: string): string {
  const file = /^sqlite:(.+)$/s.exec(url)?.[1];
  if (file === undefined)
    throw new Error(
      'The database is a Postgres, which has its own tools: pg_dump -Fc --file=<file> <DATABASE_URL> makes a backup, and pg_restore --clean --if-exists --dbname=<DATABASE_URL> <file> brings it back while Muster is stopped. So that what was open is not done twice, run the statements then that stand under “Backup and restore” in docs/operating.md.',
    );
  if (file === ':memory:') throw new Error('A database in memory ends with its process. Name a file in DATABASE_URL.');
  return file;
}
