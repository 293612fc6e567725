import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import { defineIntent } from '../../incident/acts/intent-kind.ts';
import { Note, noteBody, Written } from '../../incident/notes/notes.ts';
import { incidentLabel, incidentName } from '../../incident/state/incident-name.ts';
import { sentence, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { cap, toLines } from '../../text/words.ts';

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
