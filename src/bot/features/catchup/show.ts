import { z } from 'zod';
import { catchUpFace } from '../../dispatch/answers/catch-up.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { defineButton, pressable } from '../../dispatch/feature/feature.ts';
import { withButtons } from '../../dispatch/surfaces/post-to-channel.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import { readCatchUp } from '../../incident/catchup/read.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { context, type Words } from '../../text/blocks.ts';
import { postedCatchUp } from './posted.ts';
import type { Since } from './since.ts';

/** From when on, once it is read. */
type From = Extract<Since, { from: unknown }>;

/** Catches up the person who presses it: since they last looked, or `isWhole` from the start. */
export const catchUpButton = defineButton({
  ...catchUpFace,
  value: z.object({ incidentID: z.string(), isWhole: z.boolean().optional() }),
  reads: true,
  run: (ctx, { value: { incidentID, isWhole } }) => showCatchUp(ctx, incidentID, { from: isWhole ? 'start' : 'last' }),
});

/** Answers with what is new to the person, and notes that they know it now. */
export async function showCatchUp(ctx: Context, asked: string, since: From): Promise<void> {
  const { deps, actor, now } = ctx;
  const incidentID = await toCurrentID(deps, asked);
  const last = since.from === 'last' ? await deps.visits.last(incidentID, actor.userId) : undefined;
  const from = since.from instanceof Date ? since.from : last;
  // Their own acts are no news to them; of a time that they name they want to know everything.
  const userId = last ? actor.userId : '';
  const { words, isRead } = await readCatchUp(deps, { incidentID, since: from, userId, now });
  if (isRead) deps.visits.note(incidentID, actor.userId, now);
  if (isProvisional(incidentID)) return ctx.answer(words);
  const whole = pressable(catchUpButton, { incidentID, isWhole: true }, { label: 'From the start' });
  const post = postedCatchUp.offer(ctx, { incidentID, since: from?.getTime() ?? 0 });
  await ctx.answer(withButtons(withDoubt(words, since), [...(from ? [whole] : []), ...post]));
}

function withDoubt(words: Words, since: From): Words {
  if (!('doubt' in since) || since.doubt === '') return words;
  return { text: `${words.text}\n${since.doubt}`, blocks: [...(words.blocks ?? []), context(since.doubt)] };
}
