import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Api } from '../../contract/contract.ts';
import { RpcError } from '../../contract/errors.ts';
import type { IncidentPreview } from '../../contract/incidents.ts';
import { senderOf } from '../../contract/sender.ts';
import type { Timers } from '../../contract/timers.ts';
import { signatureHeader, verifyWebhook } from '../../contract/webhook-signature.ts';
import type { Database } from '../../db/database.ts';
import type { NoTables } from '../../db/engine.ts';
import type { Deadlines } from '../../deadlines.ts';
import { apiClockSkew } from '../incident/api/clock.ts';
import type { Cards } from '../incident/board/loop.ts';
import { beginComparing, isKnownIncident } from '../incident/lines/known-state.ts';
import type { Bursts } from '../incident/state/burst-store.ts';
import { countChange, type Rooms } from '../incident/state/room-store.ts';
import { type JournalTables, laneLock } from '../journal/rows.ts';
import { createBodyReader, createReplayGuard, refusalOf } from '../slack/http-receiver.ts';
import { secondsAfter } from '../text/times.ts';
import type { PollStore } from './poll-store.ts';

/** How long after the last poll of any process this one polls, in milliseconds. */
const pollEvery = 10_000;
/** The pause between polls while webhooks report changes. Polls are still needed: no webhook reports a task or a note. */
const rarely = 30_000;

interface SyncDeps extends PollDeps {
  /** Signs the webhooks of the incident API; `""` when it sends none. */
  readonly secret: string;
  /** A genuine webhook arrived. */
  readonly onWebhook: () => void;
  readonly clock: () => Date;
  readonly timers: Timers;
  readonly log: Logger;
}

/** Among the ids that were heard: any incident may have changed. */
const any = '';

/**
 * Brings changes made elsewhere (a page, another client of the API, Grafana) to card, topic, announcement and room. Muster hears of a
 * change in three ways. A webhook names its incident. Every ten seconds one of the processes polls the API; while webhooks report the
 * changes, it polls less often. And when this process serves the API, a poll follows each request that may have changed something: it
 * reads one number in this process.
 */
export class Sync {
  /** Takes webhooks; undefined when there are none. */
  readonly hook: HookHandler | undefined;
  readonly #deps: SyncDeps;
  readonly #poll: Poll;
  readonly #gatherer: Gatherer;
  readonly #running = new Set<Promise<void>>();
  #cancel = () => {};
  #isStopped = false;
  /** The last poll that this process saw, and when it saw it. */
  #seen = { turns: -1, since: 0 };

  constructor(deps: SyncDeps) {
    this.#deps = deps;
    this.#poll = new Poll(deps);
    this.#gatherer = new Gatherer({ timers: deps.timers, deal: heard => this.#run(() => this.#deal(heard)) });
    const hear = (incidentID: string) => {
      deps.onWebhook();
      this.#hear(incidentID);
    };
    this.hook = deps.secret === '' ? undefined : createIncidentHook({ ...deps, hear });
  }

  /** Begins to poll. */
  start(): void {
    this.#run(() => this.#tick());
  }

  /** This process has answered a request that may have changed an incident. Returns at once. */
  nudge(): void {
    this.#hear(any);
  }

