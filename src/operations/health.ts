import { Hono } from 'hono';
import type { Logger } from 'pino';
import type { Bot } from '../bot/bot.ts';
import type { ApiClient } from '../client/client.ts';
import type { Service } from '../service/service.ts';
import type { Metrics } from './metrics.ts';

/** Answers `/healthz`, `/readyz` and `/metrics`, and passes everything else to the embedded service, where there is one. */
export function createStatusApp(parts: {
  readonly bot: Pick<Bot, 'isConnected' | 'journal'>;
  readonly api: Pick<ApiClient, 'health'>;
  readonly service: Pick<Service, 'fetch'> | undefined;
  readonly metrics: Metrics;
  readonly log: Logger;
}): Hono {
  const { bot, api, service, metrics, log } = parts;
  const app = new Hono();
  app.get('/healthz', c => c.json({ status: 'ok' }));
  app.get('/readyz', async c => {
    const slack = bot.isConnected();
    const journal = await bot.journal.countByState();
    const status = { ready: slack, slack: slack ? 'connected' : 'not connected', api: api.health(), journal };
    return c.json(status, slack ? 200 : 503);
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
