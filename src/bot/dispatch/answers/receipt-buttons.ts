import { z } from 'zod';
import { toOwner } from '../../incident/acts/intent-kind.ts';
import { discardedLines, givenUpWords, queuedBehind, tellDiscarded } from '../../incident/acts/registration.ts';
import { aimOf } from '../../incident/lines/did.ts';
import { sentence, type Words } from '../../text/blocks.ts';
import { cutMrkdwn } from '../../text/words.ts';
import type { Context } from '../feature/context.ts';
import { type Button, defineButton } from '../feature/feature.ts';
import { resumeButton } from '../feature/resume.ts';
import { afterwards, discardFace, failedWords, queuedWords, retryFace } from './receipts.ts';
import { undoButton } from './undo.ts';

/** Tries a failed or queued intent again; `draft` is the id of the words typed for it, or `""`. */
const retryButton = defineButton({
  ...retryFace,
  value: z.object({ intent: z.string(), draft: z.string().default('') }),
  run: async (ctx, { value }) => {
    const { journal, drafts } = ctx.deps;
    const before = await journal.find(value.intent, toOwner(ctx.actor));
    const outcome = before && (await ctx.retry(value.intent));
    // Looked up again: the incident may have got its id meanwhile.
    const stored = await journal.find(value.intent, toOwner(ctx.actor));
    if (!before || !stored || !outcome) {
      await ctx.answer(sentence('Only the person who asked for it can try it again.'));
    } else if (stored.state === 'discarded') {
      await ctx.replace(discardedWords(aimOf(stored.kind, stored.payload)));
    } else if (outcome.state === 'queued') {
      await ctx.replace(await queuedWords(ctx, stored.kind, stored.payload, outcome, 'still'));
      await correctIfDiscarded(ctx, value.intent);
    } else if (outcome.state === 'failed') {
      const draft = value.draft === '' ? undefined : await drafts.find(ctx.actor, value.draft, ctx.now);
      const typed = { draft, id: draft && value.draft };
      await ctx.replace(await failedWords(ctx, stored.kind, stored.payload, outcome, typed, 'I still could not'));
      await correctIfDiscarded(ctx, value.intent);
    } else {
      await ctx.replace(
        await afterwards(ctx, stored.kind, stored.payload, outcome, {
          isLate: before.isQueued,
          askedAt: before.askedAt,
        }),
      );
    }
  },
});

/** Replaces the words just sent when Discard came before them: they would offer what was discarded. */
async function correctIfDiscarded(ctx: Context, intent: string): Promise<void> {
  const stored = await ctx.deps.journal.find(intent, toOwner(ctx.actor));
  if (stored?.state === 'discarded') await ctx.replace(discardedWords(aimOf(stored.kind, stored.payload)));
}

/** Discards a queued or failed intent; with a declaration, everything queued behind it. */
const discardButton = defineButton({
  ...discardFace,
  value: z.object({ intent: z.string() }),
  run: async (ctx, { value: { intent: id } }) => {
    const { deps } = ctx;
    const stored = await deps.journal.find(id, toOwner(ctx.actor));
    if (!stored) return ctx.answer(sentence('Only the person who asked for it can discard it.'));
    const behind = await queuedBehind(deps, id);
    const aim = aimOf(stored.kind, stored.payload);
    if (stored.state === 'discarded') return ctx.replace(discardedWords(aim));
    if (!(await deps.journal.discard(id, toOwner(ctx.actor)))) {
      const text = `It is too late to discard that. It is being done or is done already: ${cutMrkdwn(aim, 700)}.`;
      return ctx.replace(sentence(text));
    }
    // A refresh shows the room how much work still waits.
    deps.cards.refresh(stored.subject);
    // It may have been tried since it was looked up.
    const isUnsure = (await deps.journal.find(id, toOwner(ctx.actor)))?.isAmbiguous === true;
    const discarded = { aim, isUnsure, behind };
    const words = givenUpWords(discarded, stored.kind.declares ? '/incident list' : '/incident status');
    await ctx.replace(sentence([`Discarded: ${words}`, discardedLines(behind)].filter(line => line !== '').join('\n')));
    await tellDiscarded(ctx, id, discarded);
  },
});

/** The buttons of receipts. They belong to no feature. */
export const receiptButtons: readonly Button[] = [retryButton, discardButton, undoButton, resumeButton] as Button[];

function discardedWords(aim: string): Words {
  return sentence(`That was discarded before. I will not ${cutMrkdwn(aim, 700)}.`);
}
