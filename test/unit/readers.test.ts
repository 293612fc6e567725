import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectLinear } from '../support/growth.ts';
import { hostile } from '../support/hostile-pieces.ts';
import { isLong } from '../support/length.ts';
import { readers } from '../support/readers.ts';

/* No text from outside holds the process up: bot, service and pages answer on one thread. */

const { signs, words, seed, pieces } = hostile;
const names = Object.keys(readers);

/** A reader that refuses a text has read it. */
const reading = (name: string) => (text: string) => {
  try {
    readers[name]?.(text);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof TypeError) throw error;
  }
};

/** The quickest of some times of an input, in milliseconds of the processor. */
function cost(read: (text: string) => void, text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 && least > 20; round += 1) {
    const before = process.cpuUsage();
    read(text);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

test.each(names)('%s: no short text costs more than a moment', name => {
  const read = reading(name);
  const text = fc
    .array(fc.constantFrom(...signs, ...words), { minLength: 1, maxLength: 30 })
    .map(parts => parts.join(''));
  const repeated = fc
    .tuple(text, fc.array(fc.constantFrom(...signs, ...words), { minLength: 1, maxLength: 4 }), fc.nat(20), text)
    .map(([before, piece, times, after]) => `${before}${piece.join('').repeat(times)}${after}`);
  const check = fc.property(fc.oneof(text, repeated), each => {
    expect(cost(read, each), each).toBeLessThan(20);
  });
  fc.assert(check, { numRuns: Math.ceil((isLong ? 3_000_000 : 30_000) / names.length), seed });
});

test.each(names)('%s: twice the length takes at most 2.5 times as long', name => {
  for (const piece of pieces) expectLinear(reading(name), piece, isLong ? 40_000 : 10_000);
});
