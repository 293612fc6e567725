import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { botMigrations } from '../bot/schema/migrations.ts';
import { noteBackup } from '../db/backups.ts';
import { openDatabase } from '../db/database.ts';
import { toDatabaseFile } from '../db/database-name.ts';
import { checkFile, openExisting } from '../db/existing.ts';
import { FilledDatabase, moveDatabase } from '../db/move.ts';
import { backUpPostgres } from '../db/postgres-copy.ts';
import { backUpSqlite, type Contents, type MadeCopy, restoreSqlite } from '../db/sqlite-copy.ts';
import { serviceMigrations } from '../service/store/migrations.ts';
import { prepareRestored, type Restored } from '../transfer/prepare-restored.ts';
import type { Terminal } from './command.ts';
import { openStored, tellDatabase } from './stored-database.ts';

const known = { bot: botMigrations, service: serviceMigrations };

/** `muster backup`: rejects with a sentence when the file exists, or the copy is not sound. The database then knows of its copy. */
export async function backupCommand(
  terminal: Terminal,
  { out, database: url }: { readonly out: string; readonly database: string },
): Promise<void> {
  const file = toDatabaseFile(url);
  const copy = file === undefined ? await backUpServer(terminal, url, out) : await backUpFile(terminal, file, out);
  terminal.note(`${out} is a sound copy: ${describe(copy.contents)}. muster restore ${out} brings it back.\n`);
  try {
    await using database = await openExisting(url);
    await noteBackup(database, copy);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    terminal.note(`The copy is good, but the database could not note it, so MusterBackupOld may fire: ${why}\n`);
  }
}

async function backUpFile(terminal: Terminal, file: string, out: string): Promise<MadeCopy> {
  await checkFile(file);
  tellDatabase(terminal, `sqlite:${file}`);
  return await backUpSqlite(file, out, known, new Date());
}

async function backUpServer(terminal: Terminal, url: string, out: string): Promise<MadeCopy> {
  await using database = await openStored(terminal, url);
  return await backUpPostgres(database, out, known, new Date());
}

/** How a database is restored. */
interface RestoreOptions {
  readonly database: string;
  readonly replace?: boolean;
  readonly inPlace?: boolean;
  /** A Grafana answers the API, and numbers its incidents itself. */
  readonly hasGrafana?: boolean;
}

/** `muster restore`: rejects with a sentence, and has changed nothing, when the copy is not sound or Muster runs. */
export async function restoreCommand(
  terminal: Terminal,
  copy: string | undefined,
  { database: url, replace = false, inPlace = false, hasGrafana = false }: RestoreOptions,
): Promise<void> {
  if (inPlace === (copy !== undefined))
    throw new Error(
      'Name the copy that is to be restored, or say --in-place when the database took an older state already.',
    );
  const file = toDatabaseFile(url);
  if (copy !== undefined) tellDatabase(terminal, url);
  const restored = await (copy === undefined
    ? prepareInPlace(terminal, url)
    : file === undefined
      ? restoreServer(terminal, copy, { url, target: replace ? 'replaced' : 'empty' })
      : restoreFile(terminal, copy, file));
  terminal.note(`${toWarning(restored, hasGrafana)}\n`);
}

async function restoreFile(terminal: Terminal, copy: string, file: string): Promise<Restored> {
  const { contents, aside, restored } = await restoreInto(copy, file);
  terminal.note(`${file} is what ${copy} holds: ${describe(contents)}.\n`);
  if (aside !== undefined)
    terminal.note(`The database that was there stands at ${aside}. Delete it when you need it no more.\n`);
  return restored;
}

/** Restores a copy beside, and moves it from there into a Postgres: all of it, or nothing. */
async function restoreServer(
  terminal: Terminal,
  copy: string,
  { url, target }: { readonly url: string; readonly target: 'empty' | 'replaced' },
): Promise<Restored> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-restore-'));
  try {
    const file = join(folder, 'muster.db');
    const { contents, restored } = await restoreInto(copy, file);
    await using from = await openDatabase(`sqlite:${file}`);
    await using to = await openDatabase(url);
    await refuseRunning(to);
    await moveDatabase(from, to, known, { now: new Date(), target }).catch(error => {
      throw error instanceof FilledDatabase ? toFilled(error) : error;
    });
    terminal.note(`The database is what ${copy} holds: ${describe(contents)}.\n`);
    return restored;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function toFilled({ table }: FilledDatabase): Error {
  return new Error(
    `The database is not empty: its table ${table} has rows. Nothing was changed. Make an empty one (create database …) and name it, or say --replace, which deletes what is there.`,
  );
}

async function prepareInPlace(terminal: Terminal, url: string): Promise<Restored> {
  await using database = await openStored(terminal, url);
  await refuseRunning(database);
  await using _alone = await database.occupy('bot');
  const restored = await prepareRestored(database);
  terminal.note('The database is prepared: start Muster on it now.\n');
  return restored;
}

async function refuseRunning(database: { countOthers(): Promise<number> }): Promise<void> {
  if ((await database.countOthers()) > 0)
    throw new Error('A process has the database open. Stop every Muster first; nothing was changed.');
}

async function restoreInto(copy: string, file: string) {
  let restored: Restored = { open: 0, until: '' };
  const prepare = async (part: string) => {
    await using database = await openDatabase(`sqlite:${part}`);
    restored = await prepareRestored(database);
  };
  const { contents, aside } = await restoreSqlite(copy, file, { known, now: new Date(), prepare });
  return { contents, aside, restored };
}

/** What the restored database lacks, and what Muster does about what was open in it. */
function toWarning({ open, until }: Restored, hasGrafana: boolean): string {
  const last = until === '' ? '' : ` The last change in it is of ${until.replace('T', ' ').slice(0, 16)} UTC.`;
  const intents =
    open === 0
      ? 'No intent was open in it.'
      : `${open === 1 ? '1 intent was' : `${open} intents were`} open in it (muster journal list): Muster looks for the effect of each before it does it, and asks its person where somebody may have changed the same thing since.`;
  if (hasGrafana)
    return `What was done later is not in it, though Slack and Grafana show it: channels of incidents, their cards and lines.${last} ${intents}`;
  return `What was done later is not in it, though Slack and the API may show it: incidents, their channels and changes; tokens, webhooks and short links.${last} ${intents} A hundred incident numbers are left out, so that none means two incidents.`;
}

function describe(contents: Contents): string {
  return [...contents].map(([noun, count]) => `${count} ${count === 1 ? noun.replace(/s$/, '') : noun}`).join(', ');
}
