import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Dialect, Kysely } from 'kysely';
import { openSqlite } from './sqlite.ts';

/** The view of somebody who knows no table yet. */
export type NoTables = Record<never, never>;

/** A part's tables by name, each a record of its columns; written as `type`, not `interface`. */
export type TableShapes = Record<string, Record<string, unknown>>;

/** An open database. `Tables` is the reader's own view of it: each part of Muster knows only its own tables. */
export interface Database extends AsyncDisposable {
  /** The same connection seen through one part's tables. */
  as<Tables extends TableShapes>(): Kysely<Tables>;
}

/**
 * Opens the database that a `DATABASE_URL` names: `sqlite:<file>` (made with its folder when absent) or `sqlite::memory:`.
 * Throws with the reason when it cannot.
 */
export async function openDatabase(url: string): Promise<Database> {
  const kysely = new Kysely<NoTables>({ dialect: await toDialect(url) });
  return {
    as: <Tables extends TableShapes>() => kysely.withTables<Tables>(),
    [Symbol.asyncDispose]: () => kysely.destroy(),
  };
}

async function toDialect(url: string): Promise<Dialect> {
  if (!url.startsWith('sqlite:')) {
    throw new Error(`DATABASE_URL must start with "sqlite:", and this one starts with "${url.split(':')[0]}:"`);
  }
  const file = url.slice('sqlite:'.length);
  if (file === '') throw new Error('DATABASE_URL names no file: write sqlite:./data/muster.db');
  if (file !== ':memory:') await mkdir(dirname(file), { recursive: true });
  return openSqlite(file);
}
