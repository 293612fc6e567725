import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { botMigrations } from '../bot/schema/migrations.ts';
import { noteBackup } from '../db/backups.ts';
import { openDatabase } from '../db/database.ts';
import { toDatabaseFile } from '../db/database-name.ts';
import { checkFile, openExisting } from '../db/existing.ts';
import { FilledDatabase, moveDatabase } from '../db/move.ts';
import { backUpPostgres } from '../db/postgres-copy.ts';
import { backUpSqlite, type Contents, restoreSqlite } from '../db/sqlite-copy.ts';
import { serviceMigrations } from '../service/store/migrations.ts';
import { prepareRestored, type Restored } from '../transfer/prepare-restored.ts';
import type { Host, Terminal } from './command.ts';
import { addRows, type DatabaseCommand, tellDatabase } from './stored-database.ts';

/** `muster backup` and `muster restore`: the whole database as one file. */
export function register(program: Command, host: Host): void {
  addRows(program, host, rows);
}

const known = { bot: botMigrations, service: serviceMigrations };

const rows: readonly DatabaseCommand[] = [
  {
    usage: 'backup',
    summary: 'copy the whole database, SQLite or Postgres, into one file, while Muster runs',
    required: ['--out <file>', 'a file that does not exist yet; it becomes a SQLite database'],
    examples: ['muster backup --out ./muster-monday.db'],
    act: async ({ terminal, url, open }, { out }: { readonly out: string }) => {
      const copy = await backUp();
      terminal.note(`${out} is a sound copy: ${describe(copy.contents)}. muster restore ${out} brings it back.\n`);
      try {
        await using database = await openExisting(url);
        await noteBackup(database, copy);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        terminal.note(`The copy is good, but the database could not note it, so MusterBackupOld may fire: ${why}\n`);
      }

      async function backUp() {
        const file = toDatabaseFile(url);
        if (file === undefined) {
          await using database = await open();
          return await backUpPostgres(database, out, known, new Date());
        }
        await checkFile(file);
        tellDatabase(terminal, `sqlite:${file}`);
        return await backUpSqlite(file, out, known, new Date());
      }
    },
  },
  {
    usage: 'restore [file]',
    summary:
      'put a backup in the place of the database, SQLite or Postgres, so that nothing in it is done twice; Muster must not run',
    options: [
      ['--replace', 'Postgres: delete what the database holds; without it, only an empty one is filled'],
      ['--in-place', 'the database took an older state in another way, such as pg_restore: only prepare it'],
    ],
    examples: [
      'muster restore ./muster-monday.db',
      'muster restore ./muster-monday.db --database env:NEW_DATABASE_URL',
      'muster restore --in-place',
    ],
    // When the copy is not sound or Muster runs, it has changed nothing.
    act: async (
      { terminal, url, open, environment },
      copy: string | undefined,
      { replace = false, inPlace = false }: { readonly replace?: boolean; readonly inPlace?: boolean },
    ) => {
      if (inPlace === (copy !== undefined))
        throw new Error(
          'Name the copy that is to be restored, or say --in-place when the database took an older state already.',
        );
      if (copy !== undefined) tellDatabase(terminal, url);
      const restored = await restore();
      // A Grafana answers the API, and numbers its incidents itself.
      const hasGrafana = Boolean(environment.GRAFANA_URL?.trim());
      terminal.note(`${toWarning(restored, hasGrafana)}\n`);

      async function restore(): Promise<Restored> {
        if (copy === undefined) {
          await using database = await open();
          await refuseRunning(database);
          await using _alone = await database.occupy('bot');
          const prepared = await prepareRestored(database);
          terminal.note('The database is prepared: start Muster on it now.\n');
          return prepared;
        }
        const file = toDatabaseFile(url);
        if (file === undefined)
          return await restoreServer(terminal, copy, { url, target: replace ? 'replaced' : 'empty' });
        const { contents, aside, restored } = await restoreInto(copy, file);
        terminal.note(`${file} is what ${copy} holds: ${describe(contents)}.\n`);
        if (aside !== undefined)
          terminal.note(`The database that was there stands at ${aside}. Delete it when you need it no more.\n`);
        return restored;
      }
    },
  },
];

/** Restores a copy into a file of its own, and moves it from there into a Postgres: all of it, or nothing. */
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
      if (!(error instanceof FilledDatabase)) throw error;
      throw new Error(
        `The database is not empty: its table ${error.table} has rows. Nothing was changed. Make an empty one (create database …) and name it, or say --replace, which deletes what is there.`,
      );
    });
    terminal.note(`The database is what ${copy} holds: ${describe(contents)}.\n`);
    return restored;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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
