import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import { readFormed, splitNoteBody } from '../../../contract/note-forms.ts';
import { defineIntent } from '../../incident/acts/intent-kind.ts';
import { Note, NoteAddress, noteBody, Written } from '../../incident/notes/notes.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { toLines } from '../../text/words.ts';

/** Replaces the words of a note. */
export const rewordNote = defineIntent({
  kind: 'note.reword',
  payload: NoteAddress.extend({ body: z.string() }),
  result: Written,
  run: async ({ api, call }, { incidentID, activityItemID, body }) => {
    await api.ActivityService.UpdateActivityBody({ incidentID, activityItemID, body }, call);
    return { activityItemID };
  },
  did: ({ body }) => ({
    ...{ sign: signs.changed, verb: 'change' },
    what: `a note: “${toMrkdwn(toLines(splitNoteBody(body).text), 300)}”`,
  }),
  mapTexts: (note, change) => ({ ...note, body: change(note.body) }),
  update: ({ activityItemID }, { body }) => ({ kind: 'reworded', activityItemID, text: readFormed(body).text }),
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
  did: ({ eventTime }) => ({
    ...{ verb: 'move', room: [] },
    what: `the note to ${eventTime === '' ? 'the time when it was written' : when(eventTime)}`,
  }),
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
  did: ({ text, notice = '' }, { incident }) => ({
    ...{ sign: signs.changed, verb: 'change', room: [] },
    what: `the note of ${incident} to “${toMrkdwn(toLines(text), 300)}”`,
    more: `You edited your message, and the note follows it. ${notice}`.trim(),
  }),
  mapTexts: (correction, change) => ({ ...correction, text: change(correction.text) }),
});
