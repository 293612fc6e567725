import { createHash } from 'node:crypto';
import type { Incident } from '../../../../contract/incidents.ts';
import { afterwards } from '../../../dispatch/answers/receipts.ts';
import type { Context } from '../../../dispatch/feature/context.ts';
import { type Settings, toWebUrl } from '../../../incident/state/settings.ts';
import { context, toMrkdwn, type Words } from '../../../text/blocks.ts';
import { cap } from '../../../text/words.ts';
import {
  type DashboardAddress,
  type OtherAddress,
  queryValue,
  type ShortAddress,
  toDashboardPath,
  writtenWindow,
} from './address.ts';
import { getDashboard, noDashboard, orMissing, readTarget } from './find.ts';
import { type IncidentSpan, outwards, type Span } from './incident-window.ts';
import { type Link, linkDashboard, maxCaption, titleOfAddress } from './link.ts';
import type { LinkTargets } from './link-targets.ts';
import { askWindow, type OfferedWindow } from './link-window.ts';
import { ownWindow, ownZone } from './own-window.ts';
import type { PinnedWindow } from './time-window.ts';
import { spanOf, type TypedWindow } from './typed-window.ts';

/** Links what was typed or chosen, pinned to its window. Where that is open, it is asked. */
export async function linkTargets(ctx: Context, incidentID: string, targets: LinkTargets): Promise<void> {
  const links: Found[] = [];
  let known: Incident | undefined;
  for (const address of targets.addresses) {
    // It needs nothing of the API, so that it is taken while the API is away.
    if (address.kind === 'other') {
      links.push(fromOther(address, incidentID, targets.words));
      continue;
    }
    known ??= (await ctx.deps.api.IncidentsService.GetIncident({ incidentID })).incident;
    const found =
      address.kind === 'short'
        ? await fromShort(ctx, address, known)
        : await fromDashboard(ctx, address, known, targets.window);
    if (typeof found === 'string') return ctx.reject(`I linked nothing: ${found}`);
    if ('windows' in found && (await askWindow(ctx, incidentID, found.link.title, found.windows))) return;
    links.push('windows' in found ? found.link : found);
  }
  const isTitled = targets.addresses.every(each => each.kind === 'other') && targets.words.length <= maxTitle;
  await linkAll(ctx, links, isTitled ? '' : targets.caption);
}

/** Most characters of a link's title. */
const maxTitle = 150;

/** An address that is no dashboard's, called as the person calls it. Nothing is fetched. */
function fromOther({ url }: OtherAddress, incidentID: string, words: string): Found {
  const title = cap(words, maxTitle) || titleOfAddress(url);
  return { incidentID, path: '', short: { uid: '', url }, isOther: true, title, tags: [], from: 0, to: 0, moved: '' };
}

/** Links them one after the other, and answers for all of them at once. */
async function linkAll(ctx: Context, links: readonly Found[], typedCaption: string): Promise<void> {
  const { name: addedBy, userId: addedByUser, teamId: addedByTeam } = ctx.actor;
  const told: Words[] = [];
  const isCut = typedCaption.length > maxCaption;
  for (const [at, link] of links.entries()) {
    const { incidentID } = link;
    const key = `dash/${incidentID}/${digest(link.path || (link.isOther ? (link.short?.url ?? '') : `goto/${link.short?.uid}`))}`;
    const caption = cap(typedCaption, maxCaption);
    const payload = { ...link, caption, addedBy, addedByUser, addedByTeam, askedAt: ctx.now.toISOString() };
    const hasMore = at + 1 < links.length;
    const outcome = await ctx.submit(linkDashboard, payload, { incidentID, key, hasMore });
    if (outcome.state !== 'done') await ctx.answerNotDone(linkDashboard, payload, outcome);
    else told.push(withNotice(await afterwards(ctx, linkDashboard, payload, outcome), isCut && !outcome.repeated));
  }
  if (told.length === 0) return;
  await ctx.answer({
    text: told.map(each => each.text).join('\n'),
    blocks: told.flatMap(each => each.blocks ?? []),
  });
}

function withNotice({ text, blocks = [] }: Words, isCut: boolean): Words {
  return isCut ? { text: `${text}\n${cutNotice}`, blocks: [...blocks, context(cutNotice)] } : { text, blocks };
}

const cutNotice = `What it shows has more than ${maxCaption} characters, so it ends early. Put the rest in a note.`;

type Found = Omit<Link, 'caption' | 'addedBy' | 'addedByUser' | 'addedByTeam' | 'askedAt'>;

/** A dashboard whose window moves with the clock, and the windows that it may be pinned to. */
interface Movable {
  readonly link: Found;
  readonly windows: Readonly<Record<OfferedWindow, PinnedWindow>>;
}

