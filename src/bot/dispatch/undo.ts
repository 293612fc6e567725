import { z } from 'zod';
import { RpcError } from '../../contract/errors.ts';
import { toOwner } from '../incident/intent-kind.ts';
import { sentence } from '../text/blocks.ts';
import { defineButton } from './feature.ts';

/** How long Undo works, in minutes. */
const undoMinutes = 10;

/** Undoes a done intent by the write that its kind names. */
export const undoButton = defineButton({
  id: 'muster.undo',
  label: 'Undo',
  value: z.object({ intent: z.string() }),
  run: async (ctx, { value: { intent: id } }) => {
    const stored = await ctx.deps.journal.find(id, toOwner(ctx.actor));
    if (!stored) return ctx.answer(sentence('Only the person who did it can undo it with this button.'));
    const { kind, outcome, payload, subject, changedAt } = stored;
    const isLate = ctx.now.getTime() - changedAt.getTime() > undoMinutes * 60_000;
    const undo = outcome?.state === 'done' ? kind.undo?.(outcome.result, payload) : undefined;
    if (isLate || !undo) {
      const instead = undo?.afterwards ?? 'Use the command to change it.';
      return ctx.answer(sentence(`Undo works for ${undoMinutes} minutes, and they are over. ${instead}`));
    }
    // What it puts back stood there before.
    const how = { incidentID: subject, key: undo.key ?? `${id}/undo`, isExamined: true, undoes: id };
    await ctx.carryOut(undo.kind, undo.payload, how);
  },
});

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
