import type { JsonObject } from '../protocol/json.ts';

/** What goes wrong with a call. Each says whether the call has its effect all the same. */
export type Fault =
  /** The answer is `{ ok: false, error }`, without effect. */
  | { readonly error: string }
  /** 429 with `Retry-After` in seconds, or without the header; without effect. */
  | { readonly rateLimited: number | 'no-header' }
  /** That status and body, without effect. */
  | { readonly status: number; readonly body: string }
  /** No connection comes about: refused, or a name nobody knows. Slack does not hear of the call. Over HTTP it breaks. */
  | { readonly unreachable: 'ECONNREFUSED' | 'ENOTFOUND' }
  /** No answer ever, without effect. */
  | { readonly stall: true }
  /** The call takes effect, and no answer ever comes. */
  | { readonly stallAfterEffect: true }
  /** The call takes effect, and is answered, that many milliseconds late. */
  | { readonly delayMs: number }
  /** The connection breaks before anything happens. */
  | { readonly dropBefore: true }
  /** The call takes effect, then the connection breaks. */
  | { readonly dropAfterEffect: true }
  /** The call takes effect, then the answer breaks off in the middle of its body. */
  | { readonly halfBody: true };

/** Which calls a fault hits. */
export interface FaultOptions {
  /** How often; once when absent. */
  readonly times?: number;
  /** Hits only calls whose arguments satisfy this. */
  readonly when?: (args: JsonObject) => boolean;
}

/** Chooses what goes wrong with a call, if anything: for histories in which faults are drawn and not set one by one. */
export type ChooseFault = (method: string, args: JsonObject) => Fault | undefined;

/** The faults that wait for their calls. */
export class Faults {
  readonly #choose: ChooseFault;
  #waiting: { method: string; fault: Fault; left: number; when: (args: JsonObject) => boolean }[] = [];

  /** `choose` is asked for calls that no added fault waits for. */
  constructor(choose: ChooseFault) {
    this.#choose = choose;
  }

  add(method: string, fault: Fault, options: FaultOptions = {}): void {
    this.#waiting.push({ method, fault, left: options.times ?? 1, when: options.when ?? (() => true) });
  }

  /** The oldest fault that waits for such a call, which counts down; else what is chosen for it. */
  take(method: string, args: JsonObject): Fault | undefined {
    const hit = this.#waiting.find(waiting => waiting.method === method && waiting.when(args));
    if (hit === undefined) return this.#choose(method, args);
    hit.left -= 1;
    if (hit.left <= 0) this.#waiting = this.#waiting.filter(waiting => waiting !== hit);
    return hit.fault;
  }

  /** Forgets the faults of one method, or all. */
  heal(method?: string): void {
    this.#waiting = method === undefined ? [] : this.#waiting.filter(waiting => waiting.method !== method);
  }
}
