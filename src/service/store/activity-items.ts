import type { ActivityItem } from '../../contract/activity.ts';
import { parseJson } from '../../contract/exact-json.ts';
import type { Known } from './known.ts';
import { findPeople } from './people.ts';
import type { ActivityRow, Db } from './tables.ts';
import { formatTime } from './time.ts';

/** Timeline items of rows, in the rows' order, with one query for all people. */
export async function toActivityItems(
  context: { readonly db: Db; readonly known: Known },
  rows: readonly ActivityRow[],
): Promise<ActivityItem[]> {
  const personOf = await findPeople(
    context,
    rows.flatMap(each => [each.user_id, each.subject_user_id]),
  );
  return rows.map(row => ({
    activityItemID: row.id,
    incidentID: String(row.incident_id),
    user: personOf(row.user_id),
    subjectUser: personOf(row.subject_user_id),
    createdTime: formatTime(row.created_at),
    eventTime: formatTime(row.event_at),
    activityKind: row.kind,
    body: row.body,
    url: row.url,
    tags: JSON.parse(row.tags),
    immutable: row.immutable === 1,
    fieldValues: parseJson(row.field_values) as ActivityItem['fieldValues'],
    attachments: [],
    relevance: 'automatic',
  }));
}
