import { givenUpWords, tellGivenUp, waitingBehind } from '../incident/unregistered.ts';
import { said, sentence } from '../text/blocks.ts';
import type { Context } from './context.ts';
import { type Button, defineButton } from './feature.ts';
import { afterwards, again, discard, keptWords, refusalWords } from './receipts.ts';
import { undoing, undoMinutes } from './undo.ts';

/** Tries a refused or kept intent again, and says what came of it in place of the message. */
async function pressAgain(ctx: Context, value: { intent: string; draft: string }): Promise<void> {
  const { deps } = ctx;
  const before = await deps.journal.find(value.intent, ctx.actor);
  const outcome = before && (await ctx.again(value.intent));
  // Looked up again: the incident may have got its id meanwhile.
  const stored = await deps.journal.find(value.intent, ctx.actor);
  if (!before || !stored || !outcome) {
    await ctx.answer(sentence('Only the person who asked for it can try it again.'));
    return;
  }
  if (outcome.state === 'kept') {
    await ctx.replace(await keptWords(ctx, stored.intent, stored.payload, outcome, 'still'));
    return;
  }
  if (outcome.state === 'refused') {
    const draft = value.draft === '' ? undefined : await deps.drafts.find(ctx.actor, value.draft, ctx.now);
    const typed = { draft, id: draft && value.draft };
    await ctx.replace(refusalWords(`I still could not ${stored.intent.aim(stored.payload)}.`, outcome, typed));
  } else {
    const wasKept = before.row.late !== 0;
    const askedAt = new Date(before.row.created_at);
    await ctx.replace(await afterwards(ctx, stored.intent, stored.payload, outcome, wasKept, askedAt));
  }
}

/** Takes a done intent back. */
async function pressUndo(ctx: Context, { intent: id }: { intent: string }): Promise<void> {
  const { deps } = ctx;
  const stored = await deps.journal.find(id, ctx.actor);
  if (!stored) return ctx.answer(sentence('Only the person who did it can take it back with this button.'));
  const { intent, row, payload, incidentID } = stored;
  const isLate = ctx.now.getTime() - Date.parse(row.changed_at) > undoMinutes * 60_000;
  const wanted =
    row.state === 'done' ? intent.undo?.(intent.result.parse(JSON.parse(row.outcome)), payload) : undefined;
  if (isLate || !wanted) {
    const text = `This button takes things back for ${undoMinutes} minutes, and they are over. The command itself still changes it.`;
    return ctx.answer(sentence(text));
  }
  await ctx.carryOut(wanted.intent, wanted.payload, { incidentID, key: `${id}/undo` });
}

/** Gives a kept or refused intent up, and what waits for its incident with it. */
async function pressDiscard(ctx: Context, { intent: id }: { intent: string }): Promise<void> {
  const { deps } = ctx;
  const stored = await deps.journal.find(id, ctx.actor);
  if (!stored) return ctx.answer(sentence('Only the person who asked for it can discard it.'));
  const behind = await waitingBehind(deps, id);
  const plainAim = stored.intent.aim(stored.payload);
  const aim = said(plainAim, 700);
  if (stored.row.state === 'discarded') return ctx.replace(sentence(`That is discarded already: I will not ${aim}.`));
  if (!(await deps.journal.discard(id, ctx.actor))) {
    const text = `It is too late to discard that: I am doing it, or it is done. It was to ${aim}.`;
    return ctx.replace(sentence(text));
  }
  const givenUp = givenUpWords(behind);
  await ctx.replace(sentence(`Discarded: I will not ${aim}.${givenUp ? `\n${givenUp}` : ''}`));
  await tellGivenUp(ctx, id, plainAim, behind);
}

/** The buttons under what people are told about their intents, whatever feature these are of. */
export const intentButtons: readonly Button[] = [
  defineButton({ ...again, run: (ctx, { value }) => pressAgain(ctx, value) }) as Button,
  defineButton({ ...discard, run: (ctx, { value }) => pressDiscard(ctx, value) }) as Button,
  defineButton({ ...undoing, run: (ctx, { value }) => pressUndo(ctx, value) }) as Button,
];
