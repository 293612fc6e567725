import type { Logger } from 'pino';
import { z } from 'zod';
import { type ErrorCode, errorCodes, RpcError } from '../../contract/errors.ts';
import type { IntentState, IntentTable } from '../schema/intents.ts';
import type { Final, JobKind, RetryLater } from './intent.ts';
import { isFinal } from './rows.ts';

/** A stored intent, read. `O`: its outcome; that of one that ended is never undefined. */
export interface Intent<K, O extends Final | undefined = Final | undefined> {
  readonly id: string;
  /** Under which it was submitted, with the ids of today in it. */
  readonly key: string;
  readonly kind: K;
  readonly payload: unknown;
  readonly subject: string;
  readonly owner: string;
  /** As it was submitted. */
  readonly origin: unknown;
  /** What `Journal.attach` attached; `""` for nothing. */
  readonly attachment: string;
  readonly state: IntentState;
  readonly attempts: number;
  readonly askedAt: Date;
  readonly changedAt: Date;
  /** Its owner was told that it is queued, and not yet what its outcome is. */
  readonly isQueued: boolean;
  /** An attempt whose answer was lost may have taken effect. */
  readonly isAmbiguous: boolean;
  /** The last failure of an intent that is not done. */
  readonly error: RpcError;
  /** Undefined while another attempt may follow. */
  readonly outcome: O;
}

/** Reads rows as this version of the program understands them. */
export class IntentReader<C, K extends JobKind<C>> {
  readonly kinds: ReadonlyMap<string, K>;
  readonly #bindSubject: (payload: unknown, subject: string) => unknown;
  readonly #log: Logger;

  constructor(deps: {
    readonly kinds: readonly K[];
    /** The payload for the subject as it is known now: it may have been submitted under a provisional id. */
    bindSubject(payload: unknown, subject: string): unknown;
    readonly log: Logger;
  }) {
    this.kinds = new Map(deps.kinds.map(kind => [kind.kind, kind]));
    this.#bindSubject = deps.bindSubject;
    this.#log = deps.log;
  }

  /** The payload as it was submitted, about the subject as it is known now. Throws when this version cannot read it. */
  payload(kind: JobKind<C>, row: IntentTable): unknown {
    return kind.payload.parse(this.#bindSubject(JSON.parse(row.payload), row.subject));
  }

  /** The outcome of a final intent. */
  final(row: IntentTable, repeated: boolean): Final {
    if (row.state === 'done') {
      const result = this.kinds.get(row.kind)?.result.parse(JSON.parse(row.outcome));
      return { state: 'done', id: row.id, result, repeated };
    }
    return { state: 'failed', id: row.id, error: decodeError(row.outcome), repeated };
  }

  /** Undefined when this version does not know the kind. Throws when it cannot read the payload. */
  intent(row: IntentTable): Intent<K> | undefined {
    const kind = this.kinds.get(row.kind);
    if (!kind) return undefined;
    return {
      id: row.id,
      key: row.key,
      kind,
      payload: this.payload(kind, row),
      subject: row.subject,
      owner: row.owner,
      origin: JSON.parse(row.origin),
      attachment: row.attachment,
      state: row.state,
      attempts: row.attempts,
      askedAt: new Date(row.created_at),
      changedAt: new Date(row.changed_at),
      isQueued: row.tell === 'message',
      isAmbiguous: row.ambiguous === 1,
      error: decodeError(row.state === 'done' ? '' : row.outcome),
      outcome: isFinal(row) ? this.final(row, true) : undefined,
    };
  }

  /** An intent whose outcome no caller waits for. Nothing when this version cannot read it: that is logged, and nobody is told. */
  ended(row: IntentTable): readonly Intent<K, Final>[] {
    try {
      const intent = this.intent(row);
      return intent ? [{ ...intent, outcome: this.final(row, false) }] : [];
    } catch (err) {
      this.#log.error({ err, intent: row.id, kind: row.kind }, 'journal: an intent cannot be read, nobody is told');
      return [];
    }
  }
}

const StoredError = z.object({
  code: z.string(),
  message: z.string(),
  reason: z.string().optional(),
  hint: z.string().optional(),
  retryable: z.boolean().optional(),
  retryAfter: z.number().optional(),
  maybeApplied: z.boolean(),
});

/** An error as it is stored with its intent. `sentAt`: the request without an answer went out then, in epoch milliseconds. */
export function encodeError(
  { code, message, reason, hint, retryable, retryAfter, maybeApplied }: RpcError,
  sentAt?: number,
): string {
  return JSON.stringify({ code, message, reason, hint, retryable, retryAfter, maybeApplied, sentAt });
}

/** When the request went out whose answer an ambiguous intent lacks, in epoch milliseconds; 0 where it was answered. */
export function sentAtOf({ outcome, changed_at }: IntentTable): number {
  const { sentAt } = z.object({ sentAt: z.number().optional() }).parse(outcome === '' ? {} : JSON.parse(outcome));
  // Its process died, or handed it back.
  return sentAt ?? Date.parse(changed_at);
}

/** The error that was stored; {@link waitsForEarlier} when none was. */
export function decodeError(json: string): RpcError {
  if (json === '') return waitsForEarlier;
  const { code, message, ...details } = StoredError.parse(JSON.parse(json));
  const known = code in errorCodes ? (code as ErrorCode) : 'internal';
  const given = Object.entries(details).filter(([, value]) => value !== undefined);
  return new RpcError(known, message, Object.fromEntries(given));
}

/** The error of a kind that asked for a later attempt. */
export function toRpcError(error: RetryLater): RpcError {
  return new RpcError('unavailable', error.message, { maybeApplied: false });
}

/** Why an intent is queued that was never tried: an earlier one of its lane is not done yet. */
export const waitsForEarlier = new RpcError('unavailable', 'An earlier change is not done yet.', {
  maybeApplied: false,
});
