import { type Selectable, sql } from 'kysely';
import { toWebhookDb, type WebhookTables } from '../store/003-webhooks.ts';
import type { Db } from '../store/tables.ts';
import { formatTime, toMicros } from '../store/time.ts';
import { failWaiting } from './endpoints.ts';

/*
 * What is still to be delivered, and who delivers it. Order is per endpoint, so one process at a time has an endpoint to
 * itself: by a lease, written in one conditional update, which is all that several replicas on one database need.
 */

/** The next thing to send to an endpoint. */
export type NextDelivery = Pick<Selectable<WebhookTables['webhook_delivery']>, 'seq' | 'attempts' | 'next_at'> & {
  readonly url: string;
  readonly secret: string;
  readonly event: string;
  readonly body: string;
};

/** What an attempt changes of a delivery. */
export type DeliveryChange = Partial<
  Pick<Selectable<WebhookTables['webhook_delivery']>, 'status' | 'attempts' | 'next_at' | 'outcome'>
>;

/** Written as a literal so that every database sees that the partial index `webhook_delivery_to_do` answers it. */
const toDo = sql.lit('todo' as const);

/** Ids of the endpoints for which something waits. */
export async function findWaitingEndpoints(db: Db): Promise<number[]> {
  const rows = await toWebhookDb(db)
    .selectFrom('webhook_delivery')
    .select('endpoint_id')
    .distinct()
    .where('status', '=', toDo)
    .execute();
  return rows.map(each => each.endpoint_id);
}

/** What waits for one endpoint. */
export interface WebhookQueue {
  readonly endpoint: number;
  readonly waiting: number;
  /** Since when the first of it waits, RFC 3339; `""` when nothing does. */
  readonly since: string;
}

/** What waits for each endpoint there is, also where that is nothing. */
export async function countWaiting(db: Db): Promise<WebhookQueue[]> {
  const rows = await toWebhookDb(db)
    .selectFrom('webhook_endpoint as endpoint')
    .leftJoin('webhook_delivery as delivery', join =>
      join.onRef('delivery.endpoint_id', '=', 'endpoint.id').on('delivery.status', '=', toDo),
    )
    .select(({ fn }) => [
      'endpoint.id',
      fn.count<number>('delivery.seq').as('waiting'),
      fn.min<number | null>('delivery.created_at').as('since'),
    ])
    .where('endpoint.removed_at', 'is', null)
    .groupBy('endpoint.id')
    .orderBy('endpoint.id')
    .execute();
  return rows.map(row => ({ endpoint: row.id, waiting: Number(row.waiting), since: formatTime(row.since) }));
}

/** The first delivery that waits for an endpoint; those for an endpoint that is gone are given up instead. */
export async function findNext(db: Db, endpointID: number, now: Date): Promise<NextDelivery | undefined> {
  const webhooks = toWebhookDb(db);
  const endpoint = await webhooks
    .selectFrom('webhook_endpoint')
    .select(['url', 'secret'])
    .where('id', '=', endpointID)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  if (!endpoint) {
    await failWaiting(db, endpointID, now);
    return undefined;
  }
  const delivery = await webhooks
    .selectFrom('webhook_delivery as delivery')
    .innerJoin('webhook_event as event', 'event.id', 'delivery.event_id')
    .select(['delivery.seq', 'delivery.attempts', 'delivery.next_at', 'event.event', 'event.body'])
    .where('delivery.endpoint_id', '=', endpointID)
    .where('delivery.status', '=', toDo)
    .orderBy('delivery.seq')
    .limit(1)
    .executeTakeFirst();
  return delivery && { ...delivery, ...endpoint };
}

/** Writes down an attempt; one for a delivery that has ended since changes nothing. */
export async function recordAttempt(db: Db, seq: number, change: DeliveryChange, now: Date): Promise<void> {
  const time = toMicros(now);
  await toWebhookDb(db)
    .updateTable('webhook_delivery')
    .set({ ...change, tried_at: time, finished_at: change.status === 'todo' ? null : time })
    .where('seq', '=', seq)
    .where('status', '=', toDo)
    .execute();
}

/**
 * Takes or prolongs the lease of an endpoint; false when another process has it. One that would last longer than any lease
 * does is from before the clock was put back, and no longer counts.
 */
export async function takeLease(
  db: Db,
  endpointID: number,
  lease: { readonly holder: string; readonly now: Date; readonly ms: number },
): Promise<boolean> {
  const now = toMicros(lease.now);
  const time = lease.ms * 1000;
  const { numUpdatedRows } = await toWebhookDb(db)
    .updateTable('webhook_endpoint')
    .set({ lease_by: lease.holder, lease_until: now + time })
    .where('id', '=', endpointID)
    .where(({ eb, or }) =>
      or([eb('lease_by', '=', lease.holder), eb('lease_until', '<=', now), eb('lease_until', '>', now + 2 * time)]),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Gives a lease back. */
export async function returnLease(db: Db, endpointID: number, holder: string): Promise<void> {
  await toWebhookDb(db)
    .updateTable('webhook_endpoint')
    .set({ lease_by: '', lease_until: 0 })
    .where('id', '=', endpointID)
    .where('lease_by', '=', holder)
    .execute();
}

/** Forgets deliveries that ended before a time, and events that nobody is told of any more. */
export async function deleteEnded(db: Db, before: Date): Promise<void> {
  const webhooks = toWebhookDb(db);
  const time = toMicros(before);
  await webhooks.deleteFrom('webhook_delivery').where('finished_at', '<', time).execute();
  await webhooks
    .deleteFrom('webhook_event')
    .where('created_at', '<', time)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_delivery')
            .select('webhook_delivery.seq')
            .whereRef('webhook_delivery.event_id', '=', 'webhook_event.id'),
        ),
      ),
    )
    .execute();
}
