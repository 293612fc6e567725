import type { Logger } from 'pino';
import { RpcError } from '../../contract/errors.ts';
import { isUnavailable } from '../../db/failure.ts';
import type { EntryReader } from './entry.ts';
import { encodeError, toRpcError } from './error-codec.ts';
import { type Attempt, type FollowUp, type JobKind, RetryLater } from './intent.ts';
import { giveUpAfter, isRetried, pauseAfter } from './retry-policy.ts';
import type { IntentRow } from './rows.ts';
import type { FollowUpRow, Settlement } from './store.ts';

/** What one attempt came to: a final outcome to be stored, or a pause before the next attempt. */
export type Attempted =
  | ({ readonly state: 'done'; readonly result: unknown } & Settlement)
  | ({ readonly state: 'failed'; readonly error: RpcError } & Settlement)
  | {
      readonly state: 'postponed';
      readonly outcome: string;
      readonly ambiguous: boolean;
      readonly nextAt: number;
    };

/** What attempts need. `C` is the context that the embedding program makes for its kinds. */
export interface AttemptDeps<C> {
  readonly reader: EntryReader<C, JobKind<C>>;
  /** Makes the context of one attempt. */
  toContext(attempt: Attempt, intent: { readonly kind: string; readonly subject: string; readonly origin: string }): C;
  /** Results of the done intents of a kind about a subject, as stored. */
  resultsOf(kind: string, subject: string): Promise<readonly string[]>;
  readonly clock: () => Date;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
}

/**
 * Tries an intent once: looks for the effect of an earlier attempt if there may be one, else performs it. Never throws: a fault of
 * ours is a failure that may have taken effect.
 */
export async function attemptOnce<C>(row: IntentRow, deps: AttemptDeps<C>, signal: AbortSignal): Promise<Attempted> {
  try {
    const kind = deps.reader.kinds.get(row.kind);
    if (!kind) throw new RpcError('failed_precondition', `this version of Muster does not know “${row.kind}”`);
    const payload = deps.reader.payload(kind, row);
    const context = deps.toContext(toAttempt(row, kind, deps, signal), row);
    const found = row.ambiguous === 1 ? await kind.reconcile?.(context, payload) : undefined;
    const result = found ?? (await kind.run(context, payload));
    deps.log.info({ ...nameOf(row), attempts: row.attempts + 1 }, 'journal: intent done');
    return {
      state: 'done',
      result,
      outcome: JSON.stringify(result),
      ambiguous: false,
      registers: kind.registers?.(result) ?? '',
      followUps: (kind.followUps?.(result, payload) ?? []).map(toFollowUpRow),
    };
  } catch (thrown) {
    return toFailure(row, thrown, deps);
  }
}

function toAttempt<C>(row: IntentRow, kind: JobKind<C>, deps: AttemptDeps<C>, signal: AbortSignal): Attempt {
  return {
    id: row.id,
    askedAt: new Date(row.created_at),
    isAmbiguous: row.ambiguous === 1,
    isRetry: row.attempts > 0 || row.ambiguous === 1,
    signal,
    siblingResults: async () => {
      const results = await deps.resultsOf(row.kind, row.subject);
      return results.map(each => kind.result.parse(JSON.parse(each)));
    },
  };
}

function toFollowUpRow({ kind, payload, name, lane }: FollowUp): FollowUpRow {
  return { kind: kind.kind, payload: JSON.stringify(kind.payload.parse(payload)), name, lane };
}

function toFailure<C>(row: IntentRow, thrown: unknown, deps: AttemptDeps<C>): Attempted {
  // A kind that loses the database in the middle cannot tell how far it got.
  const error = isUnavailable(thrown) ? databaseAway : thrown;
  const now = deps.clock();
  if (isRetried(error) && now.getTime() - Date.parse(row.created_at) < giveUpAfter) {
    const known = error instanceof RetryLater ? toRpcError(error) : error;
    deps.log.warn({ ...nameOf(row), err: error, attempts: row.attempts + 1 }, 'journal: intent queued');
    return {
      state: 'postponed',
      outcome: encodeError(known),
      ambiguous: row.ambiguous === 1 || known.maybeApplied,
      nextAt: now.getTime() + pauseAfter(row.attempts + 1, error, deps.random()),
    };
  }
  const failure = toFinalError(error);
  if (error instanceof RpcError) deps.log.warn({ ...nameOf(row), err: error }, 'journal: intent failed');
  else deps.log.error({ ...nameOf(row), err: error }, 'journal: intent failed through a fault of ours');
  return {
    state: 'failed',
    error: failure,
    outcome: encodeError(failure),
    ambiguous: failure.maybeApplied,
    registers: '',
    followUps: [],
  };
}

const databaseAway = new RpcError('unavailable', 'Muster’s own database cannot be reached.', { maybeApplied: true });

function toFinalError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof RetryLater) return toRpcError(error);
  return new RpcError('internal', 'Muster itself failed', { maybeApplied: true, retryable: true });
}

function nameOf(row: IntentRow) {
  return { intent: row.id, kind: row.kind, subject: row.subject };
}