  /** Begins nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel();
    this.#gatherer.close();
  }

  /** Resolves when everything heard of is dealt with. */
  async idle(): Promise<void> {
    this.#gatherer.flush();
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  #hear(what: string): void {
    if (!this.#isStopped) this.#gatherer.add(what);
  }

  #run(work: () => Promise<void>): void {
    const running = work()
      .catch(err => this.#deps.log.info({ err }, 'sync: could not bring over changes, tries again'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #deal(heard: ReadonlySet<string>): Promise<void> {
    const named = [...heard].filter(each => each !== any);
    const { store } = this.#deps;
    if (named.length > 0) await store.hear();
    const again = await notice(this.#deps, await Promise.all(named.map(incidentID => this.#toHeard(incidentID))));
    if (heard.has(any)) await this.#poll.run();
    // Muster may be declaring it, which the next poll knows.
    if (again.size > 0) this.nudge();
  }

  async #toHeard(incidentID: string) {
    const { api, rooms, store } = this.#deps;
    if (await rooms.ofIncident(incidentID)) return { incidentID, isHistory: false };
    const { incident } = await api.IncidentsService.GetIncident({ incidentID });
    const { since } = await store.read();
    return { incidentID, isHistory: Date.parse(incident.createdTime) < Date.parse(since) };
  }

  /** Polls if the last poll is old enough, and waits for the next time. */
  async #tick(): Promise<void> {
    const { store, secret, timers } = this.#deps;
    let left = pollEvery;
    try {
      const row = await store.read();
      const now = timers.monotonicNow();
      if (row.turns !== this.#seen.turns) this.#seen = { turns: row.turns, since: now };
      const wait = secret !== '' && row.is_rare === 1 ? rarely : pollEvery;
      left = wait - (now - this.#seen.since);
      if (left > 0) return;
      left = pollEvery;
      if (!(await store.begin(row))) return;
      this.#seen = { turns: row.turns + 1, since: timers.monotonicNow() };
      await this.#poll.run();
    } finally {
      if (!this.#isStopped) this.#cancel = timers.after(left, () => this.#run(() => this.#tick()));
    }
  }
}

interface NoticeDeps {
  readonly database: Database;
  readonly rooms: Rooms;
  readonly cards: Pick<Cards, 'refresh'>;
  /** The kinds of intents that bring incidents into being. */
  readonly declaring: readonly string[];
  readonly bursts: Bursts;
  /**
   * Called for incidents that were declared elsewhere since Muster first started and have no room. Called again when it throws, and
   * perhaps twice. It asks `visibility` what it may show.
   */
  readonly onFound: (incidentIDs: readonly string[]) => Promise<void>;
}

/**
 * Handles incidents that may have changed elsewhere: brings cards, announcements and topics up to date, and tells rooms. Those that are new
 * are found together. Returns the ids of those that Muster may be declaring at this moment, so the caller must try again.
 */
async function notice(
  deps: NoticeDeps,
  heard: readonly { readonly incidentID: string; readonly isHistory: boolean }[],
): Promise<ReadonlySet<string>> {
  const { database, rooms, bursts, cards, declaring, onFound } = deps;
  const again = new Set<string>();
  const found: string[] = [];
  for (const { incidentID, isHistory } of heard) {
    if (await bursts.isUnsettled(incidentID)) found.push(incidentID);
    if (await rooms.ofIncident(incidentID)) {
      // Counted, so that the card is shown however this process ends.
      await database.withLock<NoTables, void>(`card ${incidentID}`, trx => countChange(trx, incidentID));
      // Most changes are Muster’s own, and a busy room is shown seldom.
      cards.refresh(incidentID);
    } else if (!isHistory) {
      // Asked first: a declaration that ends meanwhile makes the incident known.
      if (await isDeclaring(database, declaring)) again.add(incidentID);
      else if (!(await isKnownIncident(database, incidentID))) found.push(incidentID);
    }
  }
  if (found.length === 0) return again;
  await onFound(found);
  await database.withLock<NoTables, void>(laneLock(found), async trx => {
    for (const incidentID of found) await beginComparing(trx, incidentID);
  });
  return again;
}

/** Whether Muster may be declaring an incident whose number it does not know yet. */
async function isDeclaring(database: Database, declaring: readonly string[]): Promise<boolean> {
  const row = await database
    .as<JournalTables>()
    .selectFrom('bot_intent')
    .select('id')
    .where('kind', 'in', [...declaring])
    .where('state', 'in', ['running', 'pending'])
    .where(({ or, eb }) => or([eb('state', '=', 'running'), eb('ambiguous', '=', 1)]))
    .executeTakeFirst();
  return row !== undefined;
}

/** How long it waits after the last thing heard, in milliseconds. */
const quiet = 1000;
/** How long it waits at most, in milliseconds: people see a change within five seconds. */
const longest = 4000;

/** Gathers ids that arrive at nearly the same time, so that a burst is handled once. */
class Gatherer {
  readonly #timers: Timers;
  readonly #deal: (heard: ReadonlySet<string>) => void;
  #heard = new Set<string>();
  #began = 0;
  #cancel = () => {};

  constructor(deps: { readonly timers: Timers; readonly deal: (heard: ReadonlySet<string>) => void }) {
    this.#timers = deps.timers;
    this.#deal = deps.deal;
  }

  add(what: string): void {
    const now = this.#timers.monotonicNow();
    if (this.#heard.size === 0) this.#began = now;
    this.#heard.add(what);
    this.#cancel();
    const left = Math.max(0, this.#began + longest - now);
    this.#cancel = this.#timers.after(Math.min(quiet, left), () => this.flush());
  }

  /** Handles at once everything gathered. */
  flush(): void {
    this.#cancel();
    const heard = this.#heard;
    this.#heard = new Set();
    if (heard.size > 0) this.#deal(heard);
  }

  /** Forgets everything gathered. */
  close(): void {
    this.#cancel();
    this.#heard.clear();
  }
}

/** How far from the present a webhook may have been signed, in seconds. */
const tolerance = 300;
/** The most bytes of a webhook: as many as the official verifier reads (docs/api-rules.md A11). */
const maxBody = 1024 * 1024;
/** The most bytes of all webhooks that are arriving. */
const bodyRoom = 16 * 1024 * 1024;

/** Takes a request at `POST /hooks/incident`. */
type HookHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** The part of a webhook that Muster reads. */
const HookBody = z.object({ incident: z.object({ incidentID: z.string().min(1).max(200) }) });

/**
 * Takes the outgoing webhooks of the incident API. Refuses, before it parses the body, a webhook that was not signed with the secret within
 * five minutes. Uses the incident's id alone: Muster then reads the incident, so a webhook that comes twice, late or in the wrong order
 * changes nothing.
 */
function createIncidentHook(deps: {
  readonly secret: string;
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  readonly log: Logger;
  /** That incident may have changed. Returns at once. */
  readonly hear: (incidentID: string) => void;
}): HookHandler {
  const { secret, deadlines, clock, log } = deps;
  const limits = { most: maxBody, timeout: deadlines.requestBody };
  const bodies = createBodyReader(bodyRoom);
  const seen = createReplayGuard();

  const refuse = (response: ServerResponse, status: number, why: string) => {
    log.warn({ status, why, ...senderOf(response.req) }, 'hook: a webhook was refused');
    answer(response, status, why);
  };
  /** Refuses a request whose body has not been read to its end. */
  const hangUp = (response: ServerResponse, status: number, why: string) => {
    response.shouldKeepAlive = false;
    refuse(response, status, why);
  };

  async function take(request: IncomingMessage, response: ServerResponse, signature: string): Promise<void> {
    const body = await bodies.read(request, limits);
    if (body === 'broken off')
      return log.info({ why: 'broken off', ...senderOf(request) }, 'hook: a request broke off');
    if (!Buffer.isBuffer(body)) return hangUp(response, ...refusalOf(body, limits));
    const now = clock();
    const verdict = verifyWebhook(signature, body, secret, { seconds: tolerance, now });
    if (!verdict.genuine)
      return refuse(response, 401, `${verdict.reason}. Is INCIDENT_WEBHOOK_SECRET the sender’s own?`);
    if (!seen.isNew(signature, now)) return refuse(response, 401, 'The webhook has been seen before.');
    const incidentID = readIncident(body);
    if (incidentID === undefined) return refuse(response, 400, 'The webhook names no incident.');
    answer(response, 200, '');
    deps.hear(incidentID);
  }

  return (request, response) => {
    const signature = request.headers[signatureHeader.toLowerCase()];
    if (typeof signature !== 'string') return hangUp(response, 401, 'The request is not signed.');
    if (Number(request.headers['content-length'] ?? 0) > limits.most) {
      return hangUp(response, ...refusalOf('too large', limits));
    }
    void take(request, response, signature);
  };
}

function readIncident(body: Buffer): string | undefined {
  try {
    return HookBody.parse(JSON.parse(body.toString('utf8'))).incident.incidentID;
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, status: number, why: string): void {
  const body = why === '' ? '' : JSON.stringify({ error: why });
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
}

/** Incidents of one page, and pages of one poll. */
const pageSize = 100;
const maxPages = 20;
/** How much older a change may be than the newest one that was seen, in seconds: not all changes show in the order of their times. */
const overlap = 10;
/** Incidents whose last change is remembered. */
const maxHandled = 5000;

interface PollDeps extends NoticeDeps {
  readonly api: {
    readonly IncidentsService: Pick<
      Api['IncidentsService'],
      'GetHomescreenVersion' | 'QueryIncidentPreviews' | 'GetIncident'
    >;
  };
  readonly store: PollStore;
  readonly deadlines: Deadlines;
}

/**
 * Polls the API for changes: one call tells whether anything changed, and one more which incidents. Both are cheap however many
 * incidents there are. Several processes may poll at once; each change is brought over once or more often.
 */
class Poll {
  readonly #deps: PollDeps;
  /** The last change of each incident that was brought over. */
  readonly #handled = new Map<string, string>();
  /** The API has no version of the home screen. */
  #isUncounted = false;

  constructor(deps: PollDeps) {
    this.#deps = deps;
  }

  /** Brings over what changed since the last poll. Throws the RpcError. */
  async run(): Promise<void> {
    const { store } = this.#deps;
    const before = await store.read();
    const version = await this.#readVersion();
    if (version === before.version) return;
    const from = before.modified_time || secondsAfter(new Date(before.since), -apiClockSkew).toISOString();
    const changed = await this.#findChanged(from);
    let newest = from;
    const heard = changed.toReversed().map(({ incidentID, createdTime }) => ({
      incidentID,
      isHistory: Date.parse(createdTime) < Date.parse(before.since),
    }));
    const again = await notice(this.#deps, heard);
    for (const each of changed) {
      if (Date.parse(each.modifiedTime) > Date.parse(newest)) newest = each.modifiedTime;
      if (this.#handled.size >= maxHandled) this.#handled.clear();
      if (!again.has(each.incidentID)) this.#handled.set(each.incidentID, markOf(each));
    }
    // The next poll decides about the rest.
    if (again.size > 0) return;
    const isChanged = changed.length > 0 || version !== undefined;
    // Without a change there was nothing for webhooks to report.
    if (!isChanged) return;
    const is_rare = before.heard > before.heard_before ? 1 : 0;
    await store.end({ version: version ?? -1, modified_time: newest, heard_before: before.heard, is_rare });
  }

  /** The home screen's version; undefined when the API counts none (docs/api-rules.md A10), so that its list is read each time. */
  async #readVersion(): Promise<number | undefined> {
    if (this.#isUncounted) return undefined;
    const { api, deadlines } = this.#deps;
    try {
      return (await api.IncidentsService.GetHomescreenVersion({}, { budget: deadlines.poll })).version;
    } catch (error) {
      if (!(error instanceof RpcError && error.code === 'not_found')) throw error;
      this.#isUncounted = true;
      return undefined;
    }
  }

  /** The incidents that changed since `from` and were not handled since, newest change first. */
  async #findChanged(from: string): Promise<readonly IncidentPreview[]> {
    const { api, deadlines } = this.#deps;
    const since = Date.parse(from) - overlap * 1000;
    const found: IncidentPreview[] = [];
    const query = { limit: pageSize, orderField: 'modifiedTime', orderDirection: 'DESC' } as const;
    let cursor = { nextValue: '', hasMore: false };
    for (let page = 0; page < maxPages; page += 1) {
      const answer = await api.IncidentsService.QueryIncidentPreviews({ query, cursor }, { budget: deadlines.poll });
      const isNew = (each: IncidentPreview) => Date.parse(each.modifiedTime) >= since;
      // An API that does not note the time of each change still counts the version.
      const isKnown = (each: IncidentPreview) => this.#handled.has(each.incidentID);
      found.push(...answer.incidentPreviews.filter(each => isNew(each) || isKnown(each)));
      const last = answer.incidentPreviews.at(-1);
      if (!answer.cursor.hasMore || !last || !isNew(last)) break;
      cursor = answer.cursor;
    }
    return found.filter(each => this.#handled.get(each.incidentID) !== markOf(each));
  }
}

function markOf({ version, modifiedTime }: IncidentPreview): string {
  return `${version} ${modifiedTime}`;
}
