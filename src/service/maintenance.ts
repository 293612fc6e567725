import type { Database } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { serviceMigrations } from './store/migrations.ts';
import { type Db, serviceLock, type Tables } from './store/tables.ts';

/** The service's database from outside of the service, which may run at the same time, with its tables brought up to date. */
export async function openServiceDatabase(opening: Promise<Database>, now: Date): Promise<Database> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await opening);
  await migrate(database, 'service', serviceMigrations, now);
  stack.move();
  return database;
}

/**
 * Works on the service's database from outside of the service, under the service's lock. When the database undoes the
 * transaction because of a collision, `work` runs again.
 */
export async function withServiceDatabase<T>(
  opening: Promise<Database>,
  now: Date,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  await using database = await openServiceDatabase(opening, now);
  return await database.withLock<Tables, T>(serviceLock, work);
}
