import type { TestProject } from 'vitest/node';
import { botMigrations } from '../../../src/bot/schema/migrations.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { serviceMigrations } from '../../../src/service/store/migrations.ts';
import { execute } from './execute.ts';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** What the tests of a project keep their data in. */
    engine: 'sqlite' | 'postgres';
    /** `service`: stories call the service over HTTP, as they would a Grafana. Absent: the bot embeds it. */
    api?: 'service';
    /** The Postgres of this run: the address of its own database, the name of one with all tables, and how many those are. */
    postgres: { readonly url: string; readonly template: string; readonly tables: number };
  }
}

/** Starts the one Postgres of a run of the tests, and stops it when they are done. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  const template = 'muster_template';
  await execute(server.url('postgres'), `create database ${template}`);
  const database = await openDatabase(server.url(template));
  await migrate(database, 'service', serviceMigrations, new Date(0));
  await migrate(database, 'bot', botMigrations, new Date(0));
  await database[Symbol.asyncDispose]();
  const [count] = await execute(
    server.url(template),
    "select count(*)::int as tables from pg_tables where schemaname = 'public'",
  );
  project.provide('postgres', { url: server.url('postgres'), template, tables: Number(count?.tables) });
  return async () => {
    await server[Symbol.asyncDispose]();
  };
}
