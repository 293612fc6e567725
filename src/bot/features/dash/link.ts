import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { trimEnd } from '../../../trim-end.ts';
import { together } from '../../dispatch/answers/receipts.ts';
import { askWhich, type Choice } from '../../dispatch/command/ask-which.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { CommandLine } from '../../dispatch/feature/drafts.ts';
import { defineButton, type Shortcut } from '../../dispatch/feature/feature.ts';
import {
  choiceField,
  defineModal,
  type FieldOption,
  fieldValue,
  momentField,
  textField,
} from '../../dispatch/forms/modal.ts';
import { type Args, flagOn, flagText } from '../../grammar/grammar.ts';
import { linkNotedFace, NotedAddresses } from '../../incident/notes/message-note.ts';
import { fold } from '../../incident/state/roles.ts';
import { type Settings, toWebUrl } from '../../incident/state/settings.ts';
import { context, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { toSlackWindow } from '../../text/shown-times.ts';
import { cap, escapeMrkdwn, readSlackText, toOneLine } from '../../text/words.ts';
import {
  type DashboardAddress,
  type OtherAddress,
  queryValue,
  readDashboardAddress,
  readLinkAddress,
  type ShortAddress,
  titleOfAddress,
  toDashboardPath,
  writtenWindow,
} from './address.ts';
import {
  getDashboard,
  mostNear,
  noDashboard,
  noTitle,
  orMissing,
  ownWindow,
  ownZone,
  readTarget,
  readTitles,
  type TitledDashboard,
} from './find.ts';
import { type LinkTarget, linkDashboard, maxCaption } from './link-intent.ts';
import type { PinnedWindow } from './time-window.ts';
import {
  type IncidentSpan,
  outwards,
  readWindow,
  type Span,
  spanOf,
  type TypedWindow,
  takeWindow,
  vagueWindow,
} from './typed-window.ts';

/** `/dash link`. Without words it opens a form. */
export async function runLink(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const flagged = readFlagged(args);
  if (flagged && 'problem' in flagged) return ctx.reject(`I linked nothing: ${flagged.problem}`);
  if (args.words.length === 0) {
    const board = await readOptions(ctx, incidentID);
    return ctx.openForm(linkForm, { incidentID }, {}, { board });
  }
  const request = await readRequest(ctx, args.words, flagged ? `--window "${flagged.typed}"` : '');
  if ('problem' in request) {
    const near = (request.near ?? []).map(each => ({ ...each, incidentID }));
    return askWhich(ctx, `I linked nothing: ${request.problem}`, near);
  }
  const { window: said, caption } = request;
  if (flagged && said && !isDeepStrictEqual(flagged.window, said)) {
    return ctx.reject('I linked nothing: give one window, not two.');
  }
  const vague = flagged || said ? undefined : vagueWindow(caption);
  if (vague !== undefined) {
    return ctx.reject(`I linked nothing: say how long “${toMrkdwn(vague, 60)}” is, like \`last 3h\`.`);
  }
  const window = flagged?.window ?? said;
  await linkRequested(ctx, incidentID, { ...request, window });
  const isOther = request.addresses.every(each => each.kind === 'other');
  if (window && isOther && request.words === '') {
    await ctx.answer(
      sentence('I left the time out: that page is not a dashboard here, so it opens as its address says.'),
    );
  }
}

/** The window that flags name: `--window 3h`, `--last 3h`, `--around`, `--from 23:00 --to 23:20`. */
function readFlagged(args: Args): { window: TypedWindow; typed: string } | { problem: string } | undefined {
  const [window, from, to] = ['window', 'from', 'to'].map(name => flagText(args, name));
  const typed = [
    ...(window === undefined ? [] : [window]),
    ...(from === undefined ? [] : [to === undefined ? `since ${from}` : `from ${from} to ${to}`]),
    ...(flagOn(args, 'around') ? ['around'] : []),
  ];
  const [only, ...more] = typed;
  if (only === undefined && to === undefined) return undefined;
  const read = only === undefined || more.length > 0 ? undefined : readWindow(only);
  if (read) return { window: read, typed: only ?? '' };
  return { problem: 'Give one window: `last 3h`, `from 23:00 to 23:20`, `since 22:50` or `around`.' };
}

/** Links the dashboards whose addresses are in a message: `/dash link` with those addresses. */
export const linkPasted: Shortcut = {
  kind: 'message',
  isGone: true,
  id: 'link_dashboards',
  name: 'Link dashboards',
  description: 'Pin the dashboards of this message to a time, and note them on the incident’s timeline',
  run: async (ctx, { text }) => {
    const urls = [...readSlackText(text)].flatMap(token => (token.kind === 'link' ? [token.url] : []));
    const addresses = [...new Set(urls)].filter(url => readDashboardAddress(url, ctx.deps.settings).kind !== 'none');
    if (addresses.length === 0) {
      return ctx.reject(
        'I linked nothing: that message has no dashboard address. Use the shortcut on one that has, or type `/dash link nginx`.',
      );
    }
    await linkAddresses(ctx, addresses);
  },
};

async function linkAddresses(ctx: Context, addresses: readonly string[], incidentID = ''): Promise<void> {
  const draft: CommandLine = { kind: 'command', root: 'dash', text: `link ${addresses.join(' ')}` };
  await ctx.resume(await ctx.deps.drafts.keep(ctx.actor, draft, ctx.key, ctx.now), draft, incidentID);
}

/** The button under the receipt of a noted message that has addresses of dashboards. */
export const linkNoted = defineButton({
  ...linkNotedFace,
  value: NotedAddresses,
  run: (ctx, { value }) => linkAddresses(ctx, value.addresses, value.incidentID),
});

/** Options of a menu at most (docs/slack.md 6). */
const mostOptions = 100;

const windowsOfForm = [
  { value: 'around', label: 'Around the incident' },
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '3h', label: 'Last 3 hours' },
  { value: 'between', label: 'From … to …' },
] as const;

