import { z } from 'zod';
import { toFormed } from '../../../contract/note-forms.ts';
import { offerInvitations } from '../../dispatch/answers/receipts.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import { resolveFace } from '../../dispatch/surfaces/card-buttons.ts';
import { defineIntent } from '../../incident/acts/intent-kind.ts';
import { undoNote } from '../../incident/notes/intents.ts';
import { findWritten, Note, Written, writeNote } from '../../incident/notes/notes.ts';
import { incidentLabel, incidentName } from '../../incident/state/incident-name.ts';
import { KeptMention, toMentioning } from '../../people/kept-mentions.ts';
import { sentence, toMrkdwn } from '../../text/blocks.ts';
import { toSlackMoment } from '../../text/shown-times.ts';
import { incidentSigns } from '../../text/signs.ts';
import { cap, endSentence, toLines } from '../../text/words.ts';

/** An update: its words, and when the next one is due (RFC 3339, `""` for no promise). */
const UpdateNote = Note.extend({
  nextAt: z.string(),
  /** Whom its words name. Absent in what an older version stored. */
  mentions: z.array(KeptMention).default([]),
});
type UpdateNote = z.output<typeof UpdateNote>;

/** The note as the timeline has it. */
function toNote(update: UpdateNote): Note {
  return { ...update, text: toFormed('update', update.text) };
}

/** How an update on the stage before the end begins: the end may be next. */
const stage = /^(?:mitigated|stable|stabili[sz]ed|fixed,? watching|monitoring)\b/iu;

function nextWords({ nextAt }: UpdateNote): string {
  return nextAt === '' ? '' : ` Next update due at ${toSlackMoment(new Date(nextAt), 'time')}.`;
}

/** Tells everybody how an incident stands: a note on its timeline, which card and announcement show. */
export const postUpdate = defineIntent({
  kind: 'update.post',
  payload: UpdateNote,
  result: Written,
  run: (context, update) => writeNote(context, toNote(update)),
  reconcile: (context, update) => findWritten(context, toNote(update)),
  mapTexts: (update, change) => ({ ...update, text: change(update.text) }),
  describe: ({ text, incidentID }) => `post “${cap(text, 200)}” as the update of ${incidentName(incidentID)}`,
  room: {
    update: ({ activityItemID }, { text, eventTime, nextAt }) => ({
      kind: 'given',
      as: 'update',
      ...{ activityItemID, text, at: new Date(eventTime), nextAt: nextAt === '' ? undefined : new Date(nextAt) },
    }),
    line: (_item, update, { by }) => {
      const [text, next] = [toLines(update.text), nextWords(update)];
      const said = toMentioning(next === '' ? text : endSentence(text), update.mentions, 2000);
      return { words: `${incidentSigns.update} *Update* by ${by}: ${said}${next}`, isAlone: true };
    },
  },

  undo: ({ activityItemID }, { incidentID, text }) => undoNote({ incidentID, activityItemID }, text),
  answer: {
    receipt: (_item, update, repeated) => {
      const where = incidentLabel(update.incidentID);
      const what = `“${toMrkdwn(toLines(update.text), 300)}”`;
      return sentence(
        repeated
          ? `That is the update of ${where} already: ${what}. Nothing was recorded twice.`
          : `${incidentSigns.update} Recorded as the update of ${where}: ${what}.${nextWords(update)}`,
      );
    },
    beside: () => `${incidentSigns.update} Recorded as the update.`,
    afterDone: async (ctx, _item, { incidentID, mentions, text }) => {
      const offer = await offerInvitations(ctx, incidentID, mentions);
      if (!stage.test(text) || (await ctx.deps.snapshots.get(incidentID))?.summary.status === 'resolved') return offer;
      return { ...offer, buttons: [...offer.buttons, pressable(resolveFace, { incidentID })] };
    },
  },
});
