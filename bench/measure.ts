import { quantile } from '../test/support/quantile.ts';

/** A measured ratio and the limit it must keep; without a limit it is only shown. */
export interface Row {
  readonly name: string;
  readonly ratio: number;
  readonly limit: number | undefined;
  /** Which side of the limit is the good one. */
  readonly bound: 'at least' | 'at most';
  readonly baseline: number;
  readonly subject: number;
  /** Of baseline and subject. */
  readonly unit: string;
}

/** One turn of baseline and subject, measured next to each other. */
export interface Pair {
  readonly baseline: number;
  readonly subject: number;
}

/** Whether a row keeps its limit; a ratio that is no number does not. */
export function keepsLimit(row: Pick<Row, 'ratio' | 'limit' | 'bound'>): boolean {
  if (row.limit === undefined) return true;
  return row.bound === 'at least' ? row.ratio >= row.limit : row.ratio <= row.limit;
}

/**
 * Measures baseline and subject in turn, the one that goes first changing each time, so that whatever else the machine does
 * befalls both.
 */
export async function interleave<T>(
  rounds: number,
  measure: { baseline: () => Promise<T>; subject: () => Promise<T> },
): Promise<{ baseline: T; subject: T }[]> {
  const pairs: { baseline: T; subject: T }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) {
      const baseline = await measure.baseline();
      pairs.push({ baseline, subject: await measure.subject() });
    } else {
      const subject = await measure.subject();
      pairs.push({ baseline: await measure.baseline(), subject });
    }
  }
  return pairs;
}

/** The median of the ratios of neighbours, and of each side. */
export function summarise(pairs: readonly Pair[]): { ratio: number; baseline: number; subject: number } {
  return {
    ratio: median(pairs.map(each => each.subject / each.baseline)),
    baseline: median(pairs.map(each => each.baseline)),
    subject: median(pairs.map(each => each.subject)),
  };
}

/** The middle one of some numbers. */
export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}
