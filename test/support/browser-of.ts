import { expect } from 'vitest';
import type { Person } from '../../playground/fake-slack/fake-slack.ts';
import type { Workplace } from './workplace.ts';

/** What a browser got for an address. */
export interface Shown {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** A person's browser: it keeps the cookie, as browsers do over https, and follows nothing. */
export function openBrowser({ muster }: Pick<Workplace, 'muster'>) {
  let cookie = '';
  const ask = async (path: string, init: RequestInit = {}): Promise<Shown> => {
    const headers = { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...init.headers };
    const answer = await fetch(`${muster.url}${path}`, { redirect: 'manual', ...init, headers });
    const [set] = answer.headers.getSetCookie();
    if (set !== undefined) cookie = set.includes('Max-Age=0') ? '' : (set.split(';')[0] ?? '');
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  return {
    ask,
    post: (path: string) => ask(path, { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } }),
    get cookie() {
      return cookie;
    },
    set cookie(value: string) {
      cookie = value;
    },
  };
}

/** The path of the link that stands in what a person read. */
export function linkIn(read: string): string {
  const [, path] = /https:\/\/muster\.example\.com(\/door\/[\w-]+)/.exec(read) ?? [];
  return path ?? expect.fail(`There is no link in: ${read}`);
}

/** A person's browser after `/muster page` in a channel, and where it led. */
export async function comeIn(
  place: Pick<Workplace, 'muster' | 'slack' | 'quiet' | 'messages'>,
  person: Person,
  channel: string,
) {
  await person.command(channel, '/muster page');
  await place.quiet();
  const answer = place.messages(person, channel).findLast(each => each.ephemeralTo === person.id);
  const browser = openBrowser(place);
  const entered = await browser.post(linkIn(JSON.stringify(answer ?? {})));
  return { browser, entered, path: entered.headers.get('location') ?? '' };
}
