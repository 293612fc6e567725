import { type BackoffPolicy, backoff } from '../../contract/backoff.ts';
import { toMicros } from '../store/time.ts';
import type { NextDelivery } from './queue.ts';

/** Pauses of 1 s, 5 s, 25 s, 2 min, 10 min, and then half an hour each (docs/api-rules.md A11). */
const policy: BackoffPolicy = { first: 1000, longest: 1_800_000, factor: 5, jitter: 0 };

/**
 * The attempts that a delivery gets however old it is, since it may have waited behind others or for a Muster that was stopped.
 * They take a bit more than two minutes and a half.
 */
const fewestAttempts = 5;

/** When the next attempt follows one that failed at `now`. */
export function nextAttemptAt(attempts: number, now: Date): number {
  return toMicros(new Date(now.getTime() + backoff(attempts, policy)));
}

/** Whether a delivery that failed is given up: `hours` after it was enqueued or retried, and not before it had a few attempts. */
export function isGivenUp({ attempts, created_at, retried_at }: NextDelivery, hours: number, now: Date): boolean {
  const age = (toMicros(now) - (retried_at ?? created_at)) / 1000;
  return attempts >= fewestAttempts && age >= hours * 3_600_000;
}

/**
 * Milliseconds until the next attempt; 0 when it is due. A wait longer than the pause that was set means that the clock was put
 * back. Nothing waits for it to catch up.
 */
export function timeUntilDue(
  { attempts, next_at }: { readonly attempts: number; readonly next_at: number },
  now: Date,
): number {
  const wait = (next_at - toMicros(now)) / 1000;
  return wait > 0 && attempts > 0 && wait <= backoff(attempts, policy) ? wait : 0;
}
