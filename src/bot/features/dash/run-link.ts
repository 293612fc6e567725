import { createHash } from 'node:crypto';
import type { Incident } from '../../../contract/incidents.ts';
import type { Context } from '../../dispatch/context.ts';
import { afterwards } from '../../dispatch/receipts.ts';
import type { Args } from '../../grammar/grammar.ts';
import { type HouseRules, toWebUrl } from '../../incident/house-rules.ts';
import { context, toMrkdwn } from '../../text/blocks.ts';
import { cap, toOneLine } from '../../text/words.ts';
import {
  type DashboardAddress,
  queryValue,
  readDashboardAddress,
  type ShortAddress,
  toDashboardPath,
  writtenWindow,
} from './address.ts';
import { type Link, linkDashboard, maxCaption } from './link.ts';
import { getDashboard, noDashboard, orMissing, readTarget } from './look-up.ts';
import { ownWindow } from './own-window.ts';
import type { IncidentSpan } from './time-window.ts';

/** `/dash link`. */
export async function runLink(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const [typed = '', ...rest] = args.words;

  const address = readDashboardAddress(typed, ctx.deps.house);
  if (address.kind === 'none') return ctx.reject(`I linked nothing. ${toMrkdwn(address.problem, 1000)}`);
  const typedCaption = toOneLine(rest.join(' '));
  const { incident } = await ctx.deps.api.IncidentsService.GetIncident({ incidentID });
  const link =
    address.kind === 'short' ? await fromShort(ctx, address, incident) : await fromDashboard(ctx, address, incident);
  if (typeof link === 'string') return ctx.reject(`I linked nothing. ${link}`);
  const key = `dash/${incidentID}/${digest(link.path || `goto/${address.uid}`)}`;
  const { name: addedBy, userId: addedByUser, teamId: addedByTeam } = ctx.actor;
  const payload = {
    ...link,
    caption: cap(typedCaption, maxCaption),
    addedBy,
    addedByUser,
    addedByTeam,
    askedAt: ctx.now.toISOString(),
  };
  const outcome = await ctx.submit(linkDashboard, payload, { incidentID, key });
  if (outcome.state !== 'done') return ctx.answerNotDone(linkDashboard, payload, outcome);
  const { text, blocks = [] } = await afterwards(ctx, linkDashboard, payload, outcome);
  const isCut = typedCaption.length > maxCaption && !outcome.repeated;
  if (isCut) await ctx.answer({ text: `${text}\n${cutNotice}`, blocks: [...blocks, context(cutNotice)] });
  else await ctx.answer({ text, blocks });
}

const cutNotice = `What it shows has more than ${maxCaption} characters, so it ends early. Put the rest in a note.`;

type Found = Omit<Link, 'caption' | 'addedBy' | 'addedByUser' | 'addedByTeam' | 'askedAt'>;

/** The dashboard with its window pinned, or why there is none, in mrkdwn. */
async function fromDashboard(
  { deps, now, actor }: Context,
  address: DashboardAddress,
  incident: Incident,
): Promise<Found | string> {
  const found = await getDashboard(deps.api, address.uid);
  if (!found) return noDashboard(address.uid);
  const { dashboard, meta } = found;
  const written = writtenWindow(address.query);
  const own = ownWindow(dashboard.time);
  const zone = queryValue(address.query, 'timezone') || dashboard.timezone;
  const timeZone = zone === '' || zone === 'browser' ? actor.timeZone : zone === 'utc' ? 'UTC' : zone;
  const { pinWindow } = await import('./time-window.ts'); // here: it brings a calendar, which no start needs
  const window = pinWindow(written, { now, timeZone, incident: toSpan(incident, now), own });
  if ('problem' in window) return toMrkdwn(window.problem);
  const slug = /^[\w-]+$/.test(meta.slug) ? meta.slug : address.slug;
  const spoken = [written.from || own.from, written.to || own.to].map(end => toMrkdwn(end, 60));
  return {
    incidentID: incident.incidentID,
    path: toDashboardPath({ ...address, slug }, window),
    dashboard: address.uid,
    title: dashboard.title,
    tags: dashboard.tags,
    from: window.from,
    to: window.to,
    moved: window.isPinned ? spoken.join(' to ') : '',
  };
}

/** The dashboard behind a short link, which stays as it is. */
async function fromShort({ deps }: Context, address: ShortAddress, incident: Incident): Promise<Found | string> {
  const location = await orMissing(deps.api.ShortUrls.goto({ uid: address.uid }));
  if (!location)
    return `There is no short link “${toMrkdwn(address.uid, 60)}”. Short links that nobody opens are removed after a week.`;
  const target = readTarget(location.location, deps.house);
  const found = target && (await getDashboard(deps.api, target.uid));
  if (target && !found) return noDashboard(target.uid);
  const written = target ? writtenWindow(target.query) : { from: '', to: '' };
  const [from, to] = [Number(written.from), Number(written.to)];
  const isFixed = from > 0 && to > from;
  return {
    incidentID: incident.incidentID,
    path: '',
    short: { uid: address.uid, url: address.url || shortUrl(location.location, address.uid, deps.house) },
    ...(target ? { dashboard: target.uid } : {}),
    title: found?.dashboard.title || 'a short link',
    tags: found?.dashboard.tags ?? [],
    from: isFixed ? from : 0,
    to: isFixed ? to : 0,
    moved: /^now/.test(written.from) ? `${toMrkdwn(written.from, 60)} to ${toMrkdwn(written.to || 'now', 60)}` : '',
  };
}

function shortUrl(location: string, uid: string, house: HouseRules): string {
  return URL.canParse(location) && house.webUrl === ''
    ? `${new URL(location).origin}/goto/${uid}`
    : toWebUrl(house, `goto/${uid}`) || `/goto/${uid}`;
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
