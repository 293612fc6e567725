import { randomUUID } from 'node:crypto';
import type { Logger as BoltLogger, Receiver } from '@slack/bolt';
import type { Logger } from 'pino';
import { migrate } from '../db/migrate.ts';
import type { Deps } from './dispatch/deps.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import { createDrafts } from './dispatch/drafts.ts';
import { LateReceipts } from './dispatch/late-receipts.ts';
import { openIntentJournal } from './dispatch/open-journal.ts';
import { DeliveryStore, findOpen } from './inbox/delivery-store.ts';
import { Inbox } from './inbox/inbox.ts';
import { listen } from './inbox/listen.ts';
import { createCardLeases } from './incident/card-leases.ts';
import { createCards } from './incident/cards.ts';
import type { IntentJournal } from './incident/intent-kind.ts';
import { recordSnapshots } from './incident/recording-api.ts';
import { createRooms } from './incident/room-store.ts';
import { createSnapshots } from './incident/snapshots.ts';
import type { BotOptions } from './options.ts';
import { createPeople } from './people/directory.ts';
import { startRetention } from './retention.ts';
import { botMigrations } from './schema/migrations.ts';
import { App, LogLevel, SocketModeReceiver, WebClient } from './slack/bolt.ts';
import { type Identity, type Slack, slackRefusal } from './slack/clients.ts';
import { createHttpReceiver, type HttpReceiver } from './slack/http-receiver.ts';
import { createRateLimiter } from './slack/rate-limiter.ts';
import { createWebFetch, type WebFetchOptions } from './slack/web-fetch.ts';
import { settlesWithin } from './text/timeout.ts';

/** The running bot. */
export interface Bot extends AsyncDisposable {
  /** Takes Slack's requests at `POST /slack/events`; undefined in Socket Mode. */
  readonly handle: HttpReceiver['handle'] | undefined;
  readonly identity: Identity;
  readonly journal: IntentJournal;
  /** False while Slack cannot reach the bot: in Socket Mode, while there is no connection. */
  isConnected(): boolean;
  /** Resolves when everything begun is done: deliveries, intents, cards. */
  idle(): Promise<void>;
}

/**
 * Starts the bot: asks Slack who it is, prepares its tables, and listens. Throws with a sentence when Slack refuses the token
 * or cannot be reached, or when another bot uses the same SQLite file. Disposing stops listening, then finishes what was begun.
 */
export async function createBot(options: BotOptions): Promise<Bot> {
  const { database, log, clock, features, house } = options;
  const steady = options.steady ? { steady: options.steady } : {};
  await using stack = new AsyncDisposableStack();
  const { isAlone } = stack.use(await database.occupy('bot'));
  await migrate(database, 'bot', botMigrations, clock());

  const snapshots = createSnapshots({ database, clock, log });
  const api = recordSnapshots(options.api, snapshots);
  const slack = await openSlack(options);
  const rooms = createRooms(database, clock);
  const leases = createCardLeases({ database, owner: randomUUID(), ...steady });
  const buttonsOf: Parameters<typeof createCards>[0]['buttonsOf'] = incident =>
    features.flatMap(feature => feature.onCard?.(incident) ?? []);
  const cards = createCards({ slack, api, rooms, leases, house, buttonsOf, log });
  const people = createPeople({ slack, api, clock, log });
  const journal = await openIntentJournal({
    ...{ database, isAlone, clock, ...steady, log, api, cards },
    kinds: features.flatMap(feature => feature.intents ?? []),
    budget: options.intentBudget,
    openCallers: findOpen,
    deps: () => deps,
    receipts: () => receipts,
  });
  const deps: Deps = {
    slack,
    api,
    journal,
    rooms,
    snapshots,
    drafts: createDrafts(database),
    people,
    cards,
    house,
    log,
  };
  const receipts = new LateReceipts(deps, clock, log);

  const { receiver, handle, isConnected, close } = openReceiver(options);
  const bolt = new App({
    receiver,
    token: options.botToken,
    botId: slack.identity.botId,
    botUserId: slack.identity.botUserId,
    tokenVerificationEnabled: false,
    convoStore: false,
    logger: toBoltLogger(log),
    clientOptions: clientOptions(options, { retries: 2 }),
  });
  const store = new DeliveryStore({ database, owner: randomUUID(), ...steady });
  const dispatcher = new Dispatcher(deps, features);
  const inbox = new Inbox({ dispatcher, store, clock, log });
  listen(bolt, dispatcher, inbox, { clock, log });
  await receiver.start().catch(async error => {
    await close();
    throw refusedEntry(error, 'SLACK_APP_TOKEN');
  });
  await inbox.start(isAlone);
  const retention = startRetention({ stores: [store, snapshots], clock, log });

  const idle = async () => {
    await inbox.idle();
    await journal.idle();
    await cards.idle();
    await snapshots.idle();
  };
  const hold = stack.move();
  return {
    handle,
    identity: slack.identity,
    journal,
    isConnected,
    idle,
    [Symbol.asyncDispose]: async () => {
      await using _ = hold;
      inbox.close();
      retention[Symbol.dispose]();
      await settlesWithin(closing, close());
      if (!(await settlesWithin(draining, inbox.idle())))
        log.warn('stop: some people are answered by the next process');
      await journal.stop(handingBack);
      await settlesWithin(closing, Promise.all([inbox.idle(), cards.idle(), snapshots.idle()]));
      await settlesWithin(closing, inbox.handBack());
    },
  };
}

