import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { RpcError } from '../../contract/errors.ts';
import type { NoTables } from '../../db/engine.ts';

/** One attempt to carry an intent out, as its kind sees it. */
export interface Attempt {
  /** Id of the intent, to mark the things it makes. */
  readonly id: string;
  /** When its owner asked for it. A late effect still bears this time. */
  readonly askedAt: Date;
  /** An earlier attempt may have taken effect although its answer was lost. */
  readonly isAmbiguous: boolean;
  /** It was tried before, so some of its effects may exist already. */
  readonly isRetry: boolean;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
  /** Results of the done intents of this kind about the same subject: their effects are not this one's. */
  siblingResults(): Promise<readonly unknown[]>;
}

/** An intent that another one causes. It is stored with the outcome of its cause; only its failure is reported. */
export interface Consequence {
  readonly kind: { readonly kind: string; readonly payload: z.ZodType };
  readonly payload: unknown;
  /** Without a `key`, its key is the id of its cause, a slash, and this name. */
  readonly name: string;
  /** A key that names the effect: whatever else has it, takes effect in its place. */
  readonly key?: string;
  /** The queue it runs in; absent: that of its cause, right after it. */
  readonly lane?: string;
}

/**
 * One kind of write. `run` performs it and returns plain JSON, which is stored. `C` is the context that the embedding program
 * makes for each attempt.
 */
export interface JobKind<C, P = unknown, R = unknown> {
  /** Unique, and stable across versions since it is stored: `task.add`. */
  readonly kind: string;
  readonly payload: z.ZodType<P>;
  readonly result: z.ZodType<R>;
  /** Throws RpcError, or {@link RetryLater} when something it needs will be there later. */
  run(context: C, payload: P): Promise<R>;
  /**
   * Finds the effect of an earlier attempt whose answer was lost; undefined when there is none, and then `run` is next. A kind
   * that can be repeated without harm has no `reconcile`.
   */
  reconcile?(context: C, payload: P): Promise<R | undefined>;
  /** After an attempt behind one whose answer was lost: says in mrkdwn what stands twice now, and what to do; undefined for nothing. */
  findTwin?(context: C, payload: P, result: R): Promise<string | undefined>;
  /** The intents that it causes once it is done. */
  consequences?(result: R, payload: P): readonly Consequence[];
  /** Whether the owner of a consequence that is done hears of it; absent: only of its failure. */
  isTold?(result: R): boolean;
  /** Absent: it brings no subject into being. */
  readonly declares?: {
    /** The subject that came into being. Intents that wait for it under its provisional id then run. */
    subject(result: R): string;
  };
}

/** Thrown by a kind that cannot take effect now and will later. The intent is queued. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  /** Seconds to wait at least. */
  readonly seconds: number;

  constructor(why: string, seconds = 0) {
    super(why);
    this.seconds = seconds;
  }
}

/** Thrown to a caller whose process stops before the outcome is known. The intent is stored; the next process reports it. */
export class Stopped extends Error {
  override readonly name = 'Stopped';

  constructor() {
    super('the process stops');
  }
}

/**
 * Thrown to a caller that submits again after its person was told, or when a message tells them. Its process died, or could not
 * answer, before the delivery was noted as done.
 */
export class AlreadyAnswered extends Error {
  override readonly name = 'AlreadyAnswered';
  readonly outcome: Final;

  constructor(outcome: Final) {
    super('the person knows the outcome, or a message tells it');
    this.outcome = outcome;
  }
}

/** The outcome of an intent. `repeated`: its owner had asked for it before, and nothing happened now. */
export type Outcome<R> =
  | {
      readonly state: 'done';
      readonly id: string;
      readonly result: R;
      readonly repeated: boolean;
      /** An earlier attempt whose answer was lost may have done it. */
      readonly isUnsure: boolean;
    }
  | NotDone;

/** The outcome of an intent that is not done: `queued` is retried automatically, `failed` is not. */
export type NotDone =
  | { readonly state: 'queued'; readonly id: string; readonly error: RpcError; readonly repeated: boolean }
  | { readonly state: 'failed'; readonly id: string; readonly error: RpcError; readonly repeated: boolean };

/** The outcome of an intent that needs no further attempt. */
export type Final<R = unknown> = Exclude<Outcome<R>, { state: 'queued' }>;

/** An intent that was done, as it is stored. */
export interface DoneIntent {
  readonly kind: string;
  readonly subject: string;
  /** JSON. */
  readonly payload: string;
  /** JSON of its result. */
  readonly outcome: string;
  readonly id: string;
  readonly owner: string;
  /** JSON of the embedding program's own. */
  readonly origin: string;
  /** When its owner asked for it, as RFC 3339. */
  readonly created_at: string;
  /** An earlier attempt may have taken effect. */
  readonly isUnsure: boolean;
  /** An earlier attempt has taken effect. */
  readonly isFound: boolean;
  /** What stands twice because an earlier attempt took effect late, in mrkdwn; `""` for nothing. */
  readonly twin: string;
}

/** Writes of the embedding program in the same transaction as an intent or its outcome. */
export interface Alongside {
  /** An intent was stored under a new key. */
  stored(trx: Kysely<NoTables>, intent: Pick<DoneIntent, 'id' | 'kind' | 'payload' | 'owner'>): Promise<void>;
  /** An intent about a subject was done. */
  done(trx: Kysely<NoTables>, done: DoneIntent): Promise<void>;
  /** A provisional subject got its own id. */
  registered(trx: Kysely<NoTables>, provisional: string, subject: string): Promise<void>;
}
