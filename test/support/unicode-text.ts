import fc from 'fast-check';

/** The surrogates: half characters, which no text has alone. */
const surrogates = { from: 0xd800, count: 0x800 };
const lastCharacter = 0x10_ffff;

const character = fc
  .integer({ min: 0, max: lastCharacter - surrogates.count })
  .map(code => String.fromCodePoint(code < surrogates.from ? code : code + surrogates.count));

/**
 * Text of any characters of Unicode, its lengths in characters. The unit `binary` of fast-check's own strings first lists all million
 * characters, which takes seconds in each process.
 */
export function unicodeText(
  lengths: { readonly minLength?: number; readonly maxLength?: number } = {},
): fc.Arbitrary<string> {
  return fc.string({ ...lengths, unit: character });
}
