import { AsyncLocalStorage } from 'node:async_hooks';
import { leaseTime } from './leases.ts';

/** A process that stood still for longer may have lost its leases, in milliseconds: it shows signs of life every quarter of one. */
const longestStandstill = leaseTime / 2;

/** Whether the process stood still since the work under way was begun. */
const work = new AsyncLocalStorage<() => boolean>();

/**
 * Notices that its process stood still: it was suspended or starved. Meanwhile others may have taken over what it had leased, so
 * work that was begun before must not act any more ({@link isOvertaken}). `steady`: milliseconds of a clock that never steps.
 */
export class Pulse {
  readonly #steady: () => number;
  #last: number;
  #standstills = 0;

  constructor(steady: () => number = () => performance.now()) {
    this.#steady = steady;
    this.#last = steady();
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
    const now = this.#steady();
    if (now - this.#last > longestStandstill) this.#standstills += 1;
    this.#last = now;
    return this.#standstills;
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