/** The dashboard with its window pinned as it was chosen, or as it may be; or why there is none, in mrkdwn. */
async function fromDashboard(
  { deps, now, actor }: Context,
  address: DashboardAddress,
  incident: Incident,
  chosen: TypedWindow | undefined,
): Promise<Found | Movable | string> {
  const found = await getDashboard(deps.api, address.uid);
  if (!found) return noDashboard(address.uid);
  const { dashboard, meta } = found;
  const written = writtenWindow(address.query);
  const own = ownWindow(dashboard);
  const zone = queryValue(address.query, 'timezone') || ownZone(dashboard);
  const timeZone = zone === '' || zone === 'browser' ? actor.timeZone : zone === 'utc' ? 'UTC' : zone;
  const { pinWindow } = await import('./time-window.ts'); // here: it brings a calendar, which no start needs
  const reading = { now, timeZone, incident: toSpan(incident, now), own };
  const around = pinWindow(written, reading);
  const pasted = pinWindow(written, { ...reading, isExact: true });
  for (const each of [around, pasted]) if ('problem' in each) return toMrkdwn(each.problem);
  // A time of day is the person's own, whatever zone the dashboard has.
  const said = { now, timeZone: actor.timeZone, incident: reading.incident };
  const spoken = chosen && chosen.kind !== 'pasted' ? spanOf(chosen, said) : undefined;
  if (spoken && 'problem' in spoken) return toMrkdwn(spoken.problem);
  const last = (minutes: number) => ({ ...lastSpan(now, minutes), isPinned: true });
  const windows = { around, pasted, '15m': last(15), '1h': last(60), '3h': last(180) } as Movable['windows'];
  const slug = /^[\w-]+$/.test(meta.slug) ? meta.slug : address.slug;
  const ends = [written.from || own.from, written.to || own.to].map(end => toMrkdwn(end, 60));
  const window = spoken ? { ...spoken, isPinned: true } : windows[chosen?.kind === 'pasted' ? 'pasted' : 'around'];
  const link = {
    incidentID: incident.incidentID,
    path: toDashboardPath({ ...address, slug }, window),
    dashboard: address.uid,
    title: dashboard.title,
    tags: dashboard.tags,
    from: window.from,
    to: window.to,
    moved: window.isPinned ? ends.join(' to ') : '',
  };
  return chosen === undefined && windows.around.isPinned ? { link, windows } : link;
}

function lastSpan(now: Date, minutes: number): Span {
  return outwards(now.getTime() - minutes * 60_000, now.getTime());
}

/** The dashboard behind a short link, which stays as it is. */
async function fromShort({ deps }: Context, address: ShortAddress, incident: Incident): Promise<Found | string> {
  const location = await orMissing(deps.api.ShortUrls.goto({ uid: address.uid }));
  if (!location)
    return `There is no short link “${toMrkdwn(address.uid, 60)}”. Short links that nobody opens are removed after a week.`;
  const target = readTarget(location.location, deps.settings);
  const found = target && (await getDashboard(deps.api, target.uid));
  if (target && !found) return noDashboard(target.uid);
  const written = target ? writtenWindow(target.query) : { from: '', to: '' };
  const [from, to] = [Number(written.from), Number(written.to)];
  const isFixed = from > 0 && to > from;
  return {
    incidentID: incident.incidentID,
    path: '',
    short: { uid: address.uid, url: address.url || shortUrl(location.location, address.uid, deps.settings) },
    target: toPath(location.location, deps.settings),
    ...(target ? { dashboard: target.uid } : {}),
    title: found?.dashboard.title || 'a short link',
    tags: found?.dashboard.tags ?? [],
    from: isFixed ? from : 0,
    to: isFixed ? to : 0,
    moved: /^now/.test(written.from) ? `${toMrkdwn(written.from, 60)} to ${toMrkdwn(written.to || 'now', 60)}` : '',
  };
}

function shortUrl(location: string, uid: string, settings: Settings): string {
  return URL.canParse(location) && settings.webUrl === ''
    ? `${new URL(location).origin}/goto/${uid}`
    : toWebUrl(settings, `goto/${uid}`) || `/goto/${uid}`;
}

/** The path of an address, relative to the root. */
function toPath(location: string, { webUrl }: Settings): string {
  const root = webUrl === '' ? '' : new URL(webUrl).pathname.replace(/\/+$/, '');
  const { pathname, search } = URL.parse(location) ?? { pathname: location, search: '' };
  const path = pathname.startsWith(`${root}/`) ? pathname.slice(root.length) : pathname;
  return `${path.replace(/^\/+/, '')}${search}`;
}

function toSpan(incident: Incident, now: Date): IncidentSpan {
  const start = toDate(incident.incidentStart) ?? toDate(incident.createdTime) ?? now;
  const end = toDate(incident.incidentEnd) ?? toDate(incident.closedTime) ?? now;
  return { start, end: incident.status === 'resolved' ? end : undefined };
}

function toDate(time: string): Date | undefined {
  const date = new Date(time);
  return time === '' || Number.isNaN(date.getTime()) ? undefined : date;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
