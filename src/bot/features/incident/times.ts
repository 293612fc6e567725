import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import { askTimes, readTypedTime, wantsToChange } from '../../dispatch/command/typed-times.ts';
import type { Context, Modal } from '../../dispatch/feature/context.ts';
import { type Button, type Feature, pressable, type Verb } from '../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, momentField } from '../../dispatch/forms/modal.ts';
import { incidentButton, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import type { Args } from '../../grammar/grammar.ts';
import { checkMoment, defineMomentIntent, type Moment, moments } from '../../incident/acts/event-times.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { section, sentence, toMrkdwn } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { fromSeconds, toSlackDate } from '../../text/times.ts';

const setMoment = defineMomentIntent('incident.time');

const form = defineModal({
  id: 'incident.time',
  state: z.object({
    incidentID: z.string(),
    title: z.string(),
    moment: z.enum(moments),
    incidentStart: z.string(),
    incidentEnd: z.string(),
  }),
  view: ({ incidentID, title, moment, incidentStart, incidentEnd }, filled) => ({
    title: moment === 'incidentStart' ? 'When did it start?' : 'When did it end?',
    submit: 'Save',
    blocks: [
      section(
        `*${incidentLabel(incidentID, 'Incident')}* “${toMrkdwn(title, 200)}”, started ${when(incidentStart)}, ended ${when(incidentEnd)}`,
      ),
      momentField({ id: 'at', label: moment === 'incidentStart' ? 'Started at' : 'Ended at' }, filled),
    ],
  }),
  check: (filled, { moment, ...incident }, { now }) => {
    const at = fieldValue(filled, 'at');
    if (at === '') return { problems: { at: 'Choose a day and a time.' } };
    const checked = checkMoment(moment, fromSeconds(Number(at)), incident, now);
    return 'problem' in checked ? { problems: { at: checked.problem } } : { value: checked.at.toISOString() };
  },
  submit: async (ctx, at, { incidentID, moment }) => {
    await ctx.carryOut(setMoment, { incidentID, moment, at }, { incidentID });
  },
});

/** Both moments of an incident that is over, as they were when the form opened. */
const bothForm = defineModal({
  id: 'incident.times',
  state: z.object({ incidentID: z.string(), title: z.string(), incidentStart: z.string(), incidentEnd: z.string() }),
  view: ({ incidentID, title }, filled) => ({
    title: 'When was it?',
    submit: 'Save',
    blocks: [
      section(
        `*${incidentLabel(incidentID, 'Incident')}* “${toMrkdwn(title, 200)}”. The times are in your own time zone.`,
      ),
      momentField({ id: 'started', label: 'Started at' }, filled),
      momentField({ id: 'ended', label: 'Ended at' }, filled),
    ],
  }),
  check: (filled, { incidentStart, incidentEnd }, { now }) => {
    const started = pickedOr(fieldValue(filled, 'started'), incidentStart);
    const ended = pickedOr(fieldValue(filled, 'ended'), incidentEnd);
    if (!started || !ended) return { problems: { [started ? 'ended' : 'started']: 'Choose a day and a time.' } };
    const whole = { incidentStart: started.toISOString(), incidentEnd: ended.toISOString() };
    const start = checkMoment('incidentStart', started, { ...whole, incidentEnd: '' }, now);
    if ('problem' in start) return { problems: { started: start.problem } };
    const end = checkMoment('incidentEnd', ended, { ...whole, incidentStart: start.at.toISOString() }, now);
    if ('problem' in end) return { problems: { ended: end.problem } };
    return { value: { start: start.at, end: end.at } };
  },
  submit: async (ctx, { start, end }, { incidentID, incidentStart, incidentEnd }) => {
    const changes = [
      { moment: 'incidentStart' as const, at: start, was: incidentStart },
      { moment: 'incidentEnd' as const, at: end, was: incidentEnd },
    ].filter(({ at, was }) => at.getTime() !== Date.parse(was));
    if (changes.length === 0) return ctx.answer(sentence('You changed nothing, so both times stay as they are.'));
    // The end is never before the start, also between the two writes (docs/api-rules.md A6).
    const inOrder = start > new Date(incidentEnd) ? changes.toReversed() : changes;
    for (const [index, { moment, at }] of inOrder.entries()) {
      const payload = { incidentID, moment, at: at.toISOString() };
      await ctx.carryOut(setMoment, payload, { incidentID, step: moment, hasMore: index < inOrder.length - 1 });
    }
  },
});

/** The picked moment; the one of before where its minute was not changed, since a picker knows no seconds. */
function pickedOr(picked: string, before: string): Date | undefined {
  if (picked === '') return undefined;
  const at = fromSeconds(Number(picked));
  const was = new Date(before);
  return toMinute(at) === toMinute(was) ? was : at;
}

function toMinute(moment: Date): number {
  return Math.floor(moment.getTime() / 60_000);
}

/** Corrects start and end of an incident that is over. */
const bothButton = incidentButton({ id: 'incident.times', label: 'Fill in times' }, async (ctx, incidentID) => {
  const { title, incidentStart, incidentEnd } = await readKnown(ctx.deps, incidentID);
  const toPicked = (time: string) => (time === '' ? '' : String(Math.floor(Date.parse(time) / 1000)));
  const filled = { started: toPicked(incidentStart), ended: toPicked(incidentEnd) };
  await ctx.openForm(bothForm, { incidentID, title, incidentStart, incidentEnd }, filled);
});

async function openForm(ctx: Context, incident: Incident, moment: Moment): Promise<void> {
  const { incidentID, title, incidentStart, incidentEnd } = incident;
  const at = incident[moment] === '' ? ctx.now : new Date(incident[moment]);
  const filled = { at: String(Math.floor(at.getTime() / 1000)) };
  await ctx.openForm(form, { incidentID, title, moment, incidentStart, incidentEnd }, filled);
}

async function runMoment(ctx: Context, args: Args, incidentID: string, moment: Moment): Promise<void> {
  const incident = await readKnown(ctx.deps, incidentID);
  if (args.text === '') return openForm(ctx, incident, moment);
  const read = readTypedTime(ctx, moment, args.text);
  const checked = 'at' in read ? checkMoment(moment, read.at, incident, ctx.now, toSlackDate) : read;
  if ('problem' in checked) return ctx.reject(`${checked.problem} Nothing was changed.`);
  if ('at' in read && (await askTimes(ctx, { times: [read], does: 'Save', incidentID }))) return;
  if (wantsToChange(ctx)) return openForm(ctx, { ...incident, [moment]: checked.at.toISOString() }, moment);
  // Of an end, the answer says whether the incident goes on.
  const was = moment === 'incidentStart' || incident.status === 'resolved' ? { was: incident[moment] } : {};
  await ctx.carryOut(setMoment, { incidentID, moment, at: checked.at.toISOString(), ...was }, { incidentID });
}

/** Corrects the time that people ask for first: the start, and of an incident that is over its end. */
const timesButton = incidentButton({ id: 'incident.time', label: 'Times' }, async (ctx, incidentID) => {
  const incident = await readKnown(ctx.deps, incidentID);
  await openForm(ctx, incident, incident.status === 'resolved' ? 'incidentEnd' : 'incidentStart');
});

function saying(moment: Moment, shape: { verb: string; aliases: readonly string[]; summary: string }): Verb {
  return {
    noun: 'incident',
    usage: '[20m ago | 14:05 | yesterday 23:50]',
    ...shape,
    about: 'incident',
    needsRegistered: true,
    run: (ctx, args, incidentID) => runMoment(ctx, args, incidentID, moment),
  };
}

/** Setting when an incident really started and ended, in the typist's own zone. */
export const times: Feature = {
  name: 'times',
  verbs: [
    saying('incidentStart', {
      verb: 'started',
      aliases: ['began', 'starttime'],
      summary: 'Say when it really started; without a time, in a form.',
    }),
    saying('incidentEnd', {
      verb: 'ended',
      aliases: ['endtime'],
      summary: 'Say when it was really over; without a time, in a form.',
    }),
  ],
  modals: [form, bothForm] as Modal[],
  buttons: [timesButton, bothButton] as Button[],
  intents: [setMoment],
  onCard: ({ incidentID, status }) => [
    onCard('menu', timesButton, { incidentID }, { label: status === 'resolved' ? 'Set the end' : 'Set the start' }),
  ],
  onOver: ({ incident: { incidentID } }) => [pressable(bothButton, { incidentID })],
  operations: {
    'IncidentsService.UpdateIncidentEventTime': [
      '/incident started',
      '/incident ended',
      'form incident.time',
      'button incident.time',
      'form incident.times',
      'button incident.times',
    ],
  },
};