/** The form of `/dash link`: a dashboard of the list, or an address or title that is typed. */
export const linkForm = defineModal({
  id: 'dash.link',
  state: z.object({ incidentID: z.string() }),
  view: (_state, filled, { offered }) => {
    const boards = offered?.board ?? [];
    const label = boards.length > 0 ? 'Or a link, or another title' : 'A link, or the title of a dashboard';
    return {
      title: 'Link a dashboard',
      submit: 'Link',
      blocks: [
        ...(boards.length > 0
          ? [choiceField({ id: 'board', label: 'Dashboard', options: boards, optional: true }, filled)]
          : []),
        textField({ id: 'address', label, optional: true, placeholder: 'https://…' }, filled),
        choiceField({ id: 'window', label: 'Time to show', options: windowsOfForm }, { window: 'around', ...filled }),
        momentField({ id: 'from', label: 'From', optional: true }, filled),
        momentField({ id: 'to', label: 'To', optional: true, hint: 'Empty: now' }, filled),
        textField({ id: 'caption', label: 'What does it show?', optional: true }, filled),
      ],
    };
  },
  check: (filled, _state, { now }) => {
    const field = (id: string) => fieldValue(filled, id).trim();
    const [board, address, caption] = [field('board'), field('address'), field('caption')];
    const [picked, from, to] = [field('window'), field('from'), field('to')];
    const problems: Record<string, string> = {};
    if (!board && !address) problems.address = 'Pick a dashboard, or paste a link.';
    if (caption.length > maxCaption) problems.caption = `At most ${maxCaption} characters. Put the rest in a note.`;
    const [begin, end] = [Number(from) * 1000, to ? Number(to) * 1000 : now.getTime()];
    if (picked === 'between' && !from) problems.from = 'Say when it begins.';
    else if (picked === 'between' && begin >= end) problems.to = 'That is before it begins.';
    if (Object.keys(problems).length > 0) return { problems };
    // A window that the address fixes is kept where the person chose no other.
    const window: TypedWindow | undefined =
      picked === 'between'
        ? { kind: 'between', from: new Date(begin).toISOString(), to: to ? new Date(end).toISOString() : '' }
        : picked === 'around'
          ? undefined
          : readWindow(picked);
    return { value: { board, address, window, caption } };
  },
  submit: async (ctx, { board, address, window, caption }, { incidentID }) => {
    const listed = board === '' ? [] : [{ kind: 'dashboard' as const, uid: board, slug: '', query: [] }];
    const typed = address === '' ? undefined : await readRequest(ctx, address.split(/\s+/), '');
    if (typed && 'problem' in typed) return ctx.reject(`I linked nothing: ${typed.problem}`);
    const join = (one: string | undefined) => [one ?? '', toOneLine(caption)].filter(each => each !== '').join(' ');
    await linkRequested(ctx, incidentID, {
      addresses: [...listed, ...(typed?.addresses ?? [])],
      window: window ?? typed?.window,
      caption: join(typed?.caption),
      words: join(typed?.words),
    });
  },
});

