import { z } from 'zod';
import { defineButton } from '../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, momentField, textField } from '../../dispatch/forms/modal.ts';
import { OnIncident } from '../../dispatch/surfaces/card-buttons.ts';
import { addNote } from '../../incident/notes/intents.ts';
import { wordsOf } from '../../incident/notes/notes.ts';
import { fromSeconds, isAhead } from '../../text/times.ts';
import { tidy } from './edit.ts';
import { addFace } from './faces.ts';

/** The form that puts a note on the timeline. */
export const noteForm = defineModal({
  id: 'note.add',
  state: z.object({ incidentID: z.string() }),
  view: (_state, filled) => ({
    title: 'Add a note',
    submit: 'Add',
    blocks: [
      textField({ id: 'text', label: 'What happened?', multiline: true }, filled),
      momentField({ id: 'at', label: 'When', optional: true, hint: 'In your own time zone. Empty: now' }, filled),
    ],
  }),
  check: (filled, _state, { now }) => {
    const text = tidy(fieldValue(filled, 'text'));
    const typed = fieldValue(filled, 'at');
    const at = typed === '' ? undefined : fromSeconds(Number(typed));
    const problems = {
      ...(text === '' ? { text: 'A note needs words.' } : {}),
      ...(at && isAhead(at, now) ? { at: 'That is in the future: give a time that has passed.' } : {}),
    };
    return Object.keys(problems).length > 0 ? { problems } : { value: { text, at: at?.toISOString() ?? '' } };
  },
  submit: async (ctx, { text, at }, { incidentID }) => {
    const note = {
      incidentID,
      text,
      eventTime: at || ctx.now.toISOString(),
      ...wordsOf(ctx.actor),
      ...(at ? { isTimed: true } : {}),
      source: 'note',
    };
    await ctx.carryOut(addNote, note, { incidentID });
  },
});

/** Opens the form from an incident's card. */
export const noteButton = defineButton({
  ...addFace,
  value: OnIncident,
  run: (ctx, { value: { incidentID } }) => ctx.openForm(noteForm, { incidentID }),
});
