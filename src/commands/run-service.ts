import type { ServiceConfig } from '../config/config.ts';
import { findMisspelt } from '../config/misspelt.ts';
import { toServiceOptions } from '../config/service-options.ts';
import { openDatabase } from '../db/database.ts';
import { openLog } from '../operations/log.ts';
import { type HttpServer, serveService } from '../service/http/server.ts';
import { createService } from '../service/service.ts';
import type { Host } from './host.ts';

/** Serves both APIs over HTTP, without a bot. Rejects with a sentence when that is not possible as configured. */
export async function runService(
  config: ServiceConfig,
  { environment, onUncaught }: Pick<Host, 'environment' | 'onUncaught'>,
): Promise<HttpServer> {
  // Standard output has the one line with the address, and nothing else.
  const log = openLog(config.logLevel, process.stderr);
  for (const sentence of findMisspelt(environment)) log.warn(`settings: ${sentence}`);
  onUncaught(err => log.fatal({ err }, 'service: nothing caught this error, so the process ends'));
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(config.databaseUrl, log));
  const options = { ...(await toServiceOptions(config)), publicGoto: config.pages === 'open' };
  const { tokens, webhooks } = config;
  const clock = () => new Date();
  const service = stack.use(await createService({ database, log, clock, tokens, webhooks, options }));
  const server = stack.use(await serveService({ service, port: config.port, host: config.host, log }));
  const running = stack.move();
  return { port: server.port, url: server.url, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
