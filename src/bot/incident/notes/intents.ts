import { z } from 'zod';
import { isNotFound } from '../../../contract/errors.ts';
import { MessageAddress } from '../../slack/source-message.ts';
import { sentence, toMrkdwn } from '../../text/blocks.ts';
import { when, whenAndAge } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { cap, toOneLine } from '../../text/words.ts';
import { type AfterDoneResult, defineIntent, type IncidentDeps, toUndo, type Undo } from '../acts/intent-kind.ts';
import { incidentLabel, incidentName } from '../state/incident-name.ts';
import { markMessage, unmarkMessage } from './message-mark.ts';
import { findWritten, Note, NoteAddress, Written, writeNote } from './notes.ts';
import { isNoted } from './of-message.ts';

/** The key of a note's removal: a note is removed once, by Undo or from the list. */
export function removalKey({ incidentID, activityItemID }: NoteAddress): string {
  return `note.remove/${incidentID}/${activityItemID}`;
}

/** Takes a note off the timeline; with `mark`, the bot's reaction off the message that was noted. */
export const removeNote = defineIntent({
  kind: 'note.remove',
  payload: NoteAddress.extend({
    text: z.string(),
    mark: MessageAddress.optional(),
    /** Name of the person who added it, when another one removes it: the room is told then. */
    whose: z.string().optional(),
  }),
  result: Written,
  run: async ({ api, call, isAmbiguous }, { incidentID, activityItemID }) => {
    try {
      await api.ActivityService.RemoveActivity({ incidentID, activityItemID }, call);
    } catch (error) {
      // An earlier attempt whose answer was lost has removed it.
      if (!isAmbiguous || !isNotFound(error)) throw error;
    }
    return { activityItemID };
  },
  room: {
    update: ({ activityItemID }) => ({ kind: 'removed', activityItemID }),
    line: (_item, { whose, text }, { by }) => removedWords(by, whose, text),
  },
  describe: ({ text, incidentID }) => `remove “${cap(text, 200)}” from the timeline of ${incidentName(incidentID)}`,
  answer: {
    receipt: (_item, { text, incidentID }, repeated) =>
      sentence(
        repeated
          ? `That note was removed already from the timeline of ${incidentLabel(incidentID)}.`
          : `Removed from the timeline of ${incidentLabel(incidentID)}: “${toMrkdwn(toOneLine(text), 300)}”.`,
      ),
    afterDone: async ({ deps, repeated }, _item, { mark }): Promise<AfterDoneResult> => ({
      notes: [],
      troubles: repeated || !mark ? [] : await unmarkIfOver(deps, mark),
    }),
  },
});

/** The line of a room about a note that was removed: by whom, and whose it was, when another person added it. Mrkdwn. */
export function removedWords(by: string, whose: string | undefined, text: string): string {
  const of = whose === undefined ? '' : ` by ${toMrkdwn(whose, 80)}`;
  return `${signs.removed} ${by} removed a note${of} from the timeline: “${toMrkdwn(toOneLine(text), 300)}”`;
}

/**
 * Takes the bot's mark off a message that is on no timeline any more, and gives it back to one that was noted meanwhile. Returns a
 * sentence of mrkdwn when that failed.
 */
export async function unmarkIfOver(deps: IncidentDeps, message: MessageAddress): Promise<readonly string[]> {
  if (await isNoted(deps, message)) return [];
  const trouble = await unmarkMessage(deps, message);
  if (await isNoted(deps, message)) await markMessage(deps, message);
  return trouble === '' ? [] : [trouble];
}

/** The write that takes a note off the timeline again, once, however it was added; with `mark`, the bot's reaction off its message. */
export function undoNote({ incidentID, activityItemID }: NoteAddress, text: string, mark?: MessageAddress): Undo {
  return toUndo(
    removeNote,
    { incidentID, activityItemID, text: cap(text, 300), ...(mark ? { mark } : {}) },
    { key: removalKey({ incidentID, activityItemID }), afterwards: 'Press *Remove* in `/note list`.' },
  );
}

/** Puts a note on an incident's timeline. */
export const addNote = defineIntent({
  kind: 'note.add',
  payload: Note,
  result: Written,
  run: writeNote,
  reconcile: findWritten,
  mapTexts: (note, change) => ({ ...note, text: change(note.text) }),
  describe: note => `add “${cap(note.text, 200)}” to the timeline of ${incidentName(note.incidentID)}`,
  room: {
    line: (_item, { text, source, isTimed, eventTime }, { by }) =>
      source === 'note'
        ? `${signs.note} ${by} noted${isTimed ? ` at ${when(eventTime)}` : ''}: “${toMrkdwn(toOneLine(text), 300)}”`
        : undefined,
  },
  undo: ({ activityItemID }, { incidentID, text }) => undoNote({ incidentID, activityItemID }, text),
  answer: {
    receipt: (_item, note, repeated) => {
      const time = note.isTimed ? ` at ${whenAndAge(note.eventTime)}` : '';
      const place = `the timeline of ${incidentLabel(note.incidentID)}${time}`;
      return sentence(
        repeated
          ? `That is on ${place} already: “${toMrkdwn(toOneLine(note.text), 300)}”. Nothing was added twice.`
          : [`${signs.note} Added to ${place}: “${toMrkdwn(toOneLine(note.text), 300)}”.`, note.notice ?? '']
              .join(' ')
              .trim(),
      );
    },
    beside: (_item, { source, notice = '', isTimed, eventTime }) =>
      source === 'note'
        ? `${signs.note} Added to the timeline${isTimed ? ` at ${whenAndAge(eventTime)}` : ''}. ${notice}`.trim()
        : undefined,
  },
});
