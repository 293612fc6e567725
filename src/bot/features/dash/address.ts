import { maxDashboardUid } from '../../../contract/dashboards.ts';
import { maxShortPath } from '../../../contract/short-urls.ts';
import { basePath, withoutBase } from '../../incident/state/settings.ts';
import { cap, stripControls, toOneLine } from '../../text/words.ts';
import type { WrittenWindow } from './time-window.ts';

/** One `name=value` of an address, as written: not decoded. */
interface QueryPart {
  readonly name: string;
  readonly raw: string;
}

/** A dashboard's address; `query` keeps its order. */
export interface DashboardAddress {
  readonly kind: 'dashboard';
  readonly uid: string;
  /** The name in the address, `""` when there is none. */
  readonly slug: string;
  readonly query: readonly QueryPart[];
}

/** A short link of our own; `url` is `""` when only its path was typed. */
export interface ShortAddress {
  readonly kind: 'short';
  readonly uid: string;
  readonly url: string;
}

/** An address of the web that is no dashboard's. */
export interface OtherAddress {
  readonly kind: 'other';
  readonly url: string;
}

/** Where our dashboards are: the address of the pages, `""` for none, and the hosts of others. */
interface DashboardHosts {
  readonly webUrl: string;
  readonly dashboardHosts: readonly string[];
}

/** Why an address is refused, in plain text. */
interface NoAddress {
  readonly kind: 'none';
  readonly problem: string;
}

const uidPattern = new RegExp(`^[A-Za-z0-9_-]{1,${maxDashboardUid}}$`);
/** Whether a text can be the uid of a dashboard. */
export function isUid(text: string): boolean {
  return uidPattern.test(text);
}

const shortUid = /^[A-Za-z0-9_-]{1,200}$/;
const examples = 'Give an address like /d/<uid>/<name>, or the uid alone.';

/**
 * Reads an address that people paste for a dashboard: a full address of a host of ours, a path within it (`/d/uid/name?…`), or a uid. Any
 * other host or scheme, credentials, and paths that climb are refused; nothing is fetched. A fragment is dropped.
 */
export function readDashboardAddress(
  typed: string,
  settings: DashboardHosts,
): DashboardAddress | ShortAddress | NoAddress {
  const text = typed.trim();
  if (text === '') return no(`Which dashboard? ${examples}`);
  if (text.length > maxShortPath)
    return no(`That address has ${text.length} characters, and at most ${maxShortPath} can be shortened.`);
  if (stripControls(text) !== text || /[\s\\]/.test(text)) {
    return no(
      'That address holds characters that no address has (a line break, a backslash or a control character). Copy it again from the browser.',
    );
  }
  const located = toPath(text, settings);
  if ('problem' in located) return no(located.problem);
  const [path = '', ...queries] = (located.path.split('#', 1)[0] ?? '').split('?');
  const segments = path.replace(/^\/|\/$/g, '').split('/');
  const decoded = segments.map(decode);
  if (decoded.some(each => each === undefined || /[\p{Cc}/\\]/u.test(each))) {
    return no(`That path holds characters that no dashboard’s has. ${examples}`);
  }
  if (decoded.some(each => each === '..' || each === '.')) {
    return no(`A path with “..” can lead anywhere, so I do not follow it. ${examples}`);
  }
  const query = queries
    .join('?')
    .split('&')
    .filter(part => part !== '')
    .map(part => ({ name: decode(part.split('=', 1)[0] ?? '') ?? '', raw: toSafe(part) }));
  const [first = '', uid = '', slug = '', ...more] = segments;
  const isBare = !located.isFull && !path.includes('/');
  if (isBare && isUid(first)) return { kind: 'dashboard', uid: first, slug: '', query };
  const url = located.isFull ? text : '';
  if (first === 'goto' && segments.length === 2 && shortUid.test(uid)) return { kind: 'short', uid, url };
  if (first !== 'd' || more.length > 0) return no(`That is not the address of a dashboard. ${examples}`);
  if (!isUid(uid)) {
    const rule = `it has at most ${maxDashboardUid} letters, digits, hyphens and underscores`;
    return no(`“${uid.slice(0, 60)}” is not a uid: ${rule}. ${examples}`);
  }
  return { kind: 'dashboard', uid, slug: /^[\w-]+$/.test(slug) ? slug : '', query };
}

/**
 * An address that people link to an incident: a dashboard, a short link of ours, or any other address of the web, as it was typed. Other schemes,
 * credentials and what is no address are refused. Nothing is fetched.
 */
