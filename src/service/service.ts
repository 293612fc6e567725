import type { Hono } from 'hono';
import type { Logger } from 'pino';
import { defaultRoles } from '../contract/roles.ts';
import { processTimers, type Timers } from '../contract/timers.ts';
import type { Database } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { type Deadlines, deadlines as usualDeadlines } from '../deadlines.ts';
import { trimEnd } from '../trim-end.ts';
import { CallGate } from './call/admit.ts';
import type { ServiceToken } from './call/bearer-auth.ts';
import type { CallOrigin } from './call/context.ts';
import { defaultOptions, type ServiceOptions } from './call/options.ts';
import type { Readers } from './call/readers.ts';
import type { ObserveRefusal } from './call/refusals.ts';
import { checkSize } from './http/body.ts';
import { type BodyBudget, createBodyBudget } from './http/body-budget.ts';
import { answerRpc, maxRpcBody, parseRpcPath } from './http/rpc.ts';
import { createRpcFastPath, type FastPath } from './http/rpc-fast-path.ts';
import { checkSeverities } from './incidents/severity.ts';
import { lastNumber, takeNumber } from './store/counters.ts';
import type { DashboardTables } from './store/dashboards.ts';
import { toImportDb } from './store/imports.ts';
import { serviceMigrations } from './store/migrations.ts';
import { roleColumns } from './store/roles.ts';
import { type Db, serviceLock, type Tables } from './store/tables.ts';
import { daysBefore, toMicros } from './store/time.ts';
import { toWebhookDb } from './store/webhooks.ts';
import type { ObservedAttempt } from './webhooks/attempt.ts';
import { applyEndpointSettings, type EndpointSetting } from './webhooks/endpoints.ts';
import { countWaiting, type WebhookQueue } from './webhooks/queue.ts';
import { Sender } from './webhooks/sender.ts';

/** A request to the service from within the process, in the shape of the client's transport. */
interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface ServiceResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * The embedded service: both APIs answered from a database. Disposing waits for running calls and webhooks; the database stays
 * open.
 */
export interface Service extends AsyncDisposable {
  /** Answers a call of this process: paths, headers and bodies as over HTTP, trusted as Admin without a token. */
  handle(request: ServiceRequest): Promise<ServiceResponse>;
  /** Answers requests from outside; they need bearer tokens. */
  fetch(request: Request): Promise<Response>;
  /** The fast path for RPC calls over HTTP, to try before `fetch`. */
  readonly fastPath: FastPath;
  /** The address that opens `path`, below the service's own, for one person of Slack: once, within ten minutes. */
  pageLink(userId: string, path: string): Promise<string>;
  /** The waiting webhooks of each endpoint. */
  webhookQueues(): Promise<WebhookQueue[]>;
  /** Sends no further webhook. Those that wait stay in the database, for the next start. */
  endWebhooks(): Promise<void>;
}

