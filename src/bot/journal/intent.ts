import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Api } from '../../contract/contract.ts';
import type { CallOptions } from '../../contract/define.ts';
import type { RpcError } from '../../contract/errors.ts';
import type { Deps } from '../dispatch/deps.ts';
import type { Person, Place } from '../people/person.ts';
import type { Words } from '../text/blocks.ts';

/** What an intent may use while it takes effect. */
export interface Effects {
  readonly api: Api;
  /** Passed with every call, so that the timeline names the person and not the bot. */
  readonly call: CallOptions;
  readonly log: Logger;
  /** Id of the intent, to mark what it makes in Slack. */
  readonly id: string;
  /** When the person asked for it; what it makes later still bears this time. */
  readonly askedAt: Date;
  /** For what takes effect in Slack. */
  readonly deps: Deps;
  /** An earlier attempt may have taken effect although its answer was lost. */
  readonly inDoubt: boolean;
  /** It was tried before, so some of what it makes may stand already. */
  readonly isRepeated: boolean;
  /** Results of what is done of the same kind for the same incident: what those made is not this one's. */
  others(): Promise<readonly unknown[]>;
}

/** What is known when the words about an intent are said. */
export interface Aftermath {
  readonly deps: Deps;
  readonly actor: Person;
  readonly place: Place;
  readonly now: Date;
  readonly log: Logger;
  /** Id of the intent, to mark what is posted for it. */
  readonly id: string;
  /** It had been done before, and nothing happened now. */
  readonly repeated: boolean;
  /** Nobody waits any more: it was kept, or the process stopped. Some of what follows may stand in Slack already. */
  readonly isLate: boolean;
  /** When the person asked for it. */
  readonly askedAt: Date;
}

/** What came of it in Slack, each a sentence of mrkdwn: what is worth knowing, and what did not work out. */
export interface Followed {
  readonly notes: readonly string[];
  readonly troubles: readonly string[];
}

/** An intent that comes of another one, stored with that one's outcome. Nobody waits for it: only a refusal is told. */
export interface Consequence {
  readonly intent: IntentKind;
  readonly payload: unknown;
  /** Its key is the id of the one it comes of, a slash, and this. */
  readonly name: string;
  /** What it is done in order with; absent: with the one it comes of. */
  readonly lane?: string;
}

/**
 * One kind of write. `run` makes it happen through the API and yields what the words of the answer need; the result is
 * stored, so it is plain JSON.
 */
export interface IntentKind<P = unknown, R = unknown> {
  /** Unique, and stable across versions since it is stored: `task.add`. */
  readonly kind: string;
  readonly payload: z.ZodType<P>;
  readonly result: z.ZodType<R>;
  /** Throws RpcError, or {@link TryLater} when what is missing will be there later. */
  run(effects: Effects, payload: P): Promise<R>;
  /**
   * Finds the effect of an earlier attempt whose answer was lost; undefined when it had none, and then `run` is next. Kinds
   * that can be repeated without harm have none.
   */
  reconcile?(effects: Effects, payload: P): Promise<R | undefined>;
  /** What a refusal says was wanted, as the end of "I could not …": `add the task "fix it"`. Plain text, not yet escaped. */
  aim(payload: P): string;
  /** What the person reads once it is done. `repeated`: it had been done before, and nothing happened now. */
  done(result: R, payload: P, repeated: boolean): Words;
  /** What must follow in Slack once it is done; when it is `repeated`, only what is worth knowing. */
  follow?(aftermath: Aftermath, result: R, payload: P): Promise<Followed>;
  /** What is to be seen in Slack while it is kept. */
  whileKept?(aftermath: Aftermath, payload: P): Promise<Followed>;
  /** What must be done besides once it is done, in order, whether or not anybody waits. */
  brings?(result: R, payload: P): readonly Consequence[];
  /** The incident that came into being; what was wanted of it while it had no id is then done to it. */
  registers?(result: R): string;
  /** What takes it back, for as long as nobody has built upon it. */
  undo?(result: R, payload: P): Undoing | undefined;
}

/** The write that takes another one back. */
export interface Undoing {
  readonly intent: IntentKind;
  readonly payload: unknown;
}

/** Describes a kind of write, keeping its exact types. */
export function defineIntent<P, R>(intent: IntentKind<P, R>): IntentKind<P, R> {
  return intent;
}

/** Thrown by a kind that cannot take effect now, and will later: it is kept. */
export class TryLater extends Error {
  /** Seconds to wait at least. */
  readonly seconds: number;

  constructor(why: string, seconds = 0) {
    super(why);
    this.name = 'TryLater';
    this.seconds = seconds;
  }
}

/** What became of an intent. `repeated` tells that it had been done or asked for before and nothing happened now. */
export type Outcome<R> =
  | { readonly state: 'done'; readonly id: string; readonly result: R; readonly repeated: boolean }
  | Undone;

/** What became of an intent that is not done, and why: kept, which is done by itself as soon as it can be, or refused. */
export type Undone =
  | { readonly state: 'kept'; readonly id: string; readonly error: RpcError; readonly repeated: boolean }
  | { readonly state: 'refused'; readonly id: string; readonly error: RpcError; readonly repeated: boolean };
