import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RetryLater } from '../../../../src/bot/journal/intent.ts';
import { isRetried, longestAskedPause, pauseAfter } from '../../../../src/bot/journal/retry-policy.ts';
import { type ErrorCode, errorCodes, RpcError } from '../../../../src/contract/errors.ts';

const away = new RpcError('unavailable', 'no answer', { maybeApplied: false });
const asking = (retryAfter: number) => new RpcError('resource_exhausted', 'slow', { retryAfter, maybeApplied: false });

test('pauses double from a second to a quarter of a minute', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 100].map(attempts => pauseAfter(attempts, away, 1));
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  expect([1, 2, 3, 4, 5].map(attempts => pauseAfter(attempts, away, 0))).toEqual([750, 1500, 3000, 6000, 11_250]);
});

test('a pause that is asked for is kept, up to a minute', () => {
  expect(pauseAfter(1, asking(30), 0)).toBe(30_000);
  expect(pauseAfter(1, asking(3600), 0)).toBe(60_000);
  expect(pauseAfter(5, asking(1), 0)).toBe(11_250);
  expect(pauseAfter(1, new RetryLater('not yet', 5), 0)).toBe(5000);
  expect(pauseAfter(1, new RetryLater('not yet'), 0)).toBe(750);
});

test('every pause lies between three quarters of a second and the longest that may be asked for', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.nat(100_000),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (attempts, seconds, random) => {
        const pause = pauseAfter(attempts, asking(seconds), random);
        expect(pause).toBeGreaterThanOrEqual(Math.min(longestAskedPause, Math.max(750, seconds * 1000)));
        expect(pause).toBeLessThanOrEqual(longestAskedPause);
        expect(Number.isInteger(pause)).toBe(true);
      },
    ),
  );
});

test('failures that pass with time are retried, the others are not', () => {
  const transient = Object.keys(errorCodes).filter(code =>
    isRetried(new RpcError(code as ErrorCode, 'x', { retryable: false })),
  );
  expect(transient.toSorted()).toEqual([
    'canceled',
    'deadline_exceeded',
    'invalid_response',
    'resource_exhausted',
    'unavailable',
  ]);
  expect(isRetried(new RpcError('internal', 'x', { retryable: true }))).toBe(true);
  expect(isRetried(new RetryLater('not yet'))).toBe(true);
  expect(isRetried(new TypeError('x is not a function'))).toBe(false);
  expect(isRetried('unavailable')).toBe(false);
});
