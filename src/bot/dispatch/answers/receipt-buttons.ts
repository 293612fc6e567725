import { z } from 'zod';
import { toOwner } from '../../incident/acts/intent-kind.ts';
import {
  discardedLines,
  givenUpWords,
  queuedBehind,
  tellDiscarded,
  withCurrentID,
} from '../../incident/acts/registration.ts';
import { aimOf } from '../../incident/lines/did.ts';
import { AlreadyAnswered } from '../../journal/intent.ts';
import { sentence, type Words } from '../../text/blocks.ts';
import { cutMrkdwn } from '../../text/words.ts';
import type { Context } from '../feature/context.ts';
import { type Button, defineButton } from '../feature/feature.ts';
import { resumeButton, wakeButton } from '../feature/resume.ts';
import {
  afterwards,
  discardFace,
  examine,
  failedWords,
  queuedWords,
  retryFace,
  secretFaces,
  undoFace,
} from './receipts.ts';

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

/** How long Undo works, in minutes, where its kind says nothing else. */
const undoMinutes = 10;

/** Undoes a done intent by the write that its kind names. */
const undoButton = defineButton({
  ...undoFace,
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
    // The words that it puts back were there before.
    const how = { incidentID: subject, key: undo.key ?? `${id}/undo`, isExamined: true, undoes: id };
    await ctx.carryOut(undo.kind, undo.payload, how);
  },
});

const gone = sentence('There is nothing left to choose: only its author can, once, within a week.');

/**
 * Carries out the author's choice. The draft goes once the author has the answer, so that a choice that is carried out again after a
 * crash finds it and says the same. Without the draft it was answered before. Another press waits until the draft is gone.
 */
async function choose(ctx: Context, id: string, choice: keyof typeof secretFaces): Promise<void> {
  const { deps, actor, now } = ctx;
  const draft = await deps.drafts.find(actor, id, now);
  if (draft?.kind !== 'held') return ctx.mayAlreadyExist && choice !== 'drop' ? undefined : ctx.answer(gone);
  const { intent, key, incidentID, others } = draft;
  const kind = deps.kindOf(intent);
  if (!kind) throw new Error(`This version has no intent ${intent}`);
  const payload = await withCurrentID(deps, kind.payload.parse(draft.payload));
  const { redacted, secrets } = await examine(kind, payload);
  if (choice === 'drop') {
    // First, since an answer lets the next press begin.
    await deps.drafts.remove(actor, id, secrets);
    return ctx.replace(sentence(`Dropped. I will not ${cutMrkdwn(aimOf(kind, redacted), 700)}.`));
  }
  const chosen = choice === 'keep' ? payload : redacted;
  const remove = () => deps.drafts.remove(actor, id, choice === 'keep' ? [] : secrets);
  try {
    const outcome = await ctx.submit(kind, chosen, { key, incidentID, others, isExamined: true, keepsTurn: true });
    if (outcome.state === 'held') throw new Error('What was examined is not held back');
    const words =
      outcome.state === 'done'
        ? afterwards(ctx, kind, chosen, outcome)
        : outcome.state === 'queued'
          ? queuedWords(ctx, kind, chosen, outcome)
          : failedWords(ctx, kind, chosen, outcome, { draft: undefined, id: undefined });
    await ctx.replace(await words);
  } catch (error) {
    if (error instanceof AlreadyAnswered) await remove();
    throw error;
  }
  await remove();
}

const secretButtons = Object.entries(secretFaces).map(([choice, face]) =>
  defineButton({
    ...face,
    value: z.object({ draft: z.string() }),
    run: (ctx, { value }) => choose(ctx, value.draft, choice as keyof typeof secretFaces),
  }),
);

/** The buttons of receipts. They belong to no feature. */
export const receiptButtons = [
  retryButton,
  discardButton,
  undoButton,
  resumeButton,
  wakeButton,
  ...secretButtons,
] as Button[];

function discardedWords(aim: string): Words {
  return sentence(`That was discarded before. I will not ${cutMrkdwn(aim, 700)}.`);
}
