import { givenUpWords, tellGivenUp, waitingBehind } from '../incident/unregistered.ts';
import { said, sentence } from '../text/blocks.ts';
import type { Turn } from './context.ts';
import { type Button, defineButton } from './feature.ts';
import { afterwards, again, discard, keptWords, refusalWords } from './receipts.ts';
import { undoing, undoMinutes } from './undo.ts';

/** Tries a refused or kept intent again, and says what came of it in place of the message. */
async function pressAgain(turn: Turn, value: { intent: string; draft: string }): Promise<void> {
  const { desk } = turn;
  const before = await desk.journal.find(value.intent, turn.actor);
  const outcome = before && (await turn.again(value.intent));
  // Looked up again: the incident may have got its id meanwhile.
  const stored = await desk.journal.find(value.intent, turn.actor);
  if (!before || !stored || !outcome) {
    await turn.answer(sentence('Only the person who asked for it can try it again.'));
    return;
  }
  if (outcome.state === 'kept') {
    await turn.replace(await keptWords(turn, stored.intent, stored.payload, outcome, 'still'));
    return;
  }
  if (outcome.state === 'refused') {
    const draft = value.draft === '' ? undefined : await desk.drafts.find(turn.actor, value.draft, turn.now);
    const typed = { draft, id: draft && value.draft };
    await turn.replace(refusalWords(`I still could not ${stored.intent.aim(stored.payload)}.`, outcome, typed));
  } else {
    const wasKept = before.row.late !== 0;
    const askedAt = new Date(before.row.created_at);
    await turn.replace(await afterwards(turn, stored.intent, stored.payload, outcome, wasKept, askedAt));
  }
}

/** Takes a done intent back. */
async function pressUndo(turn: Turn, { intent: id }: { intent: string }): Promise<void> {
  const { desk } = turn;
  const stored = await desk.journal.find(id, turn.actor);
  if (!stored) return turn.answer(sentence('Only the person who did it can take it back with this button.'));
  const { intent, row, payload, incidentID } = stored;
  const isLate = turn.now.getTime() - Date.parse(row.changed_at) > undoMinutes * 60_000;
  const wanted =
    row.state === 'done' ? intent.undo?.(intent.result.parse(JSON.parse(row.outcome)), payload) : undefined;
  if (isLate || !wanted) {
    const text = `This button takes things back for ${undoMinutes} minutes, and they are over. The command itself still changes it.`;
    return turn.answer(sentence(text));
  }
  await turn.carryOut(wanted.intent, wanted.payload, { incidentID, key: `${id}/undo` });
}

/** Gives a kept or refused intent up, and what waits for its incident with it. */
async function pressDiscard(turn: Turn, { intent: id }: { intent: string }): Promise<void> {
  const { desk } = turn;
  const stored = await desk.journal.find(id, turn.actor);
  if (!stored) return turn.answer(sentence('Only the person who asked for it can discard it.'));
  const behind = await waitingBehind(desk, id);
  const plainAim = stored.intent.aim(stored.payload);
  const aim = said(plainAim, 700);
  if (stored.row.state === 'discarded') return turn.replace(sentence(`That is discarded already: I will not ${aim}.`));
  if (!(await desk.journal.discard(id, turn.actor))) {
    const text = `It is too late to discard that: I am doing it, or it is done. It was to ${aim}.`;
    return turn.replace(sentence(text));
  }
  const givenUp = givenUpWords(behind);
  await turn.replace(sentence(`Discarded: I will not ${aim}.${givenUp ? `\n${givenUp}` : ''}`));
  await tellGivenUp(turn, id, plainAim, behind);
}

/** The buttons under what people are told about their intents, whatever feature these are of. */
export const intentButtons: readonly Button[] = [
  defineButton({ ...again, run: (turn, { value }) => pressAgain(turn, value) }) as Button,
  defineButton({ ...discard, run: (turn, { value }) => pressDiscard(turn, value) }) as Button,
  defineButton({ ...undoing, run: (turn, { value }) => pressUndo(turn, value) }) as Button,
];