/** The dashboards that the form lists: those linked lately, then those tagged like the incident, then the others. */
async function readOptions(ctx: Context, incidentID: string): Promise<FieldOption[]> {
  try {
    const [{ known }, { incident }] = await Promise.all([
      readTitles(ctx, ''),
      ctx.deps.api.IncidentsService.GetIncident({ incidentID }),
    ]);
    const labels = new Set(incident.labels.map(each => fold(each.label)));
    const rank = ({ tags }: TitledDashboard) =>
      tags === undefined ? 0 : tags.some(tag => labels.has(fold(tag))) ? 1 : 2;
    const sorted = known.toSorted((one, other) => rank(one) - rank(other)).slice(0, mostOptions);
    return sorted.map(each => {
      const isTwice = sorted.filter(other => other.title === each.title).length > 1;
      const title = toOneLine(each.title) || each.uid;
      return { value: each.uid, label: isTwice ? `${title} (${each.uid})` : title };
    });
  } catch (error) {
    // While the API is away an address can be typed.
    if (error instanceof RpcError) return [];
    throw error;
  }
}

/** Links that one command makes at most. */
const mostAtOnce = 5;

/** The addresses that a person wants to link, the time that they show, and words about them. */
interface LinkRequest {
  readonly addresses: readonly (DashboardAddress | ShortAddress | OtherAddress)[];
  readonly window: TypedWindow | undefined;
  readonly caption: string;
  /** All of the words behind the addresses, `""` where they are a window alone: the title of a page. */
  readonly words: string;
}

/**
 * The addresses at the start of a line; what follows them is the caption, and the window in it. A second word counts as an address only
 * when it has a slash, since any word may be a uid. A line that begins with no uid that exists may begin with the title of a dashboard.
 * `flags` are the flags that were typed, for the lines that may be meant.
 */
async function readRequest(
  ctx: Context,
  words: readonly string[],
  flags: string,
): Promise<LinkRequest | { readonly problem: string; readonly near?: readonly Choice[] }> {
  const { settings } = ctx.deps;
  const [first = '', ...rest] = words;
  const address = readLinkAddress(first, settings);
  const isWord = first !== '' && !first.includes('/');
  const isUid = isWord && address.kind === 'dashboard' && (await getDashboard(ctx.deps.api, address.uid)) !== undefined;
  if (isWord && !isUid) {
    const { known, isRefused } = await readTitles(ctx, first);
    const missing = () =>
      words.length === 1 && address.kind === 'none'
        ? toMrkdwn(address.problem, 1000)
        : noTitle(ctx, takeWindow(words).rest.join(' ') || first, isRefused);
    const titled = readTitle(known, words);
    // “the nginx dashboard”: they say nothing before a name.
    if (!titled && rest.length > 0 && /^(?:the|dashboard|dash|board)$/i.test(first)) {
      const read = await readRequest(ctx, rest, flags);
      // The name is said as it was typed.
      return 'near' in read ? { ...read, problem: missing() } : read;
    }
    return titled ?? { problem: missing(), near: toNear(known, words, flags) };
  }
  if (address.kind === 'none') return { problem: toMrkdwn(address.problem, 1000) };
  const addresses = [address];
  for (const word of rest) {
    const next = word.includes('/') ? readLinkAddress(word, settings) : undefined;
    if (!next || next.kind === 'none') break;
    addresses.push(next);
  }
  if (addresses.length > mostAtOnce) {
    return { problem: `That is ${addresses.length} links, and ${mostAtOnce} are the most that I make at once.` };
  }
  return toRequest(addresses, words.slice(addresses.length));
}

