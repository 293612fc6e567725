import type { ActivityItem } from '../../contract/activity.ts';
import type { Incident } from '../../contract/incidents.ts';
import type { Context } from '../call/context.ts';
import { listActivity } from '../incidents/list.ts';
import { type Show, shown, startAt } from './timeline-items.ts';

/** Timeline items on one page. */
const pageSize = 500;
/** The most items of which a resolved incident shows all without being asked. */
const mostUnasked = 60;

/** The part of a timeline on the page: which items, in which order, and from where on. */
export interface TimelinePart {
  readonly show: Show;
  readonly order: 'newest' | 'oldest';
  /** The cursor where it begins; `""` for the end of the order. */
  readonly after: string;
  /** The id of the item where it begins; `""` for none. */
  readonly at: string;
}

/**
 * The part that an address asks for. Unasked, an active incident has its newest items first, and a resolved one its oldest; of a long
 * resolved one, the key moments. An address of one item shows everything around it.
 */
export function readPart(
  query: URLSearchParams,
  { status }: Pick<Incident, 'status'>,
  counts: Readonly<Record<Show, number>>,
): TimelinePart {
  const asked = query.get('show');
  const at = query.get('at') ?? '';
  const isLong = status === 'resolved' && counts.all > mostUnasked && at === '';
  const order = query.get('order') ?? '';
  return {
    show:
      asked === 'key' || asked === 'all' || asked === 'notes' || asked === 'changes' ? asked : isLong ? 'key' : 'all',
    order: order === 'newest' || order === 'oldest' ? order : status === 'resolved' ? 'oldest' : 'newest',
    after: query.get('after') ?? '',
    at,
  };
}

/** The address of a part of the timeline on the page of an incident; members that are `""` are left out. */
export function toAddress(address: string, part: Partial<TimelinePart>): string {
  const members = Object.entries(part).filter(([, value]) => value !== '');
  return members.length === 0 ? address : `${address}?${new URLSearchParams(members)}`;
}

/** The items of a part, and the cursor of the next page, `""` when this is the last. Throws `invalid_argument`. */
export async function readItems(
  context: Context,
  incidentID: string,
  part: TimelinePart,
): Promise<{ items: readonly ActivityItem[]; next: string }> {
  const where = part.at === '' ? shown[part.show] : await startAt(context, incidentID, part);
  const { activityItems: items, cursor } = await listActivity(
    context,
    {
      query: {
        ...{ incidentID, tag: '', limit: pageSize, activityKind: [] },
        orderDirection: part.order === 'newest' ? 'DESC' : 'ASC',
      },
      cursor: { nextValue: part.after, hasMore: false },
    },
    // The next page belongs to the same list, wherever this one began.
    { name: part.show, where },
  );
  return { items, next: cursor.nextValue };
}
