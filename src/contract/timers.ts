/**
 * The time that passes in a process. All that waits takes this as an argument, so that tests need not wait. It is in contract/ because the
 * service and the bot wait alike, and neither imports the other.
 */
export interface Timers {
  /** Runs `run` once, `ms` milliseconds from now. The function it returns cancels that. */
  after(ms: number, run: () => void): () => void;
  /** Milliseconds of a clock that never steps; only differences mean something. */
  monotonicNow(): number;
}

/** The process's own timers. None of them keeps the process running. */
export const processTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
  monotonicNow: () => performance.now(),
};
