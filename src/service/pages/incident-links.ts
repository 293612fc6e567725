import { findLinked } from '../dashboards/linked.ts';
import { readAttached } from '../incidents/timeline-items.ts';
import { toHref, toOneLine } from './escape.ts';
import type { Shared } from './incident-course.ts';
import { writeClock, writeMoment, writeShortDay } from './moments.ts';

/** A link of an incident: its words, and more about it in plain ones. */
export interface ShownLink {
  readonly url: string;
  readonly words: string;
  readonly more: string;
}

/** The most links that a page shows. */
const mostLinks = 200;
/** The links of an incident, each once, without messages; and its channel in Slack, `""` when nobody attached that. */
export async function readLinks(context: Shared, id: number): Promise<{ links: ShownLink[]; channel: string }> {
  const captions = await readAttached(context, id);
  const channel = [...captions.keys()].find(isChannel) ?? '';
  const shown = [...captions].filter(([url]) => url !== channel).slice(0, mostLinks);
  const dashboards = await findLinked(
    context,
    shown.map(([url]) => url),
  );
  const links = shown.map(([url, caption]) => {
    const found = dashboards.get(url);
    if (!found) return { url, ...describe(url, caption) };
    return { url, words: toOneLine(found.title, 80), more: writeWindow(found.target) };
  });
  return { links, channel };
}

/** Whether an address is that of a channel in Slack, not of a message. */
function isChannel(address: string): boolean {
  return /^https:\/\/[a-z0-9.-]+\.slack\.com\/archives\/[A-Z0-9]+\/?$/.test(address);
}

function describe(url: string, caption: string): Pick<ShownLink, 'words' | 'more'> {
  const href = toHref(url);
  const host = href === undefined ? '' : new URL(href).host.replace(/^www\./, '');
  if (caption !== url) return { words: toOneLine(caption, 80), more: host };
  return { words: toOneLine(url.replace(/^https?:\/\/(?:www\.)?/i, ''), 80), more: '' };
}

/** `24 Nov 17:00 to 21:00 UTC`; `""` for a window that is relative to now. */
function writeWindow(target: string): string {
  const query = new URLSearchParams(target.split('?')[1] ?? '');
  const [from, to] = ['from', 'to']
    .map(name => query.get(name) ?? '')
    .map(end => (/^\d{9,15}$/.test(end) ? new Date(Number(end)) : undefined));
  if (!from || !to) return '';
  const isSameDay = writeShortDay(from) === writeShortDay(to);
  return `${writeShortDay(from)} ${writeClock(from)} to ${isSameDay ? `${writeClock(to)} UTC` : writeMoment(to)}`;
}