/** A request of these addresses; the words behind them are a window, and a caption. */
function toRequest(addresses: LinkRequest['addresses'], words: readonly string[]): LinkRequest {
  const { window, rest } = takeWindow(words);
  const caption = toOneLine(rest.join(' '));
  // A page is not called after a window.
  return { addresses, window, caption, words: caption === '' ? '' : toOneLine(words.join(' ')) };
}

/** The line read as the title of a dashboard, with a window and a caption behind it: the longest title that fits. */
function readTitle(known: readonly TitledDashboard[], words: readonly string[]): LinkRequest | undefined {
  for (let count = words.length; count > 0; count -= 1) {
    const title = fold(words.slice(0, count).join(' '));
    const [one, ...others] = known.filter(each => title !== '' && fold(each.title) === title);
    if (!one || others.some(each => each.uid !== one.uid)) continue;
    return toRequest([{ kind: 'dashboard', uid: one.uid, slug: '', query: [] }], words.slice(count));
  }
  return undefined;
}

/** A word at the start of a line counts as part of a title from this many letters on: “The” is in too many. */
const shortestPart = 4;

/** Links the dashboards whose titles hold the first words of the line; where there are none, lists those linked lately. */
function toNear(known: readonly TitledDashboard[], words: readonly string[], flags: string): readonly Choice[] {
  const each = known.filter((one, index) => known.findIndex(other => other.uid === one.uid) === index);
  for (let count = words.length; count > 0; count -= 1) {
    const part = fold(words.slice(0, count).join(' '));
    if (count === 1 && words.length > 1 && part.length < shortestPart) break;
    const near = part === '' ? [] : each.filter(one => fold(one.title).includes(part)).slice(0, mostNear);
    if (near.length > 0) return near.map(one => toChoice(near, one, words.slice(count), flags));
  }
  const recent = { kind: 'command', root: 'dash', text: 'recent' } as const;
  return each.length > 0 ? [{ label: 'Recently linked dashboards', draft: recent }] : [];
}

/** The line that links one of them; `flags` end it. */
function toChoice(
  near: readonly TitledDashboard[],
  { uid, title }: TitledDashboard,
  caption: readonly string[],
  flags: string,
): Choice {
  const isAmbiguous = near.filter(each => fold(each.title) === fold(title)).length > 1;
  // In quotes, a word with dashes is no flag.
  const words = caption.map(word => (/^[-—–]/.test(word) ? `"${word}"` : word));
  const text = escapeMrkdwn(['link', uid, ...words].join(' '));
  return {
    label: `Link “${title}”${isAmbiguous ? ` (${uid})` : ''}`,
    draft: { kind: 'command', root: 'dash', text: `${text} ${flags}`.trimEnd() },
  };
}

/** Most characters of a link's title. */
const maxTitle = 150;

