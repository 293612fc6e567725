import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, toPlainNumber } from '../../../src/contract/exact-json.ts';

/** Numbers that JavaScript changes, each as it is written. */
const longNumbers = [
  '9223372036854775807',
  '-9223372036854775808',
  '18446744073709551615',
  '9007199254740993',
  '1757900000000123456',
  '123456789012345678901234567890',
  '0.1234567890123456789',
  '3.14159265358979323846',
  '1e400',
  '-1E+308000',
  '1e-400',
  '12345678901234567e5',
  '10000000000000000000000',
] as const;

test.each(longNumbers)('%s stays as it is written', number => {
  for (const json of [`{"a":${number}}`, `[1,${number}]`, number, `{"a":{"b":[{"c":${number}}]},"d":"${number}"}`]) {
    expect(JSON.stringify(parseJson(json))).toBe(json);
  }
});

test.each([
  ['0', 0],
  ['-0', -0],
  ['1.0', 1],
  ['1e3', 1000],
  ['0.10', 0.1],
  ['9007199254740991', 9007199254740991],
  ['1757900000000', 1757900000000],
  ['0.30000000000000004', 0.30000000000000004],
  ['1e20', 1e20],
])('%s is a plain number', (text, number) => {
  const read = parseJson(`{"a":${text}}`) as { a: unknown };
  if (text === '1e20') expect(toPlainNumber(read.a)).toBe(number);
  else expect(read.a).toBe(number);
});

test('any JSON is read as JSON.parse reads it, but for what that loses', () => {
  fc.assert(
    fc.property(fc.json(), text => {
      const plain: unknown = JSON.parse(JSON.stringify(parseJson(text)));
      expect(plain).toEqual(JSON.parse(JSON.stringify(JSON.parse(text))));
    }),
  );
});

test('any whole number survives, however long', () => {
  fc.assert(
    fc.property(fc.bigInt(), number => {
      expect(JSON.stringify(parseJson(`{"n":${number}}`))).toBe(`{"n":${number}}`);
    }),
  );
});

test('texts are changed, numbers beside them kept', () => {
  const read = parseJson('{"a":"x\\u0000y","b":9223372036854775807}', text => text.replaceAll('\0', ''));
  expect(JSON.stringify(read)).toBe('{"a":"xy","b":9223372036854775807}');
});

test('a row of a million digits takes no time to speak of', () => {
  const json = `{"a":${'9'.repeat(1_000_000)},"b":1${'0'.repeat(1_000_000)}1}`;
  expect(JSON.stringify(parseJson(json))).toBe(json);
});
