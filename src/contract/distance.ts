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

/** A name without what clients write differently: `incident_type`, `Incident-Type`. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}
