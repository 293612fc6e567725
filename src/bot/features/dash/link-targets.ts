import type { Context } from '../../dispatch/context.ts';
import { fold } from '../../incident/roles.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { toOneLine } from '../../text/words.ts';
import { type DashboardAddress, readDashboardAddress, type ShortAddress } from './address.ts';
import { type LinkedDashboard, readLinked } from './linked.ts';
import { getDashboard } from './look-up.ts';

/** Dashboards that one command links at most. */
const mostTargets = 5;

/** What a line is to link, and what the person says about it. */
export interface LinkTargets {
  readonly addresses: readonly (DashboardAddress | ShortAddress)[];
  readonly caption: string;
}

/**
 * The addresses at the start of a line; what follows them is the caption. A second word counts as an address only when it has a slash,
 * since any word may be a uid. A line that begins with no uid that exists may begin with the title of a dashboard that was linked
 * lately. `problem` is mrkdwn.
 */
export async function readTargets(
  ctx: Context,
  words: readonly string[],
): Promise<LinkTargets | { readonly problem: string }> {
  const { house } = ctx.deps;
  const [first = '', ...rest] = words;
  const address = readDashboardAddress(first, house);
  const isWord = first !== '' && !first.includes('/');
  const isUid = isWord && address.kind === 'dashboard' && (await getDashboard(ctx.deps.api, address.uid)) !== undefined;
  const titled = isWord && !isUid ? await readTitle(ctx, words) : undefined;
  if (titled) return titled;
  if (address.kind === 'none') return { problem: toMrkdwn(address.problem, 1000) };
  const addresses = [address];
  for (const word of rest) {
    const next = word.includes('/') ? readDashboardAddress(word, house) : undefined;
    if (!next || next.kind === 'none') break;
    addresses.push(next);
  }
  if (addresses.length > mostTargets) {
    return { problem: `That is ${addresses.length} dashboards, and ${mostTargets} are the most that I link at once.` };
  }
  return { addresses, caption: toOneLine(words.slice(addresses.length).join(' ')) };
}

/** The line read as the title of a dashboard that was linked lately, with a caption behind it: the longest title that fits. */
async function readTitle(ctx: Context, words: readonly string[]): Promise<LinkTargets | undefined> {
  const linked = (await readLinked(ctx)).filter(each => each.uid !== '');
  for (let count = words.length; count > 0; count -= 1) {
    const title = fold(words.slice(0, count).join(' '));
    const same = linked.filter(each => title !== '' && fold(each.title) === title);
    if (!isOne(same)) continue;
    const address = { kind: 'dashboard' as const, uid: same[0].uid, slug: '', query: [] };
    return { addresses: [address], caption: toOneLine(words.slice(count).join(' ')) };
  }
  return undefined;
}

/** Whether all of them are one dashboard. */
function isOne(links: readonly LinkedDashboard[]): links is readonly [LinkedDashboard, ...LinkedDashboard[]] {
  return links.length > 0 && links.every(each => each.uid === links[0]?.uid);
}
