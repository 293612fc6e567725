import { parseInterval } from '../../contract/interval.ts';

/**
 * The refresh to store: `minimum` in place of an interval below it or one that cannot be read, anything else as it came.
 * Empty, `auto` and what is not a string stay; it never fails (docs/api-rules.md C2, step 5).
 */
export function toRefresh(refresh: unknown, minimum: string): unknown {
  if (typeof refresh !== 'string' || refresh === '' || refresh === 'auto') return refresh;
  const least = parseInterval(minimum) ?? 0;
  return (parseInterval(refresh) ?? -Infinity) < least ? minimum : refresh;
}
