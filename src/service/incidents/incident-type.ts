import type { Context } from '../call/context.ts';
import { todo, toWebhookDb } from '../store/003-webhooks.ts';
import { toMicros } from '../store/time.ts';
import { findIncident } from './find.ts';
import { recordEvent } from './record-event.ts';

type Change<I, O> = (context: Context, input: I) => Promise<O>;

/**
 * The change, which also gives its incident the type that the call asks for (docs/api-rules.md A6, Private incidents). Only
 * callers who may act for others may change a type.
 */
export function withType<I extends { readonly incidentID: string }, O>(change: Change<I, O>): Change<I, O> {
  return async (context, input) => {
    if (context.incidentType !== undefined && context.caller.role === 'Admin')
      await changeType(context, input.incidentID);
    return await change(context, input);
  };
}

async function changeType(context: Context, incidentID: string): Promise<void> {
  const { id, is_private: before } = await findIncident(context, incidentID);
  const is_private = context.incidentType === 'private' ? 1 : 0;
  if (is_private === before) return;
  await recordEvent(context, id, { change: { is_private }, items: [] });
  if (is_private === 1) await withholdWebhooks(context, id);
}

/** Fails the waiting deliveries that tell of an incident to endpoints which do not hear of private ones. */
async function withholdWebhooks({ db, now }: Context, incidentID: number): Promise<void> {
  await toWebhookDb(db)
    .updateTable('webhook_delivery')
    .set({ status: 'failed', outcome: 'the incident became private', finished_at: toMicros(now) })
    .where('status', '=', todo)
    .where('event_id', 'in', all => all.selectFrom('webhook_event').select('id').where('incident_id', '=', incidentID))
    .where('endpoint_id', 'in', all => all.selectFrom('webhook_endpoint').select('id').where('include_private', '=', 0))
    .execute();
}
