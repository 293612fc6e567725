import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ApiClient } from '../../src/client/client.ts';
import { type Deadlines, deadlines as usualDeadlines } from '../../src/deadlines.ts';
import { openLog } from '../../src/operations/log.ts';
import { dutySettings } from '../cast.ts';
import {
  type CallOutcome,
  type Delivery,
  type FakeSlack,
  type FakeSlackOptions,
  openFakeSlack,
} from '../fake-slack/fake-slack.ts';
import { openPager, type Pager, pagerName } from '../pager.ts';
import { realClock, type StoryClock } from '../story-system.ts';
import { openWatchdog, type Watchdog, watchdogName } from '../watchdog.ts';
import type { Act, FaultName, SystemView, Told } from '../workspace/protocol.ts';
import { Troubles } from '../workspace/troubles.ts';
import { type BotProcess, prepareBotProcess } from './bot-process.ts';
import { Faults, type Latency } from './faults.ts';
import { toVeterans } from './history.ts';
import { type JournalWatch, openJournalWatch } from './journal-watch.ts';
import { type LiveStories, openLiveStories } from './live-stories.ts';
import { serveLocally } from './local-service.ts';
import { openProxy } from './proxy.ts';
import { openWire, type Wire, type WireAnswer } from './wire.ts';

/** How many times sooner than Slack the playground sends an event again: whoever watches does not wait for minutes. */
const retryHaste = 6;

/** Deliveries and calls that the fake Slack remembers: a story looks back at its hundreds, and a playground may run for days. */
const remembers = 2000;

/** How a system starts. */
export interface SystemOptions {
  /** Where databases and logs are: an absolute path, since the bot's process works in this folder. It is made when absent. */
  readonly folder: string;
  /** Of the fake Slack, beside what the system gives it. */
  readonly slack?: FakeSlackOptions & { readonly port?: number };
  /** Fills the workspace before the bot starts: with the people and channels of cast.ts, or with what was kept of them. */
  readonly populate: (slack: FakeSlack) => void;
  /** The name of the channel for announcements. */
  readonly announceChannel: string;
  /** The clock of Slack, service and bot; absent: the machine's. */
  readonly clock?: StoryClock;
  /** How the bot runs; absent: as a process of its own. One that has another clock than the machine's runs otherwise. */
  readonly prepareBot?: typeof prepareBotProcess;
  /** How long calls take where nothing is broken; no longer than they must when absent. */
  readonly latency?: Latency;
  /** Absent: those of Muster. */
  readonly deadlines?: Deadlines;
  /** The program of the bot's process; absent: Muster's own. */
  readonly program?: string;
  /** Hears each error that the bot or the service logs, one sentence each. */
  readonly onError?: (sentence: string) => void;
}

/** What the system tells of itself. */
type SystemTold = Extract<Told, { kind: 'system' | 'wire' | 'journal' | 'stories' }>;

/**
 * Everything of the playground behind the workspace: the fake Slack, the incident service, the bot's process, what goes between
 * them, and what is broken. Disposing stops all of it.
 */
export interface PlaygroundSystem extends AsyncDisposable {
  readonly slack: FakeSlack;
  /** The API as an operator calls it, past everything that is broken. */
  readonly operator: ApiClient;
  readonly bot: BotProcess;
  readonly wire: Wire;
  readonly journal: JournalWatch;
  readonly watchdog: Watchdog;
  readonly pager: Pager;
  readonly facts: () => SystemView;
  readonly troubles: Troubles;
  /** Breaks something, or repairs it. Resolves when it is so. */
  setFault(name: FaultName, isOn: boolean): Promise<void>;
  /** Does what somebody asks of a story. Rejects with a sentence when there is none of that name. */
  playStory(act: Extract<Act, { do: 'story' }>): Promise<void>;
  /** Tells how everything is, and then each change. Returns what ends that. The journal is read only while somebody follows. */
  follow(tell: (told: SystemTold) => void): () => void;
}

