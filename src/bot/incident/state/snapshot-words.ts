import type { RpcError } from '../../../contract/errors.ts';
import { signs } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';
import type { Snapshot } from './snapshots.ts';

/** Parts of a snapshot whose ages differ by less, in seconds, count as equally old. */
export const sameAge = 60;

/** Why the API, by its name, gave no answer, as a sentence. */
export function whyAway(error: RpcError, api: string): string {
  switch (error.code) {
    case 'deadline_exceeded':
      return `${api} took too long to answer.`;
    case 'resource_exhausted':
      return `${api} is receiving too many requests.`;
    case 'internal':
      return `${api} failed.`;
    case 'invalid_response':
      return `${api} sent a response Muster could not read (a wrong address, or a proxy page?).`;
    default:
      return error.isDoubtful ? `${api} failed.` : `${api} cannot be reached.`;
  }
}

/** The notice above a snapshot: why, and how old it is. */
export function agedNotice(error: RpcError, seenAt: Date, now: Date, api: string): string {
  return `${signs.warning} ${whyAway(error, api)} This is how it was ${ago(seenAt, now)}.`;
}

/** The notice above several snapshots, with the age of the oldest and of the newest. */
export function agedListNotice(error: RpcError, seen: readonly Snapshot[], now: Date, api: string): string {
  const oldest = new Date(Math.min(...seen.map(each => each.seenAt.getTime())));
  const newest = new Date(Math.max(...seen.map(each => each.seenAt.getTime())));
  const isOneAge = newest.getTime() - oldest.getTime() < sameAge * 1000;
  if (isOneAge) return agedNotice(error, newest, now, api);
  return `${signs.warning} ${whyAway(error, api)} This is how it was between ${age(oldest, now)} and ${ago(newest, now)}.`;
}

function age(seenAt: Date, now: Date): string {
  return formatDuration((now.getTime() - seenAt.getTime()) / 1000);
}

/** How long before `now` that was: `12 min ago`. */
export function ago(seenAt: Date, now: Date): string {
  return `${age(seenAt, now)} ago`;
}
