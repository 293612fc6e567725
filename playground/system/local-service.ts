import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type ApiClient, createClient } from '../../src/client/client.ts';
import { openHttpTransport } from '../../src/client/transport.ts';
import { readServiceConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/db/database.ts';
import type { Deadlines } from '../../src/deadlines.ts';
import { toServiceOptions } from '../../src/service/call/options-file.ts';
import { serveService } from '../../src/service/http/server.ts';
import { createService } from '../../src/service/service.ts';
import { knownToApiAlone } from '../cast.ts';
import { dashboards } from './dashboards.ts';
import { seedHistory, type Veterans } from './history.ts';

/** What the service of a playground needs. */
export interface LocalServiceOptions {
  /** Where its database is. */
  readonly folder: string;
  /** The address under which people reach its pages. */
  readonly publicUrl: string;
  /** Lets its bearer do everything. */
  readonly token: string;
  /** Where its webhooks go, and what signs them. */
  readonly webhook: { readonly url: string; readonly secret: string };
  /** The people of its past incidents; it has none without them. */
  readonly veterans?: Veterans | undefined;
  readonly deadlines: Deadlines;
  readonly now: () => Date;
  readonly log: Logger;
}

/** The incident service of a playground, served over HTTP on this machine's loopback address. */
export interface LocalService extends AsyncDisposable {
  readonly url: string;
  /** The API as an operator calls it: over HTTP, with the token. */
  readonly operator: ApiClient;
  /** Sends no further webhook to the bot. */
  endWebhooks(): Promise<void>;
}

/** Serves what `muster service` serves, with its pages open. */
export async function serveLocally(options: LocalServiceOptions): Promise<LocalService> {
  const { folder, publicUrl, token, webhook, deadlines, now: clock, log } = options;
  const optionsFile = join(folder, 'service-options.json');
  await writeFile(optionsFile, JSON.stringify({ users: [knownToApiAlone], home: dashboards[0].uid }));
  const config = readServiceConfig({
    DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
    SERVICE_TOKENS: `${token}:Admin`,
    SERVICE_OPTIONS: optionsFile,
    PUBLIC_URL: publicUrl,
    PAGES: 'open',
    WEBHOOK_URLS: webhook.url,
    WEBHOOK_SECRET: webhook.secret,
  });
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(config.databaseUrl, { deadlines, log }));
  const serviceOptions = { ...(await toServiceOptions(config)), publicGoto: true };
  const parts = { database, deadlines, log, options: serviceOptions };
  if (options.veterans) await seedHistory(parts, options.veterans, clock());
  const { serviceTokens: tokens, webhooks } = config;
  const service = stack.use(await createService({ ...parts, clock, tokens, webhooks }));
  const server = stack.use(await serveService({ service, port: 0, host: '127.0.0.1', deadlines, log }));
  const { url } = server;
  const transport = stack.use(openHttpTransport({ baseUrl: url }));
  const running = stack.move();
  return {
    url,
    operator: createClient({ ...deadlines.apiTools, transport, token }),
    endWebhooks: service.endWebhooks,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
