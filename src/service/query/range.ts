import { parseTime } from '../store/time.ts';
import type { RangeProperty } from './ast.ts';
import { excerpt, invalidQuery } from './syntax-error.ts';

/**
 * Reads `from,to`, either of which may be empty. Refuses anything but RFC 3339 times; `offset` is the range's place in the
 * query, for the message.
 */
export function readRange(
  property: RangeProperty,
  text: string,
  offset: number,
): { from: number | undefined; to: number | undefined } {
  const [from, to, ...more] = text.split(',').map(each => each.trim());
  if (from === undefined || to === undefined || more.length > 0 || (from === '' && to === '')) {
    throw invalidQuery(
      `${property} needs two times with a comma between, of which one may be empty, as in ${property}:2026-01-31T00:00:00Z,`,
      offset,
    );
  }
  return { from: readTime(property, from, offset), to: readTime(property, to, offset) };
}

function readTime(property: RangeProperty, text: string, offset: number): number | undefined {
  if (text === '') return undefined;
  const time = parseTime(text);
  if (time === undefined) {
    throw invalidQuery(`${excerpt(text)} of ${property} is not a time like 2026-01-31T14:05:00Z`, offset);
  }
  return time;
}
