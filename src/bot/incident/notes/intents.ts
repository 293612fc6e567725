import { z } from 'zod';
import { isNotFound } from '../../../contract/errors.ts';
import { splitNoteBody } from '../../../contract/note-forms.ts';
import { MessageAddress } from '../../slack/source-message.ts';
import { toMrkdwn, toQuote } from '../../text/blocks.ts';
import { whenAndAge } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { toSlackDate } from '../../text/times.ts';
import { cap, toLines, toOneLine } from '../../text/words.ts';
import { type AfterDoneResult, defineIntent, type IncidentDeps, toUndo, type Undo } from '../acts/intent-kind.ts';
import { markMessage, unmarkMessage } from './message-mark.ts';
import { isNoted } from './message-note.ts';
import { findTwinNote, findWritten, Note, type NoteAddress, Written, writeNote } from './notes.ts';

/** The most characters of a note that words about its removal quote. */
export const maxQuote = 300;

/** The key of a note's removal: a note is removed once. `note` is its item, or the intent that adds it. */
export function removalKey(incidentID: string, note: string): string {
  return `note.remove/${incidentID}/${note}`;
}

/**
 * Takes a note off the timeline: an item, or what the intent `note` adds for a message, which may still be queued and runs first then, in
 * the same lane. With `mark`, also the bot's reaction off the message that was noted.
 */
export const removeNote = defineIntent({
  kind: 'note.remove',
  payload: z.object({
    incidentID: z.string(),
    activityItemID: z.string().optional(),
    note: z.string().optional(),
    text: z.string(),
    mark: MessageAddress.optional(),
    /** Name of the person who added it, when another one removes it: the room is told then. */
    whose: z.string().optional(),
  }),
  result: Written.extend({
    /** The words that the note had. */
    text: z.string().default(''),
    /** False when the note was not there any more, or was never added. */
    isRemoved: z.boolean().default(true),
  }),
  run: async ({ api, call, deps, isAmbiguous }, { incidentID, note = '', activityItemID: item, text }) => {
    const activityItemID = item ?? (await deps.messageNotes.itemOf(note));
    if (activityItemID === '') return { activityItemID, text, isRemoved: false };
    try {
      const { activityItem } = await api.ActivityService.RemoveActivity({ incidentID, activityItemID }, call);
      return { activityItemID, text: cap(splitNoteBody(activityItem.body).text, maxQuote), isRemoved: true };
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // An earlier attempt whose answer was lost has removed it.
      return { activityItemID, text, isRemoved: isAmbiguous };
    }
  },
  did: ({ text: known, whose }, { result, incident }) => {
    const quote = `“${toMrkdwn(toOneLine(result?.text ?? known), maxQuote)}”`;
    if (!result) return { sign: signs.removed, verb: 'remove', what: `${quote} from the timeline of ${incident}` };
    if (!result.isRemoved) return { fact: `Nothing was removed: ${quote} is not on the timeline of ${incident}.` };
    const of = whose === undefined ? '' : ` by ${toMrkdwn(whose, 80)}`;
    return { sign: signs.removed, verb: 'remove', what: `a note${of} from the timeline of ${incident}: ${quote}` };
  },
  links: ({ activityItemID, note = '' }) => ({ message: { as: 'removed_by', note: activityItemID ?? note } }),
  update: ({ activityItemID }) => ({ kind: 'removed', activityItemID }),
  afterDone: async ({ deps, repeated }, _item, { mark }): Promise<AfterDoneResult> => ({
    notes: [],
    troubles: repeated || !mark ? [] : await unmarkIfOver(deps, mark),
  }),
});

/** The words of a note behind those that tell of it: with their line breaks below them, where they have any. */
function inQuotes(text: string): string {
  const words = toMrkdwn(toLines(text), maxQuote);
  return words.includes('\n') ? `\n${toQuote(words)}` : `“${words}”`;
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
    { incidentID, activityItemID, text: cap(text, maxQuote), ...(mark ? { mark } : {}) },
    { key: removalKey(incidentID, activityItemID), afterwards: 'Press *Remove* in `/note list`.' },
  );
}

/** Puts a note on an incident's timeline. */
export const addNote = defineIntent({
  kind: 'note.add',
  payload: Note,
  result: Written,
  run: writeNote,
  reconcile: findWritten,
  findTwin: findTwinNote,
  did: ({ text, source, isTimed, eventTime, notice = '' }, { result, incident, line }) => {
    if (!result) return { verb: 'add', what: `“${toMrkdwn(toLines(text), 200)}” to the timeline of ${incident}` };
    const time = isTimed ? ` for ${line ? toSlackDate(new Date(eventTime)) : whenAndAge(eventTime)}` : '';
    const where = line ? '' : `on the timeline of ${incident}`;
    return {
      ...{ sign: signs.note, verb: 'note', what: `${where}${time}: ${inQuotes(text)}`.trim() },
      more: notice,
      ...(source === 'note' ? {} : { room: [] }),
    };
  },
  mapTexts: (note, change) => ({ ...note, text: change(note.text) }),
  links: ({ typedIn: message }) => ({ message }),
  undo: ({ activityItemID }, { incidentID, text }) => undoNote({ incidentID, activityItemID }, text),
});
