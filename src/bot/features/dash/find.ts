import { z } from 'zod';
import type { Api } from '../../../contract/contract.ts';
import type { Dashboards } from '../../../contract/dashboards.ts';
import type { CallOptions } from '../../../contract/define.ts';
import { RpcError } from '../../../contract/errors.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import { incidentsHere } from '../../incident/acts/incidents-here.ts';
import { readRecent } from '../../incident/acts/read-incident.ts';
import { fold } from '../../incident/state/roles.ts';
import type { Settings } from '../../incident/state/settings.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { NotVisible } from '../../people/visibility.ts';
import { actions, toMrkdwn } from '../../text/blocks.ts';
import { toOneLine } from '../../text/words.ts';
import { type DashboardAddress, isUid, readDashboardAddress } from './address.ts';
import type { WrittenWindow } from './time-window.ts';

/** A dashboard as the API has it at this moment. */
export type Dashboard = z.output<typeof Dashboards.get.output>;

/** The dashboard of that uid; undefined when the API does not have it. Throws other errors. */
export function getDashboard(api: Api, uid: string, call?: CallOptions): Promise<Dashboard | undefined> {
  return orMissing(api.Dashboards.get({ uid }, call));
}

/** Undefined when the API does not have it. Throws other errors. */
export async function orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcError && error.code === 'not_found') return undefined;
    throw error;
  }
}

const end = (usual: string) => z.union([z.string().trim().min(1), z.number().transform(String)]).catch(usual);
const OwnTime = z.object({ from: end('now-6h'), to: end('now') });
const OwnZone = z.object({ timezone: z.string() });

/** A dashboard's own window, in either form of a model; Grafana's default for an end that the model does not have. */
export function ownWindow({ time, timeSettings }: Readonly<Record<string, unknown>>): WrittenWindow {
  return OwnTime.catch({ from: 'now-6h', to: 'now' }).parse(time ?? timeSettings);
}

/** A dashboard's own time zone, in either form of a model; `""` for none. */
export function ownZone({ timezone, timeSettings }: Readonly<{ timezone: string } & Record<string, unknown>>): string {
  return timezone || (OwnZone.safeParse(timeSettings).data?.timezone ?? '');
}

interface LinkedDashboard {
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

/** Incidents, the latest changed, whose timelines are read too, after those of the channel. */
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
  const readAll = async (incidents: readonly string[]) => {
    const known = incidents.filter(id => !isProvisional(id));
    return (await Promise.all(known.map(id => readLinkedOf(ctx, id))))
      .flat()
      .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
  };
  return (await Promise.all([readAll(first), readAll(others)])).flat();
}

