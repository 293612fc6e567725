import { z } from 'zod';
import { RpcError } from '../../contract/errors.ts';
import type { PageCall } from '../incident/state/pagers.ts';
import { cap, toOneLine } from '../text/words.ts';

/** The news of a page from its pager. */
export interface PagerNews {
  readonly state: 'acknowledged' | 'resolved';
  readonly key: string;
  /** The person who acknowledged it there, in plain text; absent: it is not acknowledged, or the person is not known. */
  readonly by?: string;
}

/** A tool that wakes people. */
export interface Pager {
  readonly name: string;
  /** Sends a page; resolves when the tool has taken it. Throws an RpcError. */
  send(call: PageCall, signal: AbortSignal): Promise<void>;
  /** Says that a page is over. Throws an RpcError. */
  close(key: string, signal: AbortSignal): Promise<void>;
  /** Whether a delivery is the tool's own, by its signature. */
  isGenuine(headers: Readonly<Record<string, string | string[] | undefined>>, body: Buffer): boolean;
  /** What a delivery says of a page; undefined where it says nothing that Muster uses. */
  hear(body: unknown): PagerNews | undefined;
}

/** Sends a body of JSON to an address, once. Redirects are not followed. Throws an RpcError when there is no answer. */
export type Post = (request: {
  readonly url: string;
  /** Who is asked, as the subject of a sentence. */
  readonly whom: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** In milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}) => Promise<PostAnswer>;

/** The answer to a {@link Post}. */
interface PostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Most characters of the tool's words that are kept. */
const mostSaid = 300;

/** A pager as the subject of a sentence. */
export function pagerNamed(name: string): string {
  return `The pager ${name}`;
}

/**
 * Throws an RpcError unless the tool has taken what was sent. One that asks to wait, or failed, may take it later. `said`: its reason, in its
 * own words. `pause`: the seconds to wait where it does not say.
 */
export function mustBeTaken(name: string, { status, headers }: PostAnswer, said = '', pause = 0): void {
  if (status >= 200 && status < 300) return;
  const words = said === '' ? '' : `: ${cap(toOneLine(said), mostSaid)}`;
  if (status === 429) {
    const retryAfter = readPause(headers['retry-after']) || pause;
    throw new RpcError('resource_exhausted', `the pager ${name} asks to wait`, { retryAfter, maybeApplied: false });
  }
  if (status === 408 || status === 425 || status >= 500)
    throw new RpcError('unavailable', `the pager ${name} failed (status ${status})${words}`, { maybeApplied: true });
  const how = status >= 300 && status < 400 ? 'leads elsewhere' : 'refused it';
  throw new RpcError('failed_precondition', `the pager ${name} ${how} (status ${status})${words}`, {
    maybeApplied: false,
  });
}

function readPause(header: string | string[] | undefined): number {
  const seconds = Number([header].flat()[0]);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}

/** A name of a person from a pager, on one line. */
export const personName = z
  .string()
  .transform(text => cap(toOneLine(text), 80))
  .catch('');
