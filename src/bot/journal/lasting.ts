import { RpcError } from '../../contract/errors.ts';
import { TryLater } from './intent.ts';

/** Pauses between attempts, in milliseconds: from one second, doubled each time, up to a minute. */
const firstPause = 1000;
/** The longest pause between attempts, in milliseconds. */
export const longestPause = 60_000;
/** How long something is kept before it is given up, in milliseconds: seven days. */
export const longestKept = 7 * 24 * 3_600_000;

/**
 * Whether a failure passes by itself, so that what failed is kept and tried again: the API is not there, too slow, too
 * busy, broken, or something in front of it answers in its stead.
 */
export function passes(error: unknown): error is RpcError | TryLater {
  if (error instanceof TryLater) return true;
  if (!(error instanceof RpcError)) return false;
  return (
    error.code === 'unavailable' ||
    error.code === 'deadline_exceeded' ||
    error.code === 'resource_exhausted' ||
    (error.code === 'internal' && error.retryable) ||
    error.code === 'invalid_response' ||
    error.code === 'canceled'
  );
}

/** Milliseconds until the next attempt after `attempts` of them; what the API asked for is honoured. `random` is in [0, 1). */
export function nextPause(attempts: number, error: RpcError | TryLater, random: number): number {
  const asked = error instanceof TryLater ? error.seconds : (error.retryAfter ?? 0);
  const grown = Math.min(longestPause, firstPause * 2 ** Math.min(attempts - 1, 10));
  return Math.min(longestPause, Math.max(asked * 1000, Math.round(grown * (0.75 + random / 4))));
}
