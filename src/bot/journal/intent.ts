import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Api } from '../../contract/contract.ts';
import type { CallOptions } from '../../contract/define.ts';
import type { RpcError } from '../../contract/errors.ts';
import type { Person, Place } from '../actor.ts';
import type { Words } from '../blocks.ts';
import type { Desk } from '../desk.ts';

/** What an intent may use while it takes effect. */
export interface Effects {
  readonly api: Api;
  /** Passed with every call, so that the timeline names the person and not the bot. */
  readonly call: CallOptions;
  /** How often it was tried before; an earlier try may have taken effect although its answer was lost. */
  readonly tried: number;
  readonly log: Logger;
}

/** What is known when the words about an intent are said. */
export interface Aftermath {
  readonly desk: Desk;
  readonly actor: Person;
  readonly place: Place;
  readonly now: Date;
  readonly log: Logger;
  /** It had been done before, and nothing happened now. */
  readonly repeated: boolean;
}

/** What came of it in Slack, each a sentence of mrkdwn: what is worth knowing, and what did not work out. */
export interface Followed {
  readonly notes: readonly string[];
  readonly troubles: readonly string[];
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
  run(effects: Effects, payload: P): Promise<R>;
  /** What a refusal says was wanted, as the end of "I could not …": `add the task "fix it"`. Plain text, not yet escaped. */
  aim(payload: P): string;
  /** What the person reads once it is done. `repeated`: it had been done before, and nothing happened now. */
  done(result: R, payload: P, repeated: boolean): Words;
  /** What must follow in Slack once it is done; when it is `repeated`, only what is worth knowing. */
  follow?(aftermath: Aftermath, result: R, payload: P): Promise<Followed>;
}

/** Describes a kind of write, keeping its exact types. */
export function defineIntent<P, R>(intent: IntentKind<P, R>): IntentKind<P, R> {
  return intent;
}

/** What became of an intent. `repeated` tells that it had been done before and nothing happened now. */
export type Outcome<R> =
  | { readonly state: 'done'; readonly id: string; readonly result: R; readonly repeated: boolean }
  | { readonly state: 'refused'; readonly id: string; readonly error: RpcError; readonly repeated: boolean };
