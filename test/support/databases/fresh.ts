import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { addAllTables } from './all-tables.ts';
import { execute } from './execute.ts';

/** A database that nobody else has; disposing removes it, whoever is still connected. */
export interface FreshDatabase extends AsyncDisposable {
  /** For `openDatabase`, or the setting `DATABASE_URL`. */
  readonly url: string;
}

/** What the tests of this project keep their data in. */
export const engine = inject('engine');

/** Makes a database of the project's engine: with every table there and empty, or without any. */
export async function makeDatabase(tables: 'all tables' | 'no tables' = 'all tables'): Promise<FreshDatabase> {
  const isFull = tables === 'all tables';
  return engine === 'postgres' ? await copyTemplate(isFull) : await makeFile(isFull);
}

async function makeFile(isFull: boolean): Promise<FreshDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-database-'));
  const file = join(folder, 'muster.db');
  if (isFull) await writeFile(file, await readFullFile());
  return {
    url: `sqlite:${file}`,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

let fullFile: Promise<Buffer> | undefined;

/** A file with every table, made once: writing it again is thirty times as quick as making the tables. */
function readFullFile(): Promise<Buffer> {
  fullFile ??= (async () => {
    await using empty = await makeFile(false);
    await addAllTables(empty.url);
    return await readFile(empty.url.slice('sqlite:'.length));
  })();
  return fullFile;
}

/** Databases that a test of this file is done with: emptying one is ten times as quick as making one. */
const spare: string[] = [];

async function copyTemplate(full: boolean): Promise<FreshDatabase> {
  const { url, template } = inject('postgres');
  const used = full ? spare.pop() : undefined;
  const name = used ?? `muster_${randomUUID().replaceAll('-', '')}`;
  if (!used) await execute(url, `create database ${name} template ${full ? template : 'template1'} strategy file_copy`);
  const own = url.replace(/[^/]+$/, name);
  return {
    url: own,
    [Symbol.asyncDispose]: async () => {
      if (full && (await empty(own))) spare.push(name);
      else await execute(url, `drop database ${name} with (force)`);
    },
  };
}

/** One connection to each database that is used again: a new one would read the catalogue of all tables again. */
const keepers = new Map<string, pg.Client>();

async function keeperOf(url: string): Promise<pg.Client> {
  const known = keepers.get(url);
  if (known) return known;
  const keeper = new pg.Client({ connectionString: url });
  // The server ends it when the run does.
  keeper.on('error', () => keepers.delete(url));
  await keeper.connect();
  keepers.set(url, keeper);
  return keeper;
}

/** Takes every row out, and sets every counter back; false when a test has changed the tables themselves. */
async function empty(url: string): Promise<boolean> {
  const keeper = await keeperOf(url);
  const { rows } = await keeper.query("select tablename as name from pg_tables where schemaname = 'public'");
  const names = rows.map(each => String(each.name));
  if (names.length !== inject('postgres').tables) return false;
  const used = names.filter(each => each !== 'schema_migration' && each !== 'counter');
  await keeper.query([...used.map(each => `delete from "${each}"`), 'update counter set value = 0'].join('; '));
  return true;
}
