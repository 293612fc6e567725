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
  /** The longest wait that the API may ask for. */
  readonly patience: number;
  /** The longest wait between attempts that the API did not ask for. */
  readonly longestPause: number;
  /** In [0, 1). */
  readonly random: () => number;
}

const firstBackoff = 200;
const maxAttempts = 6;

/**
 * Milliseconds to wait before the next attempt; undefined when there is none. Full jitter over a doubling ceiling, never sooner
 * than the API asked for, and never later than patience and budget allow. A `create` is sent again only when it certainly had no effect.
 * A failure inside the API (`internal`) is repeated once, and so is a doubtful refusal: older installations refuse for good with the status
 * of a failure (docs/api-rules.md A1, Error envelope).
 */
export function nextDelay(failed: FailedAttempt): number | undefined {
  const { attempt, error, effect, elapsed, budget, patience, longestPause: longest, random } = failed;
  if (!(error.retryable || error.isDoubtful) || attempt >= maxAttempts) return undefined;
  if (effect === 'create' && error.maybeApplied) return undefined;
  if ((error.code === 'internal' || error.isDoubtful) && attempt >= 2) return undefined;
  const asked = (error.retryAfter ?? 0) * 1000;
  if (asked > patience) return undefined;
  const wait = asked + backoff(attempt, { first: firstBackoff, longest }, random);
  return elapsed + wait < budget ? wait : undefined;
}
