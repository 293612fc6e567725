import { z } from 'zod';
import type { ActivityItem } from '../../../contract/activity.ts';
import { splitNoteBody } from '../../../contract/note-forms.ts';
import { receiptWords } from '../../dispatch/answers/receipts.ts';
import type { Context, Submitted } from '../../dispatch/feature/context.ts';
import { type Button, defineButton } from '../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, momentField, textField } from '../../dispatch/forms/modal.ts';
import type { IntentKind } from '../../incident/acts/intent-kind.ts';
import { maxQuote, removalKey, removeNote } from '../../incident/notes/intents.ts';
import {
  findNote,
  type NoteAddress,
  notedMessage,
  rewriteBody,
  type Written,
  withImportance,
} from '../../incident/notes/notes.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { slackLimits } from '../../slack/limits.ts';
import { callout, sentence } from '../../text/blocks.ts';
import { fromSeconds, isAhead } from '../../text/times.ts';
import { cap, stripControls } from '../../text/words.ts';
import { retimeNote, rewordNote } from './intents.ts';
import { faces, ListedNote, newestNotes, pageWords, showPage } from './list.ts';

/** Runs an act on the note that a list showed; when it was removed since, says so. */
async function onListed(
  ctx: Context,
  { incidentID, activityItemID }: NoteAddress,
  act: (item: ActivityItem) => Promise<void>,
): Promise<void> {
  const item = await findNote(ctx.deps.api, incidentID, each => each.activityItemID === activityItemID);
  if (item) return act(item);
  await ctx.answer(sentence(`That note was already removed from the timeline of ${incidentLabel(incidentID)}.`));
}

/** Whether this person added the note: its fields name them, or the API does. */
async function isOwn({ deps, actor }: Context, item: ActivityItem): Promise<boolean> {
  const { addedByUser, addedByTeam = actor.teamId } = item.fieldValues;
  if (typeof addedByUser === 'string') return addedByUser === actor.userId && addedByTeam === actor.teamId;
  return item.user.userID !== '' && item.user.userID === (await deps.people.toKnown(actor)).userID;
}

/** The body with other words, which names this person where somebody else added the note. */
async function rewritten(ctx: Context, item: ActivityItem, text: string): Promise<string> {
  return rewriteBody(item.body, text, (await isOwn(ctx, item)) ? '' : ctx.actor.name);
}

/**
 * The form that changes a note in words and time. Its state is the note as it was when the form opened, since only changes are written; and
 * the list that it was opened from.
 */
export const editForm = defineModal({
  id: 'note.edit',
  state: ListedNote.extend({ eventTime: z.string(), isText: z.boolean(), place: z.string().default('') }),
  view: ({ isText }, filled) => ({
    title: 'Change a note',
    submit: 'Save',
    blocks: [
      ...(isText
        ? [textField({ id: 'text', label: 'What happened', multiline: true }, filled)]
        : [
            callout(
              'info',
              'You can change only the time here: the words are another person’s, or too long for a form.',
            ),
          ]),
      momentField(
        { id: 'at', label: 'When', hint: 'In your own time zone. Empty: when it was written.', optional: true },
        filled,
      ),
    ],
  }),
  check: (filled, { isText }, { now }) => {
    const text = stripControls(fieldValue(filled, 'text')).trim();
    const at = Number(fieldValue(filled, 'at'));
    const problems = {
      ...(isText && text === '' ? { text: 'A note needs words. To delete it, press Remove in the list.' } : {}),
      ...(at > 0 && isAhead(fromSeconds(at), now) ? { at: 'That is in the future: give a time that has passed.' } : {}),
    };
    return Object.keys(problems).length > 0 ? { problems } : { value: { text, at } };
  },
  submit: (ctx, { text, at }, state) =>
    onListed(ctx, state, async item => {
      const { incidentID, activityItemID } = state;
      const sentences: string[] = [];
      const notDone: Submitted<Written>[] = [];
      const change = async <P>(intent: IntentKind<P, Written>, payload: P, hasMore: boolean) => {
        const outcome = await ctx.submit(intent, payload, { incidentID, hasMore });
        if (outcome.state === 'done') sentences.push((await receiptWords(ctx, intent, payload, outcome)).text);
        else notDone.push(outcome);
      };
      // Slack's field holds minutes. A note's time is finer, and stays when its minute is unchanged.
      const isMoved = at === 0 || Math.floor(at / 60) !== Math.floor(Date.parse(state.eventTime) / 60_000);
      if (state.isText && text !== splitNoteBody(item.body).text) {
        const body = await rewritten(ctx, item, text);
        await change(rewordNote, { incidentID, activityItemID, body }, isMoved);
      }
      if (isMoved) {
        const eventTime = at === 0 ? '' : fromSeconds(at).toISOString();
        await change(retimeNote, { incidentID, activityItemID, eventTime }, false);
      }
      if (sentences.length > 0) {
        const wanted = { incidentID, ...(state.page ?? newestNotes) };
        await ctx.replaceKept(state.place, await pageWords(ctx, wanted, sentence(sentences.join(' '))));
      }
      if (sentences.length + notDone.length === 0)
        await ctx.answer(sentence('You changed nothing, so the note stays as it is.'));
      for (const outcome of notDone) await outcome.tell();
    }),
});

/** Opens the form that changes one of the listed notes. */
const editListed = defineButton({
  ...faces.edit,
  value: ListedNote,
  run: (ctx, { value }) =>
    onListed(ctx, value, async ({ body, eventTime, fieldValues }) => {
      const { text } = splitNoteBody(body);
      const isText = text.length <= slackLimits.inputText && typeof fieldValues.saidBy !== 'string';
      const at = String(Math.floor(Date.parse(eventTime) / 1000));
      const state = { ...value, eventTime, isText, place: ctx.keepMessage() };
      await ctx.openForm(editForm, state, { ...(isText ? { text } : {}), at });
    }),
});

/** Marks one of the listed notes as important, or as usual again. */
const markListed = defineButton({
  ...faces.mark,
  value: ListedNote.extend({ important: z.boolean() }),
  run: (ctx, { value: { important, page, ...address } }) =>
    onListed(ctx, address, async item => {
      const { incidentID } = address;
      const body = await rewritten(ctx, item, withImportance(splitNoteBody(item.body).text, important));
      // Its words stand there already.
      const { words } = await ctx.perform(rewordNote, { ...address, body }, { incidentID, isExamined: true });
      if (words) await showPage(ctx, { incidentID, ...(page ?? newestNotes) }, words);
    }),
});

/** Removes one of the listed notes. */
const removeListed = defineButton({
  ...faces.remove,
  value: ListedNote,
  run: (ctx, { value: { page, ...address } }) =>
    onListed(ctx, address, async item => {
      const { incidentID, activityItemID } = address;
      const mark = notedMessage(item);
      const { addedBy } = item.fieldValues;
      const adder = typeof addedBy === 'string' && addedBy !== '' ? addedBy : item.user.name;
      const payload = {
        ...address,
        text: cap(splitNoteBody(item.body).text, maxQuote),
        ...(mark ? { mark } : {}),
        ...((await isOwn(ctx, item)) ? {} : { whose: adder }),
      };
      const { words } = await ctx.perform(removeNote, payload, {
        incidentID,
        key: removalKey(incidentID, activityItemID),
      });
      if (words) await showPage(ctx, { incidentID, ...(page ?? newestNotes) }, words);
    }),
});

/** The buttons of listed notes. */
export const listedButtons = [editListed, markListed, removeListed] as Button[];
