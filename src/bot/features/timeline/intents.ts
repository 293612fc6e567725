import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import { readFormed, splitNoteBody } from '../../../contract/note-forms.ts';
import { defineIntent } from '../../incident/acts/intent-kind.ts';
import { Note, NoteAddress, noteBody, Written } from '../../incident/notes/notes.ts';
import { incidentLabel, incidentName } from '../../incident/state/incident-name.ts';
import { sentence, toMrkdwn } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { formatUtc } from '../../text/times.ts';
import { cap, toLines } from '../../text/words.ts';

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

/**
 * Brings a note up to date with the message that added it, which its author edited. `note` is the intent that adds it: it may still
 * be queued, and runs first then, in the same lane. An empty `eventTime` leaves the note's time; `notice` says why (mrkdwn).
 */
export const correctNote = defineIntent({
  kind: 'note.correct',
  payload: z.object({
    incidentID: z.string(),
    note: z.string(),
    owner: z.string(),
    text: z.string(),
    eventTime: z.string(),
    notice: z.string().optional(),
  }),
  result: Written,
  run: async ({ api, call, deps }, { incidentID, note, owner, text, eventTime }) => {
    const added = await deps.journal.find(note, owner);
    if (added?.outcome?.state !== 'done') {
      throw new RpcError('failed_precondition', 'the note itself was not added', { maybeApplied: false });
    }
    const { activityItemID } = Written.parse(added.outcome.result);
    const body = noteBody({ ...Note.parse(added.payload), text });
    await api.ActivityService.UpdateActivityBody({ incidentID, activityItemID, body }, call);
    if (eventTime !== '') {
      await api.ActivityService.UpdateActivityEventTime({ incidentID, activityItemID, eventTime }, call);
    }
    return { activityItemID };
  },
  mapTexts: (correction, change) => ({ ...correction, text: change(correction.text) }),
  describe: ({ text, incidentID }) => `change the note of ${incidentName(incidentID)} to “${cap(text, 200)}”`,
  answer: {
    receipt: (_item, { text, incidentID, notice = '' }) =>
      sentence(
        `${signs.changed} You edited your message, so the note of ${incidentLabel(incidentID)} now says: “${toMrkdwn(toLines(text), 300)}”. ${notice}`.trim(),
      ),
  },
});