/** Starts a system. A failed start stops what was begun. */
export async function startSystem(options: SystemOptions): Promise<PlaygroundSystem> {
  const { folder, clock = realClock, prepareBot = prepareBotProcess, onError = () => undefined } = options;
  const { deadlines = usualDeadlines } = options;
  await mkdir(folder, { recursive: true });
  await using stack = new AsyncDisposableStack();
  const faults = new Faults(clock.now, options.latency);
  const keys = Array.from({ length: 4 }, () => randomBytes(20).toString('hex'));
  const [token = '', secret = '', alertToken = '', pagerSecret = ''] = keys;
  const wire = openWire(keys);
  const observers = observeSlack(wire);
  let isTwice = () => false;
  const slack: FakeSlack = stack.use(
    await openFakeSlack({
      now: clock.now,
      eventRetryHaste: retryHaste,
      ...options.slack,
      remembers,
      ...faults.slackOptions,
      ...observers,
      observeDelivery: delivery => {
        const end = observers.observeDelivery(delivery);
        if (isTwice() && delivery.retries === 0) void slack.redeliver(delivery);
        return end;
      },
    }),
  );
  isTwice = () => faults.has('Deliver twice');
  options.populate(slack);

  const log = openLog('warn', { write: line => onError(toSentence(line)) });
  let botUrl: string | undefined;
  const hooks = stack.use(
    await openProxy({
      target: () => botUrl,
      watches: () => true,
      begin: ({ path, body }) => {
        const request = toJson(body);
        return wire.begin({ way: 'webhook', name: toEventName(path, request), request });
      },
    }),
  );
  const keptFile = join(folder, 'system.json');
  let service: { readonly url: string } | undefined;
  const api = stack.use(
    await openProxy({
      port: (await readKept(keptFile))?.port,
      target: () => service?.url,
      // People who open a page bring no token. Their way is never broken.
      watches: ({ headers }) => headers.authorization !== undefined,
      disturbance: () => faults.disturbance,
      // The playground's page shows the page of an incident beside its room.
      framedBy: 'http://localhost:*',
      begin: ({ method, path, body }) => {
        const name = /\/(\w+\.\w+)$/.exec(path)?.[1] ?? `${method} ${path}`;
        return wire.begin({ way: 'RPC', name, request: toJson(body) });
      },
    }),
  );
  await writeKept(keptFile, { port: api.port });
  const local = stack.use(
    await serveLocally({
      ...{ folder, token, deadlines, log, now: clock.now },
      publicUrl: api.url,
      webhook: { url: `${hooks.url}/hooks/incident`, secret },
      veterans: toVeterans(slack),
    }),
  );
  service = local;

  const listeners = new Set<(told: SystemTold) => void>();
  const tellState = () => {
    for (const tell of listeners) tell({ kind: 'system', system: facts() });
  };
  const troubles = new Troubles(onError, tellState);
  const pager = stack.use(
    await openPager({
      ...{ url: () => hooks.url, secret: pagerSecret, now: clock.now, changed: tellState },
      heard: request => {
        const end = wire.begin({ way: 'webhook', name: `${pagerName}: ${request.event}`, request });
        end({ outcome: 'ok', isFailure: false, response: undefined });
      },
    }),
  );
  const botFile = join(folder, 'bot.db');
  const databaseUrl = `sqlite:${botFile}`;
  const botProcess = stack.use(
    prepareBot({
      program: options.program,
      deadlines,
      folder,
      logFile: join(folder, 'bot.log'),
      settings: {
        SLACK_BOT_TOKEN: slack.botToken,
        SLACK_SIGNING_SECRET: slack.signingSecret,
        SLACK_API_URL: slack.apiUrl,
        ANNOUNCE_CHANNEL: slack.channel(options.announceChannel).id,
        TIMELINE_EMOJI: 'memo:note,pushpin:note,mega:update,ballot_box_with_check:task',
        GRAFANA_URL: api.url,
        GRAFANA_TOKEN: token,
        INCIDENT_WEBHOOK_SECRET: secret,
        ALERTS: `${watchdogName}=${alertToken}`,
        PAGERS: pager.setting,
        ...dutySettings,
        DATABASE_URL: databaseUrl,
        PORT: '0',
        HOST: '127.0.0.1',
      },
      onState: (_state, url) => {
        botUrl = url;
        if (url !== undefined) slack.connectApp(`${url}/slack/events`);
        tellState();
      },
      onError,
    }),
  );
  const watchdog = stack.use(
    openWatchdog({ url: () => hooks.url, token: alertToken, now: clock.now, changed: tellState }),
  );
  function facts(): SystemView {
    return {
      ...{ faults: faults.names, bot: botProcess.state, pagesUrl: api.url },
      ...{ watchdog: watchdog.facts(), pager: pager.facts(), troubles: troubles.facts },
    };
  }
  await botProcess.start();
  // A bot that stops takes no webhook any more. What the service tells of its last acts waits for the next start.
  stack.defer(local.endWebhooks);
  const journal = stack.use(
    await openJournalWatch(
      databaseUrl,
      clock.now,
      troubles.of('journal', reason => toUnreadable(botFile, reason)),
    ),
  );
  const parts = { slack, operator: local.operator, bot: botProcess, wire, journal, watchdog, pager, facts, troubles };
  const stories: LiveStories = stack.use(
    openLiveStories({ ...parts, pagesUrl: api.url, clock, deadlines }, () => {
      for (const tell of listeners) tell({ kind: 'stories', stories: stories.facts() });
    }),
  );
  const running = stack.move();

  return {
    ...parts,
    setFault: async (name, isOn) => {
      faults.set(name, isOn);
      tellState();
      if (name === 'Bot killed') await (isOn ? botProcess.kill() : botProcess.start());
    },
    playStory: async act => stories.play(act),
    follow: tell => {
      listeners.add(tell);
      tell({ kind: 'stories', stories: stories.facts() });
      tell({ kind: 'system', system: facts() });
      for (const line of wire.lines) tell({ kind: 'wire', line });
      const ends = [
        wire.follow(line => tell({ kind: 'wire', line })),
        journal.follow(each => tell({ kind: 'journal', journal: each })),
        () => void listeners.delete(tell),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function toUnreadable(file: string, reason: string): string {
  return `The playground cannot read the bot’s database ${file}: ${reason}. The Journal tab shows nothing new until it can; it goes on trying. If this stays, stop the playground and start it with --fresh, which begins anew.`;
}

function toJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function toEventName(path: string, payload: unknown): string {
  const [, source] = /\/(?:alerts|pages)\/([^/?]+)/.exec(path) ?? [];
  if (typeof payload !== 'object' || payload === null) return 'webhook';
  const { event, status, state }: { event?: unknown; status?: unknown; state?: unknown } = payload;
  return source === undefined ? String(event ?? 'webhook') : `${source}: ${status ?? state}`;
}

function toSentence(line: string): string {
  const { msg, err }: { msg?: string; err?: { message?: string } } = JSON.parse(line);
  return [msg, err?.message].filter(part => part !== undefined).join(': ');
}

const Kept = z.object({ port: z.number().int() });

/** What a playground keeps from one run to the next besides databases: the port of links that stand in messages. */
type KeptSettings = z.output<typeof Kept>;

/** Reads them; undefined when there are none yet. */
async function readKept(file: string): Promise<KeptSettings | undefined> {
  try {
    return Kept.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Writes them. */
export async function writeKept(file: string, kept: KeptSettings): Promise<void> {
  await writeFile(file, JSON.stringify(kept));
}

/** What the fake Slack is opened with, so that its deliveries and the bot's calls stand on the wire. */
function observeSlack(wire: Wire): Required<Pick<FakeSlackOptions, 'observeDelivery' | 'observeCall'>> {
  return {
    observeDelivery: delivery => {
      const end = wire.begin({ way: 'from Slack', name: nameOf(delivery), request: delivery.payload });
      return ({ status, failed, body }) =>
        end({
          outcome: failed === undefined ? 'ok' : status > 0 ? `${failed} (${status})` : failed,
          isFailure: failed !== undefined,
          response: body,
        });
    },
    observeCall: ({ method, args }) => {
      const end = wire.begin({ way: 'Web API', name: method, request: args });
      return outcome => end(toAnswer(outcome));
    },
  };
}

/** What a person did, such as `/incident`, `block_actions incident.resolve` or `app_mention`. */
function nameOf({ payload, retries }: Delivery): string {
  const { command, type, event, actions, view, callback_id: entry } = payload as Payload;
  const what = command ?? event?.type ?? [type, actions?.[0]?.action_id ?? view?.callback_id ?? entry].join(' ').trim();
  return retries > 0 ? `${what} (again)` : what;
}

interface Payload {
  readonly command?: string;
  readonly type?: string;
  readonly event?: { readonly type: string };
  readonly actions?: readonly { readonly action_id: string }[];
  readonly view?: { readonly callback_id: string };
  readonly callback_id?: string;
}

function toAnswer(outcome: CallOutcome): WireAnswer {
  if ('broken' in outcome) return { outcome: 'connection broken', isFailure: true, response: undefined };
  if ('silence' in outcome) return { outcome: 'no answer', isFailure: true, response: undefined };
  if ('halfOf' in outcome) return { outcome: 'half an answer', isFailure: true, response: outcome.halfOf.body };
  const { status, body } = outcome.answer;
  const response = toContent(body);
  const error = typeof response === 'object' && response !== null && 'error' in response ? response.error : undefined;
  const isFailure = status >= 400 || typeof error === 'string';
  const shown = typeof error === 'string' ? error : String(status);
  return { outcome: isFailure ? shown : 'ok', isFailure, response };
}

function toContent(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
