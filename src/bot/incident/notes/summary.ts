import { toFormed } from '../../../contract/note-forms.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns } from '../../text/signs.ts';
import { toLines } from '../../text/words.ts';
import { defineIntent } from '../acts/intent-kind.ts';
import { undoNote } from './intents.ts';
import { findTwinNote, findWritten, Note, Written, writeNote } from './notes.ts';

/** The `source` of a summary: it came with the declaration, or a person set it later. */
export const summarySources = { declared: 'declaration', set: 'summary' } as const;

function toNote(note: Note): Note {
  return { ...note, text: toFormed('summary', note.text), source: summarySources.set };
}

/** Sets the summary of an incident: a note on its timeline, which comes first wherever the incident is shown. */
export const setSummary = defineIntent({
  kind: 'summary.set',
  payload: Note,
  /** The summary that the API itself had; absent where an earlier attempt wrote the note. */
  result: Written.extend({ apiSummary: Note.shape.text.default('') }),
  run: async (context, note) => {
    const { incidentID } = note;
    const { incident } = await context.api.IncidentsService.GetIncident({ incidentID }, context.call);
    return { ...(await writeNote(context, toNote(note))), apiSummary: incident.summary };
  },
  reconcile: async (context, note) => {
    const written = await findWritten(context, toNote(note));
    return written && { ...written, apiSummary: '' };
  },
  findTwin: (context, note, written) => findTwinNote(context, toNote(note), written),
  did: ({ text, source }, { incident }) => ({
    ...{ sign: incidentSigns.summary, verb: 'set' },
    what: `the summary of ${incident} to “${toMrkdwn(toLines(text), 300)}”`,
    // The card of a declaration says it.
    ...(source === summarySources.declared ? { room: [] } : {}),
  }),
  mapTexts: (note, change) => ({ ...note, text: change(note.text) }),
  update: ({ activityItemID, apiSummary }, { text, eventTime }) => ({
    kind: 'given',
    as: 'summary',
    ...{ activityItemID, apiSummary, text, at: new Date(eventTime), nextAt: undefined },
  }),
  undo: ({ activityItemID }, { incidentID, text }) => undoNote({ incidentID, activityItemID }, text),
});
