import { z } from 'zod';
import { type ErrorCode, errorCodes, RpcError } from '../../contract/errors.ts';
import type { RetryLater } from './intent.ts';

const StoredError = z.object({
  code: z.string(),
  message: z.string(),
  reason: z.string().optional(),
  hint: z.string().optional(),
  retryable: z.boolean().optional(),
  retryAfter: z.number().optional(),
  maybeApplied: z.boolean(),
});

/** An error as it is stored with its intent. */
export function encodeError({ code, message, reason, hint, retryable, retryAfter, maybeApplied }: RpcError): string {
  return JSON.stringify({ code, message, reason, hint, retryable, retryAfter, maybeApplied });
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
