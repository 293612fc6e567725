import type { Logger } from 'pino';
import { persistently } from './persistently.ts';
import type { JournalStore, Settled, ToSettle } from './store.ts';

/** Stores outcomes, and those that nobody waits for together: a commit costs as much as the work of several. */
export interface Settling {
  /** Undefined when another process has taken the intent over. `isUrgent`: it is stored at once, and what was put off with it. */
  settle(ending: ToSettle, isUrgent: boolean): Promise<Settled | undefined>;
  /** Stores what was put off. */
  flush(): void;
}

/** How long storing may be put off, in milliseconds: as long as the API takes for a few of a lane. */
const longestDelay = 25;

/** Opens the settling over a store. */
export function createSettling(store: Pick<JournalStore, 'settle'>, log: Logger): Settling {
  let waiting: { readonly ending: ToSettle; readonly result: PromiseWithResolvers<Settled | undefined> }[] = [];
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const together = waiting;
    waiting = [];
    if (together.length > 0) void storeAll(together);
  }

  async function storeAll(together: typeof waiting): Promise<void> {
    try {
      const settled = await persistently(log, () => store.settle(together.map(each => each.ending)));
      for (const [index, { result }] of together.entries()) result.resolve(settled[index]);
    } catch (error) {
      // One that cannot be stored does not take the others along.
      if (together.length === 1) together[0]?.result.reject(error);
      else for (const each of together) await storeAll([each]);
    }
  }

  return {
    settle: (ending, isUrgent) => {
      const result = Promise.withResolvers<Settled | undefined>();
      waiting.push({ ending, result });
      if (isUrgent) flush();
      else timer ??= setTimeout(flush, longestDelay);
      return result.promise;
    },
    flush,
  };
}
