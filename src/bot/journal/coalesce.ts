/** Work that runs one at a time. */
export interface Coalesced {
  /** Runs it from now on. Calls made while it runs share one more run. Resolves when that run has ended. */
  run(): Promise<void>;
  /** The last run that is going on or asked for; undefined when there is none. */
  pending(): Promise<void> | undefined;
}

/** For work that never throws. */
export function coalesce(work: () => Promise<void>): Coalesced {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function run(): Promise<void> {
    if (current) {
      next ??= current.then(() => {
        next = undefined;
        return run();
      });
      return next;
    }
    current = work().finally(() => {
      current = undefined;
    });
    return current;
  }

  return { run, pending: () => next ?? current };
}
