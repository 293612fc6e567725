import type { ServiceConfig } from '../config/config.ts';
import { findMisspelt } from '../config/misspelt.ts';
import { toServiceOptions } from '../config/service-options.ts';
import { openDatabase, servingLimit } from '../db/database.ts';
import { DatabaseWatch } from '../operations/database-watch.ts';
import { openLog } from '../operations/log.ts';
import { createMetrics } from '../operations/metrics.ts';
import { type Served, serveWithStatus } from '../operations/serve.ts';
import { createService } from '../service/service.ts';
import type { Host } from './host.ts';

/** Serves both APIs over HTTP, without a bot, and health and metrics. Rejects with a sentence when that is not possible as configured. */
export async function runService(
  config: ServiceConfig,
  { environment, onUncaught }: Pick<Host, 'environment' | 'onUncaught'>,
): Promise<Served> {
  // Standard output has the one line with the address, and nothing else.
  const log = openLog(config.logLevel, process.stderr);
  for (const sentence of findMisspelt(environment)) log.warn(`settings: ${sentence}`);
  onUncaught(err => log.fatal({ err }, 'service: nothing caught this error, so the process ends'));
  await using stack = new AsyncDisposableStack();
  const { databasePool: connections, tokens } = config;
  const database = stack.use(
    await openDatabase(config.databaseUrl, { log, connections, longestStatement: servingLimit }),
  );
  const options = { ...(await toServiceOptions(config)), publicGoto: config.pages === 'open' };
  const clock = () => new Date();
  const watch = new DatabaseWatch({ clock, log });
  const metrics = createMetrics({
    census: async () => [],
    backlogs: () => service.webhookQueues(),
    isConnected: () => undefined,
    database: watch,
    clock,
  });
  const { webhooks } = config;
  const { webhook: observeWebhook } = metrics;
  const service = stack.use(await createService({ database, log, clock, tokens, webhooks, options, observeWebhook }));
  const status = { bot: undefined, api: undefined, service, metrics, database: watch, clock, log };
  const application = { take: service.fastPath, fetch: service.fetch };
  const served = stack.use(await serveWithStatus({ application, status, config, log }));
  log.info({ port: served.port, metricsPort: served.metricsPort }, 'service: ready');
  const running = stack.move();
  return { ...served, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
