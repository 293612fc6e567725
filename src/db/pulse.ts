import { AsyncLocalStorage } from 'node:async_hooks';
import { leaseTime } from './leases.ts';

/** A process that has stored no heartbeat for so long may be taken for dead before its next call arrives, in milliseconds. */
const longestSilence = 0.75 * leaseTime;

/** Whether the process was silent for too long since the work under way was begun. */
const work = new AsyncLocalStorage<() => boolean>();

/**
 * Notices that its process may have lost its leases: it stored no heartbeat for too long, since it hung or could not reach the database.
 * Others may have taken over its work, so work that was begun before must not act any more ({@link isOvertaken}).
 */
export class Pulse {
  readonly #clocks: readonly (() => number)[];
  #last: readonly number[];
  #silences = 0;

  /**
   * The clocks tell milliseconds. One should never step, and one should go on while the machine sleeps: no clock does both. A
   * clock that is set forward looks like a silence, and then work is only done again.
   */
  constructor(...clocks: readonly (() => number)[]) {
    this.#clocks = clocks;
    this.#last = this.#read();
  }

  /** The heartbeats of all leases are stored, or there is none to store. */
  beat(): void {
    this.#noteSilence();
    this.#last = this.#read();
  }

  /** Does work under a lease that was got just now. `cutOff` aborts when this process gives the lease up. */
  run<T>(job: () => Promise<T>, cutOff?: AbortSignal): Promise<T> {
    this.#noteSilence();
    const before = this.#silences;
    const began = this.#read();
    const isSilent = () => this.#isSilentSince(this.#last) && this.#isSilentSince(began);
    return work.run(() => cutOff?.aborted === true || this.#silences > before || isSilent(), job);
  }

  /** Work that was begun before the silence is overtaken from now on; a lease that is got after it is not. */
  #noteSilence(): void {
    if (!this.#isSilentSince(this.#last)) return;
    this.#silences += 1;
    this.#last = this.#read();
  }

  #isSilentSince(moment: readonly number[]): boolean {
    return this.#read().some((now, index) => now - (moment[index] ?? now) > longestSilence);
  }

  #read(): readonly number[] {
    return this.#clocks.map(clock => clock());
  }
}

/** Whether another process may be doing the work that asks. Ask before each effect outside the database. */
export function isOvertaken(): boolean {
  return work.getStore()?.() ?? false;
}

/** {@link isOvertaken} of the work that asks now, for a queue that sends later. */
export function bindOvertaken(): () => boolean {
  return work.getStore() ?? (() => false);
}
