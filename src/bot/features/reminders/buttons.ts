import type { Context } from '../../dispatch/feature/context.ts';
import { type Button, defineButton, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { settledWords } from '../../duties/words.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { Reminded } from '../../incident/state/duties.ts';
import { actions, section, sentence } from '../../text/blocks.ts';
import { secondsAfter } from '../../text/times.ts';
import { putOffSentence } from './words.ts';

/** For how many minutes a reminder can be put off. */
const snoozes = [15, 30, 60] as const;

const snoozeButtons = snoozes.map(minutes =>
  defineButton<Reminded>({
    id: `reminder.snooze.${minutes}`,
    label: `Snooze ${minutes} min`,
    value: Reminded,
    run: (ctx, { value }) => putOff(ctx, value, secondsAfter(ctx.now, minutes * 60)),
  }),
);

const stopButton = defineButton<Reminded>({
  id: 'reminder.stop',
  label: 'Stop',
  value: Reminded,
  run: (ctx, { value }) => putOff(ctx, value, undefined),
});

/** Puts a reminder off, or stops it. The room reads who did so where it was reminded; a person’s own message says it in place of the rest. */
async function putOff(ctx: Context, of: Reminded, until: Date | undefined): Promise<void> {
  const { deps, actor } = ctx;
  // Throws, as for an unknown number, when the person may not see the incident.
  await readKnown(deps, of.incidentID);
  if (!(await deps.duties.putOff({ of, by: actor.userId, until }))) {
    const words = sentence(settledWords({ kind: of.kind, incident_id: of.incidentID }));
    return of.audience === 'owner' ? ctx.replace(words) : ctx.answer(words);
  }
  const text = putOffSentence(of, until);
  if (of.audience === 'room') return ctx.answer(sentence(text));
  const buttons = await deps.duties.buttonsOf(of);
  const left = until === undefined ? buttons.filter(each => !isOwn(each)) : buttons;
  await ctx.replace({ text, blocks: [section(text), ...(left.length === 0 ? [] : [actions(left)])] });
}

/** The buttons of all reminders. */
export const reminderButtons: readonly Button[] = [...snoozeButtons, stopButton] as Button[];

function isOwn(element: { readonly action_id?: string }): boolean {
  return reminderButtons.some(each => each.id === element.action_id);
}

/** Snooze and Stop below a reminder. */
export const below: NonNullable<Feature['onReminder']> = ({ incidentID, kind, about, audience }) =>
  [...snoozeButtons, stopButton].map(button => pressable(button, { incidentID, kind, about, audience }));
