import { randomBytes } from 'node:crypto';
import type { ActivityKind } from '../../contract/activity.ts';
import type { OutgoingWebhookPayload, WebhookEvent } from '../../contract/webhooks.ts';
import type { Context } from '../call/context.ts';
import { parseQuery } from '../query/parse.ts';
import { findWhere } from '../query/where.ts';
import { takeNumber } from '../store/counters.ts';
import type { IncidentRow } from '../store/tables.ts';
import { formatTime, toMicros, toWholeSecond } from '../store/time.ts';
import { toWebhookDb } from '../store/webhooks.ts';
import { readIncident } from './find.ts';

/** What a timeline item says of a change, as far as webhooks tell of it. */
interface RecordedChange {
  readonly kind: ActivityKind;
  readonly fieldValues: Readonly<Record<string, unknown>>;
}

/** The webhook event of a change; undefined for changes that webhooks do not tell of (docs/api-rules.md A11, Events). */
function toEvent({ kind, fieldValues }: RecordedChange): WebhookEvent | undefined {
  switch (kind) {
    case 'incidentCreated':
      return 'grafana.incident.created';
    case 'incidentStatusChanged':
      return fieldValues.status === 'resolved' ? 'grafana.incident.closed' : 'grafana.incident.updated.status';
    case 'incidentTitleChanged':
      return 'grafana.incident.updated.title';
    case 'incidentSeverityChanged':
      return 'grafana.incident.updated.severity';
    case 'roleAssigned':
    case 'roleUnassigned':
      return 'grafana.incident.updated.role';
    case 'labelAdded':
      return 'grafana.incident.added.label';
    case 'labelRemoved':
      return 'grafana.incident.removed.label';
    default:
      return undefined;
  }
}

/**
 * Enqueues the webhooks of a change, in its transaction, with the incident as the change leaves it. Costs one query when there
 * is no endpoint, and none for changes that webhooks do not tell of.
 */
export async function enqueueWebhooks(
  context: Context,
  incident: IncidentRow,
  changes: readonly RecordedChange[],
): Promise<void> {
  const events = changes.map(toEvent).filter(each => each !== undefined);
  if (events.length === 0) return;
  const endpoints = await findEndpoints(context, incident);
  if (endpoints.length === 0) return;
  const db = toWebhookDb(context.db);
  const now = toMicros(context.now);
  const whole = await readIncident(context, incident.id);
  const rows = events.map(event => {
    const id = `webhook-out-${randomBytes(12).toString('hex')}`;
    const body: OutgoingWebhookPayload = {
      version: 'v1.0.0',
      id,
      source: '/grafana/incident',
      time: formatTime(toWholeSecond(now)),
      event,
      incident: whole,
    };
    return { id, event, incident_id: incident.id, body: JSON.stringify(body), created_at: now };
  });
  await db.insertInto('webhook_event').values(rows).execute();
  const pairs = rows.flatMap(event => endpoints.map(endpointID => ({ event_id: event.id, endpoint_id: endpointID })));
  const first = await takeNumber(context.db, 'webhook_delivery', pairs.length);
  await db
    .insertInto('webhook_delivery')
    .values(
      pairs.map((pair, index) => ({
        ...pair,
        seq: first + index,
        status: 'todo' as const,
        attempts: 0,
        next_at: now,
        outcome: '',
        created_at: now,
        tried_at: null,
        finished_at: null,
        retried_at: null,
      })),
    )
    .execute();
  context.announce();
}

/** Ids of the endpoints whose query matches the incident, and of a private one only those that hear of private ones. */
async function findEndpoints(context: Context, { id }: IncidentRow): Promise<number[]> {
  const endpoints = await toWebhookDb(context.db)
    .selectFrom('webhook_endpoint')
    .select(['id', 'query'])
    .where('removed_at', 'is', null)
    .where(({ or, eb, selectFrom, not, exists }) =>
      or([
        eb('include_private', '=', 1),
        not(exists(selectFrom('incident').select('incident.id').where('id', '=', id).where('is_private', '=', 1))),
      ]),
    )
    .orderBy('id')
    .execute();
  const wanted: number[] = [];
  for (const endpoint of endpoints) {
    if (endpoint.query === '' || (await answers(context, id, endpoint.query))) wanted.push(endpoint.id);
  }
  return wanted;
}

async function answers(context: Context, incidentID: number, query: string): Promise<boolean> {
  const where = await findWhere(context.db, parseQuery(query), context.options);
  const row = await context.db
    .selectFrom('incident')
    .select('id')
    .where('id', '=', incidentID)
    .where(where)
    .executeTakeFirst();
  return row !== undefined;
}
