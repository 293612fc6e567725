import { botMigrations } from '../../../src/bot/schema/migrations.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { serviceMigrations } from '../../../src/service/store/migrations.ts';

/** Gives a database every table of the service and of the bot. */
export async function addAllTables(url: string): Promise<void> {
  await using database = await openDatabase(url);
  await migrate(database, 'service', serviceMigrations, new Date(0));
  await migrate(database, 'bot', botMigrations, new Date(0));
}
