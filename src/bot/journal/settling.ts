import type { Logger } from 'pino';
import { persistently } from './persistently.ts';
import type { JournalStore, Settled, ToSettle } from './store.ts';

/** Stores what came of intents, and what nobody waits for together: a commit costs as much as the work of several. */
export interface Settling {
  /** Undefined when another process has taken the intent over. `isUrgent`: it is stored very soon, and what was put off with it. */
  settle(ending: ToSettle, isUrgent: boolean): Promise<Settled | undefined>;
  /** Notes that nothing more is due for these. Rejects when that could not be stored. */
  close(ids: readonly string[]): Promise<void>;
  /** Stores what was put off, before all that is stored from now on; resolves when that is done, or cannot be. */
  flush(): Promise<void>;
}

/** How long storing may be put off, in milliseconds: as long as the API takes for a few of a lane. */
const longestDelay = 50;
/** The same where something waits for it: whoever acts next shares a commit with it. */
const shortDelay = 2;

/** Opens the settling over a store. */
export function createSettling(store: Pick<JournalStore, 'settle' | 'close'>, log: Logger): Settling {
  let waiting: { readonly ending: ToSettle; readonly result: PromiseWithResolvers<Settled | undefined> }[] = [];
  let closing: { readonly ids: string[]; readonly result: PromiseWithResolvers<void> } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isSoon = false;
  let flushing: Promise<void> | undefined;

  /** One after the other: the first of what was claimed together is stored after the others. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const mine = (flushing ? flushing.then(storeWaiting) : storeWaiting()).finally(() => {
      if (flushing === mine) flushing = undefined;
    });
    flushing = mine;
    return mine;
  }

  function flushLater(isUrgent: boolean): void {
    if (timer && (isSoon || !isUrgent)) return;
    clearTimeout(timer);
    isSoon = isUrgent;
    timer = setTimeout(() => void flush(), isUrgent ? shortDelay : longestDelay);
  }

  async function storeWaiting(): Promise<void> {
    const ended = waiting;
    waiting = [];
    const told = closing;
    closing = undefined;
    await Promise.all([ended.length > 0 && storeAll(ended), told && closeAll(told)]);
  }

  async function closeAll({ ids, result }: NonNullable<typeof closing>): Promise<void> {
    try {
      result.resolve(await store.close(ids));
    } catch (error) {
      result.reject(error);
    }
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
      flushLater(isUrgent);
      return result.promise;
    },
    close: ids => {
      closing ??= { ids: [], result: Promise.withResolvers() };
      closing.ids.push(...ids);
      flushLater(false);
      return closing.result.promise;
    },
    flush,
  };
}
