import { z } from 'zod';
import type { ActivityItem } from '../../../contract/activity.ts';
import { splitNoteBody } from '../../../contract/note-forms.ts';
import { afterwards } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { type Button, defineButton } from '../../dispatch/feature/feature.ts';
import { removalKey, removeNote } from '../../incident/notes/intents.ts';
import { notedMessage, withImportance } from '../../incident/notes/notes.ts';
import { slackLimits } from '../../slack/limits.ts';
import type { Words } from '../../text/blocks.ts';
import { cap } from '../../text/words.ts';
import { edit, findListed, gone, isOwn, rewordNote, rewritten } from './edit.ts';
import { editFace, ListedNote, markFace, newestNotes, type Page, removeFace } from './faces.ts';
import { showPage } from './list.ts';

/** Opens the form that changes one of the listed notes. */
const editListed = defineButton({
  ...editFace,
  value: ListedNote,
  run: async (ctx, { value }) => {
    const item = await findListed(ctx, value);
    if (!item) return ctx.answer(gone(value));
    const { text } = splitNoteBody(item.body);
    const isText = text.length <= slackLimits.inputText && typeof item.fieldValues.saidBy !== 'string';
    const at = Math.floor(Date.parse(item.eventTime) / 1000);
    await ctx.openForm(
      edit,
      { ...value, eventTime: item.eventTime, isText, place: ctx.keepMessage() },
      { ...(isText ? { text } : {}), at: String(at) },
    );
  },
});

/** Marks one of the listed notes as important, or as usual again. */
const markListed = defineButton({
  ...markFace,
  value: ListedNote.extend({ important: z.boolean() }),
  run: async (ctx, { value: { important, page, ...address } }) => {
    const item = await findListed(ctx, address);
    if (!item) return ctx.answer(gone(address));
    const body = await rewritten(ctx, item, withImportance(splitNoteBody(item.body).text, important));
    // Its words stand there already.
    const [payload, { incidentID }] = [{ ...address, body }, address];
    const outcome = await ctx.submit(rewordNote, payload, { incidentID, isExamined: true });
    if (outcome.state !== 'done') await ctx.answerNotDone(rewordNote, payload, outcome);
    else await showAgain(ctx, incidentID, page, await afterwards(ctx, rewordNote, payload, outcome));
  },
});

/** Removes one of the listed notes. */
const removeListed = defineButton<ListedNote>({
  ...removeFace,
  value: ListedNote,
  run: async (ctx, { value: { page, ...value } }) => {
    const item = await findListed(ctx, value);
    if (!item) return ctx.answer(gone(value));
    const { incidentID } = value;
    const mark = notedMessage(item);
    const payload = {
      ...value,
      text: cap(splitNoteBody(item.body).text, 300),
      ...(mark ? { mark } : {}),
      ...((await isOwn(ctx, item)) ? {} : { whose: adderOf(item) }),
    };
    const key = removalKey(incidentID, value.activityItemID);
    const outcome = await ctx.submit(removeNote, payload, { incidentID, key });
    if (outcome.state !== 'done') await ctx.answerNotDone(removeNote, payload, outcome);
    else await showAgain(ctx, incidentID, page, await afterwards(ctx, removeNote, payload, outcome));
  },
});

/** Name of the person who added a note. */
function adderOf({ fieldValues, user }: ActivityItem): string {
  return typeof fieldValues.addedBy === 'string' && fieldValues.addedBy !== '' ? fieldValues.addedBy : user.name;
}

/** Shows the list as it is now in its own place, below the words about the change. */
function showAgain(ctx: Context, incidentID: string, page: Page = newestNotes, notice: Words): Promise<void> {
  return showPage(ctx, { incidentID, ...page }, notice);
}

/** The buttons of listed notes. */
export const listedButtons: readonly Button[] = [editListed, markListed, removeListed] as Button[];
