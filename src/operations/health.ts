import { Hono } from 'hono';
import type { Logger } from 'pino';
import type { Bot } from '../bot/bot.ts';
import { isStuck } from '../bot/doctor/journal.ts';
import { type KnownFault, toSentence } from '../bot/first-check.ts';
import { findScope } from '../bot/slack/permissions.ts';
import type { SlackStanding } from '../bot/slack/slack-watch.ts';
import type { ApiClient } from '../client/client.ts';
import type { Service } from '../service/service.ts';
import { notFound } from './answers.ts';
import type { DatabaseWatch } from './database-watch.ts';
import type { Metrics } from './metrics.ts';
import type { Missing, StartWatch } from './start-watch.ts';
import { readBuild } from './version.ts';

/** What a status page needs. */
export interface StatusParts {
  /** Undefined where there is no bot, or none yet. */
  readonly bot: BotStatus | undefined;
  /** There will be no bot. */
  readonly isWithoutBot?: boolean;
  /** Undefined where the process does not call the API. */
  readonly api: Pick<ApiClient, 'health'> | undefined;
  /** The embedded service, where there is one. */
  readonly service: Service | undefined;
  /** Absent where nothing is waited for. */
  readonly start?: Pick<StartWatch, 'missing' | 'isFound' | 'isOver' | 'isStopping'>;
  readonly metrics: Metrics;
  readonly database: DatabaseWatch;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** What a status page asks a bot. */
type BotStatus = Pick<Bot, 'standing' | 'missingScopes' | 'faults' | 'deliveries'> & {
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
 * full: then people and programs read why, which no other process would tell them.
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
    inbox: await bot?.deliveries(),
    webhooks: bot ? undefined : await service?.webhookQueues(),
  }));
  const slack = bot && { ...bot.standing(), missingScopes: bot.missingScopes() };
  const { fullSince } = database;
  const health = api?.health();
  const { journal, inbox } = counted ?? {};
  const faults = bot?.faults() ?? [];
  const problems = toProblems({
    slack,
    api: health,
    isDatabaseUp: counted !== undefined,
    fullSince,
    journal,
    inbox,
    faults,
    now,
  });
  const refusal = faults.find(each => / ?API\b/.test(each.subject));
  return {
    ready: (slack?.isConnected ?? true) && counted !== undefined && fullSince === undefined,
    ...(slack ? toSlackWords(slack) : {}),
    ...(health ? { api: toWords(health, refusal) } : {}),
    database: toDatabaseWords(database),
    ...(bot
      ? {
          journal: journal ?? 'not available',
          inbox: inbox ? { waiting: inbox.waiting, since: inbox.since } : 'not available',
        }
      : {}),
    problems,
  };
}

/**
 * The state of the bot's connection with Slack, in words for people. A bot whose calls Slack does not answer is ready all the same: what
 * people do still arrives and is stored.
 */
function toSlackWords({ isConnected, isAnswering, refusal, untaken, since }: SlackStanding) {
  const state = isAnswering ? (untaken ? 'takes no messages' : 'connected') : 'does not answer';
  return {
    slack: isConnected ? state : 'not connected',
    ...(since ? { slackSince: since.toISOString() } : {}),
    ...(refusal === '' ? {} : { slackRefusal: refusal }),
  };
}

function toDatabaseWords({ awaySince, fullSince }: StatusParts['database']) {
  if (awaySince) return { state: 'does not answer', since: awaySince.toISOString() };
  return fullSince ? { state: 'its disk is full', since: fullSince.toISOString() } : { state: 'ok' };
}

/** The state of the API, in words for people. */
function toWords({ failingSince, lastFailure }: ReturnType<ApiClient['health']>, refusal?: KnownFault) {
  if (failingSince === undefined) {
    if (refusal) return { state: 'failing', since: refusal.since.toISOString(), lastFailure: refusal.found };
    return { state: 'ok' };
  }
  return { state: 'failing', since: new Date(failingSince).toISOString(), lastFailure };
}

