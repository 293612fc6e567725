import type { Command } from 'commander';
import type { Deadlines } from '../deadlines.ts';
import { addExample, addSettings, type Host, readGiven, readOptions } from './command.ts';
import type { TransferPlace } from './transfer-actions.ts';

const placeSettings = ['DATABASE_URL', 'GRAFANA_TOKEN', 'GRAFANA_PLUGIN_ID'] as const;

/** `muster export` and `muster import`. */
export function register(program: Command, { deadlines, terminal }: Host): void {
  const out = program
    .command('export')
    .description('write incidents, timelines, roles, people and dashboards into a folder')
    .requiredOption('--out <folder>', 'a folder that is new or empty')
    .option('--dashboard <uid>', 'with --url, a dashboard to include; can be repeated', collect, []);
  addPlace(out).action(
    async (options: { out: string; dashboard: readonly string[]; url?: string }, command: Command) => {
      if (options.url === undefined && options.dashboard.length > 0) {
        throw new Error('--dashboard is for an export with --url: from the database, every dashboard is exported.');
      }
      const { exportCommand } = await import('./transfer-actions.ts');
      await exportCommand(terminal, {
        ...readPlace(command, options.url, deadlines),
        out: options.out,
        dashboard: options.dashboard,
      });
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
    async (folder: string, { withPrivate, url }: { withPrivate?: true; url?: string }, command: Command) => {
      if (url !== undefined && readGiven(command, ['SEVERITIES']).isTyped('SEVERITIES')) {
        throw new Error(
          '--severities is for an import into the database: with --url, the server has its own severities.',
        );
      }
      const { severities } = readOptions(command, ['SEVERITIES']);
      const { importCommand } = await import('./transfer-actions.ts');
      await importCommand(terminal, { ...readPlace(command, url, deadlines), folder, withPrivate, severities });
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

/** The other side of a transfer. Throws when both sides are named. */
function readPlace(command: Command, url: string | undefined, deadlines: Deadlines): TransferPlace {
  const { databaseUrl: database, grafanaToken: token, grafanaPluginId: pluginID } = readOptions(command, placeSettings);
  if (url !== undefined && readGiven(command, ['DATABASE_URL']).isTyped('DATABASE_URL')) {
    throw new Error('Name either --url or --database, not both.');
  }
  return { database, url, token, pluginID, deadlines };
}

function collect(value: string, all: readonly string[]): readonly string[] {
  return [...all, value];
}