export function readLinkAddress(
  typed: string,
  settings: DashboardHosts,
): DashboardAddress | ShortAddress | OtherAddress | NoAddress {
  const address = readDashboardAddress(typed, settings);
  const text = typed.trim().replace(bareHost, 'https://$&');
  if (address.kind !== 'none' || !/^https?:\/\/[^/?#]/i.test(text) || text.length > maxOtherAddress) return address;
  if (stripControls(text) !== text || /[\s\\]/.test(text) || !URL.canParse(text)) return address;
  const { username, password, href } = new URL(text);
  return username === '' && password === '' ? { kind: 'other', url: href } : address;
}

/** A host that was typed without a scheme, before its path. */
const bareHost = /^(?:[a-z0-9-]+\.)+[a-z]{2,}(?=[/:])/i;

/** Most characters of an address that is no dashboard's: Slack's most of a link's. */
const maxOtherAddress = 3000;

/** The path below the service's root, or why there is none. */
function toPath(
  text: string,
  { webUrl, dashboardHosts }: DashboardHosts,
): { path: string; isFull: boolean } | { problem: string } {
  const hosts = [...new Set([...(webUrl === '' ? [] : [new URL(webUrl).host]), ...dashboardHosts])].map(host =>
    host.toLowerCase(),
  );
  const bareHost = /^([^/?#]+)\//.exec(text)?.[1]?.toLowerCase();
  const full = bareHost && hosts.includes(bareHost) ? `https://${text}` : text;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(full)?.[1]?.toLowerCase();
  if (scheme === undefined && !full.startsWith('//')) return { path: withoutBase(webUrl, full), isFull: false };
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') {
    return { problem: `“${scheme.slice(0, 40)}:” is not a web address. ${examples}` };
  }
  const absolute = scheme === undefined ? `https:${full}` : full;
  if (!/^https?:\/\/[^/?#]/i.test(absolute) || !URL.canParse(absolute))
    return { problem: `That is not a whole address. ${examples}` };
  const url = new URL(absolute);
  if (url.username !== '' || url.password !== '') {
    return { problem: 'That address holds a name or password before its host. Remove it: everybody would read it.' };
  }
  if (!hosts.includes(url.host)) {
    const allowed = hosts.length === 0 ? 'No host is set up here' : `I shorten links of ${hosts.join(', ')} only`;
    return {
      problem: `That link is of ${url.host.slice(0, 100)}. ${allowed}: give the dashboard’s path (/d/…) or its uid.`,
    };
  }
  // As written: the parsed path has lost its dots.
  const rest = absolute.replace(/^https?:\/\/[^/?#]*/i, '');
  const base = webUrl !== '' && new URL(webUrl).host === url.host ? basePath(webUrl) : '';
  if (base !== '' && !rest.startsWith(`${base}/`)) {
    return { problem: `Dashboards of ${url.host} are below ${base}/, and that address is not.` };
  }
  return { path: rest.slice(base.length), isFull: true };
}

/** Encodes what browsers would, and `../`, which the API takes for a path that climbs (docs/api-rules.md B, Validation). */
function toSafe(part: string): string {
  return part.replace(/[^\w\-.~:/?@!$'()*+,;=%[\]{}|]/gu, encodeURIComponent).replaceAll('../', '..%2F');
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The decoded value of a query part, `""` when there is none of that name; the first wins. */
export function queryValue(query: readonly QueryPart[], name: string): string {
  const part = query.find(each => each.name === name);
  return part ? (decode(part.raw.slice(part.raw.indexOf('=') + 1 || part.raw.length).replaceAll('+', ' ')) ?? '') : '';
}

/**
 * The window as an address writes it. Besides `from` and `to` there is `time` with `time.window`: a moment and a width around
 * it, both in milliseconds.
 */
export function writtenWindow(query: readonly QueryPart[]): WrittenWindow {
  const [time, width] = [queryValue(query, 'time'), queryValue(query, 'time.window')];
  if (/^\d{1,15}$/.test(time) && /^\d{1,15}$/.test(width)) {
    const half = Math.floor(Number(width) / 2);
    return { from: String(Number(time) - half), to: String(Number(time) + half) };
  }
  return { from: queryValue(query, 'from'), to: queryValue(query, 'to') };
}

const windowNames = ['from', 'to', 'time', 'time.window'];

/** The path to shorten, without a leading slash: only the window is replaced, by epoch milliseconds. */
export function toDashboardPath(
  address: DashboardAddress,
  window: { readonly from: number; readonly to: number },
): string {
  const kept = address.query.filter(part => !windowNames.includes(part.name)).map(part => part.raw);
  const query = [...kept, `from=${window.from}`, `to=${window.to}`].join('&');
  return `d/${address.uid}${address.slug === '' ? '' : `/${address.slug}`}?${query}`;
}

function no(problem: string): NoAddress {
  return { kind: 'none', problem };
}

/** A dashboard's path without the parts of its query that `change` changes: a part with words in it would mean something else. */
export function mapPath(path: string, change: (text: string) => string): string {
  const [place = '', query = ''] = path.split('?', 2);
  const parts = query.split('&');
  const kept = parts.filter(raw => {
    const text = decode(raw.replaceAll('+', ' ')) ?? raw;
    return change(text) === text;
  });
  return kept.length === parts.length ? path : `${place}?${kept.join('&')}`;
}

/** The title of a page without a name: its host and the last part of its path. Nothing is fetched. */
export function titleOfAddress(url: string): string {
  const { host, pathname } = new URL(url);
  const parts = pathname.split('/').filter(part => part !== '');
  const between = parts.length > 1 ? '/…/' : parts.length > 0 ? '/' : '';
  const last = parts.at(-1) ?? '';
  return cap(toOneLine(`${host}${between}${decode(last.replaceAll('+', ' ')) ?? last}`), 80);
}
