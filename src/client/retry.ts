import { backoff } from '../contract/backoff.ts';
import type { Effect } from '../contract/define.ts';
import type { RpcError } from '../contract/errors.ts';

/** What is known when an attempt has failed. Times are milliseconds. */
export interface FailedAttempt {
  /** How many attempts have been made, the failed one included. */
  readonly attempt: number;
  readonly error: RpcError;
  readonly effect: Effect;
  /** Time since the call began. */
  readonly elapsed: number;
  /** Time that the whole call may take. */
  readonly budget: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** The longest wait between attempts that the API did not ask for, in milliseconds. */
export const longestBackoff = 10_000;
const firstBackoff = 200;
const maxAttempts = 6;

/**
 * Milliseconds to wait before the next attempt; undefined when there is none. Full jitter over a doubling ceiling, never sooner
 * than the API asked for and never later than the budget allows. A `create` is sent again only when it certainly had no effect.
 * A failure inside the API (`internal`) is repeated once, and so is a doubtful refusal: older installations refuse for good with the status
 * of a failure (docs/api-rules.md A1, Error envelope).
 */
export function nextDelay({ attempt, error, effect, elapsed, budget, random }: FailedAttempt): number | undefined {
  if (!(error.retryable || error.isDoubtful) || attempt >= maxAttempts) return undefined;
  if (effect === 'create' && error.maybeApplied) return undefined;
  if ((error.code === 'internal' || error.isDoubtful) && attempt >= 2) return undefined;
  const asked = (error.retryAfter ?? 0) * 1000;
  const wait = asked + backoff(attempt, { first: firstBackoff, longest: longestBackoff }, random);
  return elapsed + wait < budget ? wait : undefined;
}
