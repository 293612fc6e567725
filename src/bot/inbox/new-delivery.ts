import type { Plan, Received } from '../dispatch/feature/arrival.ts';
import type { DeliveryBody } from '../dispatch/feature/delivery.ts';
import type { NewDelivery } from './delivery-rows.ts';

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
  return 'run' in plan && plan.mayChange && location.channelId !== '';
}
