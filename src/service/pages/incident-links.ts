import { html } from 'hono/html';
import { findLinked } from '../dashboards/linked.ts';
import { readAttached } from '../incidents/timeline-items.ts';
import { writeWindow } from './dashboard-window.ts';
import { externalLink, type Html, inlineText, toHref, toOneLine } from './escape.ts';
import type { Shared } from './incident-course.ts';

/** The most links that a page shows. */
const mostLinks = 200;

/**
 * The links of an incident, each once, without messages; and its channel in Slack, which is no link among them: the `known` one,
 * or, where no bot knows any, one that somebody attached; `""` for none.
 */
export async function readLinks(
  context: Shared,
  id: number,
  known: string | undefined,
): Promise<{ links: readonly Html[]; channel: string }> {
  const captions = await readAttached(context, id);
  const channel = known ?? [...captions.keys()].find(isChannel)?.replace(/\/$/, '') ?? '';
  const shown = [...captions].filter(([url]) => url.replace(/\/$/, '') !== channel).slice(0, mostLinks);
  const dashboards = await findLinked(
    context,
    shown.map(([url]) => url),
  );
  const links = shown.map(([url, caption]) => {
    const found = dashboards.get(url);
    const { words, more } = found ? { words: found.title, more: windowOf(found.target) } : describe(url, caption);
    return html`<li>${externalLink(url, toOneLine(words, 80))} <span class="quiet">${more}</span></li>`;
  });
  return { links, channel };
}

/** Whether an address is that of a channel in Slack, not of a message. */
function isChannel(address: string): boolean {
  return /^https:\/\/[a-z0-9.-]+\.slack\.com\/archives\/[A-Z0-9]+\/?$/.test(address);
}

/** The words of a link, and its host where they do not tell it. */
function describe(url: string, caption: string): { words: string; more: Html | string } {
  const href = toHref(url);
  const host = href === undefined ? '' : new URL(href).host.replace(/^www\./, '');
  if (caption !== url) return { words: caption, more: inlineText(host, 80) };
  return { words: url.replace(/^https?:\/\/(?:www\.)?/i, ''), more: '' };
}

/** The time window of a dashboard's address, if it names one. */
function windowOf(target: string): Html | string {
  const query = new URLSearchParams(target.split('?')[1] ?? '');
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  return from === '' && to === '' ? '' : writeWindow(from, to);
}
