import { type BackoffPolicy, backoff } from '../../contract/backoff.ts';
import { isTransient, type RpcError } from '../../contract/errors.ts';
import { RetryLater } from './intent.ts';

/** Pauses between the attempts of a queued intent, in milliseconds. They are short, since one answer wakes all the others. */
const pauses: BackoffPolicy = { first: 1000, longest: 15_000, jitter: 0.25 };
/** The longest pause that the API may ask for, in milliseconds. */
export const longestAskedPause = 60_000;
/** How long an intent is retried before it fails for good, in milliseconds: seven days. */
export const giveUpAfter = 7 * 24 * 3_600_000;

/** Whether an intent that failed so is queued and retried. */
export function isRetried(error: unknown): error is RpcError | RetryLater {
  return error instanceof RetryLater || isTransient(error);
}

/** Milliseconds before the next attempt, after `attempts` of them. A pause that the API asks for is kept. `random` is in [0, 1). */
export function pauseAfter(attempts: number, error: RpcError | RetryLater, random: number): number {
  const asked = error instanceof RetryLater ? error.seconds : (error.retryAfter ?? 0);
  return Math.min(
    longestAskedPause,
    Math.max(
      asked * 1000,
      backoff(attempts, pauses, () => random),
    ),
  );
}
