import type { Logger } from 'pino';
import { readServiceConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/db/database.ts';
import { toServiceOptions } from '../../src/service/call/options-file.ts';
import { serveService } from '../../src/service/http/server.ts';
import { createService } from '../../src/service/service.ts';
import { patient } from './deadlines.ts';

/** The service over HTTP, in the place of a Grafana. */
export interface ServedGrafana extends AsyncDisposable {
  readonly url: string;
  /** Lets its bearer do everything. */
  readonly token: string;
}

/**
 * Serves what `muster service` serves, on a free port, under the settings of the story. It keeps its tables in the story's database,
 * so that it outlives a bot with that database.
 */
export async function serveAsGrafana(story: {
  readonly settings: Readonly<Record<string, string>>;
  readonly clock?: (() => Date) | undefined;
  readonly log: Logger;
}): Promise<ServedGrafana> {
  const { clock = () => new Date() } = story;
  const log = story.log.child({ part: 'service' });
  const token = 'glsa_of_the_stories_0123';
  const deadlines = patient();
  const config = readServiceConfig({ ...story.settings, SERVICE_TOKENS: `${token}:Admin` });
  const { serviceTokens: tokens, webhooks } = config;
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(config.databaseUrl, { deadlines, log }));
  const options = { ...(await toServiceOptions(config)), publicGoto: true };
  const service = stack.use(await createService({ database, deadlines, log, clock, options, tokens, webhooks }));
  const server = stack.use(await serveService({ service, port: 0, deadlines, log }));
  const running = stack.move();
  return { url: `http://127.0.0.1:${server.port}`, token, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
