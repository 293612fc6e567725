import { Stopped } from './intent.ts';
import type { IntentRow } from './rows.ts';

/** What a waiter hears: its intent got a final outcome, or the head of its lane was put off. */
type Event = { readonly kind: 'settled'; readonly row: IntentRow } | { readonly kind: 'postponed' };

/** The events of this process that callers wait for. */
export class Waiters {
  readonly #waiters = new Set<Waiter>();
  #isStopped = false;

  /** Hears about an intent and its lane from now on, until it is disposed. */
  open(row: Pick<IntentRow, 'id' | 'lane'>): Waiter {
    const waiter = new Waiter(row, () => this.#waiters.delete(waiter));
    if (this.#isStopped) waiter.stop();
    this.#waiters.add(waiter);
    return waiter;
  }

  /** An intent got its final outcome. */
  settled(row: IntentRow): void {
    for (const waiter of this.#waiters) if (waiter.id === row.id) waiter.hear({ kind: 'settled', row });
  }

  /** The head of a lane was put off. */
  postponed(lane: string): void {
    for (const waiter of this.#waiters) if (waiter.lane === lane) waiter.hear({ kind: 'postponed' });
  }

  /** Ends all waiting, now and later. */
  stop(): void {
    this.#isStopped = true;
    for (const waiter of this.#waiters) waiter.stop();
  }
}

/** A caller that waits for one intent. */
class Waiter implements Disposable {
  readonly id: string;
  readonly lane: string;
  readonly #events: Event[] = [];
  readonly #end: () => void;
  #isStopped = false;
  #wake = () => {};

  constructor({ id, lane }: Pick<IntentRow, 'id' | 'lane'>, end: () => void) {
    this.id = id;
    this.lane = lane;
    this.#end = end;
  }

  hear(event: Event): void {
    this.#events.push(event);
    this.#wake();
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  /** Resolves with the next event, or undefined after `ms`. Throws {@link Stopped} when the process stops. */
  async next(ms: number): Promise<Event | undefined> {
    if (this.#events.length === 0 && !this.#isStopped) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(resolve, ms);
      await promise;
      clearTimeout(timer);
    }
    const event = this.#events.shift();
    if (!event && this.#isStopped) throw new Stopped();
    return event;
  }

  [Symbol.dispose](): void {
    this.#end();
  }
}
