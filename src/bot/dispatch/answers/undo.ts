import { z } from 'zod';
import { toOwner } from '../../incident/acts/intent-kind.ts';
import { sentence } from '../../text/blocks.ts';
import { defineButton } from '../feature/feature.ts';

/** How long Undo works, in minutes, where its kind says nothing else. */
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
    const undo = outcome?.state === 'done' ? kind.undo?.(outcome.result, payload) : undefined;
    const minutes = undo?.minutes ?? undoMinutes;
    const isLate = ctx.now.getTime() - changedAt.getTime() > minutes * 60_000;
    if (isLate || !undo) {
      const instead = undo?.afterwards ?? 'The same command changes it again.';
      return ctx.answer(sentence(`Undo works for ${minutes} minutes, and that time is over. ${instead}`));
    }
    // What it puts back stood there before.
    const how = { incidentID: subject, key: undo.key ?? `${id}/undo`, isExamined: true, undoes: id };
    await ctx.carryOut(undo.kind, undo.payload, how);
  },
});
