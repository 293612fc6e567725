import { expect, test } from 'vitest';
import { keepsLimit } from '../../../bench/measure.ts';

test.each([
  ['at least', 0.8, [0.8, 1, 2], [0.79, 0, Number.NaN]],
  ['at most', 1.25, [0, 1.25], [1.26, Number.POSITIVE_INFINITY, Number.NaN]],
  ['at most', 0, [0], [0.01, Number.NaN]],
  ['within', 0.25, [0.75, 1, 1.25], [0.74, 1.26, 2.48, Number.NaN]],
] as const)('%s %d keeps some ratios and misses others', (bound, limit, kept, missed) => {
  expect(kept.filter(ratio => !keepsLimit({ ratio, limit, bound }))).toEqual([]);
  expect(missed.filter(ratio => keepsLimit({ ratio, limit, bound }))).toEqual([]);
});

test('a row without a limit misses none', () => {
  expect(keepsLimit({ ratio: 9, limit: undefined, reason: 'only shown' })).toBe(true);
});