/** Links what was typed or chosen, pinned to its window. Where that is open, it is asked. */
async function linkRequested(ctx: Context, incidentID: string, request: LinkRequest): Promise<void> {
  const targets: LinkTarget[] = [];
  let known: Incident | undefined;
  for (const address of request.addresses) {
    // It needs nothing of the API, so that it is taken while the API is away. Nothing is fetched.
    if (address.kind === 'other') {
      const { url } = address;
      const title = cap(request.words, maxTitle) || titleOfAddress(url);
      const none = { path: '', tags: [], from: 0, to: 0, moved: '' };
      targets.push({ incidentID, ...none, short: { uid: '', url }, isOther: true, title });
      continue;
    }
    known ??= (await ctx.deps.api.IncidentsService.GetIncident({ incidentID })).incident;
    const found =
      address.kind === 'short'
        ? await fromShort(ctx, address, known)
        : await fromDashboard(ctx, address, known, request.window);
    if (typeof found === 'string') return ctx.reject(`I linked nothing: ${found}`);
    if ('windows' in found && (await askWindow(ctx, found))) return;
    targets.push('windows' in found ? found.target : found);
  }
  const isTitled = request.addresses.every(each => each.kind === 'other') && request.words.length <= maxTitle;
  await linkAll(ctx, targets, isTitled ? '' : request.caption);
}

const cutNotice = `What it shows has more than ${maxCaption} characters, so it ends early. Put the rest in a note.`;

/** Links them one after the other, and answers for all of them at once. */
async function linkAll(ctx: Context, targets: readonly LinkTarget[], typedCaption: string): Promise<void> {
  const { name: addedBy, userId: addedByUser, teamId: addedByTeam } = ctx.actor;
  const caption = cap(typedCaption, maxCaption);
  const receipts: Words[] = [];
  for (const [at, target] of targets.entries()) {
    const { incidentID, path, short, isOther } = target;
    const leadsTo = path || (isOther ? (short?.url ?? '') : `goto/${short?.uid}`);
    const key = `dash/${incidentID}/${createHash('sha256').update(leadsTo).digest('base64url').slice(0, 22)}`;
    const payload = { ...target, caption, addedBy, addedByUser, addedByTeam, askedAt: ctx.now.toISOString() };
    const hasMore = at + 1 < targets.length;
    const outcome = await ctx.perform(linkDashboard, payload, { incidentID, key, hasMore });
    if (outcome.state !== 'done') continue;
    receipts.push(outcome.words);
    if (caption !== typedCaption && !outcome.repeated) receipts.push({ text: cutNotice, blocks: [context(cutNotice)] });
  }
  if (receipts.length > 0) await ctx.answer(together(receipts));
}

/** The windows that are offered: the value of `--window`, and the words on its button. */
const offeredWindows = [
  { value: 'around', label: 'Around the incident' },
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '3h', label: 'Last 3 hours' },
  { value: 'pasted', label: 'As pasted' },
] as const;

/** A dashboard whose window moves with the clock, and the windows that it may be pinned to. */
interface UnpinnedLink {
  readonly target: LinkTarget;
  readonly windows: Readonly<Record<(typeof offeredWindows)[number]['value'], PinnedWindow>>;
}

/**
 * Asks which time the link should show, before anything is posted. The answer runs the same line with `--window`. False when the line
 * cannot carry the flag, or the windows are all the same.
 */
async function askWindow(ctx: Context, { target: { incidentID, title }, windows }: UnpinnedLink): Promise<boolean> {
  const { draft } = ctx;
  // Behind `--` everything is text.
  if (draft?.kind !== 'command' || /(^|\s)(--|—|–)(\s|$)/.test(draft.text)) return false;
  const isSame = (one: Span, other: Span) => one.from === other.from && one.to === other.to;
  const offered = offeredWindows.filter(
    ({ value }, at) => offeredWindows.findIndex(other => isSame(windows[other.value], windows[value])) === at,
  );
  if (offered.length < 2) return false;
  const lines = offered.map(({ value, label }) => {
    const { from, to } = windows[value];
    return `• ${label}: ${toSlackWindow(new Date(from), new Date(to))}`;
  });
  await askWhich(
    ctx,
    [`Which time should the link to “${toMrkdwn(title, 100)}” show? Nothing is posted yet.`, ...lines].join('\n'),
    offered.map(({ value, label }) => ({
      label,
      draft: { ...draft, text: `${draft.text} --window ${value}` },
      incidentID,
    })),
  );
  return true;
}

