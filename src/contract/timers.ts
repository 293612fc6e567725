/**
 * The time that passes in a process. Whatever waits takes this as an argument, so that tests need not wait. It stands in
 * contract/ because the service and the bot wait alike, and neither imports the other.
 */
export interface Timers {
  /** Runs `run` once, `ms` milliseconds from now. The function it returns cancels that. */
  after(ms: number, run: () => void): () => void;
  /** Milliseconds of a clock that never steps; only differences mean something. */
  steady(): number;
}

/** The process's own timers. None of them keeps the process running. */
export const processTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
  steady: () => performance.now(),
};

/** Resolves after `ms`, or as soon as the signal aborts. */
export async function pause(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = timers.after(ms, resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  cancel();
}
