import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createAlertDoor } from '../../../src/bot/alerts/door.ts';
import { readAlertmanager } from '../../../src/bot/alerts/read/alertmanager.ts';
import { createRoutes } from '../../../src/operations/routes.ts';
import { toWebListener } from '../../../src/service/http/fetch-listener.ts';
import { serveHttp } from '../../../src/service/http/server.ts';
import { bearer, toBody, tokens, toSource } from '../../support/alerts/open-door.ts';
import { patient } from '../../support/deadlines.ts';

const log = pino({ level: 'silent' });
type Parts = Parameters<typeof createRoutes>[0];

const door = createAlertDoor({
  sources: [toSource('prod', tokens.prod)],
  read: (_source, body) => readAlertmanager(body),
  hold: (_source, _body, read) => read(),
  hear: async () => 'stored',
  observe: () => {},
  deadlines: patient(),
  clock: () => new Date(),
  log,
});
const withBot = (alerts: typeof door | undefined): Parts => ({
  bot: { handle: undefined, alerts, pages: undefined, sync: { hook: undefined, nudge: () => {} } },
  service: undefined,
});

/** What is answered at a path by such parts. */
async function ask(parts: Parts, method: string, path = '/hooks/alerts/prod', more = { takesSlack: true }) {
  const { take, fetch: rest } = createRoutes(parts, { hasService: false, ...more });
  const other = toWebListener(rest);
  await using server = await serveHttp({
    listener: (request, response) => {
      if (!take(request, response)) other(request, response);
    },
    port: 0,
    log,
  });
  const body = method === 'POST' ? { body: toBody() } : {};
  const headers = { ...bearer(tokens.prod), connection: 'close' };
  const answer = await fetch(`${server.url}${path}`, { method, headers, ...body });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), said: await answer.json() };
}

test('before the bot is there, a tool is told to send its alert again', async () => {
  for (const path of ['/hooks/alerts/prod', `/hooks/alerts/prod/${tokens.prod}`, '/hooks/alerts/nobody']) {
    const parts = { bot: undefined, service: undefined };
    expect(await ask(parts, 'POST', path)).toMatchObject({ status: 503, retryAfter: '5' });
  }
});

test('with sources the door answers, also another method', async () => {
  expect(await ask(withBot(door), 'POST')).toMatchObject({ status: 200, said: {} });
  expect(await ask(withBot(door), 'POST', '/hooks/alerts/prod?x=1')).toMatchObject({ status: 200 });
  expect(await ask(withBot(door), 'POST', '/hooks/alerts/nobody')).toMatchObject({ status: 401 });
  expect(await ask(withBot(door), 'GET')).toMatchObject({ status: 405 });
});

test.each([
  ['without sources', withBot(undefined), '/hooks/alerts/prod'],
  ['without sources, with the token in it,', withBot(undefined), `/hooks/alerts/prod/${tokens.prod}`],
  ['that is another', withBot(door), '/hooks/alerts'],
  ['that is another hook', withBot(door), '/hooks/alert/prod'],
  ['within another', withBot(door), '/x/hooks/alerts/prod'],
])('an address %s is answered as any that leads nowhere', async (_which, parts, path) => {
  const unknown = await ask(parts, 'POST', '/no/such/address');
  expect(unknown.status).toBe(404);
  expect(await ask(parts, 'POST', path)).toEqual(unknown);
});

test('before the bot is there, Slack and Grafana are told to send again, and in Socket Mode Slack sends nothing', async () => {
  const none = { bot: undefined, service: undefined };
  for (const path of ['/slack/events', '/hooks/incident']) expect((await ask(none, 'POST', path)).status).toBe(503);
  expect((await ask(none, 'POST', '/slack/events', { takesSlack: false })).status).toBe(404);
});
