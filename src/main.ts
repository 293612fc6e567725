#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import type { ConformanceCommand } from './commands/conformance.ts';
import type { ServeOptions } from './commands/service.ts';
import type { TransferPlace } from './commands/transfer.ts';

/*
 * The process's entry: subcommands, exit codes, signals. Each subcommand loads only what it runs, so that none pays for
 * another's start. What is loaded after this line is kept compiled, with its types taken out, in the system's folder for
 * temporary files (or in NODE_COMPILE_CACHE), so that the next start need not do it again.
 */
enableCompileCache();
const { Command, InvalidArgumentError, Option } = await import('commander');

const program = new Command('muster').description('Run incidents from Slack.');

program
  .command('start')
  .description('run the bot, and the incident service unless GRAFANA_URL is set')
  .action(() =>
    runUntilStopped(async () => {
      const { readConfig } = await import('./config/config.ts');
      const { openLog } = await import('./operations/log.ts');
      const config = readConfig(process.env);
      const { startMuster } = await import('./app.ts');
      const log = openLog(config.logLevel);
      const muster = await startMuster(config, log);
      log.info({ port: muster.port, mode: config.slack.kind, api: config.grafana ? 'grafana' : 'embedded' }, 'ready');
      return muster;
    }),
  );

program
  .command('service')
  .description('serve the incident and dashboard API alone')
  .addOption(
    new Option('--port <port>', 'port to listen on, 0 for a free one').env('PORT').default(3000).argParser(toPort),
  )
  .addOption(
    new Option('--database <url>', 'sqlite:<file> or postgres://…')
      .env('DATABASE_URL')
      .default('sqlite:./data/muster.db'),
  )
  .addOption(
    new Option('--token <token:Role>', 'a token that may call; can be repeated, in the environment separated by commas')
      .env('SERVICE_TOKENS')
      .default([], 'none')
      .argParser(collectTokens),
  )
  .addOption(
    new Option('--public-url <url>', 'where people reach it; short links begin with it').env('PUBLIC_URL').default(''),
  )
  .addOption(
    new Option('--pages <who>', 'open: whoever reaches it may read incidents and dashboards on its pages')
      .env('PAGES')
      .default('off')
      .argParser(toPages),
  )
  .addOption(
    new Option('--webhook-urls <urls>', 'addresses to tell what happens, separated by commas')
      .env('WEBHOOK_URLS')
      .default(''),
  )
  .addOption(new Option('--webhook-secret <secret>', 'signs what they are told').env('WEBHOOK_SECRET').default(''))
  .addOption(
    new Option('--severities <names>', 'from mild to grave; the first means not yet known')
      .env('SEVERITIES')
      .default('pending,minor,major,critical'),
  )
  .addOption(
    new Option('--options <file>', 'a JSON file with further behaviour, as SERVICE_OPTIONS in the README')
      .env('SERVICE_OPTIONS')
      .default(''),
  )
  .addOption(new Option('--log-level <level>', 'how much to log, on standard error').env('LOG_LEVEL').default('warn'))
  .action((options: ServeOptions) =>
    runUntilStopped(async () => {
      const { runService } = await import('./commands/service.ts');
      const service = await runService(options);
      process.stdout.write(`Muster's incident service listens on http://127.0.0.1:${service.port}\n`);
      return service;
    }),
  );

const database = () =>
  new Option('--database <url>', 'sqlite:<file> or postgres://…')
    .env('DATABASE_URL')
    .default('sqlite:./data/muster.db');
const terminal = {
  print: (text: string) => void process.stdout.write(text),
  note: (text: string) => void process.stderr.write(text),
};

const tokens = program.command('tokens').description('tokens that may call the API, also while it runs');
tokens
  .command('create <name>')
  .description('make a token and print it, once')
  .requiredOption('--role <role>', 'Viewer reads, Editor writes, Admin also changes roles')
  .addOption(database())
  .action(async (name: string, options: { role: string; database: string }) => {
    const { createTokenCommand } = await import('./commands/tokens.ts');
    await createTokenCommand(terminal, name, options);
  });
tokens
  .command('list')
  .description('list them, with their last use')
  .addOption(database())
  .action(async (options: { database: string }) => {
    const { listTokensCommand } = await import('./commands/tokens.ts');
    await listTokensCommand(terminal, options);
  });
