import type { RpcError } from '../../../contract/errors.ts';
import { signs } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';
import type { Snapshot } from './snapshots.ts';

/** Parts of a snapshot whose ages differ by less, in seconds, count as equally old. */
export const sameAge = 60;

/** Why the API gave no answer, as a sentence. */
export function whyAway(error: RpcError): string {
  switch (error.code) {
    case 'deadline_exceeded':
      return 'The incident API took too long to answer.';
    case 'resource_exhausted':
      return 'The incident API is receiving too many requests.';
    case 'internal':
      return 'The incident API failed.';
    case 'invalid_response':
      return 'The incident API sent a response Muster could not read (a wrong address, or a proxy page?).';
    default:
      return 'The incident API cannot be reached.';
  }
}

/** The notice above a snapshot: why, and how old it is. */
export function agedNotice(error: RpcError, seenAt: Date, now: Date): string {
  return `${signs.warning} ${whyAway(error)} This is how it was ${ago(seenAt, now)}.`;
}

/** The notice above several snapshots, with the age of the oldest and of the newest. */
export function agedListNotice(error: RpcError, seen: readonly Snapshot[], now: Date): string {
  const oldest = new Date(Math.min(...seen.map(each => each.seenAt.getTime())));
  const newest = new Date(Math.max(...seen.map(each => each.seenAt.getTime())));
  const isOneAge = newest.getTime() - oldest.getTime() < sameAge * 1000;
  if (isOneAge) return agedNotice(error, newest, now);
  return `${signs.warning} ${whyAway(error)} This is how it was between ${age(oldest, now)} and ${ago(newest, now)}.`;
}

function age(seenAt: Date, now: Date): string {
  return formatDuration((now.getTime() - seenAt.getTime()) / 1000);
}

/** How long before `now` that was: `12 min ago`. */
export function ago(seenAt: Date, now: Date): string {
  return `${age(seenAt, now)} ago`;
}
