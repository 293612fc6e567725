import { expect, test } from 'vitest';
import { expectLinear } from '../../support/growth.ts';

/* The property of growth can fail, at each step, and fails for nothing else. Its readers say themselves what they take. */

/** Judges a reader that takes so many milliseconds for so many thousand characters, at its first, second … reading. */
function judge(cost: (thousands: number, reading: number) => number): void {
  let spent = 0;
  let readings = 0;
  const read = ({ length }: string) => {
    readings += 1;
    spent += cost(length / 1000, readings);
  };
  expectLinear(read, 'a', 10_000, () => spent);
}

test.each([
  ['with the square of the length', (thousands: number) => thousands ** 2 / 20],
  ['at the first step alone', (thousands: number) => (thousands > 5 ? 1.3 : 1) * thousands],
  ['at the last step alone', (thousands: number) => (thousands > 20 ? 1.3 : 1) * thousands],
])('a reader whose time grows %s is refused', (_, cost) => {
  expect(() => judge(cost)).toThrow(/ms/);
});

test.each([
  ['as its length', (thousands: number) => thousands],
  ['a little more than its length', (thousands: number) => thousands ** 1.3],
  [
    'as its length, and now and then waits for the memory',
    (thousands: number, at: number) => (at % 7 ? 1 : 3) * thousands,
  ],
  [
    'as its length, and more until it is warm',
    (thousands: number, at: number) => (at < 40 ? 1 + at / 10 : 1) * thousands,
  ],
  ['with the square of its length, and takes next to nothing', (thousands: number) => thousands ** 2 / 50],
])('a reader whose time grows %s is taken', (_, cost) => {
  judge(cost);
});
