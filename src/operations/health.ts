import { Hono } from 'hono';
import type { Logger } from 'pino';
import type { Bot } from '../bot/bot.ts';
import type { KnownFault } from '../bot/first-check.ts';
import type { SlackStanding } from '../bot/slack/slack-watch.ts';
import type { ApiClient } from '../client/client.ts';
import type { Service } from '../service/service.ts';
import { notFound } from './answers.ts';
import type { DatabaseWatch } from './database-watch.ts';
import type { Metrics } from './metrics.ts';
import { toMissing, toProblems } from './problems.ts';
import type { StartWatch } from './start-watch.ts';
import { readBuild } from './version.ts';

/** What a status page needs. */
export interface StatusParts {
  /** Undefined where there is no bot, or none yet. */
  readonly bot: BotStatus | undefined;
  /** There will be no bot. */
  readonly isWithoutBot?: boolean;
  /** Undefined where nobody calls the API. */
  readonly api: Pick<ApiClient, 'health'> | undefined;
  /** The embedded service, where there is one. */
  readonly service: Pick<Service, 'webhookQueues'> | undefined;
  /** Absent where nothing is waited for. */
  readonly start?: Pick<StartWatch, 'missing' | 'isFound' | 'isOver' | 'isStopping'>;
  readonly metrics: Metrics;
  readonly database: Pick<DatabaseWatch, 'read' | 'awaySince' | 'fullSince'>;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** What a status page asks a bot. */
type BotStatus = Pick<Bot, 'standing' | 'missingScopes' | 'faults'> & {
  readonly journal: Pick<Bot['journal'], 'countByState'>;
};

/** Answers `/healthz`, `/readyz` and `/metrics`. */
export function createStatusApp(parts: StatusParts): Hono {
  const { metrics, clock, log } = parts;
  const app = new Hono();
  const build = readBuild();
  app.get('/healthz', c => c.json({ status: 'ok' }));
  app.get('/readyz', async c => {
    const { start } = parts;
    const reasons = c.req.queries('for');
    if (reasons?.some(each => each !== 'traffic')) return c.json(unknownReason, 400);
    const read = async () => (start && !start.isOver ? readStart(parts, start) : await readReadiness(parts, clock()));
    const readiness = start?.isStopping ? stops : reasons ? readTraffic(start) : await read();
    return c.json({ ...readiness, ...build }, readiness.ready ? 200 : 503);
  });
  app.get('/metrics', async c => {
    const { contentType, body } = await metrics.page();
    return c.body(body, 200, { 'content-type': contentType });
  });
  app.notFound(c => c.json(notFound, 404));
  app.onError((error, c) => {
    log.error({ err: error, path: c.req.path }, 'http: request failed');
    return c.json({ message: 'Internal Server Error', error: 'Internal Server Error' }, 500);
  });
  return app;
}

/** What readiness may be asked for. */
const unknownReason = {
  message: 'Ask /readyz?for=traffic for a balancer, or /readyz for people.',
  error: 'Bad Request',
};

/** What a process says that stops: others take its requests. */
const stops = { ready: false, problems: ['Muster is stopping.'] };

/**
 * Whether requests belong here. A process that has started answers each of them, also while Slack or the database is away or a disk is
 * full: then people and programs read why, which nobody would say in its place.
 */
function readTraffic(start: StatusParts['start']) {
  return start?.isOver === false ? { ready: false, problems: ['Muster is starting.'] } : { ready: true, problems: [] };
}

/** What `/readyz` says while the process waits for what it needs. */
function readStart({ api, isWithoutBot = false }: StatusParts, start: NonNullable<StatusParts['start']>) {
  const health = api?.health();
  const away = start.missing.find(each => each.name === 'database');
  return {
    ready: false,
    ...(isWithoutBot ? {} : { slack: 'not connected' }),
    ...(health ? { api: toWords(health) } : {}),
    database: away
      ? { state: 'does not answer', since: away.since.toISOString() }
      : { state: start.isFound('database') ? 'ok' : 'not asked yet' },
    waitsFor: start.missing.map(({ name, since }) => ({ name, since: since.toISOString() })),
    problems: start.missing.length === 0 ? ['Muster is starting.'] : start.missing.map(toMissing),
  };
}

/** What `/readyz` says. A process without a bot says nothing of Slack and the journal. */
async function readReadiness({ bot, api, service, database }: StatusParts, now: Date) {
  const counted = await database.read(async () => ({
    journal: await bot?.journal.countByState(),
    webhooks: bot ? undefined : await service?.webhookQueues(),
  }));
  const slack = bot && { ...bot.standing(), missingScopes: bot.missingScopes() };
  const { fullSince } = database;
  const health = api?.health();
  const journal = counted?.journal;
  const faults = bot?.faults() ?? [];
  const problems = toProblems({
    slack,
    api: health,
    isDatabaseUp: counted !== undefined,
    fullSince,
    journal,
    faults,
    now,
  });
  const refusal = faults.find(each => / ?API\b/.test(each.subject));
  return {
    ready: (slack?.isConnected ?? true) && counted !== undefined && fullSince === undefined,
    ...(slack ? toSlackWords(slack) : {}),
    ...(health ? { api: toWords(health, refusal) } : {}),
    database: toDatabaseWords(database),
    ...(bot ? { journal: journal ?? 'not available' } : {}),
    problems,
  };
}

/**
 * How the bot stands with Slack, in the words of a person. A bot whose calls Slack does not answer is ready all the same: what people do
 * still arrives and is stored.
 */
function toSlackWords({ isConnected, isAnswering, refusal, since }: SlackStanding) {
  const state = isAnswering ? 'connected' : 'does not answer';
  return {
    slack: isConnected ? state : 'not connected',
    ...(since ? { slackSince: since.toISOString() } : {}),
    ...(refusal === '' ? {} : { slackRefusal: refusal }),
  };
}

/** How the database stands, in the words of a person. */
function toDatabaseWords({ awaySince, fullSince }: StatusParts['database']) {
  if (awaySince) return { state: 'does not answer', since: awaySince.toISOString() };
  return fullSince ? { state: 'its disk is full', since: fullSince.toISOString() } : { state: 'ok' };
}

/** How the API stands, in the words of a person. */
function toWords({ failingSince, lastFailure }: ReturnType<ApiClient['health']>, refusal?: KnownFault) {
  if (failingSince === undefined) {
    if (refusal) return { state: 'failing', since: refusal.since.toISOString(), lastFailure: refusal.found };
    return { state: 'ok' };
  }
  return { state: 'failing', since: new Date(failingSince).toISOString(), lastFailure };
}
