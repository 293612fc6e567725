import { openDatabase } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { serviceMigrations } from './store/migrations.ts';
import type { Db, Tables } from './store/tables.ts';
import { serviceLock } from './store/tables.ts';

/**
 * Does one thing to the service's database from outside of a running service, which may be running meanwhile: opens it, brings
 * its tables up to date, and works in a turn of its own. What `work` does may happen twice when the database undid the first.
 */
export async function withServiceDatabase<T>(databaseUrl: string, now: Date, work: (db: Db) => Promise<T>): Promise<T> {
  await using database = await openDatabase(databaseUrl);
  await migrate(database, 'service', serviceMigrations, now);
  return await database.withLock<Tables, T>(serviceLock, work);
}
