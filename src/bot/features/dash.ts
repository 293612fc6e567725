import { createHash } from 'node:crypto';
import { z } from 'zod';
import { RpcError } from '../../contract/errors.ts';
import type { Incident } from '../../contract/incidents.ts';
import { context, mention, said, section, sentence, type Words } from '../blocks.ts';
import {
  type DashboardAddress,
  queryValue,
  readDashboardAddress,
  type ShortAddress,
  toDashboardPath,
  writtenWindow,
} from '../dashboard-address.ts';
import type { Feature } from '../feature.ts';
import type { Args } from '../grammar.ts';
import { typedBack } from '../help.ts';
import { type HouseRules, toWebUrl } from '../house.ts';
import { type Aftermath, defineIntent } from '../journal/intent.ts';
import { addNote } from '../notes.ts';
import { explain } from '../refusal.ts';
import { slackReason } from '../slack.ts';
import { type IncidentSpan, pinWindow, type WrittenWindow } from '../time-window.ts';
import { formatUtc, toSlackDate } from '../times.ts';
import type { Turn } from '../turn.ts';
import { stripControls } from '../words.ts';

/** The most characters of what a person says about a dashboard. */
const maxCaption = 1000;

/** A dashboard to be linked. `from` and `to` are epoch milliseconds, 0 where the window is not known. */
const Link = z.object({
  incidentID: z.string(),
  /** What to shorten, relative to the service's root; `""` when it is short already. */
  path: z.string(),
  short: z.object({ uid: z.string(), url: z.string() }).optional(),
  title: z.string(),
  tags: z.array(z.string()),
  from: z.number(),
  to: z.number(),
  /** The window as it was written, when it moved with the clock; `""` otherwise. */
  moved: z.string(),
  caption: z.string(),
});
type Link = z.output<typeof Link>;

const Shortened = z.object({ uid: z.string(), url: z.string() });
type Shortened = z.output<typeof Shortened>;

const linkDashboard = defineIntent({
  kind: 'dash.link',
  payload: Link,
  result: Shortened,
  run: async ({ api, call }, { path, short }) => short ?? (await api.ShortUrls.create({ path }, call)),
  aim: ({ title }) => `link the dashboard “${title}”`,
  done: ({ url }, link, repeated): Words => {
    const name = `<${toSafeUrl(url)}|${label(link.title)}>`;
    const pinned = link.moved
      ? link.short
        ? ` Its window is ${link.moved}, which moves with the clock: link the dashboard’s full address to pin it.`
        : ` Its window was ${link.moved}, which moves with the clock, so I pinned it to ${windowWords(link)}.`
      : '';
    const short = link.short ? ' It is a short link already.' : '';
    return sentence(
      repeated
        ? `${name} is linked already to incident ${said(link.incidentID, 40)}. Nothing was posted or noted twice.`
        : `:link: ${name} is linked to incident ${said(link.incidentID, 40)}.${short}${pinned}`,
    );
  },
  follow: async (aftermath, shortened, link) => {
    const troubles = [
      await note(aftermath, shortened, link),
      aftermath.repeated ? undefined : await post(aftermath, shortened, link),
    ];
    return { notes: [], troubles: troubles.filter(each => each !== undefined) };
  },
});

/** Puts the short link on the timeline, once. Yields why it is not there. */
async function note({ desk, actor, place, now }: Aftermath, { uid, url }: Shortened, link: Link) {
  const { incidentID } = link;
  const text = [
    `Dashboard “${oneLine(link.title)}”: ${url}`,
    ...(link.from > 0 ? [`Shows ${formatUtc(new Date(link.from))} to ${formatUtc(new Date(link.to))}`] : []),
    ...(link.tags.length > 0 ? [`Tags: ${link.tags.map(oneLine).join(', ')}`] : []),
    ...(link.caption ? [link.caption] : []),
  ].join('\n');
  const outcome = await desk.journal.submit(addNote, {
    key: `note/${incidentID}/goto/${uid}`,
    renew: true,
    payload: {
      incidentID,
      text,
      eventTime: now.toISOString(),
      saidBy: '',
      addedBy: actor.name,
      addedByUser: actor.userId,
      permalink: '',
      source: 'dashboard',
    },
    people: { actor: await desk.people.toKnown(actor), others: [] },
    teamId: actor.teamId,
    userId: actor.userId,
    channelId: place.channelId,
    incidentID,
  });
  if (outcome.state === 'done') {
    desk.cards.refresh(incidentID);
    return undefined;
  }
  return `It is not on the timeline. ${explain(outcome.error)} The same command again adds only what is missing.`;
}

