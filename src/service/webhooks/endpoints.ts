import { randomBytes } from 'node:crypto';
import { findAddressProblem } from '../../contract/webhook-address.ts';
import { invalidArgument } from '../call/errors.ts';
import { parseQuery } from '../query/parse.ts';
import { takeNumber } from '../store/counters.ts';
import type { Db } from '../store/tables.ts';
import { formatTime, toMicros } from '../store/time.ts';
import { type DeliveryStatus, type EndpointRow, toWebhookDb } from '../store/webhooks.ts';
import { countWaiting, failWaiting } from './queue.ts';

/*
 * The functions that write here run under the service's lock, so that no change of an incident comes between.
 */

/** An endpoint that the settings name. */
export interface EndpointSetting {
  readonly url: string;
  readonly secret: string;
}

/** An endpoint as its owner sees it. */
interface WebhookEndpoint {
  readonly id: number;
  readonly url: string;
  /** In the language of docs/api-rules.md A7; empty matches every incident. */
  readonly query: string;
  readonly source: EndpointRow['source'];
  /** Whether it also gets events of private incidents. */
  readonly includePrivate: boolean;
  /** RFC 3339. */
  readonly createdTime: string;
  /** The number of waiting deliveries. */
  readonly waiting: number;
}

/** A line of the delivery log. Times are RFC 3339, or empty. */
interface DeliveryLogLine {
  readonly seq: number;
  readonly endpointID: number;
  readonly id: string;
  readonly event: string;
  readonly incidentID: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly outcome: string;
  readonly createdTime: string;
  readonly triedTime: string;
}

/** The most characters of a secret. */
const longestSecret = 200;

/** A secret of 256 random bits. */
export function createSecret(): string {
  return randomBytes(32).toString('hex');
}

/** Adds an endpoint; rejects with `invalid_argument` when its address, query or secret is malformed. */
export async function addEndpoint(
  db: Db,
  endpoint: {
    readonly url: string;
    readonly secret: string;
    readonly query?: string;
    readonly includePrivate?: boolean;
  },
  now: Date,
): Promise<number> {
  const { url, secret, query = '', includePrivate = false } = endpoint;
  const problem = findAddressProblem(url);
  if (problem !== undefined) throw invalidArgument(`the address ${problem}`);
  if (secret === '' || secret.length > longestSecret) {
    throw invalidArgument(`the secret must have between 1 and ${longestSecret} characters`);
  }
  parseQuery(query);
  return await insertEndpoint(
    db,
    { url, secret, query, source: 'command', include_private: includePrivate ? 1 : 0 },
    now,
  );
}

async function insertEndpoint(
  db: Db,
  endpoint: Pick<EndpointRow, 'url' | 'secret' | 'query' | 'source' | 'include_private'>,
  now: Date,
): Promise<number> {
  const id = await takeNumber(db, 'webhook_endpoint');
  await toWebhookDb(db)
    .insertInto('webhook_endpoint')
    .values({ ...endpoint, id, created_at: toMicros(now), removed_at: null, lease_owner: '', heartbeat: 0 })
    .execute();
  return id;
}

/**
 * Adds, changes and removes endpoints until those from settings are the ones the settings name. Endpoints added by command
 * stay.
 */
export async function applyEndpointSettings(db: Db, settings: readonly EndpointSetting[], now: Date): Promise<void> {
  const endpoints = toWebhookDb(db);
  const rows = await endpoints
    .selectFrom('webhook_endpoint')
    .select(['id', 'url', 'secret', 'removed_at'])
    .where('source', '=', 'setting')
    .execute();
  const named = new Map(settings.map(each => [each.url, each.secret]));
  for (const row of rows) {
    const secret = named.get(row.url);
    named.delete(row.url);
    if (secret === undefined) {
      if (row.removed_at === null) await retireEndpoint(db, row.id, now);
    } else if (secret !== row.secret || row.removed_at !== null) {
      await endpoints
        .updateTable('webhook_endpoint')
        .set({ secret, removed_at: null })
        .where('id', '=', row.id)
        .execute();
    }
  }
  for (const [url, secret] of named) {
    await insertEndpoint(db, { url, secret, query: '', source: 'setting', include_private: 0 }, now);
  }
}

/** Removes an endpoint that was added by command, and fails its waiting deliveries; rejects when there is none of that id. */
export async function removeEndpoint(db: Db, id: number, now: Date): Promise<void> {
  const row = await toWebhookDb(db)
    .selectFrom('webhook_endpoint')
    .select('source')
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw invalidArgument(`there is no endpoint ${id}`);
  if (row.source === 'setting') throw invalidArgument(`endpoint ${id} is from WEBHOOK_URLS: take it out there`);
  await retireEndpoint(db, id, now);
}

async function retireEndpoint(db: Db, id: number, now: Date): Promise<void> {
  const endpoints = toWebhookDb(db).updateTable('webhook_endpoint');
  await endpoints
    .set({ removed_at: toMicros(now) })
    .where('id', '=', id)
    .execute();
  await failWaiting(db, id, now);
}

/** All endpoints, in the order they were added. */
export async function listEndpoints(db: Db): Promise<WebhookEndpoint[]> {
  const rows = await toWebhookDb(db)
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('removed_at', 'is', null)
    .orderBy('id')
    .execute();
  const counts = new Map((await countWaiting(db)).map(each => [each.endpoint, each.waiting]));
  return rows.map(row => ({
    id: row.id,
    url: row.url,
    query: row.query,
    source: row.source,
    includePrivate: row.include_private === 1,
    createdTime: formatTime(row.created_at),
    waiting: counts.get(row.id) ?? 0,
  }));
}

/** The last deliveries, newest first. */
export async function listDeliveries(
  db: Db,
  wanted: {
    readonly endpointID?: number | undefined;
    readonly status?: DeliveryStatus | undefined;
    readonly limit: number;
  },
): Promise<DeliveryLogLine[]> {
  let query = toWebhookDb(db)
    .selectFrom('webhook_delivery as delivery')
    .innerJoin('webhook_event as event', 'event.id', 'delivery.event_id')
    .selectAll('delivery')
    .select(['event.event', 'event.incident_id'])
    .orderBy('delivery.seq', 'desc')
    .limit(wanted.limit);
  if (wanted.endpointID !== undefined) query = query.where('delivery.endpoint_id', '=', wanted.endpointID);
  if (wanted.status !== undefined) query = query.where('delivery.status', '=', wanted.status);
  const rows = await query.execute();
  return rows.map(row => ({
    seq: row.seq,
    endpointID: row.endpoint_id,
    id: row.event_id,
    event: row.event,
    incidentID: row.incident_id,
    status: row.status,
    attempts: row.attempts,
    outcome: row.outcome,
    createdTime: formatTime(row.created_at),
    triedTime: formatTime(row.tried_at),
  }));
}
