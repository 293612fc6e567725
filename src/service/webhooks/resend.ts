import { invalidArgument } from '../call/errors.ts';
import type { Db } from '../store/tables.ts';
import { toMicros } from '../store/time.ts';
import { todo, toWebhookDb } from '../store/webhooks.ts';

/*
 * What operators do with deliveries. A running service sends what is retried at its next look at the queue.
 */

/**
 * Puts deliveries back into their queue, at their old place, as if they had never been tried; one that waits is due at once. Leaves
 * out those of removed endpoints, and of private incidents where the endpoint does not hear of these. With neither a `seq` nor
 * an endpoint: all that were given up or wait. Returns how many.
 */
export async function retryDeliveries(
  db: Db,
  wanted: { readonly seq?: number | undefined; readonly endpointID?: number | undefined },
  now: Date,
): Promise<number> {
  const time = toMicros(now);
  let update = toWebhookDb(db)
    .updateTable('webhook_delivery')
    .set({ status: 'todo', attempts: 0, next_at: time, retried_at: time, finished_at: null })
    .where('status', 'in', ['todo', 'failed'])
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhook_endpoint as endpoint')
          .innerJoin('webhook_event as event', join => join.onTrue())
          .innerJoin('incident', 'incident.id', 'event.incident_id')
          .select('endpoint.id')
          .whereRef('endpoint.id', '=', 'webhook_delivery.endpoint_id')
          .whereRef('event.id', '=', 'webhook_delivery.event_id')
          .where('endpoint.removed_at', 'is', null)
          .where(({ or, eb }) => or([eb('endpoint.include_private', '=', 1), eb('incident.is_private', '=', 0)])),
      ),
    );
  if (wanted.seq !== undefined) update = update.where('seq', '=', wanted.seq);
  if (wanted.endpointID !== undefined) update = update.where('endpoint_id', '=', wanted.endpointID);
  const { numUpdatedRows } = await update.executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Gives up a waiting delivery, so that the next one is sent. Rejects when none of that number waits. */
export async function discardDelivery(db: Db, seq: number, now: Date): Promise<void> {
  const { numUpdatedRows } = await toWebhookDb(db)
    .updateTable('webhook_delivery')
    .set({ status: 'failed', outcome: 'discarded', finished_at: toMicros(now) })
    .where('seq', '=', seq)
    .where('status', '=', todo)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw invalidArgument(`no delivery ${seq} waits`);
}

/** Why a delivery cannot be retried, as the end of a sentence. */
export async function whyNotRetried(db: Db, seq: number): Promise<string> {
  const row = await toWebhookDb(db)
    .selectFrom('webhook_delivery as delivery')
    .innerJoin('webhook_endpoint as endpoint', 'endpoint.id', 'delivery.endpoint_id')
    .select(['delivery.status', 'endpoint.removed_at'])
    .where('delivery.seq', '=', seq)
    .executeTakeFirst();
  if (!row) return 'the log has no such delivery';
  if (row.status === 'success') return 'it was delivered';
  return row.removed_at === null
    ? 'its incident is private, and the endpoint hears of no private ones'
    : 'its endpoint was removed';
}
