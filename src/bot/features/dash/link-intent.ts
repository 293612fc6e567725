import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import { type AfterDoneContext, defineIntent, toConsequence } from '../../incident/acts/intent-kind.ts';
import { addNote } from '../../incident/notes/intents.ts';
import { toReachable } from '../../incident/state/settings.ts';
import { answerOpenly } from '../../slack/answer.ts';
import { slackReason } from '../../slack/clients.ts';
import { code, context, mention, section, toLinkLabel, toMrkdwn, toSafeUrl, type Words } from '../../text/blocks.ts';
import { toSlackWindow, windowInUtc } from '../../text/shown-times.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { toMessage } from '../../text/spoken.ts';
import { toOneLine } from '../../text/words.ts';
import { mapPath, titleOfAddress } from './address.ts';

/** The most characters of what a person says about a dashboard. */
export const maxCaption = 1000;

/** The target of a link. `from` and `to` are epoch milliseconds, 0 where the window is not known. */
export const LinkTarget = z.object({
  incidentID: z.string(),
  /** The path to shorten, relative to the service's root; `""` when it is short already. */
  path: z.string(),
  short: z.object({ uid: z.string(), url: z.string() }).optional(),
  /** It is an address of the web that is no dashboard's, in `short`. Absent in what an older version stored. */
  isOther: z.boolean().optional(),
  /** Where a link leads that was short already, relative to the root; absent in what an older version stored. */
  target: z.string().optional(),
  /** Uid of the dashboard; absent where the short link leads elsewhere, and in what an older version stored. */
  dashboard: z.string().optional(),
  title: z.string(),
  tags: z.array(z.string()),
  from: z.number(),
  to: z.number(),
  /** The window as it was written, when it moved with the clock; `""` otherwise. */
  moved: z.string(),
});
export type LinkTarget = z.output<typeof LinkTarget>;

const Link = LinkTarget.extend({
  caption: z.string(),
  /** Name and Slack id of who links it, and when they asked for it (RFC 3339). */
  addedBy: z.string(),
  addedByUser: z.string(),
  /** The workspace of that id. Absent in what an older version stored. */
  addedByTeam: z.string().optional(),
  askedAt: z.string(),
});
type Link = z.output<typeof Link>;

/** `opens`: people can follow the link, since there are pages at an address that they reach. */
const Shortened = z.object({ uid: z.string(), url: z.string(), opens: z.boolean().default(true) });
type Shortened = z.output<typeof Shortened>;

/** Shortens a dashboard's address, posts it and notes it. */
export const linkDashboard = defineIntent({
  kind: 'dash.link',
  payload: Link,
  result: Shortened,
  run: async ({ api, call, deps }, { path, short, isOther = false }) => {
    const opens = isOther || deps.settings.webUrl !== '';
    if (short) return { ...short, opens };
    const made = await api.ShortUrls.create({ path }, call);
    const url = toReachable(deps.settings, made);
    if (url === '') throw new RpcError('invalid_response', 'The API made a short link without an address.');
    return { uid: made.uid, url, opens };
  },
  did: (link, { result, incident }) => {
    const what = link.isOther ? '' : 'the dashboard ';
    if (!result) return { verb: 'link', what: `${what}“${toMrkdwn(link.title, 150)}” to ${incident}`, room: [] };
    return {
      ...{ sign: incidentSigns.link, verb: 'link', what: `${what}${toName(result, link)} to ${incident}` },
      ...{ more: aboutLink(result, link), room: [] },
    };
  },
  mapTexts: (link, change) => ({
    ...link,
    caption: change(link.caption),
    ...(link.isOther ? { title: change(link.title) } : {}),
    path: mapPath(link.path, change),
    ...(link.target === undefined ? {} : { target: mapPath(link.target, change) }),
  }),
  afterDone: async (ctx, shortened, link) => {
    const trouble = ctx.repeated ? undefined : await post(ctx, shortened, link);
    return { notes: [], troubles: trouble === undefined ? [] : [trouble] };
  },
  consequences: (shortened, link) => [toConsequence(addNote, toNote(shortened, link), 'note')],
});

/** Sentences on a link: whether it was short already, how to take it back, and the time that it shows tomorrow. */
function aboutLink({ url }: Shortened, link: Link): string {
  const way = link.title === titleOfAddress(url) ? ', and words behind an address become its title' : '';
  const short = link.short ? 'It was a short link already.' : '';
  const window = link.short
    ? `Its window is live (${link.moved}), so it shows something else tomorrow. Link the dashboard’s full address to pin it.`
    : `It is pinned to ${windowWords(link)}, so it shows the same tomorrow.`;
  const first = link.isOther ? `*Remove* in \`/note list\` takes it back${way}.` : short;
  return [first, link.moved ? window : ''].join(' ').trim();
}

