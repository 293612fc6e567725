import { z } from 'zod';
import type { ActivityItem } from '../../../contract/activity.ts';
import { readFormed, splitNoteBody } from '../../../contract/note-forms.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { defineModal, fieldValue, momentField, textField } from '../../dispatch/forms/modal.ts';
import { defineIntent } from '../../incident/acts/intent-kind.ts';
import { findNote, NoteAddress, rewriteBody, Written } from '../../incident/notes/notes.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { alert } from '../../text/newer-blocks.ts';
import { when } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { formatUtc, fromSeconds, isAhead } from '../../text/times.ts';
import { cap, stripControls, toLines } from '../../text/words.ts';
import { ListedNote, newestNotes } from './faces.ts';
import { pageWords } from './list.ts';

/** Replaces the words of a note. */
export const rewordNote = defineIntent({
  kind: 'note.reword',
  payload: NoteAddress.extend({ body: z.string() }),
  result: Written,
  run: async ({ api, call }, { incidentID, activityItemID, body }) => {
    await api.ActivityService.UpdateActivityBody({ incidentID, activityItemID, body }, call);
    return { activityItemID };
  },
  mapTexts: (note, change) => ({ ...note, body: change(note.body) }),
  room: {
    line: (_item, { body }, { by }) =>
      `${signs.changed} ${by} changed a note: “${toMrkdwn(toLines(splitNoteBody(body).text), 300)}”`,
    update: ({ activityItemID }, { body }) => ({ kind: 'reworded', activityItemID, text: readFormed(body).text }),
  },

  describe: ({ body }) => `change the note to “${cap(splitNoteBody(body).text, 200)}”`,
  answer: {
    receipt: (_item, { body }) => sentence(`The note now says: “${toMrkdwn(splitNoteBody(body).text, 300)}”.`),
  },
});

/** Moves a note to another time; an empty one is the moment at which it was noted. */
export const retimeNote = defineIntent({
  kind: 'note.retime',
  payload: NoteAddress.extend({ eventTime: z.string() }),
  result: Written,
  run: async ({ api, call }, { incidentID, activityItemID, eventTime }) => {
    await api.ActivityService.UpdateActivityEventTime({ incidentID, activityItemID, eventTime }, call);
    return { activityItemID };
  },
  describe: ({ eventTime }) =>
    eventTime === '' ? 'move the note to when it was written' : `move the note to ${formatUtc(new Date(eventTime))}`,
  answer: {
    receipt: (_item, { eventTime }) =>
      sentence(eventTime === '' ? 'The note has its own time again.' : `The note’s time is now ${when(eventTime)}.`),
  },
});

/** The note that a list showed; undefined when it was removed since. */
export function findListed(
  { deps }: Context,
  { incidentID, activityItemID }: NoteAddress,
): Promise<ActivityItem | undefined> {
  return findNote(deps.api, incidentID, each => each.activityItemID === activityItemID);
}

/** Says that a note is gone. */
export function gone({ incidentID }: NoteAddress): Words {
  return sentence(`That note was already removed from the timeline of ${incidentLabel(incidentID)}.`);
}

/** Whether this person added the note: its fields name them, or the API does. */
export async function isOwn({ deps, actor }: Context, item: ActivityItem): Promise<boolean> {
  const { addedByUser, addedByTeam = actor.teamId } = item.fieldValues;
  if (typeof addedByUser === 'string') return addedByUser === actor.userId && addedByTeam === actor.teamId;
  return item.user.userID !== '' && item.user.userID === (await deps.people.toKnown(actor)).userID;
}

/** The body with other words, which names this person where somebody else added the note. */
export async function rewritten(ctx: Context, item: ActivityItem, text: string): Promise<string> {
  return rewriteBody(item.body, text, (await isOwn(ctx, item)) ? '' : ctx.actor.name);
}

/** The note as it was when the form opened, since only changes are written; and the list that it was opened from. */
const EditState = ListedNote.extend({ eventTime: z.string(), isText: z.boolean(), place: z.string().default('') });

/** The form that changes a note in words and time. */
export const edit = defineModal({
  id: 'note.edit',
  state: EditState,
  view: ({ isText }, filled) => ({
    title: 'Change a note',
    submit: 'Save',
    blocks: [
      ...(isText
        ? [textField({ id: 'text', label: 'What happened', multiline: true }, filled)]
        : [
            alert('info', 'You can change only the time here: the words are another person’s, or too long for a form.'),
          ]),
      momentField(
        {
          id: 'at',
          label: 'When',
          hint: 'In your own time zone. Empty: when it was written.',
          optional: true,
        },
        filled,
      ),
    ],
  }),
  check: (filled, { isText }, { now }) => {
    const text = tidy(fieldValue(filled, 'text'));
    const at = Number(fieldValue(filled, 'at'));
    const problems = {
      ...(isText && text === '' ? { text: 'A note needs words. To delete it, press Remove in the list.' } : {}),
      ...(at > 0 && isAhead(fromSeconds(at), now) ? { at: 'That is in the future: give a time that has passed.' } : {}),
    };
    return Object.keys(problems).length > 0 ? { problems } : { value: { text, at } };
  },
  submit: async (ctx, { text, at }, state) => {
    const item = await findListed(ctx, state);
    if (!item) return ctx.answer(gone(state));
    const { incidentID, activityItemID } = state;
    const parts = splitNoteBody(item.body);
    const sentences: string[] = [];
    const notDone: (() => Promise<void>)[] = [];
    const isMoved = at === 0 || !isSameMinute(at, state.eventTime);
    if (state.isText && text !== parts.text) {
      const body = await rewritten(ctx, item, text);
      const payload = { incidentID, activityItemID, body };
      const outcome = await ctx.submit(rewordNote, payload, { incidentID, hasMore: isMoved });
      if (outcome.state === 'done') sentences.push(rewordNote.answer.receipt(item, payload, false).text);
      else notDone.push(() => ctx.answerNotDone(rewordNote, payload, outcome));
    }
    if (isMoved) {
      const payload = { incidentID, activityItemID, eventTime: at === 0 ? '' : fromSeconds(at).toISOString() };
      const outcome = await ctx.submit(retimeNote, payload, { incidentID });
      if (outcome.state === 'done') sentences.push(retimeNote.answer.receipt(item, payload, false).text);
      else notDone.push(() => ctx.answerNotDone(retimeNote, payload, outcome));
    }
    if (sentences.length > 0) {
      const wanted = { incidentID, ...(state.page ?? newestNotes) };
      await ctx.replaceKept(state.place, await pageWords(ctx, wanted, sentence(sentences.join(' '))));
    }
    if (sentences.length + notDone.length === 0)
      await ctx.answer(sentence('You changed nothing, so the note stays as it is.'));
    for (const answer of notDone) await answer();
  },
});

/** Slack's field holds minutes. A note's time is finer, and stays when its minute is unchanged. */
function isSameMinute(epochSeconds: number, time: string): boolean {
  return Math.floor(epochSeconds / 60) === Math.floor(Date.parse(time) / 60_000);
}

/** A note's words without control characters and the space around them. */
export function tidy(text: string): string {
  return stripControls(text).trim();
}
