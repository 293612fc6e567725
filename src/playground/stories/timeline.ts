import type { ApiClient } from '../../client/client.ts';
import { items } from '../../client/paging.ts';
import type { ActivityItem } from '../../contract/activity.ts';
import { table } from './page.ts';

/** Items on a page: few, so that the play turns pages. */
const pageSize = 5;

/** The whole timeline of an incident, oldest first, read page by page. */
export async function readTimeline(api: ApiClient, incidentID: string): Promise<ActivityItem[]> {
  const query = { incidentID, tag: '', limit: pageSize, orderDirection: 'ASC' as const, activityKind: [] };
  const timeline: ActivityItem[] = [];
  for await (const item of items(api.ActivityService.QueryActivity, 'activityItems', { query })) timeline.push(item);
  return timeline;
}

/** A timeline as rows: when, who, what kind of item, and its words. */
export function printTimeline(timeline: readonly ActivityItem[]): string[] {
  const rows = timeline.map(item => [
    item.eventTime.slice(11, 16),
    item.user.name || 'Muster',
    item.activityKind,
    item.body.replace(/\n+/g, '\n'),
  ]);
  return table([['TIME', 'WHO', 'KIND', 'WHAT'], ...rows]);
}