tokens
  .command('revoke <id-or-name>')
  .description('refuse a token from now on')
  .addOption(database())
  .action(async (idOrName: string, options: { database: string }) => {
    const { revokeTokenCommand } = await import('./commands/tokens.ts');
    await revokeTokenCommand(terminal, idOrName, options);
  });

const webhooks = program.command('webhooks').description('addresses that are told what happens to incidents');
webhooks
  .command('add <url>')
  .description('tell an address from now on')
  .option('--query <query>', 'only of incidents that match, such as "severity:critical isdrill:false"')
  .option('--secret <secret>', 'signs what it is told; without it, one is made and printed')
  .addOption(database())
  .action(async (url: string, options: { query?: string; secret?: string; database: string }) => {
    const { addWebhookCommand } = await import('./commands/webhooks.ts');
    await addWebhookCommand(terminal, url, options);
  });
webhooks
  .command('list')
  .description('list them, with how much waits for each')
  .addOption(database())
  .action(async (options: { database: string }) => {
    const { listWebhooksCommand } = await import('./commands/webhooks.ts');
    await listWebhooksCommand(terminal, options);
  });
webhooks
  .command('remove <id>')
  .description('tell an address nothing more')
  .addOption(database())
  .action(async (id: string, options: { database: string }) => {
    const { removeWebhookCommand } = await import('./commands/webhooks.ts');
    await removeWebhookCommand(terminal, id, options);
  });
webhooks
  .command('deliveries')
  .description('show what was told and what came of it, newest first')
  .option('--endpoint <id>', 'of one address')
  .option('--status <status>', 'todo, success or failed')
  .option('--limit <count>', 'how many', '50')
  .addOption(database())
  .action(async (options: { database: string; endpoint?: string; status?: string; limit: string }) => {
    const { listDeliveriesCommand } = await import('./commands/webhooks.ts');
    await listDeliveriesCommand(terminal, options);
  });

const journal = program.command('journal').description('what people asked for in Slack, and what became of it');
journal
  .command('list')
  .description('what waits, is being tried or was refused; newest first')
  .option('--state <state>', 'waiting, trying, done, refused or discarded')
  .option('--incident <id>', 'of one incident')
  .option('--limit <count>', 'how many', '50')
  .addOption(database())
  .action(async (options: { database: string; state?: string; incident?: string; limit: string }) => {
    const { listIntentsCommand } = await import('./commands/journal.ts');
    await listIntentsCommand(terminal, options);
  });
journal
  .command('show <id>')
  .description('everything that is stored of one')
  .addOption(database())
  .action(async (id: string, options: { database: string }) => {
    const { showIntentCommand } = await import('./commands/journal.ts');
    await showIntentCommand(terminal, id, options);
  });
journal
  .command('retry [id]')
  .description('have one tried again at once, by the Muster that runs')
  .option('--all', 'everything that waits or was refused')
  .addOption(database())
  .action(async (id: string | undefined, options: { database: string; all?: true }) => {
    const { retryIntentsCommand } = await import('./commands/journal.ts');
    await retryIntentsCommand(terminal, id, options);
  });
journal
  .command('discard <id>')
  .description('give one up, and what waits for its incident with it')
  .addOption(database())
  .action(async (id: string, options: { database: string }) => {
    const { discardIntentCommand } = await import('./commands/journal.ts');
    await discardIntentCommand(terminal, id, options);
  });

const address = () =>
  new Option('--url <address>', 'a Grafana, or another server of the API; without it, the database').conflicts(
    'database',
  );
const addressToken = () => new Option('--token <token>', 'a token for that address').env('GRAFANA_TOKEN');
const addressPlugin = () => new Option('--plugin-id <id>', 'grafana-incident-app on older servers');

program
  .command('export')
  .description('write incidents, timelines, roles, people and dashboards into a folder')
  .requiredOption('--out <folder>', 'a folder that is new or empty')
  .option('--dashboard <uid>', 'with --url, a dashboard to take along; can be repeated', collect, [])
  .addOption(database())
  .addOption(address())
  .addOption(addressToken())
  .addOption(addressPlugin())
  .action(async (options: TransferPlace & { out: string; dashboard: readonly string[] }) => {
    const { exportCommand } = await import('./commands/transfer.ts');
    await exportCommand(terminal, options);
  });
