import { decodeError } from './error-codec.ts';
import { AlreadyAnswered, type Final, type Outcome, Stopped } from './intent.ts';
import type { Added } from './lane-queue.ts';
import type { Listeners } from './notifier.ts';
import { findByID, type IntentRow, isFinal, type Rows } from './rows.ts';
import type { Worker } from './worker.ts';

/** What a waiter hears: its intent got a final outcome, or the head of its lane was put off. */
type Event = { readonly kind: 'settled'; readonly row: IntentRow } | { readonly kind: 'postponed' };

/** How often a caller looks whether another process has settled its intent, in milliseconds. */
const pollEvery = 250;

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

interface CallerDeps {
  readonly rows: Rows;
  readonly reader: { final(row: IntentRow, repeated: boolean): Final };
  readonly listeners: Listeners;
  readonly waiters: Waiters;
  readonly worker: Pick<Worker, 'run' | 'look'>;
  /** Milliseconds that a caller waits before it hears `queued`. */
  readonly patience: number;
  readonly steady: () => number;
}

/** Gives callers the outcome of their intents. */
export class Callers {
  /** Intents whose caller is in this process and has not been answered. */
  readonly awaited = new Set<string>();
  readonly #deps: CallerDeps;

  constructor(deps: CallerDeps) {
    this.#deps = deps;
  }

  /** The outcome for a caller. When it cannot be given to the caller, the owner is told by a message. */
  async outcomeOf(added: Added, caller: string): Promise<Outcome<unknown>> {
    const { row } = added;
    const isSame = caller !== '' && row.caller === caller;
    if (added.status === 'final' && isSame && row.tell === 'nobody' && row.state !== 'discarded')
      throw new AlreadyAnswered();
    const repeated = !added.isNew && !isSame;
    if (!repeated) this.awaited.add(row.id);
    try {
      const outcome = await this.#wait(added, repeated);
      if (outcome.state === 'queued') this.awaited.delete(row.id);
      return outcome;
    } catch (error) {
      this.awaited.delete(row.id);
      throw error;
    }
  }

  async #wait({ row, status }: Added, repeated: boolean): Promise<Outcome<unknown>> {
    const { reader, rows, steady, waiters, worker, patience } = this.#deps;
    if (status === 'final') return reader.final(row, repeated);
    if (status === 'blocked') return this.#queue(row, repeated);
    using waiter = waiters.open(row);
    if (status === 'running') worker.run(row);
    else void worker.look();
    const until = steady() + patience;
    for (let left = patience; left > 0; left = until - steady()) {
      const event = await waiter.next(Math.min(pollEvery, left));
      if (event?.kind === 'settled') return reader.final(event.row, repeated);
      const now = await findByID(rows.db, row.id);
      if (now && isFinal(now)) return reader.final(now, repeated);
      if (event?.kind === 'postponed' || (now?.state === 'pending' && now.attempts > row.attempts)) break;
    }
    return this.#queue(row, repeated);
  }

  async #queue(row: IntentRow, repeated: boolean): Promise<Outcome<unknown>> {
    const { listeners, reader, rows } = this.#deps;
    const now = (repeated ? await findByID(rows.db, row.id) : await listeners.tellByMessage(row.id)) ?? row;
    if (isFinal(now)) return reader.final(now, repeated);
    return { state: 'queued', id: row.id, error: decodeError(now.outcome), repeated };
  }
}
