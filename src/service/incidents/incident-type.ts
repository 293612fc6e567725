import { RpcError } from '../../contract/errors.ts';
import { incidentTypeHeader } from '../../contract/incident-type.ts';
import type { Context } from '../call/context.ts';
import { toMicros } from '../store/time.ts';
import { todo, toWebhookDb } from '../store/webhooks.ts';
import { findIncident } from './find.ts';
import { recordEvent } from './record-event.ts';
import { isVisible } from './visibility.ts';

/**
 * Gives an incident the type that the call asks for, before the change that the call makes (docs/api-rules.md A6, Private incidents).
 * Only Admins show an incident to more people, or hide it from themselves; throws `permission_denied` for others.
 */
export async function giveType(context: Context, { incidentID }: { readonly incidentID: string }): Promise<void> {
  if (context.incidentType === undefined) return;
  const row = await findIncident(context, incidentID);
  const is_private = context.incidentType === 'private' ? 1 : 0;
  if (is_private === row.is_private) return;
  if (is_private === 0 && context.caller.role !== 'Admin')
    throw refusal('Only a token with the role Admin opens a private incident to everybody');
  await recordEvent(context, row.id, { change: { is_private }, items: [] });
  if (is_private === 0) return;
  if (!(await isVisible(context, { ...row, is_private })))
    throw refusal(
      'You would not see this incident once it is private: take a role in it, or use a token with the role Admin',
    );
  await withholdWebhooks(context, row.id);
}

function refusal(why: string): RpcError {
  return new RpcError('permission_denied', `${why}. Nothing was done. The header ${incidentTypeHeader} asked for it.`);
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
