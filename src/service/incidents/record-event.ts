import type { Expression } from 'kysely';
import type { ActivityKind } from '../../contract/activity.ts';
import { definePrepared, type Params } from '../../db/prepared.ts';
import type { Context } from '../call/context.ts';
import { notFound } from '../call/errors.ts';
import { takeNumber, takeNumbers } from '../store/counters.ts';
import { keepNamedLinks } from '../store/named-links.ts';
import { type ActivityRow, type Db, fold, type IncidentRow } from '../store/tables.ts';
import { modifiedNow, toMicros } from '../store/time.ts';
import { enqueueWebhooks } from './webhook-outbox.ts';

/**
 * A new timeline item; docs/api-rules.md A4 says which one each change makes. Defaults: no subject, no link, made now,
 * immutable.
 */
export interface NewTimelineItem {
  readonly kind: ActivityKind;
  readonly body: string;
  readonly fieldValues: Readonly<Record<string, unknown>>;
  readonly subjectUserID?: string;
  readonly url?: string;
  readonly important?: boolean;
  readonly immutable?: boolean;
  /** Microseconds since 1970. */
  readonly eventAt?: number;
}

const touch = definePrepared((db: Db, value: Params<{ id: number; now: number }>) => update(db, value.id, value.now));

function update(db: Db, id: Expression<number> | number, now: Expression<number> | number) {
  return db
    .updateTable('incident')
    .set(({ eb }) => ({ modified_at: modifiedNow(now), version: eb('version', '+', 1) }))
    .where('id', '=', id);
}

/**
 * Records one change of an incident: sets its columns, raises its version and the home screen's, adds the items to its
 * timeline, and enqueues webhooks. The call has read the incident. Every operation that changes an incident, its labels, people, tasks or timeline ends here,
 * once.
 */
export async function recordEvent(
  context: Context,
  incidentID: number,
  event: {
    /** The columns of the incident that it sets in addition to its version and time of modification. */
    readonly change?: Partial<Omit<IncidentRow, 'id' | 'version' | 'modified_at' | 'created_at' | 'created_by'>>;
    readonly items: readonly NewTimelineItem[];
  },
): Promise<ActivityRow[]> {
  const { db, known } = context;
  const before = known.incidents.get(incidentID)?.row;
  if (!before) throw notFound('incident', String(incidentID));
  const now = toMicros(context.now);
  if (event.change) await update(db, incidentID, now).set(event.change).execute();
  else await touch(db, { id: incidentID, now });
  // No other call has changed it since this one read it, under the service's lock.
  const news = { modified_at: Math.max(before.modified_at, now), version: before.version + 1 };
  return await tellOf(context, { ...before, ...event.change, ...news }, event.items);
}

/** Tells of an incident as it is stored now: raises the home screen's version, adds the items to its timeline, and enqueues webhooks. */
export async function tellOf(
  context: Context,
  incident: IncidentRow,
  items: readonly NewTimelineItem[],
): Promise<ActivityRow[]> {
  context.known.incidents.set(incident.id, { row: incident });
  const [first] = await takeNumbers(context.db, ['activity', items.length], ['homescreen', 1]);
  const rows = await insertItems(context, incident.id, items, first);
  await enqueueWebhooks(context, incident, items);
  return rows;
}

const addItem = definePrepared((db: Db, value: Params<ActivityRow>) => db.insertInto('activity').values(value));

/** Rows of one statement. A note may bring thousands of links, and SQLite takes 32,766 values per statement. */
const maxRows = 500;

/** Adds items to a timeline, in order. */
export async function addItems(
  context: Context,
  incidentID: number,
  items: readonly NewTimelineItem[],
): Promise<ActivityRow[]> {
  if (items.length === 0) return [];
  return await insertItems(context, incidentID, items, await takeNumber(context.db, 'activity', items.length));
}

/** Adds items under the numbers from `first` on, which the counter `activity` gave. */
async function insertItems(
  context: Context,
  incidentID: number,
  items: readonly NewTimelineItem[],
  first: number,
): Promise<ActivityRow[]> {
  const now = toMicros(context.now);
  const rows = items.map(
    (item, index): ActivityRow => ({
      id: `activity-item-${first + index}`,
      seq: first + index,
      incident_id: incidentID,
      kind: item.kind,
      user_id: context.caller.userID,
      subject_user_id: item.subjectUserID ?? '',
      created_at: now,
      event_at: item.eventAt ?? now,
      body: item.body,
      url: item.url ?? '',
      context_folded: item.kind === 'contextAttached' ? fold(`${item.url ?? ''} ${item.body}`) : '',
      tags: JSON.stringify(item.important ? ['important'] : []),
      immutable: item.immutable === false ? 0 : 1,
      field_values: JSON.stringify(item.fieldValues),
    }),
  );
  for (let at = 0; at < rows.length; at += maxRows) {
    const [row, ...others] = rows.slice(at, at + maxRows);
    if (row && others.length === 0) await addItem(context.db, row);
    else if (row)
      await context.db
        .insertInto('activity')
        .values([row, ...others])
        .execute();
  }
  await keepNamedLinks(
    context.db,
    rows.flatMap(row => [row.body, row.url]),
    now,
  );
  return rows;
}
