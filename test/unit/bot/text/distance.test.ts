import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest, nearness } from '../../../../src/bot/text/distance.ts';
import { distance } from '../../../../src/contract/distance.ts';

/** The distance by its definition: the cheapest way to end both words alike. */
function slipsBetween(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const ways = [
    slipsBetween(a.slice(1), b) + 1,
    slipsBetween(a, b.slice(1)) + 1,
    slipsBetween(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1),
  ];
  if (a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0]) {
    ways.push(slipsBetween(a.slice(2), b.slice(2)) + 1);
  }
  return Math.min(...ways);
}

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['abc', '', 3],
  ['task', 'task', 0],
  ['taks', 'task', 1],
  ['tsk', 'task', 1],
  ['tassk', 'task', 1],
  ['tusk', 'task', 1],
  ['atks', 'task', 2],
  ['ca', 'abc', 3],
])('from “%s” to “%s” there are %i slips', (a, b, slips) => {
  expect(distance(a, b)).toBe(slips);
});

test('whatever the words, the slips are as many as the definition counts', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(distance(a, b)).toBe(slipsBetween(a, b));
    }),
    { numRuns: 500 },
  );
});

const x = (count: number) => 'x'.repeat(count);

test.each([
  ['task', 'task', 0],
  ['a', 'a', 0],
  [x(40), x(40), 0],
  ['a', 'ab', undefined],
  ['ad', 'add', 1],
  ['ad', 'adds', undefined],
  ['res', 'resolve', 1],
  [x(32), x(60), 1],
  [x(33), x(34), undefined],
  ['taks', 'task', 1],
  ['at', 'ab', undefined],
  ['ad', 'dad', undefined],
  ['resovle', 'resolve', 1],
  ['rsovle', 'resolve', 2],
  ['rsvole', 'resolve', undefined],
  ['abcdefghijklmno', 'abcdefghijkl', 3],
  ['abcdefghijklmno', 'abcdefghijk', undefined],
  ['abcdefghijklmnop', '1234efghijklmnop', undefined],
])('“%s” for “%s” is %j slips away', (typed, known, near) => {
  expect(nearness(typed, known)).toBe(near);
});

test('the nearest item is found by its name, and the first of equally near ones', () => {
  const items = ['paymint', 'payment', 'paymants', 'shipping'].map(name => ({ name }));
  const find = (typed: string) => nearest(typed, items, each => each.name)?.name;
  expect(find('payments')).toBe('payment');
  expect(find('shipping')).toBe('shipping');
  expect(find('checkout')).toBeUndefined();
});
