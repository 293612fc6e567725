import { readSeverities, readTokens, readWebhookUrls } from '../config/config.ts';
import { readServiceOptions, toSeverities } from '../config/service-options.ts';
import { openDatabase } from '../db/database.ts';
import { logLevels, openLog } from '../operations/log.ts';
import { type HttpServer, serveService } from '../service/http/server.ts';
import { createService } from '../service/service.ts';

/** How the service runs alone. */
export interface ServeOptions {
  readonly port: number;
  readonly database: string;
  /** `token:Role` each. */
  readonly token: readonly string[];
  readonly publicUrl: string;
  /** `open`: anybody who reaches it may read the pages, and follow short links to them. */
  readonly pages: 'off' | 'open';
  /** Addresses of outgoing webhooks, separated by commas, and the secret that signs them. */
  readonly webhookUrls: string;
  readonly webhookSecret: string;
  /** Names from mild to grave, separated by commas. */
  readonly severities: string;
  /** Path of a JSON file with further options; `""` for none. */
  readonly options: string;
  readonly logLevel: string;
}

/** Serves both APIs over HTTP, without a bot. Throws with a sentence when something it was told cannot be. */
export async function runService(options: ServeOptions): Promise<HttpServer> {
  const level = logLevels.find(each => each === options.logLevel) ?? 'warn';
  // Standard output has the one line that says where it listens, and nothing else.
  const log = openLog(level, process.stderr);
  const tokens = readTokens(options.token);
  const webhooks = readWebhooks(options);
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(options.database));
  const clock = () => new Date();
  const rootUrl = options.publicUrl.replace(/\/+$/, '') || `http://localhost:${options.port}`;
  const { pages } = options;
  const serviceOptions = {
    ...(await readServiceOptions(options.options)),
    severities: toSeverities(readSeverities(options.severities)),
    rootUrl,
    pages,
    publicGoto: pages === 'open',
  };
  const service = stack.use(await createService({ database, log, clock, tokens, webhooks, options: serviceOptions }));
  const server = stack.use(await serveService({ service, port: options.port, log }));
  const running = stack.move();
  return { port: server.port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function readWebhooks({ webhookUrls, webhookSecret }: ServeOptions) {
  const urls = readWebhookUrls(webhookUrls);
  if (urls.length > 0 && webhookSecret === '') {
    throw new Error('There are webhook addresses and no secret to sign with: make one with `openssl rand -hex 32`.');
  }
  return urls.map(url => ({ url, secret: webhookSecret }));
}
