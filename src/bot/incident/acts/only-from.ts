import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';

/** The reason of an undo that is refused because of a later change. */
export const changedSince = 'changedSince';

/** In a payload: the value that must be current, when it undoes something. */
export const onlyFrom = z.string().optional();

/** Throws an RpcError when the value has been changed since, so that no later change is undone. `shown` is what people call it. */
export function refuseUnless(current: string, only: string | undefined, shown = current): void {
  if (only === undefined || only === current) return;
  throw new RpcError('failed_precondition', `somebody has changed it since, to ${shown}`, {
    reason: changedSince,
    maybeApplied: false,
  });
}
