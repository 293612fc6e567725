import { z } from 'zod';
import { MessageAddress } from '../slack/source-message.ts';
import { mention, sentence, toMrkdwn } from '../text/blocks.ts';
import { cap, toOneLine } from '../text/words.ts';
import { when } from './card-view.ts';
import { incidentLabel, incidentName } from './incident-name.ts';
import { type AfterDoneResult, defineIntent, toUndo, type Undo } from './intent-kind.ts';
import { unmarkMessage } from './message-mark.ts';
import { isNoted } from './message-note.ts';
import { findWritten, Note, NoteAddress, Written, writeNote } from './notes.ts';
import { tellRoom } from './room.ts';

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
  run: async ({ api, call }, { incidentID, activityItemID }) => {
    await api.ActivityService.RemoveActivity({ incidentID, activityItemID }, call);
    return { activityItemID };
  },
  describe: ({ text, incidentID }) => `remove “${cap(text, 200)}” from the timeline of ${incidentName(incidentID)}`,
  receipt: (_item, { text, incidentID }, repeated) =>
    sentence(
      repeated
        ? `That note was removed already from the timeline of ${incidentLabel(incidentID)}.`
        : `Removed from the timeline of ${incidentLabel(incidentID)}: “${toMrkdwn(toOneLine(text), 300)}”.`,
    ),
  afterDone: async (ctx, _item, { incidentID, mark, whose, text }): Promise<AfterDoneResult> => {
    const { deps, actor, repeated } = ctx;
    if (repeated) return { notes: [], troubles: [] };
    const line = `:wastebasket: ${mention(actor.userId)} removed a note by ${toMrkdwn(whose ?? '', 80)} from the timeline: “${toMrkdwn(toOneLine(text), 300)}”.`;
    const troubles = [
      mark && !(await isNoted(deps, mark)) ? await unmarkMessage(deps, mark) : '',
      whose === undefined ? '' : await tellRoom(ctx, incidentID, line),
    ];
    return { notes: [], troubles: troubles.filter(trouble => trouble !== '') };
  },
});

/** Puts a note on an incident's timeline. */
export const addNote = defineIntent({
  kind: 'note.add',
  payload: Note,
  result: Written,
  run: writeNote,
  reconcile: findWritten,
  mapTexts: (note, change) => ({ ...note, text: change(note.text) }),
  describe: note => `add “${cap(note.text, 200)}” to the timeline of ${incidentName(note.incidentID)}`,
  undo: ({ activityItemID }, { incidentID, text }): Undo =>
    toUndo(
      removeNote,
      { incidentID, activityItemID, text: cap(text, 300) },
      {
        key: removalKey({ incidentID, activityItemID }),
        afterwards: 'Press *Remove* in `/note list`.',
      },
    ),
  receipt: (_item, note, repeated) => {
    const time = note.isTimed ? ` at ${when(note.eventTime)}` : '';
    const place = `the timeline of ${incidentLabel(note.incidentID)}${time}`;
    return sentence(
      repeated
        ? `That is on ${place} already: “${toMrkdwn(toOneLine(note.text), 300)}”. Nothing was added twice.`
        : [`:memo: Added to ${place}: “${toMrkdwn(toOneLine(note.text), 300)}”.`, note.notice ?? ''].join(' ').trim(),
    );
  },
});
