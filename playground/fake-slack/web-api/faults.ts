import type { JsonObject } from '../protocol/json.ts';

/** A failure of a call. Each says whether the call takes effect all the same. */
export type Fault =
  /** The answer is `{ ok: false, error }`. No effect. */
  | { readonly error: string }
  /** The answer is 429 with `Retry-After` in seconds, or without the header. No effect. */
  | { readonly rateLimited: number | 'no-header' }
  /** The answer has this status and body. No effect. */
  | { readonly status: number; readonly body: string }
  /** The app cannot connect: refused, or an unknown name. Over HTTP, the connection breaks instead. No effect, no record. */
  | { readonly unreachable: 'ECONNREFUSED' | 'ENOTFOUND' }
  /** No answer comes. No effect. */
  | { readonly stall: true }
  /** The call takes effect, and no answer comes. */
  | { readonly stallAfterEffect: true }
  /** The call takes effect after this many milliseconds, and is answered then. */
  | { readonly delayMs: number }
  /** The call waits for what this returns, then takes effect, and is answered. */
  | { readonly until: () => Promise<unknown> }
  /** The connection breaks. No effect. */
  | { readonly dropBefore: true }
  /** The call takes effect, then the connection breaks. */
  | { readonly dropAfterEffect: true }
  /** The call takes effect, then the answer breaks off in the middle of its body. */
  | { readonly halfBody: true };

/** Which calls a fault hits. */
export interface FaultOptions {
  /** How often; once when absent. */
  readonly times?: number;
  /** Limits the fault to calls whose arguments satisfy this. */
  readonly when?: (args: JsonObject) => boolean;
}

/** Chooses the fault of a call, if any. A simulation draws faults with it instead of setting them one by one. */
export type ChooseFault = (method: string, args: JsonObject) => Fault | undefined;

/** The faults that are set for coming calls. */
export class Faults {
  readonly #choose: ChooseFault;
  #waiting: { method: string; fault: Fault; left: number; when: (args: JsonObject) => boolean }[] = [];

  /** `choose` decides on calls that no added fault fits. */
  constructor(choose: ChooseFault) {
    this.#choose = choose;
  }

  add(method: string, fault: Fault, options: FaultOptions = {}): void {
    this.#waiting.push({ method, fault, left: options.times ?? 1, when: options.when ?? (() => true) });
  }

  /** Takes the oldest fault that fits the call and counts it down; else asks `choose`. */
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
