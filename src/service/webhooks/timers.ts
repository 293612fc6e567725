/** Runs things later. What the sender of webhooks waits for goes through here, so that tests need not wait for it. */
export interface Timers {
  /** Runs `run` once, `ms` milliseconds from now; what is returned calls it off. */
  after(ms: number, run: () => void): () => void;
}

/** The process's own timers; none of them keeps the process running. */
export const processTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or as soon as the signal aborts. */
export async function pause(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const callOff = timers.after(ms, resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  callOff();
}
