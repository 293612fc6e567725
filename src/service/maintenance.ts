import { openDatabase } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { serviceMigrations } from './store/migrations.ts';
import type { Db, Tables } from './store/tables.ts';
import { serviceLock } from './store/tables.ts';

/**
 * Works on the service's database from outside of the service, which may run at the same time: opens the database, brings its
 * tables up to date, and runs `work` under the service's lock. When the database undoes the transaction because of a collision,
 * `work` runs again.
 */
export async function withServiceDatabase<T>(databaseUrl: string, now: Date, work: (db: Db) => Promise<T>): Promise<T> {
  await using database = await openDatabase(databaseUrl);
  await migrate(database, 'service', serviceMigrations, now);
  return await database.withLock<Tables, T>(serviceLock, work);
}
