import { parseJson } from '../../contract/exact-json.ts';

/*
 * No database can store NUL, and Postgres no half of a surrogate pair. Texts that come from outside lose both before anything
 * looks at them.
 */

/** Escapes of such characters in JSON. */
const unstorable = /\\u(0000|d[89a-f])/i;

/** The text without characters that no database can store. */
export function toStorableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** Reads JSON, its texts without characters that no database can store. Throws `SyntaxError` when it is not JSON. */
export function parseStorableJson(json: string): unknown {
  return parseJson(json, unstorable.test(json) ? toStorableText : undefined);
}
