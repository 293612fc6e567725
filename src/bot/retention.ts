import type { Logger } from 'pino';
import type { Deliveries } from './inbox/delivery-store.ts';
import type { IncidentMemory } from './incident/snapshots.ts';

/** How often what is too old is removed, in milliseconds. */
const every = 3_600_000;

/** Removes, now and then, what need not be remembered any longer; nothing waits for it. */
export function startUpkeep(deps: {
  memories: readonly Pick<Deliveries & IncidentMemory, 'purge'>[];
  clock: () => Date;
  log: Logger;
}): Disposable {
  let stopped = false;

  async function removeOld(): Promise<void> {
    try {
      for (const memory of deps.memories) {
        while (!stopped && (await memory.purge(deps.clock())) > 0);
      }
    } catch (error) {
      deps.log.warn({ err: error }, 'what is too old could not be removed');
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
