import type { Choice } from '../../../dispatch/command/ask-which.ts';
import type { Context } from '../../../dispatch/feature/context.ts';
import { fold } from '../../../incident/state/roles.ts';
import { toMrkdwn } from '../../../text/blocks.ts';
import { escapeMrkdwn, toOneLine } from '../../../text/words.ts';
import { type DashboardAddress, readDashboardAddress, type ShortAddress } from './address.ts';
import { getDashboard, mostNear, noSearch } from './find.ts';
import { type LinkedDashboard, readLinked } from './linked.ts';

/** Dashboards that one command links at most. */
const mostTargets = 5;

/** What a line is to link, and what the person says about it. */
export interface LinkTargets {
  readonly addresses: readonly (DashboardAddress | ShortAddress)[];
  readonly caption: string;
}

/** Why a line names no dashboard, in mrkdwn, and the lines that may be meant. */
interface NoTargets {
  readonly problem: string;
  readonly near?: readonly Choice[];
}

/**
 * The addresses at the start of a line; what follows them is the caption. A second word counts as an address only when it has a slash,
 * since any word may be a uid. A line that begins with no uid that exists may begin with the title of a dashboard that was linked
 * lately. `flags` are what was typed beside the words, for the lines that may be meant.
 */
export async function readTargets(
  ctx: Context,
  words: readonly string[],
  flags: string,
): Promise<LinkTargets | NoTargets> {
  const { settings } = ctx.deps;
  const [first = '', ...rest] = words;
  const address = readDashboardAddress(first, settings);
  const isWord = first !== '' && !first.includes('/');
  const isUid = isWord && address.kind === 'dashboard' && (await getDashboard(ctx.deps.api, address.uid)) !== undefined;
  if (isWord && !isUid) {
    const linked = (await readLinked(ctx)).filter(each => each.uid !== '');
    return readTitle(linked, words) ?? { problem: notFound(address, words), near: toNear(linked, words, flags) };
  }
  if (address.kind === 'none') return { problem: toMrkdwn(address.problem, 1000) };
  const addresses = [address];
  for (const word of rest) {
    const next = word.includes('/') ? readDashboardAddress(word, settings) : undefined;
    if (!next || next.kind === 'none') break;
    addresses.push(next);
  }
  if (addresses.length > mostTargets) {
    return { problem: `That is ${addresses.length} dashboards, and ${mostTargets} are the most that I link at once.` };
  }
  return { addresses, caption: toOneLine(words.slice(addresses.length).join(' ')) };
}

/** The line read as the title of a dashboard that was linked lately, with a caption behind it: the longest title that fits. */
function readTitle(linked: readonly LinkedDashboard[], words: readonly string[]): LinkTargets | undefined {
  for (let count = words.length; count > 0; count -= 1) {
    const title = fold(words.slice(0, count).join(' '));
    const same = linked.filter(each => title !== '' && fold(each.title) === title);
    if (!isOne(same)) continue;
    const address = { kind: 'dashboard' as const, uid: same[0].uid, slug: '', query: [] };
    return { addresses: [address], caption: toOneLine(words.slice(count).join(' ')) };
  }
  return undefined;
}

/** A word at the start of a line counts as part of a title from this many letters on: “The” is in too many. */
const shortestPart = 4;

/** Says that the line names no dashboard, in mrkdwn. */
function notFound(address: ReturnType<typeof readDashboardAddress>, words: readonly string[]): string {
  const [first = ''] = words;
  if (words.length === 1 && address.kind === 'none') return toMrkdwn(address.problem, 1000);
  const called = `no dashboard called “${toMrkdwn(words.join(' '), 100)}” was linked lately`;
  if (address.kind === 'none') return `I know no such address, and ${called}. ${noSearch}`;
  return `There is no dashboard with the uid “${toMrkdwn(first, 60)}”${words.length > 1 ? `, and ${called}` : ''}. ${noSearch}`;
}

/** Links the dashboards linked lately whose titles hold the first words of the line; where there are none, lists them all. */
function toNear(linked: readonly LinkedDashboard[], words: readonly string[], flags: string): readonly Choice[] {
  const each = linked.filter((one, index) => linked.findIndex(other => other.uid === one.uid) === index);
  for (let count = words.length; count > 0; count -= 1) {
    const part = fold(words.slice(0, count).join(' '));
    if (count === 1 && words.length > 1 && part.length < shortestPart) break;
    const near = part === '' ? [] : each.filter(one => fold(one.title).includes(part)).slice(0, mostNear);
    if (near.length > 0) return near.map(one => toChoice(near, one, words.slice(count), flags));
  }
  const recent = { kind: 'command', root: 'dash', text: 'recent' } as const;
  return each.length > 0 ? [{ label: 'Dashboards linked lately', draft: recent }] : [];
}

/** The line that links one of them; `flags` end it. */
function toChoice(
  near: readonly LinkedDashboard[],
  { uid, title }: LinkedDashboard,
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

/** Whether all of them are one dashboard. */
function isOne(links: readonly LinkedDashboard[]): links is readonly [LinkedDashboard, ...LinkedDashboard[]] {
  return links.length > 0 && links.every(each => each.uid === links[0]?.uid);
}
