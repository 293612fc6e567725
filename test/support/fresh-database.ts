import { onTestFinished } from 'vitest';
import { botMigrations } from '../../src/bot/schema/migrations.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makeDatabase } from './databases/fresh.ts';
import { patient } from './deadlines.ts';

/** The address of an empty database for one test. */
export async function makeFresh(): Promise<string> {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  return fresh.url;
}

/** The address of a database without tables for one test. */
export async function makeBare(): Promise<string> {
  const bare = await makeDatabase('no tables');
  onTestFinished(() => bare[Symbol.asyncDispose]());
  return bare.url;
}

/** Opens a database with the bot's tables until the test ends: the one at an address, or an empty one. */
export async function openBotDatabase(now: Date, url?: string): Promise<Database> {
  const database = await openDatabase(url ?? (await makeFresh()), { deadlines: patient() });
  onTestFinished(() => database[Symbol.asyncDispose]());
  await migrate(database, 'bot', botMigrations, now);
  return database;
}

/** Settings with an empty database for one test. */
export const ownDatabase = async (settings: Record<string, string> = {}) => ({
  DATABASE_URL: await makeFresh(),
  ...settings,
});
