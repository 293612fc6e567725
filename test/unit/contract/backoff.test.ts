import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoff } from '../../../src/contract/backoff.ts';

const pauses = (policy: Parameters<typeof backoff>[1], random: () => number) =>
  [1, 2, 3, 4, 5].map(attempt => backoff(attempt, policy, random));

test('pauses double up to the longest', () => {
  expect(pauses({ first: 100, longest: 500, jitter: 0 }, () => 0.9)).toEqual([100, 200, 400, 500, 500]);
});

test('pauses grow by another factor where one is given', () => {
  expect(pauses({ first: 1000, longest: 60_000, factor: 5, jitter: 0 }, () => 0)).toEqual([
    1000, 5000, 25_000, 60_000, 60_000,
  ]);
});

test('chance decides the part that jitter names', () => {
  expect(pauses({ first: 100, longest: 800 }, () => 0.5)).toEqual([50, 100, 200, 400, 400]);
  expect(pauses({ first: 100, longest: 800, jitter: 0.25 }, () => 0)).toEqual([75, 150, 300, 600, 600]);
});

test('a pause is never longer than the longest, however many attempts failed', () => {
  const attempts = fc.integer({ min: 1, max: 1_000_000 });
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(attempts, chance, share, (attempt, random, jitter) => {
      const pause = backoff(attempt, { first: 100, longest: 10_000, jitter }, () => random);
      expect(pause).toBeGreaterThanOrEqual(0);
      expect(pause).toBeLessThanOrEqual(10_000);
      expect(Number.isSafeInteger(pause)).toBe(true);
    }),
  );
});
