import { randomUUID } from 'node:crypto';
import type { Logger as BoltLogger, Receiver } from '@slack/bolt';
import type { Logger } from 'pino';
import { migrate } from '../db/migrate.ts';
import type { Deps } from './dispatch/deps.ts';
import { createDispatcher } from './dispatch/dispatcher.ts';
import { createDrafts } from './dispatch/drafts.ts';
import { allVerbs } from './dispatch/feature.ts';
import { tellLateEnds } from './dispatch/late-receipts.ts';
import { createDeliveries } from './inbox/delivery-store.ts';
import { openInbox } from './inbox/inbox.ts';
import { listen } from './inbox/listen.ts';
import { createCardTurns } from './incident/card-leases.ts';
import { createCards } from './incident/cards.ts';
import { rememberIncidents } from './incident/recording-api.ts';
import { createRooms } from './incident/room-store.ts';
import { createIncidentMemory } from './incident/snapshots.ts';
import type { IntentKind } from './journal/intent.ts';
import { createJournal, type Journal } from './journal/journal.ts';
import type { BotOptions } from './options.ts';
import { createPeople } from './people/directory.ts';
import { startUpkeep } from './retention.ts';
import { memoryMigrations } from './schema/tables.ts';
import { App, LogLevel, SocketModeReceiver, WebClient } from './slack/bolt.ts';
import { type Identity, type Slack, slackRefusal } from './slack/clients.ts';
import { createHttpReceiver, type HttpReceiver } from './slack/http-receiver.ts';
import { createSlackQueue } from './slack/rate-limiter.ts';
import { createWebFetch, type WebFetchOptions } from './slack/web-fetch.ts';
import { within } from './text/timeout.ts';

/** The running bot. */
export interface Bot extends AsyncDisposable {
  /** Takes Slack's requests at `POST /slack/events`; undefined in Socket Mode. */
  readonly handle: HttpReceiver['handle'] | undefined;
  readonly identity: Identity;
  readonly journal: Journal;
  /** False while Slack cannot reach the bot: in Socket Mode, while there is no connection. */
  isConnected(): boolean;
  /** Resolves when everything begun is done: turns, intents, cards. */
  idle(): Promise<void>;
}

/**
 * Starts the bot: asks Slack who it is, prepares its tables, and listens. Throws with a sentence when Slack refuses the token
 * or cannot be reached. Disposing stops listening, then finishes what was begun.
 */
export async function createBot(options: BotOptions): Promise<Bot> {
  const { log, clock } = options;
  const steady = options.steady ? { steady: options.steady } : {};
  await migrate(options.database, 'bot', memoryMigrations, clock());

  const remembered = createIncidentMemory({ database: options.database, clock, log });
  const api = rememberIncidents(options.api, remembered);
  const slack = await openSlack(options);
  const rooms = createRooms(options.database, clock);
  const turns = createCardTurns({ database: options.database, owner: randomUUID(), ...steady });
  const cards = createCards({ slack, api, rooms, turns, house: options.house, features: options.features, log });
  const intents: readonly IntentKind[] = options.features.flatMap(feature => feature.intents ?? []);
  const journal = createJournal({
    database: options.database,
    api,
    intents,
    deps: () => deps,
    budget: options.intentBudget,
    clock,
    ...steady,
    log,
  });
  const deps: Deps = {
    slack,
    api,
    journal,
    rooms,
    remembered,
    drafts: createDrafts(options.database),
    people: createPeople({ slack, api, clock, log }),
    cards,
    house: options.house,
    verbs: allVerbs(options.features),
    log,
  };
  journal.onDone(cards.refresh);
  journal.onLook(cards.catchUp);
  journal.onEnd(ends => tellLateEnds(deps, ends, clock(), log));
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
  const deliveries = createDeliveries({ database: options.database, owner: randomUUID(), ...steady });
  const dispatcher = createDispatcher(deps, options.features);
  const inbox = openInbox({ dispatcher, deliveries, clock, log });
  listen(bolt, dispatcher, inbox, { clock, log });
  await receiver.start().catch(async error => {
    await close();
    throw refusedEntry(error, 'SLACK_APP_TOKEN');
  });
  inbox.start();
  const upkeep = startUpkeep({ memories: [deliveries, remembered], clock, log });

  const idle = async () => {
    await inbox.idle();
    await journal.idle();
    await cards.idle();
    await remembered.idle();
  };
  return {
    handle,
    identity: slack.identity,
    journal,
    isConnected,
    idle,
    [Symbol.asyncDispose]: async () => {
      inbox.close();
      upkeep[Symbol.dispose]();
      await within(closing, close());
      if (!(await within(draining, inbox.idle()))) log.warn('stopped before everything begun was answered');
      await journal.stop(handingBack);
      await within(closing, Promise.all([cards.idle(), remembered.idle(), inbox.handBack()]));
    },
  };
}

/** How long stopping waits for the connection to close, for what people wait for, and for intents, in milliseconds. */
const closing = 1000;
const draining = 5000;
const handingBack = 2000;

/**
 * `clientOptions.headers` stays unset: Slack's client would write its token into it (docs/slack.md 1). With a queue, it decides on
 * what is limited and how many calls are made at once; the client's own timeout stays unset, since it would count the wait.
 */
function clientOptions(
  options: BotOptions,
  how: { retries: number; timeout?: number; queue?: WebFetchOptions['queue'] },
) {
  const { timeout = 8000, queue } = how;
  return {
    ...(options.slackApiUrl ? { slackApiUrl: options.slackApiUrl } : {}),
    allowAbsoluteUrls: false,
    fetch: createWebFetch({ observe: options.observeWebApi, timeout, ...(queue ? { queue } : {}) }),
    logger: toBoltLogger(options.log),
    ...(queue ? { rejectRateLimitedCalls: true, maxRequestConcurrency: Number.POSITIVE_INFINITY } : {}),
    retryConfig: { retries: how.retries, minTimeout: 200, maxTimeout: 10_000, randomize: true },
  };
}

/** Opens the three clients over one queue. `waiting` tells how many calls wait in it for their turn. */
async function openSlack(options: BotOptions): Promise<Slack & { waiting(): number }> {
  const lanes = createSlackQueue();
  const open = (how: { retries: number; timeout?: number; patience: number }) =>
    new WebClient(options.botToken, clientOptions(options, { ...how, queue: { lanes, patience: how.patience } }));
  const web = open({ retries: 3, patience: 60_000 });
  const known = await web.auth.test().catch(error => {
    throw refusedEntry(error, 'SLACK_BOT_TOKEN');
  });
  return {
    web,
    once: open({ retries: 0, patience: 10_000 }),
    quick: open({ retries: 0, timeout: 2000, patience: 0 }),
    waiting: lanes.waiting,
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
    return { receiver, handle: receiver.handle, isConnected: () => true, close: async () => undefined };
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
