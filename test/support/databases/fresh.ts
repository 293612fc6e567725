import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
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
  return engine === 'postgres' ? await copyTemplate(tables === 'all tables') : await makeFile();
}

/** A file is so quickly given its tables that its user may do it. */
async function makeFile(): Promise<FreshDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-database-'));
  return {
    url: `sqlite:${join(folder, 'muster.db')}`,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
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

/** Takes every row out, and sets every counter back; false when a test has changed the tables themselves. */
async function empty(url: string): Promise<boolean> {
  const rows = await execute(url, "select tablename as name from pg_tables where schemaname = 'public'");
  const names = rows.map(each => String(each.name));
  if (names.length !== inject('postgres').tables) return false;
  const used = names.filter(each => each !== 'schema_migration' && each !== 'counter');
  await execute(url, [...used.map(each => `delete from "${each}"`), 'update counter set value = 0'].join('; '));
  return true;
}