async function readLinkedOf({ deps: { api } }: Context, incidentID: string): Promise<readonly LinkedDashboard[]> {
  const query = { incidentID, activityKind: ['userNote' as const], orderDirection: 'DESC' as const, limit: mostNotes };
  try {
    const { activityItems } = await api.ActivityService.QueryActivity({ query });
    return activityItems.flatMap(({ body, fieldValues, eventTime: at }) => {
      const [, title, url] = linkLine.exec(body) ?? [];
      const { source, dashboard, addedBy } = fieldValues;
      if (source !== 'dashboard' || !title || !url || !/^https?:\/\//.test(url)) return [];
      const uid = typeof dashboard === 'string' && isUid(dashboard) ? dashboard : '';
      return [{ uid, title, url, incidentID, at, by: typeof addedBy === 'string' ? addedBy : '' }];
    });
  } catch (error) {
    // It was hidden or removed after it was listed.
    if (error instanceof NotVisible || (error instanceof RpcError && error.code === 'not_found')) return [];
    throw error;
  }
}

/** The first line of the note that `dash.link` writes. */
const linkLine = /^Dashboard “(.*)”: (\S+)$/m;

/** A dashboard by its title. */
export interface TitledDashboard {
  readonly uid: string;
  readonly title: string;
  readonly tags?: readonly string[];
}

/** Dashboards that a search gives at most. */
const mostFound = 100;

/**
 * The dashboards that were linked lately, and those that the API finds by a part of their title (`""`: all), each once. `isRefused`: the
 * API does not let Muster search.
 */
export async function readTitles(
  ctx: Context,
  part: string,
): Promise<{ readonly known: readonly TitledDashboard[]; readonly isRefused: boolean }> {
  const [linked, found] = await Promise.all([readLinked(ctx), searchTitles(ctx, part)]);
  const all = [...linked.filter(each => each.uid !== ''), ...(found ?? [])];
  const known = all.filter((one, at) => all.findIndex(other => other.uid === one.uid) === at);
  return { known, isRefused: found === undefined };
}

/** The dashboards whose titles hold a text; undefined where the API refuses to search. Throws the RpcError while it is away. */
async function searchTitles({ deps: { api }, log }: Context, query: string) {
  try {
    const hits = await api.Search.find({ query, type: 'dash-db', limit: String(mostFound) });
    return hits.filter(each => each.type === 'dash-db' && each.uid !== '');
  } catch (error) {
    if (!(error instanceof RpcError) || error.retryable) throw error;
    log.warn({ err: error }, 'dash: the API does not let Muster search for dashboards');
    return undefined;
  }
}

/** The way to a dashboard that a person did not name well (mrkdwn). */
const otherWay = 'Type its title, or paste its address from the browser.';

/** Says that no dashboard of that title is known, and why none could be searched for, in mrkdwn. */
export function noTitle({ deps: { settings } }: Context, typed: string, isRefused: boolean): string {
  const title = toMrkdwn(typed, 100);
  return isRefused
    ? `${settings.apiName} does not let Muster search for dashboards, and none that was linked recently is “${title}”. Paste its address from the browser, or type its uid.`
    : `I know no dashboard “${title}”. ${otherWay}`;
}

/** Says that no dashboard has that uid, in mrkdwn. */
export function noDashboard(uid: string): string {
  return `There is no dashboard with the uid “${toMrkdwn(uid, 60)}”. ${otherWay}`;
}

/** The dashboard behind an address that the API itself gave; undefined when it is something else. */
export function readTarget(location: string, settings: Settings): DashboardAddress | undefined {
  const hosts = URL.canParse(location) ? [new URL(location).host] : [];
  const { dashboardHosts } = settings;
  const target = readDashboardAddress(location, { ...settings, dashboardHosts: [...dashboardHosts, ...hosts] });
  return target.kind === 'dashboard' ? target : undefined;
}

/** Dashboards that are offered at most where a title is not clear. */
export const mostNear = 5;

/** The button that shows a dashboard, as it looks. */
export const showFace = { id: 'dash.show', label: 'Show' } as const;

/**
 * The dashboard that was typed: by uid, by address, by short link, or by its title. Undefined after the person was told that there is
 * none; buttons show those that they may mean.
 */
export async function findTyped(ctx: Context, typed: string): Promise<Dashboard | undefined> {
  const { api, settings } = ctx.deps;
  const address = readDashboardAddress(typed, settings);
  if (address.kind === 'dashboard') {
    const found = await getDashboard(api, address.uid);
    if (found) return found;
  }
  if (address.kind === 'short') {
    const location = await orMissing(api.ShortUrls.goto({ uid: address.uid }));
    const target = location && readTarget(location.location, settings);
    const found = target && (await getDashboard(api, target.uid));
    if (!found) await ctx.reject(`No dashboard is behind the short link “${toMrkdwn(address.uid, 60)}”.`);
    return found;
  }
  const isTitle = typed.trim() !== '' && !typed.includes('/');
  const { known, isRefused } = isTitle ? await readTitles(ctx, typed.trim()) : { known: [], isRefused: false };
  const [only, ...others] = known.filter(one => fold(one.title) === fold(typed));
  const isClear = only !== undefined && others.length === 0;
  const found = isClear ? await getDashboard(api, only.uid) : undefined;
  if (found) return found;
  const near = only ? [only, ...others] : known.filter(one => fold(one.title).includes(fold(typed)));
  const problem =
    address.kind === 'dashboard' && !isRefused
      ? noDashboard(address.uid)
      : address.kind === 'none' && !isTitle
        ? toMrkdwn(address.problem, 1000)
        : noTitle(ctx, typed, isRefused);
  const offered = isClear ? [] : near.slice(0, mostNear);
  await ctx.reject(
    problem,
    offered.map(({ uid, title }) => actions([pressable(showFace, { uid }, { label: toOneLine(title) || uid })])),
  );
  return undefined;
}
