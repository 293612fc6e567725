/**
 * How many single-character slips turn `a` into `b`: insertions, deletions, substitutions and swapped neighbours
 * (optimal string alignment). For short words: the cost is the product of the lengths.
 */
export function distance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const edits = [
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      ];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) edits.push((beforePrevious[column - 2] ?? 0) + 1);
      current.push(Math.min(...edits));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

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
