import { createClient } from '../client/client.ts';
import { type HttpTransport, openHttpTransport } from '../client/transport.ts';
import type { Api } from '../contract/contract.ts';
import { openDatabase } from '../db/database.ts';
import type { Deadlines } from '../deadlines.ts';
import { toSeverities } from '../service/call/options-file.ts';
import { openServiceDatabase } from '../service/maintenance.ts';
import { formatTime, toMicros } from '../service/store/time.ts';
import { openApiSource } from '../transfer/api-source.ts';
import { openDatabaseSource } from '../transfer/database-source.ts';
import { openExport, writeExport } from '../transfer/export-folder.ts';
import type { ExportManifest } from '../transfer/format.ts';
import { formatSummary } from '../transfer/import-summary.ts';
import { importToApi } from '../transfer/import-to-api.ts';
import { importToDatabase } from '../transfer/import-to-database.ts';
import type { Terminal } from './command.ts';
import { openStored, tellDatabase } from './stored-database.ts';

/** The side of a transfer that is not the folder: the API at `url` when there is one, and the service's own database otherwise. */
export interface TransferPlace {
  readonly database: string;
  readonly url?: string | undefined;
  readonly token?: string;
  readonly pluginID?: string;
  readonly deadlines: Deadlines;
}

/** `muster export`: rejects with a sentence when the folder is not empty or something cannot be read. */
export async function exportCommand(
  terminal: Terminal,
  options: TransferPlace & { readonly out: string; readonly dashboard: readonly string[] },
): Promise<void> {
  const createdTime = formatTime(toMicros(new Date()));
  let manifest: ExportManifest;
  if (options.url === undefined) {
    await using database = await openServiceDatabase(openStored(terminal, options.database), new Date());
    manifest = await writeExport(options.out, openDatabaseSource(database), createdTime);
  } else {
    await using remote = openApi(options.url, options);
    const source = openApiSource({ api: remote.api, address: toAddress(options.url), dashboards: options.dashboard });
    manifest = await writeExport(options.out, source, createdTime);
    for (const gap of source.gaps) terminal.note(`- ${gap}\n`);
  }
  const { incidents, timelineItems, tasks, roles, users, dashboards } = manifest.counts;
  const timeline = `${count(timelineItems, 'timeline item')} and ${count(tasks, 'task')}`;
  const people = users === 1 ? '1 person' : `${users} people`;
  const others = `${count(roles, 'role')}, ${people}, ${count(dashboards, 'dashboard')}`;
  terminal.note(`${options.out} holds ${count(incidents, 'incident')} with ${timeline}, ${others}.\n`);
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

/** `muster import`: rejects with a sentence, and has written nothing, when the export is incomplete or damaged. */
export async function importCommand(
  terminal: Terminal,
  options: TransferPlace & {
    readonly folder: string;
    /** Only through the API. */
    readonly withPrivate?: true | undefined;
    /** Labels from mild to grave, as in the setting SEVERITIES. */
    readonly severities: readonly string[];
  },
): Promise<void> {
  const folder = await openExport(options.folder);
  if (options.url === undefined) {
    tellDatabase(terminal, options.database);
    await using database = await openServiceDatabase(openDatabase(options.database), new Date());
    const severities = toSeverities(options.severities);
    terminal.print(formatSummary(await importToDatabase(database, folder, new Date(), { severities })));
  } else {
    await using remote = openApi(options.url, options);
    terminal.print(formatSummary(await importToApi(remote.api, folder, { withPrivate: options.withPrivate ?? false })));
  }
}

function openApi(url: string, { token, pluginID, deadlines }: TransferPlace): AsyncDisposable & { readonly api: Api } {
  if (token === undefined || token === '') throw new Error('--url needs a token: set --token or GRAFANA_TOKEN.');
  const transport: HttpTransport = openHttpTransport({ baseUrl: url });
  const api = createClient({ ...deadlines.apiTools, transport, token, pluginID });
  return { api, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
}

/** The address without query and fragment. The transport refuses a user and password anyway. */
function toAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, '');
}
