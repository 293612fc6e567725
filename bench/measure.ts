import { quantile } from '../test/support/quantile.ts';

/** A measured ratio, with the limit that it must keep or the reason why it has none. */
export type Row = Measured & (Limited | Unlimited);

/** A ratio of two sides, as a rule that of subject to baseline. */
interface Measured {
  readonly name: string;
  readonly ratio: number;
  readonly baseline: number;
  readonly subject: number;
  /** Of baseline and subject. */
  readonly unit: string;
}

interface Limited {
  readonly limit: number;
  /** Which side of the limit is the good one; `within`: the ratio differs from 1 by no more than the limit. */
  readonly bound: 'at least' | 'at most' | 'within';
  /** What follows from a miss, where that is not plain. */
  readonly whenMissed?: string;
}

interface Unlimited {
  readonly limit: undefined;
  /** Why the row has no limit, in a few words. */
  readonly reason: string;
}

/** One turn of baseline and subject, measured next to each other. */
export interface Pair {
  readonly baseline: number;
  readonly subject: number;
}

/** Whether a row keeps its limit; a ratio that is no number does not. */
export function keepsLimit(row: Pick<Measured, 'ratio'> & (Limited | Unlimited)): boolean {
  if (row.limit === undefined) return true;
  switch (row.bound) {
    case 'at least':
      return row.ratio >= row.limit;
    case 'at most':
      return row.ratio <= row.limit;
    case 'within':
      return Math.abs(row.ratio - 1) <= row.limit;
  }
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
