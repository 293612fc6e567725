import { z } from 'zod';
import { type ErrorCode, errorCodes, RpcError } from '../../contract/errors.ts';
import { TryLater } from './intent.ts';

const StoredError = z.object({
  code: z.string(),
  message: z.string(),
  reason: z.string().optional(),
  hint: z.string().optional(),
  retryable: z.boolean().optional(),
  retryAfter: z.number().optional(),
  maybeApplied: z.boolean(),
});

/** A failure as it is stored with an intent. */
export function toStoredError(error: RpcError | TryLater): string {
  if (error instanceof TryLater) return toStoredError(toRefusal(error));
  return JSON.stringify({
    code: error.code,
    message: error.message,
    reason: error.reason,
    hint: error.hint,
    retryable: error.retryable,
    retryAfter: error.retryAfter,
    maybeApplied: error.maybeApplied,
  });
}

/** The failure that was stored; `waiting` when none was. */
export function fromStoredError(json: string): RpcError {
  if (json === '') return waiting;
  const stored = StoredError.parse(JSON.parse(json));
  const code = stored.code in errorCodes ? (stored.code as ErrorCode) : 'internal';
  const { message, code: _code, ...details } = stored;
  return new RpcError(
    code,
    message,
    Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined)),
  );
}

/** What a person reads of something that must wait. */
export function toRefusal(error: TryLater): RpcError {
  return new RpcError('unavailable', error.message, { maybeApplied: false });
}

/** Why something waits that was never tried: what was asked for before it is not done yet. */
export const waiting = new RpcError('unavailable', 'Something before it is not done yet.', { maybeApplied: false });
