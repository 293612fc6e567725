import type { ActivityService } from '../../contract/activity.ts';
import type { Implementation } from '../../contract/define.ts';
import type { Context } from '../call/context.ts';
import { invalidArgument, notFound } from '../call/errors.ts';
import { readTime } from '../call/input.ts';
import { maxNesting, nestsDeeper } from '../call/json-depth.ts';
import { toActivityItems } from '../store/activity-items.ts';
import { keepNamedLinks } from '../store/named-links.ts';
import type { ActivityRow } from '../store/tables.ts';
import { toMicros } from '../store/time.ts';
import { findIncident } from './find.ts';
import { findLinks } from './links.ts';
import { listActivity } from './list.ts';
import { addItems, type NewTimelineItem, recordEvent } from './record-event.ts';

/** ActivityService on the database (docs/api-rules.md A5). */
export const activity: Implementation<typeof ActivityService, Context> = {
  async AddActivity(context, input) {
    const incident = await findIncident(context, input.incidentID);
    const body = requireBody(input.body);
    const eventAt = readTime('eventTime', input.eventTime, toMicros(context.now));
    const links = findLinks(body);
    const { fieldValues } = input;
    if (nestsDeeper(fieldValues)) throw invalidArgument(`fieldValues must not nest deeper than ${maxNesting} levels`);
    const note: NewTimelineItem = {
      kind: 'userNote',
      body,
      fieldValues,
      immutable: false,
      eventAt,
      url: links[0] ?? '',
    };
    const [row] = await recordEvent(context, incident.id, { items: [note] });
    if (!row) throw notFound('activity item', '');
    await attachLinks(context, row, links);
    return await toItemAnswer(context, row);
  },
  QueryActivity: listActivity,
  async RemoveActivity(context, input) {
    const row = await findMutableItem(context, input);
    const answer = await toItemAnswer(context, row);
    await context.db.deleteFrom('activity').where('id', '=', row.id).execute();
    await recordEvent(context, row.incident_id, { items: [] });
    return answer;
  },
  async UpdateActivityBody(context, input) {
    const row = await findMutableItem(context, input);
    const body = requireBody(input.body);
    if (body === row.body) return await toItemAnswer(context, row);
    const links = findLinks(body);
    const news = { body, url: links[0] ?? '' };
    await context.db.updateTable('activity').set(news).where('id', '=', row.id).execute();
    await keepNamedLinks(context.db, [body], toMicros(context.now));
    await recordEvent(context, row.incident_id, { items: [] });
    await attachLinks(context, row, await withoutAttached(context, row, links));
    return await toItemAnswer(context, { ...row, ...news });
  },
  async UpdateActivityEventTime(context, input) {
    const row = await findMutableItem(context, input);
    const event_at = readTime('eventTime', input.eventTime, row.created_at);
    if (event_at === row.event_at) return await toItemAnswer(context, row);
    await context.db.updateTable('activity').set({ event_at }).where('id', '=', row.id).execute();
    await recordEvent(context, row.incident_id, { items: [] });
    return await toItemAnswer(context, { ...row, event_at });
  },
};

/** An item of an incident's timeline that may be changed; `not_found`, or a refusal when it is immutable (A5). */
async function findMutableItem(
  context: Context,
  address: { incidentID: string; activityItemID: string },
): Promise<ActivityRow> {
  const incident = await findIncident(context, address.incidentID);
  const row = await context.db
    .selectFrom('activity')
    .selectAll()
    .where('id', '=', address.activityItemID)
    .where('incident_id', '=', incident.id)
    .executeTakeFirst();
  if (!row) throw notFound('activity item', address.activityItemID);
  if (row.immutable === 1) throw invalidArgument('activity item is immutable');
  return row;
}

function requireBody(body: string): string {
  if (body.trim() === '') throw invalidArgument('body is required');
  return body;
}

async function toItemAnswer(context: Context, row: ActivityRow) {
  const [activityItem] = await toActivityItems(context, [row]);
  if (!activityItem) throw notFound('activity item', row.id);
  return { activityItem, error: '' };
}

/** Attaches links of a note as context, at the time the note speaks of. */
export async function attachLinks(context: Context, note: ActivityRow, links: readonly string[]): Promise<void> {
  const items = links.map((url): NewTimelineItem => {
    return {
      kind: 'contextAttached',
      body: url,
      fieldValues: { url, activityItemID: note.id },
      url,
      eventAt: note.event_at,
    };
  });
  await addItems(context, note.incident_id, items);
}

/** The links that are not attached to the note yet. */
async function withoutAttached(context: Context, note: ActivityRow, links: readonly string[]): Promise<string[]> {
  if (links.length === 0) return [];
  const rows = await context.db
    .selectFrom('activity')
    .select(['url', 'field_values'])
    .where('incident_id', '=', note.incident_id)
    .where('kind', '=', 'contextAttached')
    .execute();
  const seen = new Set(
    rows.filter(each => JSON.parse(each.field_values).activityItemID === note.id).map(each => each.url),
  );
  return links.filter(each => !seen.has(each));
}
