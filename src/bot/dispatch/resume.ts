import { z } from 'zod';
import { sentence } from '../text/blocks.ts';
import { defineButton } from './feature.ts';

/** Takes up what a person began: `draft` is its id, `incidentID` the incident picked for it, or `""`. */
export const resumeButton = defineButton({
  id: 'muster.resume',
  value: z.object({ draft: z.string(), incidentID: z.string() }),
  // Whether the person may act is checked for the thing that they began.
  reads: true,
  run: async (ctx, { value }) => {
    const draft = await ctx.deps.drafts.find(ctx.actor, value.draft, ctx.now);
    if (draft) return ctx.resume(value.draft, draft, value.incidentID);
    await ctx.answer(
      sentence('That was kept for a week, and the week is over (or it was somebody else’s). Type it again.'),
    );
  },
});
