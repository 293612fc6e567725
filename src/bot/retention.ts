import type { Logger } from 'pino';

/** How often old rows are deleted, in milliseconds. */
const every = 3_600_000;

/** Keeps rows for a time. */
interface Store {
  /** Deletes some of the old rows; returns how many. */
  purge(now: Date): Promise<number>;
}

/** Deletes old rows once an hour. Nothing waits for it. */
export function startRetention(deps: { stores: readonly Store[]; clock: () => Date; log: Logger }): Disposable {
  let stopped = false;

  async function removeOld(): Promise<void> {
    try {
      for (const store of deps.stores) {
        while (!stopped && (await store.purge(deps.clock())) > 0);
      }
    } catch (error) {
      deps.log.warn({ err: error }, 'retention: could not delete old rows');
    }
  }

  const timer = setInterval(() => void removeOld(), every).unref();
  return {
    [Symbol.dispose]: () => {
      stopped = true;
      clearInterval(timer);
    },
  };
}
