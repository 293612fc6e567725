import type { Context } from '../../dispatch/feature/context.ts';
import { type Button, defineButton, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { remindPerson } from '../../duties/remind.ts';
import { dutyNames, settledWords } from '../../duties/words.ts';
import type { Args } from '../../grammar/grammar.ts';
import { type Duty, ReminderTarget } from '../../incident/acts/duties.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { homeMention, incidentLabel } from '../../incident/state/incident-name.ts';
import { findMode, type ReminderMode, reminderModes } from '../../incident/state/room-store.ts';
import { actions, mention, section, sentence, toMrkdwn } from '../../text/blocks.ts';
import { toSlackTime } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { formatDuration, secondsAfter, toSlackDate } from '../../text/times.ts';
import { restRow, toOneLine } from '../../text/words.ts';

/** The meaning of each mode, at the end of a sentence. */
const meanings: Readonly<Record<ReminderMode, string>> = {
  on: 'the person who owes something is reminded in private first, and the channel once it is due',
  owner: 'the person who owes something is reminded in private, and the channel never is',
  off: 'nobody is reminded',
};

/** Says that a reminder is put off, or stopped. */
function putOffSentence({ kind, incidentID }: ReminderTarget, until: Date | undefined): string {
  const what = `${dutyNames[kind]} of ${incidentLabel(incidentID)}`;
  return until === undefined
    ? `${signs.muted} Stopped: nothing more reminds of ${what}.`
    : `${signs.muted} Snoozed until ${toSlackDate(until, 'time')}: ${what}.`;
}

/** One thing that is owed, as the list has it. */
function owedLine({ kind, due, audience, user_id, state, look_at, said }: Duty, now: Date): string {
  const whom = audience === 'room' ? 'this channel' : `${mention(user_id)} alone`;
  const what = `${dutyNames[kind]}, due ${toSlackTime(new Date(due), now)}`;
  if (state === 'stopped') return `• ${what}: the reminder to ${whom} is stopped`;
  if (look_at === 0)
    return `• ${what}: ${whom} ${said === 0 ? 'was not reminded, since this channel was' : 'was reminded'}`;
  const isThen = Math.floor(look_at / 60_000) === Math.floor(due / 60_000);
  return `• ${what}: reminds ${whom} ${isThen ? 'then' : `in ${formatDuration((look_at - now.getTime()) / 1000)}`}`;
}

/** For how many minutes a reminder can be put off. */
const snoozes = [15, 30, 60] as const;

const snoozeButtons = snoozes.map(minutes =>
  defineButton<ReminderTarget>({
    id: `reminder.snooze.${minutes}`,
    label: `Snooze ${minutes} min`,
    value: ReminderTarget,
    run: (ctx, { value }) => putOff(ctx, value, secondsAfter(ctx.now, minutes * 60)),
  }),
);

const stopButton = defineButton<ReminderTarget>({
  id: 'reminder.stop',
  label: 'Stop',
  value: ReminderTarget,
  run: (ctx, { value }) => putOff(ctx, value, undefined),
});

/** Puts a reminder off, or stops it. The room reads who did so where it was reminded; a person’s own message says it in place of the rest. */
async function putOff(ctx: Context, of: ReminderTarget, wanted: Date | undefined): Promise<void> {
  const { deps, actor } = ctx;
  // Throws, as for an unknown number, when the person may not see the incident.
  await readKnown(deps, of.incidentID);
  const counts = await ctx.change(isFirst => deps.duties.putOff({ of, by: actor.userId, until: wanted, isFirst }));
  if (counts === undefined) {
    const words = sentence(settledWords({ kind: of.kind, incident_id: of.incidentID }));
    return of.audience === 'owner' ? ctx.replace(words) : ctx.answer(words);
  }
  const { until } = counts;
  const text = putOffSentence(of, until);
  if (of.audience === 'room') return ctx.answer(sentence(text));
  const buttons = await deps.duties.buttonsOf(of);
  const left =
    until === undefined ? buttons.filter(each => !reminderButtons.some(own => own.id === each.action_id)) : buttons;
  await ctx.replace({ text, blocks: [section(text), ...(left.length === 0 ? [] : [actions(left)])] });
}

const reminderButtons: readonly Button[] = [...snoozeButtons, stopButton] as Button[];

/** Snooze and Stop below a reminder. */
const below: NonNullable<Feature['onReminder']> = ({ incidentID, kind, about, audience }) =>
  [...snoozeButtons, stopButton].map(button => pressable(button, { incidentID, kind, about, audience }));

/** Duties that the list shows; the others are counted. */
const mostShown = 15;

async function runReminders(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const { deps } = ctx;
  // Throws, as for an unknown number, when the person may not see the incident.
  await readKnown(deps, incidentID);
  const name = incidentLabel(incidentID, 'Incident');
  const room = await deps.rooms.ofIncident(incidentID);
  if (!room || room.channelId === '') return ctx.reject(`${name} has no channel. Nothing was changed.`);
  const typed = toOneLine(args.rest);
  const mode = findMode(reminderModes, typed);
  if (mode !== undefined) {
    await ctx.change(isFirst => deps.rooms.setReminders(incidentID, mode, isFirst));
    const counts = (await deps.rooms.ofIncident(incidentID))?.reminders || mode;
    // The duties follow the card.
    deps.cards.refresh(incidentID);
    return ctx.answer(sentence(`From now on in ${homeMention(room)}, ${meanings[counts]}.`));
  }
  const unread = typed === '' ? '' : `“${toMrkdwn(typed, 60)}” is not one of the three ways. `;
  const current = meanings[room.reminders || deps.settings.reminders];
  const owed = await deps.duties.ofIncident(incidentID);
  const lines = [
    `${unread}In ${homeMention(room)}, ${current}.`,
    owed.length === 0 ? 'Nothing is owed here now.' : '*What is owed next:*',
    ...owed.slice(0, mostShown).map(each => owedLine(each, ctx.now)),
    ...restRow(owed.length, mostShown),
    ...reminderModes.map(each => `\`/incident reminders ${each}\`: ${meanings[each]}`),
  ];
  await (unread === '' ? ctx.answer(sentence(lines.join('\n'))) : ctx.reject(lines.join('\n')));
}

/** Reminders of what is owed: who gets them, how they are put off, and what is owed next. */
export const reminders: Feature = {
  verbs: [
    {
      noun: 'incident',
      verb: 'reminders',
      aliases: ['reminder', 'remind', 'nudge'],
      argumentKind: 'words',
      usage: '[on|owner|off]',
      summary: 'Show what is owed next in this incident, and say who is reminded of it.',
      needsRegistered: true,
      run: runReminders,
    },
  ],
  buttons: reminderButtons,
  intents: [remindPerson],
  onReminder: below,
};
