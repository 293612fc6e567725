import type { Deadlines } from '../../deadlines.ts';
import { decodeError } from './entry.ts';
import { AlreadyAnswered, type Final, type Outcome, Stopped } from './intent.ts';
import type { Added } from './lanes.ts';
import type { Listeners } from './notifier.ts';
import { findByID, type IntentRow, isFinal, type Rows } from './rows.ts';

/** How often a caller looks whether another process has settled its intent, in milliseconds. */
const pollEvery = 250;

/** What callers need of the journal. */
interface CallerDeps {
  readonly rows: Rows;
  readonly reader: { final(row: IntentRow, repeated: boolean): Final };
  readonly listeners: Listeners;
  readonly waiters: Waiters;
  readonly worker: { run(row: IntentRow): void; look(): Promise<void> };
  readonly deadlines: Deadlines;
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
    const repeated = !added.isNew && !(caller !== '' && row.caller === caller);
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
    const { rows, steady, waiters, worker, deadlines } = this.#deps;
    if (status === 'final') return this.#toFinal(row, repeated);
    if (status === 'blocked') return this.#queue(row, repeated);
    using waiter = waiters.open(row);
    if (status === 'running') worker.run(row);
    else void worker.look();
    // After it the caller hears `queued`.
    const timeout = deadlines.api.budget + deadlines.lateCall;
    const until = steady() + timeout;
    for (let left = timeout; left > 0; left = until - steady()) {
      const event = await firstWithin(Math.min(pollEvery, left), waiter.event);
      if (event?.kind === 'stopped') throw new Stopped();
      if (event?.kind === 'settled') return this.#toFinal(event.row, repeated);
      const now = await findByID(rows.db, row.id);
      if (now && isFinal(now)) return this.#toFinal(now, repeated);
      if (event?.kind === 'postponed' || (now?.state === 'pending' && now.attempts > row.attempts)) break;
    }
    return this.#queue(row, repeated);
  }

  async #queue(row: IntentRow, repeated: boolean): Promise<Outcome<unknown>> {
    const { listeners, rows } = this.#deps;
    const now = (repeated ? await findByID(rows.db, row.id) : await listeners.tellByMessage(row.id)) ?? row;
    if (isFinal(now)) return this.#toFinal(now, repeated);
    return { state: 'queued', id: row.id, error: decodeError(now.outcome), repeated };
  }

  /** Throws {@link AlreadyAnswered} when a message tells the outcome: it may be on its way, so the caller must not tell it too. */
  #toFinal(row: IntentRow, repeated: boolean): Final {
    const { reader } = this.#deps;
    const isTold = row.caller !== '' && row.tell !== 'caller' && row.state !== 'discarded';
    if (isTold && !repeated) throw new AlreadyAnswered(reader.final(row, true));
    return reader.final(row, repeated);
  }
}

/** What a waiter hears: its intent got a final outcome, the head of its lane was put off, or the process stops. */
type Event = { readonly kind: 'settled'; readonly row: IntentRow } | { readonly kind: 'postponed' | 'stopped' };

/** A caller that waits for one intent. */
interface Waiter {
  readonly id: string;
  readonly lane: string;
  hear(event: Event): void;
}

/** The events of this process that callers wait for. */
export class Waiters {
  readonly #waiters = new Set<Waiter>();
  #isStopped = false;

  /** The first event about an intent or its lane from now on, until it is disposed. */
  open({ id, lane }: IntentRow): { readonly event: Promise<Event> } & Disposable {
    const { promise: event, resolve: hear } = Promise.withResolvers<Event>();
    const waiter = { id, lane, hear };
    if (this.#isStopped) hear({ kind: 'stopped' });
    this.#waiters.add(waiter);
    return { event, [Symbol.dispose]: () => void this.#waiters.delete(waiter) };
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
    for (const waiter of this.#waiters) waiter.hear({ kind: 'stopped' });
  }
}

/** The event, or undefined after `ms`. */
async function firstWithin(ms: number, event: Promise<Event>): Promise<Event | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, ms, undefined);
  const first = await Promise.race([event, late]);
  clearTimeout(timer);
  return first;
}