/** The dashboard with its window pinned as it was chosen, or as it may be; or why there is none, in mrkdwn. */
async function fromDashboard(
  { deps, now, actor }: Context,
  address: DashboardAddress,
  incident: Incident,
  chosen: TypedWindow | undefined,
): Promise<LinkTarget | UnpinnedLink | string> {
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
  if ('problem' in around) return toMrkdwn(around.problem);
  if ('problem' in pasted) return toMrkdwn(pasted.problem);
  // A time of day is the person's own, whatever zone the dashboard has.
  const said = { now, timeZone: actor.timeZone, incident: reading.incident };
  const spoken = chosen && chosen.kind !== 'pasted' ? spanOf(chosen, said) : undefined;
  if (spoken && 'problem' in spoken) return toMrkdwn(spoken.problem);
  const last = (minutes: number) => ({
    ...outwards(now.getTime() - minutes * 60_000, now.getTime()),
    isPinned: true,
  });
  const windows = { around, pasted, '15m': last(15), '1h': last(60), '3h': last(180) };
  const slug = /^[\w-]+$/.test(meta.slug) ? meta.slug : address.slug;
  const ends = [written.from || own.from, written.to || own.to].map(end => toMrkdwn(end, 60));
  const window = spoken ? { ...spoken, isPinned: true } : windows[chosen?.kind === 'pasted' ? 'pasted' : 'around'];
  const target = {
    incidentID: incident.incidentID,
    path: toDashboardPath({ ...address, slug }, window),
    dashboard: address.uid,
    title: dashboard.title,
    tags: dashboard.tags,
    from: window.from,
    to: window.to,
    moved: window.isPinned ? ends.join(' to ') : '',
  };
  return chosen === undefined && windows.around.isPinned ? { target, windows } : target;
}

/** The dashboard behind a short link, which stays as it is. */
async function fromShort({ deps }: Context, address: ShortAddress, incident: Incident): Promise<LinkTarget | string> {
  const { api, settings } = deps;
  const answer = await orMissing(api.ShortUrls.goto({ uid: address.uid }));
  if (!answer)
    return `There is no short link “${toMrkdwn(address.uid, 60)}”. Short links that nobody opens are removed after a week.`;
  const { location } = answer;
  const target = readTarget(location, settings);
  const found = target && (await getDashboard(api, target.uid));
  if (target && !found) return noDashboard(target.uid);
  const written = target ? writtenWindow(target.query) : { from: '', to: '' };
  const [from, to] = [Number(written.from), Number(written.to)];
  const isFixed = from > 0 && to > from;
  const goto = `goto/${address.uid}`;
  const url =
    URL.canParse(location) && settings.webUrl === ''
      ? `${new URL(location).origin}/${goto}`
      : toWebUrl(settings, goto) || `/${goto}`;
  return {
    incidentID: incident.incidentID,
    path: '',
    short: { uid: address.uid, url: address.url || url },
    target: toPath(location, settings),
    ...(target ? { dashboard: target.uid } : {}),
    title: found?.dashboard.title || 'a short link',
    tags: found?.dashboard.tags ?? [],
    from: isFixed ? from : 0,
    to: isFixed ? to : 0,
    moved: /^now/.test(written.from) ? `${toMrkdwn(written.from, 60)} to ${toMrkdwn(written.to || 'now', 60)}` : '',
  };
}

/** The path of an address, relative to the root. */
function toPath(location: string, { webUrl }: Settings): string {
  const root = webUrl === '' ? '' : trimEnd(new URL(webUrl).pathname, /\//);
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
