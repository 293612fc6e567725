import pLimit from 'p-limit';

/** Lanes in which one process makes attempts at a time, beside those in which somebody waits. */
export const mostTrying = 32;

/**
 * How long what is claimed may wait for its turn, in milliseconds: then it is looked at anew, since its lease might have been
 * lost. With what the attempts of a run may take it is less than a lease.
 */
const longestWait = 3000;

/** Lets attempts be made in so many lanes at a time. */
export interface Gate {
  /** Does the trying when it is its turn; undefined when that would come too late. */
  withLock<T>(trying: () => Promise<T>): Promise<T | undefined>;
  /** From now on nobody waits. */
  open(): void;
}

/** Makes a gate. `steady`: milliseconds of a clock that never steps. */
export function createGate(steady: () => number): Gate {
  const limit = pLimit(mostTrying);
  return {
    withLock: trying => {
      const since = steady();
      return limit(async () => (steady() - since > longestWait ? undefined : trying()));
    },
    open: () => {
      limit.concurrency = Number.POSITIVE_INFINITY;
    },
  };
}
