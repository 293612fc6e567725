import type { Attempted } from './attempt.ts';
import type { IntentRow } from './rows.ts';

/** What became of an intent that was tried in this process. */
export interface Event {
  readonly row: IntentRow;
  readonly attempted: Attempted;
}

/** What came of an intent that need not be tried again. */
export type Ended = Exclude<Attempted, { state: 'kept' }>;

/** Listens for one intent. */
export interface Watch extends Disposable {
  /**
   * The next thing that happens to an intent, or holds up what is before it in its lane; undefined when nothing does within
   * that many milliseconds.
   */
  next(row: Pick<IntentRow, 'key' | 'lane'>, patience: number): Promise<Event | undefined>;
  /** From now on somebody waits for the intent of that key. */
  awaits(key: string): void;
}

/** Who listens for what happens to intents in this process. */
export interface Watching {
  /** Tells everybody who listens. */
  tell(event: Event): void;
  /** Listens for what happens; ends when disposed. */
  watch(): Watch;
  /** Whether somebody waits for the intent of that key. */
  isAwaited(key: string): boolean;
}

/** Opens the watching. */
export function createWatching(): Watching {
  const listeners = new Set<(event: Event) => void>();
  const awaited = new Map<string, number>();
  return {
    tell: event => {
      for (const listener of listeners) listener(event);
    },
    isAwaited: key => awaited.size > 0 && awaited.has(key),
    watch: () => {
      const keys = new Set<string>();
      const events: Event[] = [];
      let wake = () => {};
      const listener = (event: Event) => {
        events.push(event);
        wake();
      };
      listeners.add(listener);
      const find = ({ key, lane }: Pick<IntentRow, 'key' | 'lane'>) =>
        events.find(({ row, attempted }) => row.key === key || (attempted.state === 'kept' && row.lane === lane));
      return {
        awaits: key => {
          if (keys.has(key)) return;
          keys.add(key);
          awaited.set(key, (awaited.get(key) ?? 0) + 1);
        },
        next: async (row, patience) => {
          const until = performance.now() + patience;
          for (let left = patience; left > 0; left = until - performance.now()) {
            const found = find(row);
            if (found) return found;
            const { promise, resolve } = Promise.withResolvers<void>();
            wake = resolve;
            const timer = setTimeout(resolve, left);
            await promise;
            clearTimeout(timer);
          }
          return find(row);
        },
        [Symbol.dispose]: () => {
          listeners.delete(listener);
          for (const key of keys) {
            const others = (awaited.get(key) ?? 1) - 1;
            if (others > 0) awaited.set(key, others);
            else awaited.delete(key);
          }
          keys.clear();
        },
      };
    },
  };
}
