import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectLinear } from '../support/growth.ts';
import { isLong } from '../support/length.ts';
import { readers } from '../support/readers.ts';

/* No text from outside holds the process up: bot, service and pages answer on one thread. */

const signs = [...' \n\taZ09-–—:;/.,"\'“()[]{}<>@#`*_~=|&\\?!+$%^é\u0301\u0323\u202e', '👍', '\ud800', '\0'];
const words = [
  'http',
  'now',
  'and',
  'the',
  'is',
  'at',
  'or',
  '000s',
  '```',
  '<@U1>',
  '&lt',
  '--',
  ' in',
  'arn:',
  'eyJ',
  'ty:',
  '[x]',
  '"a":',
];
const seed = 20_261_128;
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

/** Each sign, and some of two and three: in `npm run test:long` each two, and many of three. */
const pieces = [
  ...signs,
  ...['a ', 'a\n', '- a', '@a ', '"a ', '<a', '[](', '](', '#a ', '1 ', ' a:', 'a, ', '\u0301\u0323'],
  ...(isLong ? signs.flatMap(one => signs.map(other => `${one}${other}`)) : []),
  ...fc
    .sample(fc.array(fc.constantFrom(...signs), { minLength: isLong ? 3 : 2, maxLength: 3 }), {
      numRuns: isLong ? 1000 : 10,
      seed,
    })
    .map(parts => parts.join('')),
];

test.each(names)('%s: twice the length takes at most 2.5 times as long', name => {
  for (const piece of pieces) expectLinear(reading(name), piece, isLong ? 40_000 : 10_000);
});
