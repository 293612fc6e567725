import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasMoreValues } from '../../../../src/service/call/json-values.ts';

/** Values of parsed JSON: itself, its members and items at every depth. */
function count(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + count(each), 1);
}

test('values are counted as they would be once parsed, whatever stands in texts', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: fc.constantFrom('"', '\\', ',', '{', '[', 'x', 'é') }), value => {
      const json = JSON.stringify(value);
      const values = count(value);
      expect([hasMoreValues(json, values), hasMoreValues(json, values - 1)]).toEqual([false, true]);
    }),
  );
});

test('a text is one value, however many commas it has', () => {
  expect(hasMoreValues(JSON.stringify({ text: ',[{'.repeat(1000) }), 10)).toBe(false);
  expect(hasMoreValues(`[${'{},'.repeat(998)}{}]`, 1000)).toBe(false);
  expect(hasMoreValues(`[${'{},'.repeat(1000)}{}]`, 1000)).toBe(true);
  expect(hasMoreValues(`"${'x'.repeat(100)}`, 10)).toBe(false);
});
