/**
 * What V8 adds to the standard library that TypeScript knows: the source of a value while it is read, and text that is written as it is.
 */
const exact: {
  parse(text: string, reviver: (key: string, value: unknown, at: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
} = JSON as never;

/**
 * Reads JSON so that `JSON.stringify` writes every number as it was: `1.0`, `1e3` and whole numbers beyond 2^53 are kept as their
 * text. Throws SyntaxError, and RangeError for what nests too deeply.
 */
export function parseExact(text: string): unknown {
  return exact.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? exact.rawJSON(source) : value,
  );
}

/** A place that may have a number that JavaScript cannot hold: 16 characters, or an exponent of two digits. */
const longNumber = /(?:^|[[,:\s])-?(?:[\d.]{16}|[\d.]+[eE][+-]?\d\d)/;

/**
 * Reads JSON so that `JSON.stringify` writes numbers as they were that JavaScript cannot hold, such as whole numbers beyond 2^53; all
 * others are plain numbers. `toText` changes the texts. Throws as JSON.parse does.
 */
export function parseJson(text: string, toText?: (text: string) => string): unknown {
  if (toText === undefined && !longNumber.test(text)) return JSON.parse(text);
  return exact.parse(text, (_key, value, { source }) => {
    if (typeof value === 'string' && toText !== undefined) return toText(value);
    return typeof value === 'number' && source !== undefined && isLost(value, source) ? exact.rawJSON(source) : value;
  });
}

/** A number that is kept as its text, as the plain number next to it; any other value as it is. */
export function toPlainNumber(value: unknown): unknown {
  return exact.isRawJSON(value) ? Number(value.rawJSON) : value;
}

/** Whether the number of a text would be another, or written in another way, beyond what JavaScript holds exactly. */
function isLost(value: number, source: string): boolean {
  if (String(value) === source) return false;
  const digits = source
    .replace(/[eE].*/, '')
    .replace(/^[-0.]+/, '')
    .replace('.', '');
  if (value === 0) return digits !== '';
  return Math.abs(value) > Number.MAX_SAFE_INTEGER || digits.length > 15;
}