/** Opens the service on a database: brings its tables up to date, and gives a fresh organisation its three roles. */
export async function createService(deps: {
  database: Database;
  log: Logger;
  clock: () => Date;
  options?: Partial<ServiceOptions>;
  tokens?: readonly ServiceToken[];
  /** The people of Slack, with `pages: 'slack'`; undefined while their bot starts. */
  readers?: () => Readers | undefined;
  /** The endpoints of outgoing webhooks that the settings name. */
  webhooks?: readonly EndpointSetting[];
  /** Absent: those of Muster. */
  deadlines?: Deadlines;
  timers?: Timers;
  /** Receives each attempt to deliver a webhook. */
  observeWebhook?: (attempt: ObservedAttempt) => void;
  /** Receives each request from outside that is refused for its token. */
  observeRefusal?: ObserveRefusal;
}): Promise<Service> {
  const { database, log, clock, deadlines = usualDeadlines, timers = processTimers } = deps;
  await migrate(database, 'service', serviceMigrations, clock());
  const options = { ...defaultOptions, ...deps.options };
  checkSeverities(options.severities);
  let sender: Sender | undefined;
  const announce = () => sender?.wake();
  const gate = new CallGate({
    ...{ database, clock, options, log, announce, readers: deps.readers },
    tokens: deps.tokens ?? [],
    observeRefusal: deps.observeRefusal,
  });
  await database.withLock<Tables, void>(serviceLock, async db => {
    await gate.storeKnownPeople(db, clock());
    await seedRoles(db, clock());
    if (await areSeedsDue(db, options)) {
      const { seedDashboards } = await import('./dashboards/seed.ts');
      await seedDashboards({ db, now: clock(), options });
    }
    await applyEndpointSettings(db, deps.webhooks ?? [], clock());
  });
  const db = database.as<Tables>();
  sender = new Sender({
    database,
    log,
    clock,
    timers,
    retryHours: options.webhookRetryHours,
    logDays: options.webhookLogDays,
    observe: deps.observeWebhook,
  });
  const endWebhooks = async () => await sender[Symbol.asyncDispose]();
  const retention = startIncidentRetention({ database, log, clock, timers, days: options.incidentRetentionDays });
  const bodies = createBodyBudget({ timeout: deadlines.service.room, timers });
  let app: Promise<Hono> | undefined;
  const fetch = async (request: Request) => {
    app ??= import('./http/app.ts').then(({ createHttpApp }) => createHttpApp(gate, bodies));
    return await (await app).fetch(request);
  };
  return {
    fetch,
    fastPath: createRpcFastPath(gate, bodies),
    pageLink: async (userId, path) => `${trimEnd(options.rootUrl, /\//)}/door/${await gate.door.makeKey(userId, path)}`,
    webhookQueues: () => countWaiting(db),
    endWebhooks,
    handle: request => handle(fetch, { gate, bodies }, request),
    async [Symbol.asyncDispose]() {
      await gate.idle();
      await retention[Symbol.asyncDispose]();
      await endWebhooks();
    },
  };
}

async function handle(
  fetch: Service['fetch'],
  { gate, bodies }: { gate: CallGate; bodies: BodyBudget },
  request: ServiceRequest,
): Promise<ServiceResponse> {
  request.signal?.throwIfAborted();
  const { pluginID, name } = parseRpcPath(request.path);
  if (request.method !== 'POST' || name === '') return await fetchWithin(fetch, gate, request);
  const origin: CallOrigin = {
    trusted: true,
    pluginID,
    header: name => Object.entries(request.headers).find(([each]) => each.toLowerCase() === name)?.[1],
  };
  const body = async () => checkSize(request.body ?? '', maxRpcBody);
  const answer = await answerRpc({ gate, bodies }, origin, name, body);
  return { ...answer, headers: { ...answer.headers } };
}