/** How long stopping waits for the connection to close, for what people wait for, and for intents, in milliseconds. */
const closing = 1000;
const draining = 5000;
const handingBack = 2000;

/**
 * `clientOptions.headers` stays unset: Slack's client would write its token into it (docs/slack.md 1). With a rate limiter, it decides on
 * what is limited and how many calls are made at once; the client's own timeout stays unset, since it would count the wait.
 */
function clientOptions(
  options: BotOptions,
  how: { retries: number; timeout?: number; limits?: WebFetchOptions['limits'] },
) {
  const { timeout = 8000, limits } = how;
  return {
    ...(options.slackApiUrl ? { slackApiUrl: options.slackApiUrl } : {}),
    allowAbsoluteUrls: false,
    fetch: createWebFetch({ observe: options.observeWebApi, timeout, ...(limits ? { limits } : {}) }),
    logger: toBoltLogger(options.log),
    ...(limits ? { rejectRateLimitedCalls: true, maxRequestConcurrency: Number.POSITIVE_INFINITY } : {}),
    retryConfig: { retries: how.retries, minTimeout: 200, maxTimeout: 10_000, randomize: true },
  };
}

/** Opens the three clients over one rate limiter. `waiting` tells how many calls it holds back. */
async function openSlack(options: BotOptions): Promise<Slack & { waiting(): number }> {
  const limiter = createRateLimiter();
  const open = (how: { retries: number; timeout?: number; patience: number }) =>
    new WebClient(options.botToken, clientOptions(options, { ...how, limits: { limiter, patience: how.patience } }));
  const web = open({ retries: 3, patience: 60_000 });
  const known = await web.auth.test().catch(error => {
    throw refusedEntry(error, 'SLACK_BOT_TOKEN');
  });
  return {
    web,
    once: open({ retries: 0, patience: 10_000 }),
    quick: open({ retries: 0, timeout: 2000, patience: 0 }),
    waiting: limiter.waiting,
    identity: { teamId: known.team_id ?? '', botUserId: known.user_id ?? '', botId: known.bot_id ?? '' },
  };
}

/** What a start that Slack prevents says; `token` names the setting to look at. */
function refusedEntry(error: unknown, token: string): Error {
  const word = slackRefusal(error);
  const what = word ? `Slack does not let Muster in: it says ${word}.` : 'Slack cannot be reached.';
  const check = word ? `Check ${token}.` : 'Check the network, and SLACK_API_URL if it is set.';
  return new Error(`${what} ${check}`, { cause: error });
}

interface OpenReceiver {
  readonly receiver: Receiver;
  readonly handle: HttpReceiver['handle'] | undefined;
  isConnected(): boolean;
  close(): Promise<void>;
}

function openReceiver(options: BotOptions): OpenReceiver {
  const { mode, clock, log } = options;
  if (mode.kind === 'http') {
    const receiver = createHttpReceiver({
      signingSecret: mode.signingSecret,
      clock,
      log,
      observe: options.observeDelivery,
    });
    return {
      receiver,
      handle: (request, response) => receiver.handle(request, response),
      isConnected: () => true,
      close: async () => undefined,
    };
  }
  const receiver = new SocketModeReceiver({
    appToken: mode.appToken,
    logger: toBoltLogger(log),
    // Also how long the client waits before it connects again whenever Slack renews the connection: nobody is served then.
    clientPingTimeout: 2000,
    // Capped: without it the wait after an hour's outage grows to twenty minutes (docs/slack.md 2).
    installerOptions: {
      clientOptions: {
        ...clientOptions(options, { retries: 1000 }),
        retryConfig: { retries: 1000, factor: 1.3, maxTimeout: 30_000 },
      },
    },
  });
  let connected = false;
  receiver.client.on('connected', () => {
    connected = true;
    log.info('connected to Slack');
  });
  receiver.client.on('close', () => {
    connected = false;
    log.warn('the connection to Slack is closed');
  });
  return { receiver, handle: undefined, isConnected: () => connected, close: () => receiver.client.disconnect() };
}

/** Slack's packages log through ours; what they log below a warning may hold message text, so it stays below debug. */
function toBoltLogger(log: Logger): BoltLogger {
  const slackLog = log.child({ part: 'slack-sdk' });
  return {
    debug: () => undefined,
    info: (...words) => slackLog.trace(words.map(String).join(' ')),
    warn: (...words) => slackLog.warn(words.map(String).join(' ')),
    error: (...words) => slackLog.warn(words.map(String).join(' ')),
    setLevel: () => undefined,
    getLevel: () => LogLevel.WARN,
    setName: () => undefined,
  };
}
