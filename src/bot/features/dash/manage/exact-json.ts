/** What V8 offers beside the standard library that TypeScript knows: the source of a value while it is read, and text that is written as it is. */
interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, at: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
}

const exact: ExactJson = JSON as never;

/**
 * Reads JSON so that `JSON.stringify` writes every number as it was: `1.0`, `1e3` and whole numbers beyond 2^53 are kept as their
 * text. Throws SyntaxError, and RangeError for what nests too deeply.
 */
export function parseExact(text: string): unknown {
  return exact.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? exact.rawJSON(source) : value,
  );
}
