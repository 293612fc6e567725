import { Hono } from 'hono';
import type { Logger } from 'pino';
import type { Bot } from '../bot/bot.ts';
import type { ApiClient } from '../client/client.ts';
import type { Service } from '../service/service.ts';
import type { DatabaseWatch } from './database-watch.ts';
import type { Metrics } from './metrics.ts';
import { toProblems } from './problems.ts';

/** Answers `/healthz`, `/readyz` and `/metrics`, and passes everything else to the embedded service, where there is one. */
export function createStatusApp(parts: {
  readonly bot: Pick<Bot, 'isConnected' | 'missingScopes' | 'refusal'> & {
    readonly journal: Pick<Bot['journal'], 'countByState'>;
  };
  readonly api: Pick<ApiClient, 'health'>;
  readonly service: Pick<Service, 'fetch'> | undefined;
  readonly metrics: Metrics;
  readonly database: Pick<DatabaseWatch, 'read' | 'awaySince'>;
  readonly clock: () => Date;
  readonly log: Logger;
}): Hono {
  const { bot, api, service, metrics, database, clock, log } = parts;
  const app = new Hono();
  app.get('/healthz', c => c.json({ status: 'ok' }));
  app.get('/readyz', async c => {
    const slack = bot.isConnected();
    const refusal = bot.refusal();
    const journal = await database.read(() => bot.journal.countByState());
    const ready = slack && journal !== undefined;
    const health = api.health();
    const { awaySince } = database;
    const status = {
      ready,
      slack: slack ? 'connected' : 'not connected',
      api: toWords(health),
      database: awaySince ? { state: 'does not answer', since: awaySince.toISOString() } : { state: 'ok' },
    };
    const facts = {
      isConnected: slack,
      slackRefusal: refusal,
      missingScopes: bot.missingScopes(),
      api: health,
      journal,
      now: clock(),
    };
    const why = refusal === '' ? {} : { slackRefusal: refusal };
    const problems = toProblems(facts);
    return c.json({ ...status, ...why, journal: journal ?? 'not available', problems }, ready ? 200 : 503);
  });
  app.get('/metrics', async c => {
    const { contentType, body } = await metrics.page();
    return c.body(body, 200, { 'content-type': contentType });
  });
  app.notFound(async c =>
    service ? await service.fetch(c.req.raw) : c.json({ message: 'Not found', error: 'Not found' }, 404),
  );
  app.onError((error, c) => {
    log.error({ err: error, path: c.req.path }, 'http: request failed');
    return c.json({ message: 'Internal Server Error', error: 'Internal Server Error' }, 500);
  });
  return app;
}

/** How the API stands, in the words of a person. */
function toWords({ failingSince, lastFailure }: ReturnType<ApiClient['health']>) {
  if (failingSince === undefined) return { state: 'ok' };
  return { state: 'failing', since: new Date(failingSince).toISOString(), lastFailure };
}
