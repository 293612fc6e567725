import { parseInterval } from '../../contract/interval.ts';

/**
 * The refresh to store: `minimum` in place of a shorter or malformed interval. An empty one, `auto` and any value that is no
 * string stay (docs/api-rules.md C2, step 5).
 */
export function toRefresh(refresh: unknown, minimum: string): unknown {
  if (typeof refresh !== 'string' || refresh === '' || refresh === 'auto') return refresh;
  const least = parseInterval(minimum) ?? 0;
  return (parseInterval(refresh) ?? -Infinity) < least ? minimum : refresh;
}
