import { onTestFinished } from 'vitest';
import { botMigrations } from '../../src/bot/schema/migrations.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makeDatabase } from './databases/fresh.ts';

/** An empty database with the bot's tables, for one test. */
export async function openFreshMemory(now: Date): Promise<Database> {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const database = await openDatabase(fresh.url);
  onTestFinished(() => database[Symbol.asyncDispose]());
  await migrate(database, 'bot', botMigrations, now);
  return database;
}
