import type { Choice } from '../../../dispatch/command/ask-which.ts';
import type { Context } from '../../../dispatch/feature/context.ts';
import { fold } from '../../../incident/state/roles.ts';
import { toMrkdwn } from '../../../text/blocks.ts';
import { escapeMrkdwn, toOneLine } from '../../../text/words.ts';
import { type DashboardAddress, type OtherAddress, readLinkAddress, type ShortAddress } from './address.ts';
import { getDashboard, mostNear } from './find.ts';
import { noTitle, readTitles, type Titled } from './titles.ts';
import { type TypedWindow, takeWindow } from './typed-window.ts';

/** Links that one command makes at most. */
const mostTargets = 5;

/** What a line is to link, the time that it shows, and what the person says about it. */
export interface LinkTargets {
  readonly addresses: readonly (DashboardAddress | ShortAddress | OtherAddress)[];
  readonly window: TypedWindow | undefined;
  readonly caption: string;
  /** All of the words behind the addresses, `""` where they are a window alone: what a page is called. */
  readonly words: string;
}

/** Why a line names no dashboard, in mrkdwn, and the lines that may be meant. */
interface NoTargets {
  readonly problem: string;
  readonly near?: readonly Choice[];
}

/**
 * The addresses at the start of a line; what follows them is the caption, and the window in it. A second word counts as an address only
 * when it has a slash, since any word may be a uid. A line that begins with no uid that exists may begin with the title of a dashboard.
 * `flags` are what was typed beside the words, for the lines that may be meant.
 */
export async function readTargets(
  ctx: Context,
  words: readonly string[],
  flags: string,
): Promise<LinkTargets | NoTargets> {
  const { settings } = ctx.deps;
  const [first = '', ...rest] = words;
  const address = readLinkAddress(first, settings);
  const isWord = first !== '' && !first.includes('/');
  const isUid = isWord && address.kind === 'dashboard' && (await getDashboard(ctx.deps.api, address.uid)) !== undefined;
  if (isWord && !isUid) {
    const { known, isRefused } = await readTitles(ctx, first);
    const missing = () => notFound(ctx, address, words, isRefused);
    const titled = readTitle(known, words);
    // “the nginx dashboard”: they say nothing before a name.
    if (!titled && rest.length > 0 && /^(?:the|dashboard|dash|board)$/i.test(first)) {
      const read = await readTargets(ctx, rest, flags);
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
  if (addresses.length > mostTargets) {
    return { problem: `That is ${addresses.length} links, and ${mostTargets} are the most that I make at once.` };
  }
  return { addresses, ...withWindow(words.slice(addresses.length)) };
}

/** The words behind what is to be linked: a window, and a caption. */
function withWindow(words: readonly string[]): Omit<LinkTargets, 'addresses'> {
  const { window, rest } = takeWindow(words);
  const caption = toOneLine(rest.join(' '));
  // A page is not called after a window.
  return { window, caption, words: caption === '' ? '' : toOneLine(words.join(' ')) };
}

/** The line read as the title of a dashboard, with a window and a caption behind it: the longest title that fits. */
function readTitle(known: readonly Titled[], words: readonly string[]): LinkTargets | undefined {
  for (let count = words.length; count > 0; count -= 1) {
    const title = fold(words.slice(0, count).join(' '));
    const same = known.filter(each => title !== '' && fold(each.title) === title);
    if (!isOne(same)) continue;
    const address = { kind: 'dashboard' as const, uid: same[0].uid, slug: '', query: [] };
    return { addresses: [address], ...withWindow(words.slice(count)) };
  }
  return undefined;
}

/** A word at the start of a line counts as part of a title from this many letters on: “The” is in too many. */
const shortestPart = 4;

/** Says that the line names no dashboard, in mrkdwn. */
function notFound(
  ctx: Context,
  address: ReturnType<typeof readLinkAddress>,
  words: readonly string[],
  isRefused: boolean,
): string {
  const [first = ''] = words;
  if (words.length === 1 && address.kind === 'none') return toMrkdwn(address.problem, 1000);
  return noTitle(ctx, takeWindow(words).rest.join(' ') || first, isRefused);
}

/** Links the dashboards whose titles hold the first words of the line; where there are none, lists those linked lately. */
function toNear(known: readonly Titled[], words: readonly string[], flags: string): readonly Choice[] {
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
function toChoice(near: readonly Titled[], { uid, title }: Titled, caption: readonly string[], flags: string): Choice {
  const isAmbiguous = near.filter(each => fold(each.title) === fold(title)).length > 1;
  // In quotes, a word with dashes is no flag.
  const words = caption.map(word => (/^[-—–]/.test(word) ? `"${word}"` : word));
  const text = escapeMrkdwn(['link', uid, ...words].join(' '));
  return {
    label: `Link “${title}”${isAmbiguous ? ` (${uid})` : ''}`,
    draft: { kind: 'command', root: 'dash', text: `${text} ${flags}`.trimEnd() },
  };
}

/** Whether all of them are one dashboard. */
function isOne(links: readonly Titled[]): links is readonly [Titled, ...Titled[]] {
  return links.length > 0 && links.every(each => each.uid === links[0]?.uid);
}
