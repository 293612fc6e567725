import { html } from 'hono/html';
import { tryDecode } from 'hono/utils/url';
import type { RpcError } from '../../contract/errors.ts';
import type { ServiceOptions } from '../call/options.ts';
import type { AdmittedReader } from '../call/readers.ts';
import { inward, toHtml } from './document.ts';
import { toOneLine } from './escape.ts';

/** What a page says in place of the one that was asked for. */
interface ErrorWords {
  readonly title: string;
  /** Why, and what the reader can do: whole sentences. */
  readonly why: string;
  /** The address to begin again at, within the service, when there is one. */
  readonly again?: string;
}

const mayBeGone = 'It was deleted, or the address is cut short.';
const pagesOff =
  'The pages of this service are off, so links to incidents and dashboards open nothing. The person who runs it can set PAGES=slack, so that Slack says who reads.';

/** The things at addresses of a form, and the words when one is not there; `$1` is its name. The first form that fits counts. */
const places: readonly (readonly [form: RegExp, title: string, why: string])[] = [
  [
    /^\/(?:a\/[^/]+\/)?incidents\/([^/]+)/,
    'There is no incident $1 here, or you may not see it',
    'Check its number. A private incident shows itself to its own people alone.',
  ],
  [
    /\/model\.json$/,
    'There is no such version of a dashboard',
    `${mayBeGone} The page of the dashboard lists its versions.`,
  ],
  [/^\/d\/([^/]+)/, 'There is no dashboard $1 here', mayBeGone],
  [/^\/dashboards\/f\/([^/]+)/, 'There is no folder $1 here', mayBeGone],
  [
    /^\/explore(?:\/|$)/,
    'This link leads into Grafana’s Explore',
    'Muster does not have it: it keeps dashboards and shows no data. Open the same path in your Grafana.',
  ],
  [/^/, 'There is no such page', 'Check the address: it may be cut short, or have a letter too many.'],
];

/** Why an address cannot be answered, for a person. Nothing of it is written for programs. */
export function explain(
  { pages, shortUrlDays }: ServiceOptions,
  { path, method }: { readonly path: string; readonly method: string },
  { code, message }: RpcError,
): ErrorWords {
  const isShort = path.startsWith('/goto/');
  if (isShort && (code === 'unauthenticated' || code === 'permission_denied'))
    return { title: 'This short link opens with a token only', why: pagesOff };
  if (code === 'invalid_argument' && !isShort) {
    return {
      title: 'This address cannot be read',
      why: 'A part of it is cut short, or belongs to another list than the one it stands in.',
      again: path,
    };
  }
  if (code === 'permission_denied') return { title: 'Dashboards are for full members', why: message };
  if (code !== 'not_found')
    return { title: 'Not right now', why: `${message.replace(/\.?$/, '.')} Try again in a minute.` };
  if (isShort) {
    const days = shortUrlDays === 1 ? 'a day' : `${shortUrlDays} days`;
    const unused = shortUrlDays === 0 ? '' : `, or nobody opened it within ${days} and no timeline names it`;
    return {
      title: 'This short link leads nowhere',
      why: `It was never made, its address is cut off${unused}. Ask the person who gave it to you for the full address, or look for the dashboard’s path in the note beside it.`,
    };
  }
  if (pages === 'off') return { title: 'There is no such page', why: pagesOff };
  if (method !== 'GET' && method !== 'HEAD') {
    return {
      title: 'Pages can only be read',
      why: 'A form or a program sent something to this address, and nothing was done with it.',
    };
  }
  const [form = /^/, title = '', why = ''] = places.find(each => each[0].test(path)) ?? [];
  const name = toOneLine(tryDecode(form.exec(path)?.[1] ?? '', decodeURIComponent), 60);
  return { title: title.replace('$1', () => name), why };
}

/** The document for an address that cannot be answered: what was asked, why, a search, and the ways on. */
export async function toApology(
  options: ServiceOptions,
  asked: string,
  { title, why, again }: ErrorWords,
  signedIn: AdmittedReader | 'unnamed' | undefined,
): Promise<string> {
  const list = inward(options, '/incidents');
  const search = html`<form class="search" action="${list}" role="search"><label for="q">Search incidents</label>
<div class="row"><input id="q" name="q" type="search" autocomplete="off" maxlength="10000" dir="auto"><button type="submit">Search</button></div></form>
<p class="ways">${again === undefined ? '' : html`<a href="${inward(options, again)}">Begin again</a>`}<a href="${list}">All incidents</a><a href="${inward(options, '/dashboards')}">All dashboards</a></p>`;
  const body = html`<div class="apology"><h1 dir="auto">${toOneLine(title, 200)}</h1><p dir="auto">${toOneLine(why)}</p>
<p class="quiet">You asked for <code dir="ltr">${toOneLine(asked, 200)}</code></p>${options.pages === 'off' ? '' : search}</div>`;
  return toHtml(options, { title, section: 'none', body }, signedIn);
}
