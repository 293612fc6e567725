import fc from 'fast-check';
import { isLong } from './length.ts';

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

/**
 * Signs and words that a reader of text may take for something else, the seed of all that is drawn from them, and pieces to be repeated: each
 * sign, and some of two and three, in `npm run test:long` each two, and many of three.
 */
export const hostile = { signs, words, seed, pieces };
