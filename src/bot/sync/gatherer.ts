import type { Timers } from '../../contract/timers.ts';

/** How long it waits after the last thing heard, in milliseconds. */
const quiet = 1000;
/** How long it waits at most, in milliseconds: people see a change within five seconds. */
const longest = 4000;

/** Gathers ids that arrive at nearly the same time, so that a burst is handled once. */
export class Gatherer {
  readonly #timers: Timers;
  readonly #deal: (heard: ReadonlySet<string>) => void;
  #heard = new Set<string>();
  #began = 0;
  #cancel = () => {};

  constructor(deps: { readonly timers: Timers; readonly deal: (heard: ReadonlySet<string>) => void }) {
    this.#timers = deps.timers;
    this.#deal = deps.deal;
  }

  add(what: string): void {
    const now = this.#timers.steady();
    if (this.#heard.size === 0) this.#began = now;
    this.#heard.add(what);
    this.#cancel();
    const left = Math.max(0, this.#began + longest - now);
    this.#cancel = this.#timers.after(Math.min(quiet, left), () => this.flush());
  }

  /** Handles at once everything gathered. */
  flush(): void {
    this.#cancel();
    const heard = this.#heard;
    this.#heard = new Set();
    if (heard.size > 0) this.#deal(heard);
  }

  /** Forgets everything gathered. */
  close(): void {
    this.#cancel();
    this.#heard.clear();
  }
}
