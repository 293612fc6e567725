import { z } from 'zod';
import { sentence } from '../../text/blocks.ts';
import { defineButton } from './feature.ts';

/** Resumes a draft: `draft` is its id, `incidentID` the incident picked for it, or `""`. */
export const resumeButton = defineButton({
  id: 'muster.resume',
  label: 'Try again',
  value: z.object({ draft: z.string(), incidentID: z.string() }),
  // The draft's own access check follows.
  reads: true,
  run: async (ctx, { value }) => {
    const draft = await ctx.deps.drafts.find(ctx.actor, value.draft, ctx.now);
    if (draft) return ctx.resume(value.draft, draft, value.incidentID);
    await ctx.answer(
      sentence(
        'I no longer have that: I keep a draft for a week, and only the person who typed it can open it. Type it again.',
      ),
    );
  },
});

/** Resumes a draft that wakes people. */
export const wakeButton: typeof resumeButton = { ...resumeButton, id: 'muster.wake', isUrgent: true };
