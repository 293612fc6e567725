import type { Command } from 'commander';
import type { Logger } from 'pino';
import { readServiceConfig, type ServiceConfig, serviceSettings } from '../config/config.ts';
import { findMisspelt } from '../config/misspelt.ts';
import { readBackup } from '../db/backups.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { nameDatabase } from '../db/database-name.ts';
import { isDatabaseAway } from '../db/failure.ts';
import { watchForHang } from '../db/hang-watch.ts';
import type { Deadlines } from '../deadlines.ts';
import { toStartingResponse } from '../operations/answers.ts';
import { DatabaseWatch } from '../operations/database-watch.ts';
import { openLog } from '../operations/log.ts';
import { createMetrics } from '../operations/metrics.ts';
import { type Application, type Served, serveWithStatus } from '../operations/serve.ts';
import { StartWatch } from '../operations/start-watch.ts';
import { readBuild } from '../operations/version.ts';
import { toServiceOptions } from '../service/call/options-file.ts';
import { createService, type Service } from '../service/service.ts';
import { findPasswords } from './addresses.ts';
import { addExample, addSettings, type Host, readGiven } from './command.ts';
import { tellStop } from './tell-stop.ts';

/** `muster service`: the embedded service without a bot. */
export function register(program: Command, host: Host): void {
  const service = program.command('service').description('serve the incident and dashboard API alone, without Slack');
  addSettings(service, serviceSettings).action((_options, command: Command) =>
    host.runUntilStopped(async stopping => {
      const { given, label } = readGiven(command, serviceSettings);
      const config = readServiceConfig(given, label);
      const warnings = [...config.warnings, ...findPasswords(command)];
      const server = await runService({ ...config, warnings }, host, stopping);
      host.terminal.print(`Muster's incident service listens on ${server.url}\n`);
      return server;
    }),
  );
  addExample(
    service,
    'muster service --port 3100 --database sqlite:./data/api.db --token glsa_some_long_random_text:Admin',
  );
}

/** What is there: it comes while the process starts. */
interface Parts {
  service: Service | undefined;
  size: () => Promise<Awaited<ReturnType<Database['size']>> | undefined>;
  backup: () => ReturnType<typeof readBackup>;
}

/**
 * Serves both APIs over HTTP, without a bot, and health and metrics. It listens first, and then waits for the database. Rejects with a
 * sentence when that is not possible as configured, and when `stopping` aborts meanwhile.
 */
export async function runService(
  config: ServiceConfig,
  host: Pick<Host, 'environment' | 'deadlines' | 'onUncaught'>,
  stopping: AbortSignal,
): Promise<Served> {
  const { environment, deadlines, onUncaught } = host;
  // Standard output has the one line with the address, and nothing else.
  const log = openLog(config.logLevel, process.stderr);
  for (const sentence of [...findMisspelt(environment), ...config.warnings]) log.warn(`settings: ${sentence}`);
  onUncaught(err => log.fatal({ err }, 'service: nothing caught this error, so the process ends'));
  return tellStop(() => serve(config, { deadlines, log }, stopping), { subject: 'service', stopping, log });
}

async function serve(
  config: ServiceConfig,
  { deadlines, log }: { readonly deadlines: Deadlines; readonly log: Logger },
  stopping: AbortSignal,
): Promise<Served> {
  const clock = () => new Date();
  const start = new StartWatch({ clock, log, stopping });
  const watch = new DatabaseWatch({ deadlines, clock, log });
  const parts: Parts = { service: undefined, size: async () => undefined, backup: async () => undefined };
  const metrics = createMetrics({
    census: async () => [],
    deliveries: async () => [],
    backlogs: async () => (await parts.service?.webhookQueues()) ?? [],
    isConnected: () => undefined,
    size: () => parts.size(),
    backup: () => parts.backup(),
    ...{ database: watch, start, clock },
  });
  const status = Object.assign(parts, {
    ...{ bot: undefined, isWithoutBot: true, api: undefined },
    ...{ start, metrics, database: watch, clock, log },
  });
  const application: Application = {
    take: (request, response) => parts.service?.fastPath(request, response) ?? false,
    fetch: async request => (parts.service ? await parts.service.fetch(request) : toStartingResponse()),
  };
  await using opening = new AsyncDisposableStack();
  const served = await serveWithStatus({ application, status, config, deadlines, log });
  log.info({ port: served.port, metricsPort: served.metricsPort, ...readBuild() }, 'service: listens');
  const stack = opening.use(new AsyncDisposableStack());
  opening.use(served);
  const { databasePool: connections, serviceTokens: tokens, webhooks } = config;
  const onFull = (error: unknown) => watch.hearFull(error, () => database.tryRoom());
  const database = stack.use(
    await start.until(
      'database',
      () =>
        openDatabase(config.databaseUrl, {
          ...{ log, onFull, connections, deadlines, limitsStatements: true },
          namesStatements: config.databaseStatements === 'named',
        }),
      isDatabaseAway,
    ),
  );
  parts.size = () => database.size();
  const options = { ...(await toServiceOptions(config)), publicGoto: config.pages === 'open' };
  const { webhook: observeWebhook, refusal: observeRefusal } = metrics;
  stack.use(watchForHang({ hung: deadlines.hung, log }));
  parts.service = stack.use(
    await start.until(
      'database',
      () =>
        createService({
          ...{ database, log, deadlines, clock, tokens, webhooks, options },
          ...{ observeWebhook, observeRefusal },
        }),
      isDatabaseAway,
    ),
  );
  parts.backup = () => readBackup(database);
  start.isOver = true;
  const used = nameDatabase(config.databaseUrl);
  log.info({ port: served.port, metricsPort: served.metricsPort, database: used }, 'service: ready');
  const running = opening.move();
  const { url, port, metricsPort, pagesPort } = served;
  return { url, port, metricsPort, pagesPort, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
