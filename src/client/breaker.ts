import { RpcError } from '../contract/errors.ts';

/** An operation that fails so many times as often opens the breaker though others were answered just before. */
const mostOfOne = 3;

/** When a breaker opens, and for how long. */
export interface BreakerOptions {
  /** Failures in a row that open it; default 5. */
  readonly failures?: number;
  /** Milliseconds until one call may try again; default 10,000. */
  readonly coolDown?: number;
}

/** `closed`: calls go through. `open`: calls fail at once. `half-open`: one call finds out whether the API is back. */
export interface BreakerState {
  readonly state: 'closed' | 'open' | 'half-open';
  /** Milliseconds since the epoch of the first failure in the row; undefined when the last call got an answer. */
  readonly failingSince: number | undefined;
  /** The words of the last failure. */
  readonly lastFailure: string | undefined;
}

/**
 * Keeps calls away from an API that does not answer, so that people hear at once and the API can recover. Only silence counts:
 * `unavailable` and `deadline_exceeded`. Any answer, a refusal too, closes it. One operation that fails just after others were answered
 * does not open it: a proxy that blocks that operation must not hold up the others.
 */
export class Breaker {
  readonly #failures: number;
  readonly #coolDown: number;
  #row = 0;
  /** What failed in the row. */
  readonly #operations = new Set<string>();
  #answeredAt = Number.NEGATIVE_INFINITY;
  #since: number | undefined;
  #openedAt: number | undefined;
  #probing = false;
  #lastFailure: string | undefined;

  constructor(options: BreakerOptions = {}) {
    this.#failures = options.failures ?? 5;
    this.#coolDown = options.coolDown ?? 10_000;
  }

  /** Lets a call through, or gives the error to fail with. Each call let through must be `answered`, `failed` or `dropped`. */
  enter(now: number): RpcError | undefined {
    if (this.#openedAt === undefined) return undefined;
    const left = this.#openedAt + this.#coolDown - now;
    if (left <= 0 && !this.#probing) {
      this.#probing = true;
      return undefined;
    }
    const since = new Date(this.#since ?? this.#openedAt).toISOString();
    return new RpcError(
      'unavailable',
      `The API has not answered since ${since}. ${this.#lastFailure ?? ''}`.trimEnd(),
      {
        hint: 'Muster tries again every few seconds.',
        retryAfter: Math.max(1, Math.ceil(left / 1000)),
        maybeApplied: false,
      },
    );
  }

  /** Lets the next call through, though the rest is not over: somebody asks for it. */
  hurry(now: number): void {
    if (this.#openedAt !== undefined) this.#openedAt = Math.min(this.#openedAt, now - this.#coolDown);
  }

  /** The API answered. */
  answered(now: number): void {
    this.#answeredAt = now;
    if (this.#row === 0 && this.#openedAt === undefined) return;
    this.#row = 0;
    this.#operations.clear();
    this.#since = undefined;
    this.#openedAt = undefined;
    this.#probing = false;
    this.#lastFailure = undefined;
  }

  /** The API did not answer an operation. True when this opened the breaker. */
  failed(now: number, words: string, operation = ''): boolean {
    this.#row += 1;
    this.#operations.add(operation);
    this.#since ??= now;
    this.#lastFailure = words;
    const wasOpen = this.#openedAt !== undefined;
    const isOneOfMany = this.#operations.size === 1 && this.#since - this.#answeredAt < this.#coolDown;
    const enough = isOneOfMany ? mostOfOne * this.#failures : this.#failures;
    if (!this.#probing && (wasOpen || this.#row < enough)) return false;
    this.#openedAt = now;
    this.#probing = false;
    return !wasOpen;
  }

  /** The call ended without showing whether the API answers. */
  dropped(): void {
    this.#probing = false;
  }

  state(now: number): BreakerState {
    const open = this.#openedAt;
    const state = open === undefined ? 'closed' : this.#probing || now >= open + this.#coolDown ? 'half-open' : 'open';
    return { state, failingSince: this.#since, lastFailure: this.#lastFailure };
  }
}
