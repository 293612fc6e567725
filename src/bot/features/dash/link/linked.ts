import type { ActivityItem } from '../../../../contract/activity.ts';
import { RpcError } from '../../../../contract/errors.ts';
import type { Context } from '../../../dispatch/feature/context.ts';
import { incidentsHere } from '../../../incident/acts/incidents-here.ts';
import { readRecent } from '../../../incident/acts/read-incident.ts';
import { isProvisional } from '../../../journal/provisional-id.ts';
import { NotVisible } from '../../../people/visibility.ts';
import { isUid } from './address.ts';

/** A dashboard that a timeline links. */
export interface LinkedDashboard {
  /** `""` for a short link to something else. */
  readonly uid: string;
  readonly title: string;
  /** Its short link, which keeps its window. */
  readonly url: string;
  readonly incidentID: string;
  /** RFC 3339. */
  readonly at: string;
  readonly by: string;
}

/** Incidents, the latest changed, whose timelines are read besides those of the channel. */
const mostIncidents = 10;
/** Newest notes of an incident among which its dashboards are looked for. */
const mostNotes = 100;

/**
 * The dashboards that the timelines of the channel's incidents and of the latest changed ones link, newest first: those of the
 * channel before the others. The timelines are the source, and not the journal: they have the links of everybody, they outlive the
 * month that the journal keeps, and a note that was removed is gone. A person reads the incidents that they see. Throws RpcError.
 */
export async function readLinked(ctx: Context): Promise<readonly LinkedDashboard[]> {
  const { deps, actor, location, now } = ctx;
  const [here, recent] = await Promise.all([
    incidentsHere(deps, { teamId: actor.teamId, channelId: location.channelId }, now),
    readRecent(deps, mostIncidents, 'modifiedTime'),
  ]);
  const first = here.map(each => each.incidentID);
  const others = recent.map(each => each.incidentID).filter(each => !first.includes(each));
  const [own, rest] = await Promise.all([readAll(ctx, first), readAll(ctx, others)]);
  return [...own, ...rest];
}

async function readAll(ctx: Context, incidents: readonly string[]): Promise<readonly LinkedDashboard[]> {
  const each = await Promise.all(incidents.filter(id => !isProvisional(id)).map(id => readOf(ctx, id)));
  return each.flat().toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

async function readOf({ deps: { api } }: Context, incidentID: string): Promise<readonly LinkedDashboard[]> {
  const query = { incidentID, activityKind: ['userNote' as const], orderDirection: 'DESC' as const, limit: mostNotes };
  try {
    const { activityItems } = await api.ActivityService.QueryActivity({ query });
    return activityItems.flatMap(item => toLinked(item, incidentID) ?? []);
  } catch (error) {
    // It was hidden or removed after it was listed.
    if (error instanceof NotVisible || (error instanceof RpcError && error.code === 'not_found')) return [];
    throw error;
  }
}

/** The first line of the note that `dash.link` writes. */
const linkLine = /^Dashboard “(.*)”: (\S+)$/m;

function toLinked({ body, fieldValues, eventTime }: ActivityItem, incidentID: string): LinkedDashboard | undefined {
  const [, title, url] = linkLine.exec(body) ?? [];
  if (fieldValues.source !== 'dashboard' || !title || !url || !/^https?:\/\//.test(url)) return undefined;
  const { dashboard, addedBy } = fieldValues;
  const uid = toText(dashboard);
  return { uid: isUid(uid) ? uid : '', title, url, incidentID, at: eventTime, by: toText(addedBy) };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
