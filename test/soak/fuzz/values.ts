import fc from 'fast-check';
import { readList } from '../../support/table.ts';
import { unicodeText } from '../../support/unicode-text.ts';

/** A mark in hostile markup, by which it is found in pages. */
export const markupMark = 'pwned';

const nasty = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00y',
  '\u202Etxet\u202C',
  '\uFEFF',
  "'; drop table incident; --",
  '" or 1=1 --',
  '%_\\',
  `<script>${markupMark}</script>`,
  `"><img src=x onerror=${markupMark}>`,
  ']]></style>{{7*7}}#{7*7}',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  'NaN',
  'Infinity',
  '1e400',
  '-0',
  'null',
  'undefined',
  'true',
  '[object Object]',
  '%00',
  '%',
  '%2e%2e%2f',
  '\r\nSet-Cookie: x=1',
  '😀',
  'İıſﬃ',
  'e\u0301'.repeat(20),
  'שּׁ𝅘𝅥𝅮'.repeat(200),
  '<!channel>',
  'javascript:alert(1)',
  'http://',
  'https://a.example/b?c=d#e).',
  '9007199254740993',
  '2147483648',
  '-1',
  '+1e3',
  '2026-13-45T99:99:99Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.9999999+23:59',
];

const units = [
  'links',
  'stops',
  'x',
  'é',
  '漢',
  '😀',
  '\ud800',
  '<',
  "'",
  '"',
  ' ',
  '\n',
  '(',
  '-(',
  '-',
  '.',
  'http://a ',
  '```',
  '%',
  '\\',
  'a:b ',
  ',',
];
const lengths = [80, 81, 100, 101, 200, 201, 300, 301, 500, 501, 1000, 2000, 2001, 5000, 5001, 10_000, 10_001];
const greatLengths = [65_535, 65_536, 65_537, 200_000, 1_100_000];

/** Texts of just about every limit's length, and of none. */
export const longText = fc
  .tuple(
    fc.constantFrom(...units),
    fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(...lengths) },
      { weight: 1, arbitrary: fc.constantFrom(...greatLengths) },
    ),
  )
  .map(([unit, length]) => {
    if (unit === 'links')
      return Array.from({ length: length / 11 }, (_, index) => `http://${index.toString(36)}`).join(' ');
    if (unit === 'stops') return `http://${'.'.repeat(length - 8)}a`;
    return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  });

/** Texts that something might take for more than a text. */
export const hostileText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...nasty) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...nasty), { maxLength: 4 }).map(all => all.join('')) },
  { weight: 2, arbitrary: unicodeText({ maxLength: 30 }) },
  { weight: 1, arbitrary: longText },
);

const numbers = fc.oneof(
  fc.constantFrom(
    0,
    -1,
    1.5,
    -0.5,
    2 ** 31,
    -(2 ** 31) - 1,
    2 ** 53,
    Number.MAX_SAFE_INTEGER,
    1e21,
    5e-324,
    Number.MAX_VALUE,
  ),
  fc.integer(),
);

function nest(depth: number, list: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = list ? [value] : { a: value };
  return value;
}

const deep = fc
  .tuple(fc.constantFrom(2, 20, 98, 100, 101, 1500), fc.boolean())
  .map(([depth, list]) => nest(depth, list));

const polluted = fc.constantFrom(
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toJSON":1,"toString":null,"hasOwnProperty":0,"then":{}}',
  '{"a\\u0000":"\\ud800","":""}',
);

/** Any value at all, in place of what is asked for. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 12, arbitrary: hostileText },
  { weight: 9, arbitrary: numbers },
  { weight: 6, arbitrary: fc.constantFrom(null, true, false) },
  { weight: 6, arbitrary: fc.constantFrom([], {}, [null], [[]], [{}]) },
  { weight: 3, arbitrary: polluted.map(text => JSON.parse(text)) },
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 3, arbitrary: deep },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(300, 3000, 40_000), fc.constantFrom<unknown>(1, 'a', null, {}, { label: 'a' }))
      .map(([length, item]) => Array.from({ length }, () => item)),
  },
);

const terms = readList(`
  title:a | status:active | severity:"minor" | isdrill:false | label:db | field:tags:db | createdby:x@y
  context:http | role:commander | user.email:a | declared:2026-01-01T00:00:00Z, | ended:,2027-01-01T00:00:00Z | or(
  any( | and( | not( | ) | - | " | ' | a | created:>2020 | field: | isdrill:maybe
`);

/** Queries in the language, right and wrong. */
export const queryText = fc.oneof(
  { weight: 8, arbitrary: fc.array(fc.constantFrom(...terms), { maxLength: 8 }).map(all => all.join(' ')) },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom(...terms), { minLength: 100, maxLength: 250 }).map(all => all.join(' ')),
  },
  { weight: 1, arbitrary: fc.constantFrom(...units.slice(-8)).map(unit => unit.repeat(2000)) },
);

/** What `nextValue` may be; a test puts the last real one in place of the mark. */
export const cursorMark = '§cursor§';
/** Cursors, right and wrong. */
export const cursorText = fc.oneof(
  fc.constant(cursorMark),
  fc.constant(''),
  fc.array(anyValue, { maxLength: 4 }).map(all => Buffer.from(JSON.stringify(all)).toString('base64url')),
);
