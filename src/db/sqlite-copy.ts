import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Copy } from './backups.ts';
import { isBusy } from './failure.ts';
import { occupyFile, openPlainFile } from './sqlite.ts';
import { exists, makeFolder } from './sqlite-files.ts';
import { findForeign, type KnownSteps } from './steps.ts';

/** The parts of a database in a file. */
const parts = ['', '-wal', '-shm', '-journal'] as const;
/** The tables of Muster's that a person counts, and what their rows are. */
const counted = {
  incident: 'incidents',
  activity: 'timeline items',
  bot_room: 'rooms',
  bot_intent: 'intents',
} as const;

/** How many rows of each kind a database has. */
export type Contents = ReadonlyMap<string, number>;

/** What a copy holds, and the facts that are noted of it. */
export interface MadeCopy extends Copy {
  readonly contents: Contents;
}

/**
 * Copies the database in a file into a new one, while others write to it. The copy is as the database was at one moment, is checked,
 * and is on disk. Throws with a sentence when it cannot, and leaves nothing then.
 */
export async function backUpSqlite(file: string, out: string, known: KnownSteps, now: Date): Promise<MadeCopy> {
  if (!(await exists(file))) throw new Error(`There is no database at ${file}: nothing was copied.`);
  if (await exists(out)) throw new Error(`${out} exists already, and a backup overwrites nothing. Name another file.`);
  const part = await copyInto(file, out);
  try {
    return await finishCopy(part, out, known, now);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Notes in a copy that it is one, checks it, and gives it its name. A database that is restored from it then knows how old it is. */
export async function finishCopy(part: string, out: string, known: KnownSteps, now: Date): Promise<MadeCopy> {
  const { size: bytes } = await stat(part);
  const madeAt = now.toISOString();
  noteIn(part, { madeAt, bytes });
  await syncFile(part);
  const contents = checkSqlite(part, known);
  await rename(part, out);
  await syncFolder(out);
  return { contents, madeAt, bytes };
}

function noteIn(file: string, { madeAt, bytes }: Copy): void {
  using database = openPlainFile(file);
  if (database.run("select 1 from sqlite_schema where type = 'table' and name = 'backup'").length === 0) return;
  database.run('insert or replace into backup (id, made_at, bytes) values (1, ?, ?)', madeAt, bytes);
}

/**
 * Puts a copy of `copy` in the place of the database in `file`, and keeps what was there next to it. Throws with a sentence, and has
 * changed nothing, when the copy is not sound or a process has the database open. `prepare` changes the new database before it is in its
 * place.
 */
export async function restoreSqlite(
  copy: string,
  file: string,
  how: { readonly known: KnownSteps; readonly now: Date; readonly prepare: (file: string) => Promise<void> },
): Promise<{
  readonly contents: Contents;
  /** The path of the database that was there before; undefined when there was none. */
  readonly aside: string | undefined;
}> {
  if (!(await exists(copy))) throw new Error(`There is no file ${copy}. Nothing was changed.`);
  if ((await exists(file)) && (await realpath(copy)) === (await realpath(file)))
    throw new Error(`${copy} is the database itself. Name the copy that is to take its place.`);
  checkSqlite(copy, how.known);
  await makeFolder(file);
  const part = await copyInto(copy, file);
  try {
    const contents = checkSqlite(part, how.known);
    await how.prepare(part);
    closeLog(part);
    await syncFile(part);
    const aside = await replace(file, part, `${file}.before-${how.now.toISOString().replaceAll(/[:.]/g, '')}`);
    return { contents, aside };
  } catch (error) {
    await Promise.all(['', '-wal', '-shm'].map(each => rm(part + each, { force: true })));
    throw error;
  }
}

/** Makes sure that a file is a sound database of Muster's that this version can open. Throws with a sentence. */
export function checkSqlite(file: string, known: KnownSteps): Contents {
  using database = openPlainFile(file, { readOnly: true });
  const found = database.run('pragma integrity_check(1)')[0]?.integrity_check;
  if (found !== 'ok') throw new Error(`${file} is damaged: ${String(found)}. Take another backup.`);
  const tables = new Set(database.run("select name from sqlite_schema where type = 'table'").map(each => each.name));
  const steps = tables.has('schema_migration') ? database.run('select part, name from schema_migration') : [];
  if (steps.length === 0)
    throw new Error(
      `${file} has no tables of Muster. A copy of muster.db alone can be so: what was done last stands in muster.db-wal. Make backups with muster backup.`,
    );
  const foreign = findForeign(
    steps.map(each => ({ part: String(each.part), name: String(each.name) })),
    known,
  );
  if (foreign) throw new Error(`${file} ${foreign.found}. ${foreign.fix}`);
  const contents = new Map<string, number>();
  for (const [table, noun] of Object.entries(counted)) {
    if (tables.has(table)) contents.set(noun, Number(database.run(`select count(*) as n from ${table}`)[0]?.n));
  }
  return contents;
}

/** Writes one moment of a database, whole and compact, into a new file next to `out` that its user alone may read. */
async function copyInto(file: string, out: string): Promise<string> {
  const part = `${out}.part`;
  await rm(part, { force: true });
  // SQLite fills an empty file, and keeps its rights.
  await (await open(part, 'wx', 0o600)).close();
  try {
    using database = openPlainFile(file, { readOnly: true });
    database.run('vacuum into ?', part);
    await syncFile(part);
    return part;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function replace(file: string, part: string, aside: string): Promise<string | undefined> {
  await using held = await occupyFile(file, 'bot');
  if (!held) throw running(file);
  if (await exists(file)) closeLog(file);
  let hasOld = false;
  for (const each of parts) {
    if (!(await exists(file + each))) continue;
    await rename(file + each, aside + each);
    hasOld = true;
  }
  await rename(part, file);
  await syncFolder(file);
  return hasOld ? aside : undefined;
}

/** Brings everything into the one file, which SQLite does only when no other connection has it open. */
export function closeLog(file: string): void {
  try {
    using database = openPlainFile(file);
    database.run('pragma journal_mode = delete');
  } catch (error) {
    if (isBusy(error) || (error instanceof Error && isBusy(error.cause))) throw running(file);
    // It is damaged, which may be the reason for the restore: it is kept as it is.
  }
}

function running(file: string): Error {
  return new Error(`A process has the database ${file} open. Stop Muster first; nothing was changed.`);
}

/** Resolves when a file is on disk. */
async function syncFile(file: string): Promise<void> {
  await using handle = await open(file, 'r+');
  await handle.sync();
}

/** Resolves when the names in a file's folder are on disk. */
async function syncFolder(file: string): Promise<void> {
  await using handle = await open(dirname(file), 'r');
  await handle.sync();
}
