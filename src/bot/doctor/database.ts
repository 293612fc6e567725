import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Database } from '../../db/database.ts';
import { isDamaged, isFull, isReadOnly, isUnavailable } from '../../db/failure.ts';
import type { Migration } from '../../db/migrate.ts';
import { findForeign, type SeenStep } from '../../db/steps.ts';
import type { BotTables } from '../schema/tables.ts';
import { formatUtc } from '../text/times.ts';
import { type Finding, failing, ok, unknown } from './finding.ts';
import type { Sightings } from './sightings.ts';

/** Parts of the schema, and the steps that this version knows of each. */
export type Schemas = Readonly<Record<string, readonly Migration[]>>;

/** Less room than this is soon used up, in bytes. */
const leastRoom = 200_000_000;
/** Bytes that the probe writes: enough to need new pages. */
const probeSize = 64_000;

/** How long an unstored delivery is reported, in milliseconds. */
const unstoredMatters = 7 * 24 * 3_600_000;

const subject = 'database';
const stops = 'everything: no command is stored, none is carried out';
const makeRoom = 'Make room on the disk of the database, or enlarge it. Then Muster goes on, without a restart.';

/** Why a database cannot be opened, or a part of it, `name`, cannot be read. */
export function whyNotOpened(error: unknown, name = subject): Finding {
  const reason = error instanceof Error ? error.message.replace(/[.!]?$/, '.') : 'It cannot be opened.';
  const hasRoom = !isFull(error) && !(error instanceof Error && isFull(error.cause));
  const fix = isDamaged(error)
    ? 'Stop Muster, then “muster restore <copy>”: docs/operating.md, Backup and restore.'
    : 'Check DATABASE_URL, and that the database runs and lets Muster in.';
  return failing(name, reason, stops, hasRoom ? fix : makeRoom);
}

/** There is no database where the settings of this process say. */
export function whyNotThere({ message }: Error): Finding {
  const fix =
    'Start Muster, which makes it. If it runs already, start the doctor with its settings: docs/operating.md, Commands.';
  return failing(subject, message, stops, fix);
}

/** Whether the database can be read and written, whether its schema is this version's, and how much room its disk has. */
export async function checkDatabase(
  database: Database,
  databaseUrl: string,
  schemas: Schemas,
  freeBytes: (folder: string) => Promise<number> = roomIn,
): Promise<readonly Finding[]> {
  const migrations = await checkMigrations(database, schemas);
  if (migrations.state !== 'ok') return [migrations, await checkRoom(databaseUrl, freeBytes)];
  return [await checkWrites(database), migrations, await checkRoom(databaseUrl, freeBytes)];
}

async function checkWrites(database: Database): Promise<Finding> {
  try {
    await database.withLock<BotTables, void>('doctor', async trx => {
      const row = { name: 'doctor', seen_at: ' '.repeat(probeSize) };
      await trx.insertInto('bot_sighting').values(row).execute();
      await trx.deleteFrom('bot_sighting').where('name', '=', row.name).execute();
    });
    return ok(subject, 'It can be read and written.');
  } catch (error) {
    if (isFull(error)) return failing(subject, 'It is full: nothing can be written.', stops, makeRoom);
    if (isReadOnly(error)) {
      return failing(subject, 'It can be read and not written.', stops, 'Give Muster’s user the right to write it.');
    }
    if (!isUnavailable(error)) throw error;
    return failing(
      subject,
      'It cannot be used now.',
      stops,
      'Check that it runs. Muster goes on as soon as it answers, without a restart.',
    );
  }
}

/** Whether what people typed in the last week was stored before it was acknowledged. */
export async function checkStoring(sightings: Sightings, now: Date): Promise<Finding> {
  const name = 'storing';
  const last = await sightings.lastUnstored();
  if (!last || now.getTime() - last.getTime() > unstoredMatters) {
    return ok(name, 'In the last week each delivery was stored before it was acknowledged.');
  }
  return failing(
    name,
    `The database took too long, and a delivery was acknowledged before it was stored, last at ${formatUtc(last)}.`,
    'what was typed at such a moment, if Muster ends in that second: the person was told',
    'Look at the load of the database and how far away it is: docs/operating.md, MusterUnstored.',
  );
}

async function checkMigrations(database: Database, schemas: Schemas): Promise<Finding> {
  const name = 'database schema';
  const applied = await appliedSteps(database);
  const known = Object.entries(schemas).flatMap(([part, steps]) => steps.map(step => `${part} ${step.name}`));
  const foreign = findForeign(applied, schemas);
  if (foreign) return failing(name, `It ${foreign.found}.`, 'the start of this version', foreign.fix);
  const seen = applied.map(step => `${step.part} ${step.name}`);
  const missing = known.filter(step => !seen.includes(step));
  if (missing.length === 0) return ok(name, 'It is this version’s.');
  const found =
    applied.length === 0 ? 'It has no tables yet.' : `${missing.length} steps of this version are yet to be made.`;
  return unknown(
    name,
    found,
    'nothing: the next start makes them',
    'Start Muster (this version), then run the doctor again.',
  );
}

async function appliedSteps(database: Database): Promise<readonly SeenStep[]> {
  const db = database.as<{ schema_migration: { part: string; name: string } }>();
  const tables = await db.introspection.getTables();
  if (!tables.some(table => table.name === 'schema_migration')) return [];
  return await db.selectFrom('schema_migration').select(['part', 'name']).execute();
}

async function checkRoom(databaseUrl: string, freeBytes: (folder: string) => Promise<number>): Promise<Finding> {
  const name = 'disk';
  const file = databaseUrl.startsWith('sqlite:') ? databaseUrl.slice('sqlite:'.length) : ':memory:';
  if (file === ':memory:') return ok(name, 'The database keeps its files elsewhere.');
  const megabytes = Math.floor((await freeBytes(dirname(file))) / 1_000_000);
  if (megabytes * 1_000_000 >= leastRoom) return ok(name, `${megabytes} MB are free.`);
  return failing(name, `Only ${megabytes} MB are free.`, `${stops}, as soon as it is full`, makeRoom);
}

async function roomIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