async function fetchWithin(fetch: Service['fetch'], gate: CallGate, request: ServiceRequest): Promise<ServiceResponse> {
  const headers = new Headers(request.headers);
  headers.delete('accept-encoding');
  if (request.body !== undefined) headers.set('content-length', String(Buffer.byteLength(request.body)));
  const path = request.path.startsWith('/') ? request.path : `/${request.path}`;
  // A path that is none leads nowhere.
  const inner = new Request(URL.parse(`http://service${path}`) ?? 'http://service/', {
    method: request.method,
    headers,
    ...(request.body === undefined || /^(GET|HEAD)$/i.test(request.method) ? {} : { body: request.body }),
    ...(request.signal ? { signal: request.signal } : {}),
  });
  const response = await fetch(gate.trust(inner));
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

/** Whether the options name dashboards or folders to store, or the database still has some from earlier options. */
async function areSeedsDue(db: Db, options: ServiceOptions): Promise<boolean> {
  const { folders, pluginDashboards, provisionedDashboards } = options;
  if (folders.length + pluginDashboards.length + provisionedDashboards.length > 0) return true;
  const dashboards = db.withTables<DashboardTables>().selectFrom('dashboard');
  return (await dashboards.select('id').where('provisioned', '=', 1).limit(1).executeTakeFirst()) !== undefined;
}

/** Gives a database that never had a role the three default ones. The important ones are mandatory as well. */
async function seedRoles(db: Db, now: Date): Promise<void> {
  if ((await lastNumber(db, 'role')) > 0) return;
  const first = await takeNumber(db, 'role', defaultRoles.length);
  const time = toMicros(now);
  await db
    .insertInto('role')
    .values(
      defaultRoles.map((role, index) => ({
        id: first + index,
        ...roleColumns({ ...role, mandatory: role.important, archived: false }),
        deleted: 0,
        created_at: time,
        updated_at: time,
      })),
    )
    .execute();
}

/** Incidents deleted in one transaction. */
const deletedTogether = 50;

/**
 * Deletes some of the resolved incidents that were closed and changed last before a moment, with everything about them; returns
 * their numbers. A webhook that still waits is sent. Runs under the service's lock.
 */
async function deleteOldIncidents(db: Db, before: Date): Promise<readonly number[]> {
  const time = toMicros(before);
  const rows = await db
    .selectFrom('incident')
    .select('id')
    // An equation would make SQLite read all that are resolved, and sort them.
    .where('status', '<>', 'active')
    .where('modified_at', '<', time)
    // An imported one may not say when it was closed.
    .where(({ or, eb }) => or([eb('closed_at', 'is', null), eb('closed_at', '<', time)]))
    .orderBy('modified_at')
    .orderBy('id')
    .limit(deletedTogether)
    .execute();
  const ids = rows.map(each => each.id);
  if (ids.length === 0) return ids;
  for (const table of ['incident_label', 'assignment', 'task', 'activity'] as const) {
    await db.deleteFrom(table).where('incident_id', 'in', ids).execute();
  }
  await toImportDb(db).deleteFrom('import_source').where('incident_id', 'in', ids).execute();
  await toWebhookDb(db)
    .deleteFrom('webhook_delivery')
    .where('finished_at', 'is not', null)
    .where('event_id', 'in', all => all.selectFrom('webhook_event').select('id').where('incident_id', 'in', ids))
    .execute();
  await db.deleteFrom('incident').where('id', 'in', ids).execute();
  await takeNumber(db, 'homescreen');
  return ids;
}

/** How often old incidents are deleted, in milliseconds. */
const deleteEvery = 3_600_000;

/** Deletes resolved incidents once they are so many days old, at once and then every hour. Nothing waits for it. */
export function startIncidentRetention(deps: {
  readonly database: Database;
  readonly log: Logger;
  readonly clock: () => Date;
  readonly timers: Timers;
  /** 0: incidents are kept without an end. */
  readonly days: number;
}): AsyncDisposable {
  const { database, log, clock, timers, days } = deps;
  let stopped = false;
  let cancel = () => {};
  let running = Promise.resolve();

  async function deleteOld(): Promise<void> {
    let count = 0;
    try {
      for (let deleted = await deleteSome(); deleted > 0; deleted = await deleteSome()) count += deleted;
    } catch (err) {
      log.warn({ err }, 'retention: could not delete old incidents; the next hour tries again');
    }
    if (count > 0) {
      log.info({ incidents: count, days }, 'retention: deleted old incidents');
      await database.shrink('some').catch(err => log.warn({ err }, 'retention: could not shrink the database'));
    }
    if (!stopped) cancel = timers.after(deleteEvery, begin);
  }

  async function deleteSome(): Promise<number> {
    if (stopped) return 0;
    const before = daysBefore(clock(), days);
    const ids = await database.withLock<Tables, readonly number[]>(serviceLock, db => deleteOldIncidents(db, before));
    return ids.length;
  }

  function begin(): void {
    running = deleteOld();
  }

  if (days > 0) begin();
  return {
    [Symbol.asyncDispose]: async () => {
      stopped = true;
      cancel();
      await running;
    },
  };
}
