import { RpcError } from '../../contract/errors.ts';
import { RetryLater } from './intent.ts';

/** Pauses between attempts, in milliseconds: the first, doubled each time, up to the longest. */
const firstPause = 1000;
const longestPause = 15_000;
/** The longest pause that the API may ask for, in milliseconds. */
export const longestAskedPause = 60_000;
/** How long an intent is retried before it fails for good, in milliseconds: seven days. */
export const giveUpAfter = 7 * 24 * 3_600_000;

/**
 * Whether a failure passes with time, so that the intent is queued and retried: the API is away, too slow, too busy or broken, or
 * a proxy answers in its place.
 */
export function isTransient(error: unknown): error is RpcError | RetryLater {
  if (error instanceof RetryLater) return true;
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

/** Milliseconds before the next attempt, after `attempts` of them. A pause that the API asks for is kept. `random` is in [0, 1). */
export function pauseAfter(attempts: number, error: RpcError | RetryLater, random: number): number {
  const asked = error instanceof RetryLater ? error.seconds : (error.retryAfter ?? 0);
  const grown = Math.min(longestPause, firstPause * 2 ** Math.min(attempts - 1, 10));
  return Math.min(longestAskedPause, Math.max(asked * 1000, Math.round(grown * (0.75 + random / 4))));
}
