import { distance } from '../../contract/distance.ts';

/** Longer words are text, and comparing them would only cost time. */
const maxCommandWord = 32;

/**
 * How near a typed word is to a known one: the number of slips, 1 for a beginning of three letters or more (of two, when
 * only one is missing), or `undefined` when it is too far to be meant. Forgiven is about one slip in three letters, never more than three.
 */
export function nearness(typed: string, known: string): number | undefined {
  if (typed === known) return 0;
  if (typed.length < 2 || typed.length > maxCommandWord) return undefined;
  if (known.startsWith(typed) && (typed.length > 2 || known.length === 3)) return 1;
  const allowed = Math.min(3, Math.floor(typed.length / 3));
  if (Math.abs(typed.length - known.length) > allowed) return undefined;
  const slips = distance(typed, known);
  return slips <= allowed ? slips : undefined;
}

/** The item whose name is nearest to a typed word, and the first of equally near ones; undefined when none is near. */
export function nearest<T>(typed: string, items: readonly T[], nameOf: (item: T) => string): T | undefined {
  let best: { item: T; slips: number } | undefined;
  for (const item of items) {
    const slips = nearness(typed, nameOf(item));
    if (slips !== undefined && slips < (best?.slips ?? Number.POSITIVE_INFINITY)) best = { item, slips };
  }
  return best?.item;
}
