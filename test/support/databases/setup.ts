import { readFileSync, writeFileSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { addAllTables } from './all-tables.ts';
import { execute } from './execute.ts';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** What the tests of a project keep their data in. */
    engine: 'sqlite' | 'postgres';
    /**
     * `service`: stories call the service over HTTP, as they would a Grafana; the others are generations of the Grafana that is made from
     * the API documents. Absent: the bot embeds the service.
     */
    api?: 'service' | 'newer Grafana' | 'older Grafana';
    /** The soak tests that have a shorter and a longer form take the longer one: `npm run test:long`. */
    isLong?: true;
    /** The Postgres of this run: the address of its own database, the name of one with all tables, and how many those are. */
    postgres: { readonly url: string; readonly template: string; readonly tables: number };
  }
}

/** Starts the one Postgres of a run of the tests, and stops it when they are done. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  const template = 'muster_template';
  await execute(server.url('postgres'), `create database ${template}`);
  await addAllTables(server.url(template));
  const [count] = await execute(
    server.url(template),
    "select count(*)::int as tables from pg_tables where schemaname = 'public'",
  );
  project.provide('postgres', { url: server.url('postgres'), template, tables: Number(count?.tables) });
  return async () => {
    addToReport(project.name, server.cpuSeconds());
    await server[Symbol.asyncDispose]();
  };
}

/** Adds the CPU seconds of a project's server to the report of the run, which is written by now (`.ci/reporter.mjs`). */
function addToReport(project: string, seconds: number): void {
  const file = process.env.TEST_REPORT;
  if (file === undefined) return;
  const report = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...report, servers: { ...report.servers, [project]: seconds } }));
}
