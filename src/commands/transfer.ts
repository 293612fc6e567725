import type { Command } from 'commander';
import { createClient } from '../client/client.ts';
import { openHttpTransport } from '../client/transport.ts';
import type { Api } from '../contract/contract.ts';
import { openDatabase } from '../db/database.ts';
import type { Deadlines } from '../deadlines.ts';
import { toSeverities } from '../service/call/options-file.ts';
import { openServiceDatabase } from '../service/maintenance.ts';
import { formatTime, toMicros } from '../service/store/time.ts';
import { openApiSource } from '../transfer/api-source.ts';
import { openDatabaseSource } from '../transfer/database-source.ts';
import { openExport, writeExport } from '../transfer/export-folder.ts';
import { formatSummary } from '../transfer/import-summary.ts';
import { importToApi } from '../transfer/import-to-api.ts';
import { importToDatabase } from '../transfer/import-to-database.ts';
import { trimEnd } from '../trim-end.ts';
import { addExample, addSettings, count, type Host, readGiven, readOptions } from './command.ts';
import { openStored, tellDatabase } from './stored-database.ts';

const placeSettings = ['DATABASE_URL', 'GRAFANA_TOKEN', 'GRAFANA_PLUGIN_ID'] as const;

/**
 * `muster export` and `muster import`: between a folder and another place, which is the API at `--url` when there is one, and the service's
 * own database otherwise. A folder that is damaged, or is not empty, is refused before anything is written.
 */
export function register(program: Command, { deadlines, terminal }: Host): void {
  const out = program
    .command('export')
    .description('write incidents, timelines, roles, people and dashboards into a folder')
    .requiredOption('--out <folder>', 'a folder that is new or empty')
    .option(
      '--dashboard <uid>',
      'with --url, a dashboard to include; can be repeated',
      (uid, all: readonly string[]) => [...all, uid],
      [],
    );
  addPlace(out).action(
    async (options: { out: string; dashboard: readonly string[]; url?: string }, command: Command) => {
      const { url = '', dashboard: dashboards } = options;
      if (options.url === undefined && dashboards.length > 0)
        throw new Error('--dashboard is for an export with --url: from the database, every dashboard is exported.');
      await using stack = new AsyncDisposableStack();
      const now = new Date();
      const { api, databaseUrl } = openPlace(command, options.url, deadlines, stack);
      const source = api
        ? openApiSource({ api, address: toAddress(url), dashboards })
        : openDatabaseSource(stack.use(await openServiceDatabase(openStored(terminal, databaseUrl), now)));
      const { counts } = await writeExport(options.out, source, formatTime(toMicros(now)));
      for (const gap of source.gaps) terminal.note(`- ${gap}\n`);
      const timeline = `${count(counts.timelineItems, 'timeline item')} and ${count(counts.tasks, 'task')}`;
      const people = counts.users === 1 ? '1 person' : `${counts.users} people`;
      const others = `${count(counts.roles, 'role')}, ${people}, ${count(counts.dashboards, 'dashboard')}`;
      terminal.note(`${options.out} holds ${count(counts.incidents, 'incident')} with ${timeline}, ${others}.\n`);
    },
  );
  addExample(out, 'muster export --out ./export', 'muster export --out ./export --url https://old.grafana.net');

  const into = program
    .command('import <folder>')
    .description('read a folder that "muster export" wrote; what exists already is not added again')
    .option(
      '--with-private',
      'with --url: also import private incidents; in a Grafana, everyone who may read incidents sees them afterwards',
    );
  addPlace(addSettings(into, ['SEVERITIES'])).action(
    async (folder: string, { withPrivate = false, url }: { withPrivate?: boolean; url?: string }, command: Command) => {
      if (url !== undefined && readGiven(command, ['SEVERITIES']).isTyped('SEVERITIES')) {
        throw new Error(
          '--severities is for an import into the database: with --url, the server has its own severities.',
        );
      }
      const { severities: labels } = readOptions(command, ['SEVERITIES']);
      const exported = await openExport(folder);
      await using stack = new AsyncDisposableStack();
      const { api, databaseUrl } = openPlace(command, url, deadlines, stack);
      if (api) {
        terminal.print(formatSummary(await importToApi(api, exported, { withPrivate })));
        return;
      }
      tellDatabase(terminal, databaseUrl);
      const now = new Date();
      const database = stack.use(await openServiceDatabase(openDatabase(databaseUrl), now));
      const severities = toSeverities(labels);
      terminal.print(formatSummary(await importToDatabase(database, exported, now, { severities })));
    },
  );
  addExample(into, 'muster import ./export', 'muster import ./export --url https://new.grafana.net');
}

function addPlace(command: Command): Command {
  return addSettings(
    command.option('--url <address>', 'a Grafana, or another server of the API; without it, the database'),
    placeSettings,
  );
}

/** The API of the other place, which `stack` closes; without `--url` only the address of the database. Throws when both places are named. */
function openPlace(
  command: Command,
  url: string | undefined,
  { apiTools }: Deadlines,
  stack: AsyncDisposableStack,
): { readonly api?: Api; readonly databaseUrl: string } {
  const { databaseUrl, grafanaToken: token, grafanaPluginId: pluginID } = readOptions(command, placeSettings);
  if (url === undefined) return { databaseUrl };
  if (readGiven(command, ['DATABASE_URL']).isTyped('DATABASE_URL'))
    throw new Error('Name either --url or --database, not both.');
  if (token === '') throw new Error('--url needs a token: set --token or GRAFANA_TOKEN.');
  const transport = stack.use(openHttpTransport({ baseUrl: url }));
  return { api: createClient({ ...apiTools, transport, token, pluginID }), databaseUrl };
}

/** The address without query and fragment. The transport refuses a user and password anyway. */
function toAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + trimEnd(pathname, /\//);
}