/** Shows the link to everybody where it was asked for, else in the incident's channel. Yields why nobody sees it. */
async function post({ desk, actor, place, log }: Aftermath, { url }: Shortened, link: Link) {
  const room = await desk.rooms.ofIncident(link.incidentID);
  const words = toPost(url, link, actor.userId);
  const message = { text: words.text, blocks: [...(words.blocks ?? [])], unfurl_links: false, unfurl_media: false };
  const thread = place.threadTs === '' ? {} : { thread_ts: place.threadTs };
  const places = [{ channel: place.channelId, ...thread }, { channel: room?.channelId ?? '' }].filter(
    (each, index, all) => each.channel !== '' && all.findIndex(other => other.channel === each.channel) === index,
  );
  for (const where of places) {
    try {
      await desk.slack.once.chat.postMessage({ ...where, ...message });
      return where.channel === place.channelId ? undefined : `I could not post here, so it is in <#${where.channel}>.`;
    } catch (error) {
      log.warn({ reason: slackReason(error), channel: where.channel }, 'a dashboard’s link could not be posted');
    }
  }
  return 'I could not post it for everybody: invite me with `/invite @Muster`, or pass this link on.';
}

function toPost(url: string, link: Link, userId: string): Words {
  const tags = link.tags.slice(0, 10).map(tag => `\`${said(oneLine(tag).replaceAll('`', "'"), 60)}\``);
  const facts = [
    ...(link.from > 0 ? [windowWords(link)] : []),
    `incident ${said(link.incidentID, 40)}`,
    `linked by ${mention(userId)}`,
  ];
  const title = `:bar_chart: <${toSafeUrl(url)}|${label(link.title)}>${tags.length > 0 ? ` ${tags.join(' ')}` : ''}`;
  return {
    text: `Dashboard ${label(link.title)}: ${toSafeUrl(url)}`,
    blocks: [
      section(title),
      ...(link.caption ? [section(said(link.caption, maxCaption))] : []),
      context(facts.join(' · ')),
    ],
  };
}

function windowWords({ from, to }: Pick<Link, 'from' | 'to'>): string {
  return `${toSlackDate(new Date(from))} to ${toSlackDate(new Date(to))}`;
}

/** A title inside a Slack link, where `|` and line ends would break it. */
function label(title: string): string {
  return said(oneLine(title).replaceAll('|', '/') || 'a dashboard', 150);
}

function toSafeUrl(url: string): string {
  return url.replace(/[<>|"\s]/g, encodeURIComponent);
}

function oneLine(text: string): string {
  return stripControls(text).replace(/\s+/g, ' ').trim();
}

async function runLink(turn: Turn, args: Args, incidentID: string): Promise<void> {
  const [typed = '', ...rest] = args.words;
  const refuse = async (text: string) => turn.answer({ text, blocks: [section(text), ...typedBack(turn.draft)] });
  const address = readDashboardAddress(typed, turn.desk.house);
  if (address.kind === 'none') return refuse(`I linked nothing. ${said(address.problem, 1000)}`);
  const caption = oneLine(rest.join(' ')).slice(0, maxCaption);
  const { incident } = await turn.desk.api.IncidentsService.GetIncident({ incidentID });
  const link =
    address.kind === 'short' ? await fromShort(turn, address, incident) : await fromDashboard(turn, address, incident);
  if (typeof link === 'string') return refuse(`I linked nothing. ${link}`);
  const key = `dash/${incidentID}/${digest(link.path || `goto/${address.uid}`)}`;
  await turn.carryOut(linkDashboard, { ...link, caption }, { incidentID, key });
}

type Found = Omit<Link, 'caption'>;

/** The dashboard with its window pinned, or why there is none, in mrkdwn. */
async function fromDashboard(
  { desk, now, actor }: Turn,
  address: DashboardAddress,
  incident: Incident,
): Promise<Found | string> {
  const found = await getDashboard(desk.api, address.uid);
  if (!found) return noDashboard(address.uid);
  const { dashboard, meta } = found;
  const written = writtenWindow(address.query);
  const own = ownWindow(dashboard.time);
  const zone = queryValue(address.query, 'timezone') || dashboard.timezone;
  const timeZone = zone === '' || zone === 'browser' ? actor.timeZone : zone === 'utc' ? 'UTC' : zone;
  const window = pinWindow(written, { now, timeZone, incident: toSpan(incident, now), own });
  if ('problem' in window) return said(window.problem);
  const slug = /^[\w-]+$/.test(meta.slug) ? meta.slug : address.slug;
  const spoken = [written.from || own.from, written.to || own.to].map(end => said(end, 60));
  return {
    incidentID: incident.incidentID,
    path: toDashboardPath({ ...address, slug }, window),
    title: dashboard.title,
    tags: dashboard.tags,
    from: window.from,
    to: window.to,
    moved: window.isPinned ? spoken.join(' to ') : '',
  };
}

/** What a short link of ours leads to: it stays as it is. */
async function fromShort({ desk }: Turn, address: ShortAddress, incident: Incident): Promise<Found | string> {
  const location = await orMissing(desk.api.ShortUrls.goto({ uid: address.uid }));
  if (!location)
    return `There is no short link “${said(address.uid, 60)}”: those that nobody opens are removed after a week.`;
  const target = readTarget(location.location, desk.house);
  const found = target && (await getDashboard(desk.api, target.uid));
  if (target && !found) return noDashboard(target.uid);
  const written = target ? writtenWindow(target.query) : { from: '', to: '' };
  const [from, to] = [Number(written.from), Number(written.to)];
  const isFixed = from > 0 && to > from;
  return {
    incidentID: incident.incidentID,
    path: '',
    short: { uid: address.uid, url: address.url || shortUrl(location.location, address.uid, desk.house) },
    title: found?.dashboard.title || 'a short link',
    tags: found?.dashboard.tags ?? [],
    from: isFixed ? from : 0,
    to: isFixed ? to : 0,
    moved: /^now/.test(written.from) ? `${said(written.from, 60)} to ${said(written.to || 'now', 60)}` : '',
  };
}

/** The dashboard behind an address that the API itself gave; undefined when it is something else. */
function readTarget(location: string, house: HouseRules): DashboardAddress | undefined {
  const hosts = URL.canParse(location) ? [new URL(location).host] : [];
  const { webUrl, dashboardHosts } = house;
  const target = readDashboardAddress(location, { webUrl, dashboardHosts: [...dashboardHosts, ...hosts] });
  return target.kind === 'dashboard' ? target : undefined;
}

function shortUrl(location: string, uid: string, house: HouseRules): string {
  return URL.canParse(location) && house.webUrl === ''
    ? `${new URL(location).origin}/goto/${uid}`
    : toWebUrl(house, `goto/${uid}`) || `/goto/${uid}`;
}

async function getDashboard(api: Turn['desk']['api'], uid: string) {
  return orMissing(api.Dashboards.get({ uid }));
}

/** Undefined for what the API does not have; every other failure is the frame's to say. */
async function orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcError && error.code === 'not_found') return undefined;
    throw error;
  }
}

function noDashboard(uid: string): string {
  return `There is no dashboard with the uid “${said(uid, 60)}”. Open it in the browser and copy the address, or check what follows /d/ in it.`;
}

const OwnTime = z.object({ from: z.string(), to: z.string() });

/** A dashboard's own window; Grafana's default when the model has none. */
function ownWindow(time: unknown): WrittenWindow {
  const own = OwnTime.safeParse(time);
  return own.success ? own.data : { from: 'now-6h', to: 'now' };
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

/** Dashboards: a long address becomes a short one that still shows tomorrow what it shows now. */
export const dash: Feature = {
  name: 'dash',
  verbs: [
    {
      noun: 'dash',
      verb: 'link',
      aliases: ['add', 'share', 'short', 'shorten'],
      fallback: true,
      usage: 'url|path|uid [what it shows]',
      summary: 'Post a short link to a dashboard, pinned to the time of the incident, and note it on the timeline.',
      about: 'incident',
      run: runLink,
    },
  ],
  intents: [linkDashboard],
};