/** What a process knows about itself without a request. */
interface Facts {
  /** Undefined where there is no bot. */
  readonly slack: SlackFacts | undefined;
  /** Undefined where the process does not call the API. */
  readonly api: ReturnType<ApiClient['health']> | undefined;
  readonly isDatabaseUp: boolean;
  /** When the database's disk was first found full; absent while it has room. */
  readonly fullSince?: Date | undefined;
  /** Undefined where there is no bot, and while the database does not answer. */
  readonly journal: Awaited<ReturnType<Bot['journal']['countByState']>> | undefined;
  /** What people did that is not done yet; undefined as above. */
  readonly inbox?: Awaited<ReturnType<Bot['deliveries']>> | undefined;
  /** What failed when it was tried at the start. */
  readonly faults?: readonly KnownFault[];
  readonly now: Date;
}

/** What a bot knows of Slack. */
interface SlackFacts extends SlackStanding {
  /** Scopes that Slack has asked for since the start. */
  readonly missingScopes: readonly string[];
}

/** Sentences for an operator on what is wrong, each with what to do; none when all is well. */
export function toProblems({
  slack,
  api,
  isDatabaseUp,
  fullSince,
  journal,
  inbox,
  faults = [],
  now,
}: Facts): readonly string[] {
  const missingScopes = slack?.missingScopes ?? [];
  const pending = journal?.find(each => each.state === 'pending');
  const isLate = pending !== undefined && isStuck(pending, now);
  return [
    ...(slack ? toSlackProblems(slack) : []),
    ...(!isDatabaseUp
      ? ['The database does not answer: nothing is stored. Check that it runs and that DATABASE_URL leads to it.']
      : []),
    ...(fullSince
      ? [
          `The disk of the database is full since ${fullSince.toISOString()}: nothing is stored. Make room on it, or enlarge it. Then Muster goes on, without a restart.`,
        ]
      : []),
    ...(api?.failingSince === undefined
      ? []
      : [
          `The incident API does not answer since ${new Date(api.failingSince).toISOString()}: what people change is kept until it does. ${api.lastFailure ?? ''} “muster doctor” says more. Check GRAFANA_URL and the network.`,
        ]),
    ...faults.map(toSentence),
    ...(inbox?.isStuck
      ? [
          `${inbox.waiting === 1 ? '1 command or press waits' : `${inbox.waiting} commands and presses wait`} in the inbox, the oldest since ${inbox.since}: each is stored and not done yet. docs/operating.md says what to look at, under MusterInboxStuck.`,
        ]
      : []),
    ...(isLate
      ? [
          `${pending.count === 1 ? '1 intent waits' : `${pending.count} intents wait`}, the oldest since ${pending.since}: it is kept and not done. “muster journal list” shows each with its reason.`,
        ]
      : []),
    ...missingScopes.map(
      scope =>
        `The Slack app lacks the scope ${scope}, so this is left out: ${findScope(scope)?.use ?? 'a part'}. Add it in the app’s OAuth & Permissions and install the app again.`,
    ),
  ];
}

function toSlackProblems({ isConnected, isAnswering, refusal, untaken, since }: SlackStanding): readonly string[] {
  const time = since?.toISOString() ?? '';
  return [
    ...(isConnected
      ? []
      : [`Slack does not reach Muster since ${time}: nobody is answered. “muster doctor” says why and what to do.`]),
    ...(isAnswering
      ? []
      : [
          `Slack does not answer Muster’s calls since ${time}: what is to be done in Slack is kept, and done when it answers. Look at https://slack-status.com, and whether this machine reaches Slack.`,
        ]),
    ...(isAnswering && untaken
      ? [
          `Slack takes hardly any of Muster’s messages since ${time}: ${untaken.failed} of the ${untaken.of} of the last minute failed, so people read no answer. Muster posts what is kept when Slack takes it. Look at https://slack-status.com, and whether a proxy stands between.`,
        ]
      : []),
    ...(refusal === ''
      ? []
      : [
          `Slack refuses a token of Muster’s (${refusal}): what is to be done in Slack is kept. Install the app again in the workspace. If its tokens have changed, set SLACK_BOT_TOKEN and SLACK_APP_TOKEN and start Muster again.`,
        ]),
  ];
}

/** A sentence for an operator on what a start waits for, with what to do. */
function toMissing({ name, since }: Missing): string {
  const [what, remedy] =
    name === 'Slack'
      ? ['Slack', 'Check the network, and SLACK_API_URL if it is set.']
      : ['The database', 'Check that it runs and that DATABASE_URL leads to it.'];
  return `${what} cannot be reached since ${since.toISOString()}: Muster waits for it, and has Slack send its requests again. ${remedy}`;
}
