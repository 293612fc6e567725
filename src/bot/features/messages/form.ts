import { z } from 'zod';
import type { Context } from '../../dispatch/feature/context.ts';
import {
  AboutMessage,
  checkIncident,
  incidentField,
  incidentOf,
  privateNotice,
  readNewest,
  toMessageForm,
} from '../../dispatch/forms/about-message.ts';
import {
  checksField,
  defineModal,
  fieldValue,
  fieldValues,
  momentField,
  textField,
} from '../../dispatch/forms/modal.ts';
import { withImportance } from '../../incident/notes/notes.ts';
import { messageText, toMessagePayload } from '../../incident/notes/of-message.ts';
import { slackLimits } from '../../slack/limits.ts';
import type { SourceMessage } from '../../slack/source-message.ts';
import { fromSeconds, isAhead } from '../../text/times.ts';
import { stripControls } from '../../text/words.ts';
import { addAndAnswer } from './message.ts';

/** A message's words as the form shows them and gives them back. */
function toTyped(text: string): string {
  return stripControls(text.slice(0, slackLimits.inputText)).toWellFormed().trim();
}

/** The minute of a message, in epoch seconds: the field knows no seconds. */
function minuteOf(ts: string): number {
  return Math.floor(Number(ts) / 60) * 60;
}

/** The form that adds a message with other words, at another time, or as important. */
export const worded = defineModal({
  id: 'timeline.worded',
  state: AboutMessage.extend({ isLong: z.boolean() }),
  view: (state, filled, { offered }) => ({
    title: 'Add to timeline',
    submit: 'Add',
    blocks: [
      ...incidentField(state, filled, offered),
      textField(
        {
          id: 'text',
          label: 'What happened',
          multiline: true,
          ...(state.isLong
            ? {
                hint: `The message is longer than a form shows. Leave these ${slackLimits.inputText} characters, and all of it is added.`,
              }
            : {}),
        },
        filled,
      ),
      momentField(
        { id: 'at', label: 'When', hint: 'In your own time zone. Empty: when it was said.', optional: true },
        filled,
      ),
      checksField(
        {
          id: 'options',
          label: 'Options',
          optional: true,
          options: [{ value: 'important', label: 'It is important' }],
        },
        filled,
      ),
      ...privateNotice(state),
    ],
  }),
  check: (filled, state, { now }) => {
    const { incidentID, problems: missing } = checkIncident(filled, state);
    const text = toTyped(fieldValue(filled, 'text'));
    const at = Number(fieldValue(filled, 'at'));
    const problems = {
      ...missing,
      ...(text === '' ? { text: 'A note needs words.' } : {}),
      ...(at > 0 && isAhead(fromSeconds(at), now) ? { at: 'That is in the future: give a time that has passed.' } : {}),
    };
    if (Object.keys(problems).length > 0) return { problems };
    return { value: { incidentID, text, at, important: fieldValues(filled, 'options').includes('important') } };
  },
  submit: async (ctx, { incidentID, text, at, important }, { draft }) => {
    const newest = await readNewest(ctx, draft);
    if (!newest) return;
    const { kept, message } = newest;
    const [shown, note] = await Promise.all([
      messageText(ctx.deps, kept),
      toMessagePayload(ctx.deps, message, ctx.actor, incidentID, ctx.key),
    ]);
    const isSame = text === toTyped(shown);
    const isOutdated = newest.isOutdated || (!isSame && message !== kept);
    const isMoved = at > 0 && at !== minuteOf(message.ts);
    await addAndAnswer(ctx, {
      ...note,
      text: withImportance(isSame ? note.text : text, important),
      ...(isSame ? {} : { isCut: false, isWorded: true }),
      // The author who rewords their own message has said the new words too.
      ...(isSame || note.saidBy === '' ? {} : { editedBy: ctx.actor.name }),
      ...(isOutdated ? { isOutdated } : {}),
      ...(isMoved ? { eventTime: fromSeconds(at).toISOString(), isTimed: true } : {}),
    });
  },
});

/** The entry of the menu of a message that opens the form. */
export const wordedShortcut = {
  id: 'add_worded',
  name: 'Add with time and text…',
  description: 'Record this message on a timeline, with another text or time, or as important',
} as const;

/** Opens the form, filled with the message. */
export async function openWorded(ctx: Context, message: SourceMessage): Promise<void> {
  const [here, text] = await Promise.all([incidentOf(ctx, message), messageText(ctx.deps, message)]);
  const form = await toMessageForm(ctx, wordedShortcut.id, message, here);
  if (!form) return;
  const filled = { ...form.filled, text: toTyped(text), at: String(minuteOf(message.ts)) };
  await ctx.openForm(worded, { ...form.state, isLong: text.length > slackLimits.inputText }, filled, form.offered);
}
