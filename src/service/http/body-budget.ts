import pLimit from 'p-limit';
import { RpcError } from '../../contract/errors.ts';
import { processTimers, type Timers } from '../../contract/timers.ts';

/** The most bytes of a body that is taken as it arrives. For a larger one room is reserved before it is read. */
export const smallBody = 64 * 1024;

/** Bytes in flight: bodies that are read, parsed, or carried out, each counted as large as it is unzipped. */
interface BudgetOptions {
  /** For small bodies. Large ones cannot take this room from them. */
  readonly small: number;
  /** For large bodies. */
  readonly large: number;
  /** Milliseconds that a large body waits for room. */
  readonly timeout: number;
  /** How many large bodies are parsed and carried out at a time: once parsed they take many times as much memory. */
  readonly atATime: number;
  readonly timers: Timers;
}

const mebibyte = 1024 * 1024;
const usual = { small: 16 * mebibyte, large: 32 * mebibyte, atATime: 2, timers: processTimers };

/** The room of one request's body. Disposing gives it back. */
export interface BodyRoom extends Disposable {
  /** Takes room for bytes of a small body that have arrived. Throws `unavailable` when there is none. */
  grow(bytes: number): void;
  /** Takes room for a large body before it is read. Waits a little; rejects with `unavailable` when there is none still. */
  reserve(bytes: number): Promise<void>;
  /** Gives back what was reserved beyond so many bytes. */
  keep(bytes: number): void;
  /** Runs what parses the body and carries it out. Large bodies take turns. */
  carryOut<T>(work: () => Promise<T>): Promise<T>;
}

/** Bounds the memory that the bodies of all requests take together. */
export interface BodyBudget {
  /** Room for a body that has taken none yet. */
  open(): BodyRoom;
}

/** Makes the budget of one process. */
export function createBodyBudget(given: Partial<BudgetOptions> & { readonly timeout: number }): BodyBudget {
  const options = { ...usual, ...given };
  const shares = { small: new ByteQueue(options.small, options), large: new ByteQueue(options.large, options) };
  const turns = pLimit(options.atATime);
  return {
    open() {
      const taken = { small: 0, large: 0 };
      const keep = (bytes: number) => {
        const back = Math.max(0, taken.large - bytes);
        taken.large -= back;
        shares.large.give(back);
      };
      return {
        grow(bytes) {
          if (!shares.small.takeNow(bytes)) throw tooBusy();
          taken.small += bytes;
        },
        async reserve(bytes) {
          await shares.large.take(bytes, options.timeout);
          taken.large += bytes;
        },
        keep,
        carryOut: work => (taken.large > smallBody ? turns(work) : work()),
        [Symbol.dispose]() {
          keep(0);
          shares.small.give(taken.small);
          taken.small = 0;
        },
      };
    },
  };
}

/** A number of bytes, handed out first come, first served. */
class ByteQueue {
  #free: number;
  readonly #timers: Timers;
  readonly #waiting = new Set<{ readonly bytes: number; readonly go: () => void }>();

  constructor(bytes: number, { timers }: BudgetOptions) {
    this.#free = bytes;
    this.#timers = timers;
  }

  /** False when there is no room. */
  takeNow(bytes: number): boolean {
    if (this.#waiting.size > 0 || bytes > this.#free) return false;
    this.#free -= bytes;
    return true;
  }

  async take(bytes: number, timeout: number): Promise<void> {
    if (this.takeNow(bytes)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const place = { bytes, go: resolve };
    this.#waiting.add(place);
    const stop = this.#timers.after(timeout, () => {
      this.#waiting.delete(place);
      reject(tooBusy());
      this.#letIn();
    });
    await promise.finally(stop);
  }

  give(bytes: number): void {
    this.#free += bytes;
    this.#letIn();
  }

  #letIn(): void {
    for (const place of this.#waiting) {
      if (place.bytes > this.#free) return;
      this.#free -= place.bytes;
      this.#waiting.delete(place);
      place.go();
    }
  }
}

function tooBusy(): RpcError {
  return new RpcError('unavailable', 'Too many large requests arrive at once. Try again in a moment.', {
    retryAfter: 1,
  });
}
