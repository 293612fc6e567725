import type { Db } from '../store/tables.ts';
import { formatTime, toMicros } from '../store/time.ts';
import { type DeliveryRow, todo, toWebhookDb } from '../store/webhooks.ts';

/** The next delivery of an endpoint. */
export type NextDelivery = Pick<DeliveryRow, 'seq' | 'attempts' | 'next_at' | 'created_at' | 'retried_at'> & {
  readonly url: string;
  readonly secret: string;
  readonly event: string;
  readonly body: string;
};

/** The columns of a delivery that an attempt sets. */
export type DeliveryChange = Partial<DeliveryRow>;

/** The waiting deliveries of one endpoint. */
export interface WebhookQueue {
  readonly endpoint: number;
  readonly waiting: number;
  /** Time of the oldest, RFC 3339; `""` when none waits. */
  readonly since: string;
}

/** The queue of every endpoint, empty ones too. */
export async function countWaiting(db: Db): Promise<WebhookQueue[]> {
  const rows = await toWebhookDb(db)
    .selectFrom('webhook_endpoint as endpoint')
    .leftJoin('webhook_delivery as delivery', join =>
      join.onRef('delivery.endpoint_id', '=', 'endpoint.id').on('delivery.status', '=', todo),
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

/** Fails the waiting deliveries of an endpoint that was removed. */
export async function failWaiting(db: Db, endpointID: number, now: Date): Promise<void> {
  await toWebhookDb(db)
    .updateTable('webhook_delivery')
    .set({ status: 'failed', outcome: 'the endpoint was removed', finished_at: toMicros(now) })
    .where('endpoint_id', '=', endpointID)
    .where('status', '=', todo)
    .execute();
}

/** The first waiting delivery of an endpoint. When the endpoint was removed, its deliveries fail instead. */
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
    .select(['delivery.seq', 'delivery.attempts', 'delivery.next_at', 'delivery.created_at', 'delivery.retried_at'])
    .select(['event.event', 'event.body'])
    .where('delivery.endpoint_id', '=', endpointID)
    .where('delivery.status', '=', todo)
    .orderBy('delivery.seq')
    .limit(1)
    .executeTakeFirst();
  return delivery && { ...delivery, ...endpoint };
}

/** Stores the result of an attempt, unless the delivery has ended meanwhile. */
export async function recordAttempt(db: Db, seq: number, change: DeliveryChange, now: Date): Promise<void> {
  const time = toMicros(now);
  await toWebhookDb(db)
    .updateTable('webhook_delivery')
    .set({ ...change, tried_at: time, finished_at: change.status === 'todo' ? null : time })
    .where('seq', '=', seq)
    .where('status', '=', todo)
    .execute();
}

/** Deletes deliveries that ended before a time. */
export async function deleteEnded(db: Db, before: Date): Promise<void> {
  const time = toMicros(before);
  await toWebhookDb(db).deleteFrom('webhook_delivery').where('finished_at', '<', time).execute();
}

/** Deletes events from before a time that have no deliveries left. */
export async function deleteOrphanedEvents(db: Db, before: Date): Promise<void> {
  await toWebhookDb(db)
    .deleteFrom('webhook_event')
    .where('created_at', '<', toMicros(before))
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
