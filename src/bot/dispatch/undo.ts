import { z } from 'zod';
import { RpcError } from '../../contract/errors.ts';
import { type IntentKind, toOwner, type Undo } from '../incident/intent-kind.ts';
import { sentence } from '../text/blocks.ts';
import { defineButton } from './feature.ts';

/** How long something can be taken back with a button, in minutes. */
export const undoMinutes = 10;

/** Takes a done intent back. */
export const undoButton = defineButton({
  id: 'muster.undo',
  value: z.object({ intent: z.string() }),
  run: async (ctx, { value: { intent: id } }) => {
    const stored = await ctx.deps.journal.find(id, toOwner(ctx.actor));
    if (!stored) return ctx.answer(sentence('Only the person who did it can undo it with this button.'));
    const { kind, outcome, payload, subject, changedAt } = stored;
    const isLate = ctx.now.getTime() - changedAt.getTime() > undoMinutes * 60_000;
    const wanted = outcome?.state === 'done' ? kind.undo?.(outcome.result, payload) : undefined;
    if (isLate || !wanted) {
      const text = `Undo works for ${undoMinutes} minutes, and they are over. Use the command to change it.`;
      return ctx.answer(sentence(text));
    }
    await ctx.carryOut(wanted.kind, wanted.payload, { incidentID: subject, key: `${id}/undo` });
  },
});

/** In a payload: the value that must stand there, when it takes something back. */
export const onlyFrom = z.string().optional();

/** Refuses to take back something that somebody has changed since. Throws RpcError. */
export function refuseUnless(standing: string, only: string | undefined): void {
  if (only === undefined || only === standing) return;
  throw new RpcError('failed_precondition', `somebody has changed it to “${standing}” since`, { maybeApplied: false });
}

/** The write that takes another one back, with the exact type of its payload. */
export function toUndo<P, R>(kind: IntentKind<P, R>, payload: P): Undo {
  return { kind: kind as IntentKind, payload };
}
