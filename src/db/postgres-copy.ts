import { rm } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { copyRows, listTables } from './copy-rows.ts';
import { type Database, openDatabase } from './database.ts';
import type { NoTables } from './engine.ts';
import { migrate } from './migrate.ts';
import type { Parts } from './move.ts';
import { closeLog, finishCopy, type MadeCopy } from './sqlite-copy.ts';
import { exists } from './sqlite-files.ts';
import { findForeign } from './steps.ts';

/**
 * Copies a Postgres database into a new SQLite file, while others write to it. The copy is as the database was at one moment, is
 * compared and checked, and is on disk. Throws with a sentence when it cannot, and leaves nothing then.
 */
export async function backUpPostgres(from: Database, out: string, parts: Parts, now: Date): Promise<MadeCopy> {
  if (await exists(out)) throw new Error(`${out} exists already, and a backup overwrites nothing. Name another file.`);
  const part = `${out}.part`;
  const remove = () => Promise.all(['', '-wal', '-shm'].map(each => rm(part + each, { force: true })));
  await remove();
  try {
    // One view of all tables, which delays no writer.
    const reading = from.as<NoTables>().transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
    await reading.execute(db => copyInto(part, { db, rowAddress: from.rowAddress }, parts, now));
    closeLog(part);
    return await finishCopy(part, out, parts, now);
  } catch (error) {
    await remove();
    throw from.explain(error);
  }
}

async function copyInto(
  file: string,
  from: { readonly db: Kysely<NoTables>; readonly rowAddress: Database['rowAddress'] },
  parts: Parts,
  now: Date,
): Promise<void> {
  const steps = await readSteps(from.db);
  const foreign = findForeign(steps, parts);
  if (foreign) throw new Error(`The database ${foreign.found}. ${foreign.fix}`);
  await using copy = await openDatabase(`sqlite:${file}`);
  // The copy has the schema of the database, which a newer Muster brings up to date.
  for (const [part, known] of Object.entries(parts)) {
    const own = steps.filter(step => step.part === part).map(step => step.name);
    const taken = known.filter(each => own.includes(each.name));
    if (taken.length > 0) await migrate(copy, part, taken, now);
  }
  const tables = await listTables(copy.as());
  const { rowAddress } = copy;
  await copy.withLock<NoTables, unknown>('schema', db => copyRows(from, { db, rowAddress }, tables));
}

/** The steps of the schema that a database has. Throws with a sentence when it has no table of Muster's. */
async function readSteps(db: Kysely<NoTables>): Promise<readonly { readonly part: string; readonly name: string }[]> {
  const { rows: found } = await sql<{ is_there: boolean }>`
    select to_regclass('schema_migration') is not null as is_there`.execute(db);
  const steps = found[0]?.is_there
    ? (await sql<{ part: string; name: string }>`select part, name from schema_migration`.execute(db)).rows
    : [];
  if (steps.length === 0)
    throw new Error('The database has no tables of Muster, so there is nothing to copy. Is DATABASE_URL right?');
  return steps;
}
