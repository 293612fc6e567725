import { AsyncLocalStorage } from 'node:async_hooks';
import { leaseTime } from './leases.ts';

/** A process that stood still for longer may have lost its leases, in milliseconds: it shows signs of life every quarter of one. */
const longestStandstill = leaseTime / 2;

/** Whether the process stood still since the work under way was begun. */
const work = new AsyncLocalStorage<() => boolean>();

/**
 * Notices that its process stood still: it was suspended or starved. Meanwhile others may have taken over what it had leased, so
 * work that was begun before must not act any more ({@link isOvertaken}).
 */
export class Pulse {
  readonly #clocks: readonly (() => number)[];
  #last: readonly number[];
  #standstills = 0;

  /**
   * The clocks tell milliseconds. One should never step, and one should go on while the machine sleeps: no clock does both. A
   * clock that is set forward looks like a standstill, and then work is only done again.
   */
  constructor(...clocks: readonly (() => number)[]) {
    this.#clocks = clocks;
    this.#last = this.#read();
  }

  /** Looks at the clock. Happens with every sign of life. */
  beat(): void {
    this.#countStandstills();
  }

  /** Does work under a lease that was got just now. */
  run<T>(job: () => Promise<T>): Promise<T> {
    const before = this.#countStandstills();
    return work.run(() => this.#countStandstills() > before, job);
  }

  #countStandstills(): number {
    const now = this.#read();
    const stood = now.some((time, index) => time - (this.#last[index] ?? time) > longestStandstill);
    if (stood) this.#standstills += 1;
    this.#last = now;
    return this.#standstills;
  }

  #read(): readonly number[] {
    return this.#clocks.map(clock => clock());
  }
}

/** Whether another process may be doing the work that asks, since this process stood still. Ask before each effect outside the database. */
export function isOvertaken(): boolean {
  return work.getStore()?.() ?? false;
}

/** {@link isOvertaken} of the work that asks now, for a queue that sends later. */
export function bindOvertaken(): () => boolean {
  return work.getStore() ?? (() => false);
}
