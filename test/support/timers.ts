import type { Timers } from '../../src/contract/timers.ts';

interface Timer {
  readonly ms: number;
  readonly run: () => void;
}

/** Timers whose time passes when the test says so, and that tell the test when one is set. */
export class TestTimers implements Timers {
  readonly #set = new Set<Timer>();
  readonly #waiting = new Set<() => void>();
  readonly #pass: (ms: number) => void;
  #monotonicNow = 0;

  /** `pass` moves the test's clock. */
  constructor(pass: (ms: number) => void) {
    this.#pass = pass;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { ms, run };
    this.#set.add(timer);
    for (const look of this.#waiting) look();
    return () => this.#set.delete(timer);
  }

  readonly monotonicNow = () => this.#monotonicNow;

  /** Lets time pass in which no timer fires. */
  pass(ms: number): void {
    this.#monotonicNow += ms;
    this.#pass(ms);
  }

  /** Milliseconds of the timers that are set. */
  get set(): number[] {
    return [...this.#set].map(each => each.ms).toSorted((one, other) => one - other);
  }

  /** Waits until a timer of so many milliseconds is set, lets that time pass, and runs it. */
  async fire(ms: number): Promise<void> {
    const timer = await this.#find(ms);
    this.#set.delete(timer);
    this.pass(ms);
    timer.run();
  }

  /** Waits until a timer of so many milliseconds is set. */
  async until(ms: number): Promise<void> {
    await this.#find(ms);
  }

  async #find(ms: number): Promise<Timer> {
    const { promise, resolve } = Promise.withResolvers<Timer>();
    const look = () => {
      const timer = [...this.#set].find(each => each.ms === ms);
      if (timer) resolve(timer);
    };
    this.#waiting.add(look);
    look();
    const timer = await promise;
    this.#waiting.delete(look);
    return timer;
  }
}