program
  .command('import <folder>')
  .description('read such a folder; what is there already is not added again')
  .option('--with-private', 'also incidents that were private: here everybody who may read sees them')
  .addOption(
    new Option('--severities <names>', 'from mild to grave').env('SEVERITIES').default('pending,minor,major,critical'),
  )
  .addOption(database())
  .addOption(address())
  .addOption(addressToken())
  .addOption(addressPlugin())
  .action(async (folder: string, options: TransferPlace & { withPrivate?: true; severities: string }) => {
    const { importCommand } = await import('./commands/transfer.ts');
    await importCommand(terminal, { ...options, folder });
  });

program
  .command('conformance')
  .description('check a server of this API, from outside; it makes drills there and puts away what it can')
  .requiredOption('--url <address>', 'the server: https://grafana.example.com, or a Muster')
  .addOption(new Option('--token <token>', 'a token of role Admin').env('CONFORMANCE_TOKEN').makeOptionMandatory())
  .addOption(new Option('--viewer-token <token>', 'one of role Viewer').env('CONFORMANCE_VIEWER_TOKEN'))
  .option('--plugin-id <id>', 'grafana-incident-app on older servers')
  .option('--only <service>', 'one service or group, such as TasksService or Dashboards')
  .option('--person <userID>', 'somebody who may be given roles; without it, the one the token stands for')
  .option('--strict', 'also fail where only decisions of ours differ')
  .option('--json', 'print the report as JSON')
  .action(async (options: ConformanceCommand) => {
    const { conformanceCommand } = await import('./commands/conformance.ts');
    const stop = new AbortController();
    process.once('SIGINT', () => stop.abort());
    process.exitCode = (await conformanceCommand(terminal.print, options, stop.signal)) ? 0 : 1;
  });

program
  .command('demo')
  .description('play one whole incident without Slack or Grafana, and print what everybody typed and saw')
  .option('--play', 'play and end, which is what happens without it too')
  .action(async ({ play }: { play?: true }) => {
    const { playIncident } = await import('./playground/demo.ts');
    if (!play) process.stdout.write('The demo plays one incident and ends; --play asks for the same.\n\n');
    process.exitCode = (await playIncident(text => process.stdout.write(text))) ? 0 : 1;
  });

program
  .command('openapi')
  .description('print the description of the API (OpenAPI 3.1)')
  .action(async () => {
    const { toOpenApi } = await import('./contract/openapi.ts');
    process.stdout.write(`${JSON.stringify(toOpenApi(), null, 2)}\n`);
  });

program
  .command('manifest')
  .description('print the manifest of the Slack app')
  .addOption(
    new Option('--root <name>', 'the slash command that carries every verb').env('COMMAND_ROOT').default('muster'),
  )
  .option('--url <address>', 'where Slack reaches Muster; without it: Socket Mode', '')
  .action(async (options: { root: string; url: string }) => {
    const { toManifest } = await import('./bot/manifest.ts');
    const { features } = await import('./bot/features.ts');
    const { stringify } = await import('yaml');
    const manifest = toManifest(features, { commandRoot: options.root, publicUrl: options.url.replace(/\/+$/, '') });
    process.stdout.write(stringify(manifest, { lineWidth: 120 }));
  });

function toPort(value: string): number {
  const port = Number(value);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
}

function toPages(value: string): 'off' | 'open' {
  if (value === 'open') return value;
  if (value.trim() === '' || value === 'off') return 'off';
  throw new InvalidArgumentError('It must be off or open.');
}

function collect(value: string, all: readonly string[]): readonly string[] {
  return [...all, value];
}

function collectTokens(value: string, all: readonly string[]): readonly string[] {
  return [...all, ...value.split(',')];
}

/** Starts something and stops it on a signal, also one that comes while it starts. Ten seconds later the process ends regardless. */
async function runUntilStopped(start: () => Promise<AsyncDisposable>): Promise<void> {
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  const stop = () => {
    setTimeout(() => process.exit(1), 10_000).unref();
    resolve();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  const running = await start();
  await stopped;
  await running[Symbol.asyncDispose]();
}

// Whoever reads no further, as `head` does, has what it wants.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
