import type { RpcError } from '../../contract/errors.ts';
import type { ServiceOptions } from '../call/options.ts';
import { toOneLine } from './escape.ts';

/** What a page says in place of the one that was asked for. */
export interface ErrorWords {
  readonly title: string;
  /** Why, and what the reader can do: whole sentences. */
  readonly why: string;
  /** The address to begin again at, within the service, when there is one. */
  readonly again?: string;
}

/** What was asked for: its path and how. */
interface Asked {
  readonly path: string;
  readonly method: string;
}

const mayBeGone = 'It was deleted, or the address is cut short.';

/** What stands at addresses of a form, and what to say when it is not there. The first form that fits counts. */
const places: readonly (readonly [form: RegExp, words: (name: string) => ErrorWords])[] = [
  [
    /^\/(?:a\/[^/]+\/)?incidents\/([^/]+)/,
    name => ({
      title: `There is no incident ${name} here, or you may not see it`,
      why: 'Check its number. A private incident shows itself to its own people alone.',
    }),
  ],
  [
    /\/model\.json$/,
    () => ({
      title: 'There is no such version of a dashboard',
      why: `${mayBeGone} The page of the dashboard lists its versions.`,
    }),
  ],
  [/^\/d\/([^/]+)/, name => ({ title: `There is no dashboard ${name} here`, why: mayBeGone })],
  [/^\/dashboards\/f\/([^/]+)/, name => ({ title: `There is no folder ${name} here`, why: mayBeGone })],
  [
    /^\/explore(?:\/|$)/,
    () => ({
      title: 'This link leads into Grafana’s Explore',
      why: 'Muster does not have it: it keeps dashboards and shows no data. Open the same path in your Grafana.',
    }),
  ],
];

/** Why an address cannot be answered, for a person. Nothing of it is written for programs. */
export function explain(options: ServiceOptions, { path, method }: Asked, { code, message }: RpcError): ErrorWords {
  if (path.startsWith('/goto/')) return explainShortLink(options, code, message);
  if (code === 'invalid_argument') {
    return {
      title: 'This address cannot be read',
      why: 'A part of it is cut short, or belongs to another list than the one it stands in.',
      again: path,
    };
  }
  if (code === 'permission_denied') return { title: 'Dashboards are for full members', why: message };
  if (code !== 'not_found') return notNow(message);
  if (options.pages === 'off') {
    return {
      title: 'There is no such page',
      why: 'The pages of this service are off, so links to incidents and dashboards open nothing. The person who runs it can set PAGES=slack, so that Slack says who reads.',
    };
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return {
      title: 'Pages can only be read',
      why: 'A form or a program sent something to this address, and nothing was done with it.',
    };
  }
  for (const [form, words] of places) {
    const found = form.exec(path);
    if (found) return words(toOneLine(readable(found[1] ?? ''), 60));
  }
  return { title: 'There is no such page', why: 'Check the address: it may be cut short, or have a letter too many.' };
}

function explainShortLink({ shortUrlDays }: ServiceOptions, code: RpcError['code'], message: string): ErrorWords {
  if (code === 'unauthenticated' || code === 'permission_denied') {
    return {
      title: 'This short link opens with a token only',
      why: 'The pages of this service are off, and short links with them. The person who runs it can set PAGES=slack, so that Slack says who reads.',
    };
  }
  if (code !== 'not_found') return notNow(message);
  const days = shortUrlDays === 1 ? 'a day' : `${shortUrlDays} days`;
  const unused = shortUrlDays === 0 ? '' : `, or nobody opened it within ${days} and no timeline names it`;
  return {
    title: 'This short link leads nowhere',
    why: `It was never made, its address is cut off${unused}. Ask the person who gave it to you for the full address, or look for the dashboard’s path in the note beside it.`,
  };
}

function notNow(message: string): ErrorWords {
  return { title: 'Not right now', why: `${message.replace(/\.?$/, '.')} Try again in a minute.` };
}

function readable(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
