import { sql } from 'kysely';
import { definePrepared } from '../../db/prepared.ts';
import type { Plan, Received } from '../dispatch/feature/arrival.ts';
import type { DeliveryBody } from '../dispatch/feature/delivery.ts';
import type { DeliveryTable } from '../schema/deliveries.ts';
import type { BotTables } from '../schema/tables.ts';

/** A delivery from Slack, to be stored. */
export interface NewDelivery {
  readonly key: string;
  readonly kind: string;
  readonly body: string;
  readonly channelId: string;
  /** Later changes of its channel wait for it. */
  readonly blocksOrder: boolean;
}

/** A delivery that is stored. */
export interface StoredDelivery {
  /** It was stored now, and this process handles it. */
  readonly isNew: boolean;
  /** Its position in the order of all deliveries; 0 when it could not be stored. */
  readonly seq: number;
}

/** Stores a delivery behind all others, unless one of its key is stored. */
export const put = definePrepared<BotTables, Omit<DeliveryTable, 'seq'>, { seq: number }>((db, row) =>
  db
    .insertInto('bot_delivery')
    .values({
      ...row,
      seq: sql<number>`(select max(seq) from (
        select cast(${row.received_at} as bigint) as seq union all select max(seq) + 1 from bot_delivery
      ) as places)`,
    })
    .onConflict(conflict => conflict.column('key').doNothing())
    .returning('seq'),
);

/** A delivery as it is stored when it comes, leased to `owner`. */
export function toRow(
  { key, kind, body, channelId, blocksOrder }: NewDelivery,
  owner: string,
  now: Date,
): Omit<DeliveryTable, 'seq'> {
  return {
    ...{ key, kind, body, state: 'open' as const, attempts: 1, lease_owner: owner, heartbeat: 0, next_at: 0 },
    received_at: now.getTime(),
    channel_id: channelId,
    blocks_order: blocksOrder && channelId !== '' ? 1 : 0,
  };
}

/** A message that its author has edited, as a delivery of its own. */
export interface ReceivedEdit extends Received {
  /** When the message was written. */
  readonly writtenAt: Date;
}

/** A delivery as it is stored. */
export function toNewDelivery({ key, body, plan }: Received): NewDelivery {
  const { channelId } = body.location;
  return { key, kind: body.act.kind, body: JSON.stringify(body), channelId, blocksOrder: keepsOrder(plan, body) };
}

/** Whether later changes of its channel wait for a delivery. */
export function keepsOrder(plan: Plan, { location }: DeliveryBody): boolean {
  return mayChange(plan) && location.channelId !== '';
}

/** Whether a delivery may change something. */
export function mayChange(plan: Plan): boolean {
  return 'run' in plan && plan.mayChange;
}
