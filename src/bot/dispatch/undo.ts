import { z } from 'zod';
import { RpcError } from '../../contract/errors.ts';
import type { IntentKind, Undoing } from '../journal/intent.ts';
import type { ButtonFace } from './feature.ts';

/** How long something can be taken back with a button, in minutes. */
export const undoMinutes = 10;

const UndoValue = z.object({ intent: z.string() });
/** The button that takes a done intent back. */
export const undoing: ButtonFace<z.output<typeof UndoValue>> = { id: 'muster.undo', value: UndoValue };

/** In a payload: what must stand there for it to be done, when it takes something back. */
export const onlyFrom = z.string().optional();

/** Refuses to take back what somebody has changed since. Throws RpcError. */
export function refuseUnless(standing: string, only: string | undefined): void {
  if (only === undefined || only === standing) return;
  throw new RpcError('failed_precondition', `somebody has changed it since, to “${standing}”`, { maybeApplied: false });
}

/** The write that takes another one back, with the exact type of its payload. */
export function toUndoing<P, R>(intent: IntentKind<P, R>, payload: P): Undoing {
  return { intent: intent as IntentKind, payload };
}