/** The note on the timeline. It has the full path too: the short link may lead nowhere one day. */
function toNote({ url }: Shortened, link: Link): z.output<typeof addNote.payload> {
  const path = link.path || link.target || '';
  const text = [
    `${link.isOther ? 'Link' : 'Dashboard'} “${toOneLine(link.title)}”: ${url}`,
    ...(link.from > 0 ? [`Shows ${windowInUtc(new Date(link.from), new Date(link.to))}`] : []),
    ...(path === '' ? [] : [`Full path: /${path}`]),
    ...(link.tags.length > 0 ? [`Tags: ${link.tags.map(toOneLine).join(', ')}`] : []),
    ...(link.caption ? [link.caption] : []),
  ].join('\n');
  const { incidentID, askedAt: eventTime, addedBy, addedByUser, addedByTeam, dashboard } = link;
  return {
    ...{ incidentID, text, eventTime, saidBy: '', addedBy, addedByUser, addedByTeam, dashboard, permalink: '' },
    source: link.isOther ? 'link' : 'dashboard',
  };
}

/** Posts the link where it was asked for, else in the incident's channel. Returns a sentence when that failed. */
async function post(ctx: AfterDoneContext, shortened: Shortened, link: Link) {
  const { deps, actor, location, log, id: intent, mayAlreadyExist, askedAt: since } = ctx;
  const room = await deps.rooms.ofIncident(link.incidentID);
  const words = toPost(shortened, link, actor.userId);
  const thread = location.threadTs === '' ? {} : { threadTs: location.threadTs };
  const places = [{ channel: location.channelId, ...thread }, { channel: room?.channelId ?? '' }].filter(
    (each, index, all) => each.channel !== '' && all.findIndex(other => other.channel === each.channel) === index,
  );
  for (const where of places) {
    try {
      if ((await deps.visibility.share('dashboard', link, where.channel)) !== 'all') continue;
      await answerOpenly(deps.slack, { ...where, words, intent, part: 'link', mayAlreadyExist, since });
      return where.channel === location.channelId
        ? undefined
        : `I could not post it here for everybody to see, so it is in <#${where.channel}>.`;
    } catch (error) {
      log.warn({ reason: slackReason(error), channel: where.channel }, 'dash: could not post the link');
    }
  }
  return 'I could not post it for everybody: invite me with `/invite @Muster`, or pass this link on.';
}

/** The title as a link where it opens. */
function toName({ url, opens }: Shortened, { title }: Link): string {
  return opens ? `<${toSafeUrl(url)}|${toLabel(title)}>` : `*${toLabel(title)}*`;
}

function toPost(shortened: Shortened, link: Link, userId: string): Words {
  const tags = link.tags.slice(0, 10).map(tag => code(toOneLine(tag), 60));
  const facts = [
    ...(link.from > 0 ? [windowWords(link)] : []),
    `incident ${toMrkdwn(link.incidentID, 40)}`,
    `linked by ${mention(userId)}`,
  ];
  const title = `${link.isOther ? incidentSigns.link : signs.dashboard} ${[toName(shortened, link), ...tags].join(' ')}`;
  const path = code(`/${link.path || link.target || `goto/${shortened.uid}`}`, 300);
  const nowhere = `Muster’s pages are off, so nothing opens it here. In a Grafana that has it, it is at ${path}.`;
  const below = [
    ...(link.caption ? [section(toMrkdwn(link.caption, maxCaption))] : []),
    ...(shortened.opens ? [] : [context(nowhere)]),
    context(facts.join(' · ')),
  ];
  const where = shortened.opens ? `: ${toSafeUrl(shortened.url)}` : '';
  const inWords = `${link.isOther ? 'Link' : 'Dashboard'} ${toLabel(link.title)}${where}`;
  const { text } = toMessage({ text: '', blocks: [section([inWords, ...tags].join(' ')), ...below] });
  return { text, isWhole: true, blocks: [section(title), ...below] };
}

function windowWords({ from, to }: Link): string {
  return toSlackWindow(new Date(from), new Date(to));
}

/** The title of a dashboard inside a Slack link. */
export function toLabel(title: string): string {
  return toLinkLabel(title) || 'a dashboard';
}
