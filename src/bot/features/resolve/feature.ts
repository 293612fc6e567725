import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import { submitForAlert } from '../../alerts/submit.ts';
import { OnOffer, readWaitingOffer } from '../../dispatch/answers/waiting-offer.ts';
import { askTimes, readTypedTime, wantsToChange } from '../../dispatch/command/typed-times.ts';
import type { Context, Modal } from '../../dispatch/feature/context.ts';
import type { Filled } from '../../dispatch/feature/drafts.ts';
import { resolveFace } from '../../dispatch/feature/faces.ts';
import { type Button, defineButton, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, momentField, textField } from '../../dispatch/forms/modal.ts';
import { onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { type Args, flagOn, flagText } from '../../grammar/grammar.ts';
import { checkMoment } from '../../incident/acts/event-times.ts';
import type { IncidentDeps } from '../../incident/acts/intent-kind.ts';
import { readKnown, readSeen } from '../../incident/acts/read-incident.ts';
import type { Offered } from '../../incident/state/alert-store.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { KeptMention } from '../../people/kept-mentions.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, callout, section, toMrkdwn } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { fromSeconds, timeLength, toSlackDate } from '../../text/times.ts';
import { cutMrkdwn, stripControls } from '../../text/words.ts';
import {
  askAboutThing,
  askedAgain,
  cancelIfMeant,
  endIncident,
  mistakeButton,
  otherVerbs,
  reopen,
  reopenButton,
  Seen,
  tooLong,
} from './end.ts';
import { addSummary, alreadyWords, setEnd, setMistake, setStatus, undoMistake, undoStatus } from './intents.ts';
import { canFinish, finishTasks, openTasksNamed, tasksField } from './open-tasks.ts';

/** Most characters of the line above the form: its state has 3,000 in all. */
const maxNotice = 600;

/** Mentions in it at most. */
const maxCarried = 8;

/** The incident as it was when the form was opened: the check has no other way to know. */
const FormState = z.object({
  incidentID: z.string(),
  title: z.string(),
  incidentStart: z.string(),
  notice: z.string(),
  openTasks: z.string(),
  canFinish: z.boolean().default(false),
  /** The end that was set before; `""` for none. */
  incidentEnd: z.string().default(''),
  mentions: z.array(KeptMention).max(maxCarried).default([]),
});

const form = defineModal({
  id: 'incident.resolve',
  state: FormState,
  view: ({ incidentID, title, incidentStart, notice, openTasks, canFinish }, filled) => ({
    title: 'Resolve the incident',
    submit: 'Resolve',
    blocks: [
      section(`*${incidentLabel(incidentID, 'Incident')}* “${toMrkdwn(title, 200)}”, started ${when(incidentStart)}`),
      ...(openTasks ? [callout('warning', openTasks)] : []),
      ...(canFinish ? [tasksField(filled)] : []),
      ...(notice ? [callout('error', notice)] : []),
      textField(
        {
          id: 'summary',
          label: 'What happened, and what ended it?',
          hint: 'Goes on the timeline and into the channel',
          optional: true,
          multiline: true,
        },
        filled,
      ),
      momentField(
        {
          id: 'ended',
          label: 'Ended at',
          optional: true,
          hint: 'Only if it was over before now. In your own time zone',
        },
        filled,
      ),
    ],
  }),
  check: (filled, { incidentStart, incidentEnd }, { now }) => {
    const summary = stripControls(fieldValue(filled, 'summary')).trim();
    const ended = fieldValue(filled, 'ended');
    const problems: Record<string, string> = {};
    if (summary.length > slackLimits.inputText) problems.summary = tooLong(summary);
    // A picker knows whole minutes. The end that was set, or the present where none was, stays as exact as it is.
    const before = incidentEnd ? Date.parse(incidentEnd) : now.getTime();
    const isKept = ended !== '' && Math.floor(Number(ended) / 60) === Math.floor(before / 60_000);
    const end = ended && !isKept ? checkEnd(fromSeconds(Number(ended)), incidentStart, now) : undefined;
    if (end && 'problem' in end) problems.ended = end.problem;
    if (Object.keys(problems).length > 0) return { problems };
    const finishesTasks = fieldValue(filled, 'tasks') === 'done';
    return { value: { summary, endedAt: end && 'at' in end ? end.at.toISOString() : '', finishesTasks } };
  },
  submit: (ctx, wish, { incidentID, incidentEnd: endBefore, mentions }) =>
    endIncident(ctx, incidentID, { ...wish, endBefore, mentions }),
});

function checkEnd(at: Date, incidentStart: string, now: Date, show?: (time: Date) => string) {
  return checkMoment('incidentEnd', at, { incidentStart, incidentEnd: '' }, now, show);
}

/** Opens the form, or says that there is nothing left to resolve. */
async function openForm(
  ctx: Context,
  incident: Incident,
  filled: Filled,
  { notice = '', mentions = [] }: { readonly notice?: string; readonly mentions?: readonly KeptMention[] } = {},
): Promise<void> {
  if (incident.status === 'resolved') return tellResolved(ctx, incident);
  const { incidentID, incidentStart, incidentEnd } = incident;
  const about = { incidentID, title: incident.title, incidentStart, incidentEnd, notice };
  // An empty field sets no end: the time at which it was opened is no end that the person gave.
  const prefilled = incidentEnd === '' ? {} : { ended: String(Math.floor(Date.parse(incidentEnd) / 1000)) };
  const tasks = { openTasks: openTasksNamed(incident), canFinish: canFinish(incident) };
  const named = { mentions: mentions.slice(0, maxCarried) };
  await ctx.openForm(form, { ...about, ...tasks, ...named }, { ...prefilled, ...filled });
}

async function tellResolved(ctx: Context, incident: Incident): Promise<void> {
  const words = alreadyWords(incident, 'resolved');
  const buttons = [pressable(reopenButton, { incidentID: incident.incidentID })];
  await ctx.reject(words.text, [actions(buttons)]);
}

async function runResolve(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const incident = await readKnown(ctx.deps, incidentID);
  const typedSummary = stripControls(args.text).trim();
  if (await cancelIfMeant(ctx, incidentID, typedSummary)) return;
  if (incident.status !== 'resolved' && (await askAboutThing(ctx, incidentID, typedSummary, true))) return;
  // `resolve at 12:10`: words that are a time alone say when it ended.
  const alone = /^(?:(?:it )?ended )?(?:at|since) (.{1,40})$/i.exec(typedSummary)?.[1];
  const isTime = alone !== undefined && 'at' in readTypedTime(ctx, 'at', alone);
  const summary = isTime ? '' : typedSummary;
  const at = flagText(args, 'at') ?? (isTime ? alone : undefined);
  const time = at ? readTypedTime(ctx, 'at', at) : undefined;
  const end = time && ('at' in time ? checkEnd(time.at, incident.incidentStart, ctx.now, toSlackDate) : time);
  const problems = [
    ...(end && 'problem' in end ? [end.problem] : []),
    ...(summary.length > slackLimits.inputText ? [tooLong(summary)] : []),
  ];
  const endedAt = end && 'at' in end ? end.at : undefined;
  const doubt = time && 'at' in time ? time.doubt : '';
  if (!flagOn(args, 'now') || wantsToChange(ctx)) {
    const ended = endedAt ? { ended: String(Math.floor(endedAt.getTime() / 1000)) } : {};
    await openForm(
      ctx,
      incident,
      { summary, ...ended },
      { notice: cutMrkdwn([...problems, doubt].join(' ').trim(), maxNotice), mentions: args.mentions },
    );
    if (summary.length > slackLimits.inputText) await ctx.reject(tooLong(summary));
    return;
  }
  if (incident.status === 'resolved') return tellResolved(ctx, incident);
  if (problems.length > 0) return ctx.reject(`I did not resolve anything. ${problems.join(' ')}`);
  if (time && 'at' in time && (await askTimes(ctx, { times: [time], does: 'Resolve', incidentID }))) return;
  const { mentions } = args;
  await endIncident(ctx, incidentID, {
    summary,
    endedAt: endedAt?.toISOString() ?? '',
    endBefore: incident.incidentEnd,
    finishesTasks: false,
    mentions,
  });
}

const resolveButton = defineButton({
  ...resolveFace,
  // `seen` is only in the question whether it was declared by mistake.
  value: z.object({ incidentID: z.string(), summary: z.string().optional(), seen: Seen.optional() }),
  run: async (ctx, { value: { incidentID, summary = '', seen } }) => {
    if (seen && (await askedAgain(ctx, incidentID, { seen, why: summary }))) return;
    await openForm(ctx, await readKnown(ctx.deps, incidentID), summary === '' ? {} : { summary });
  },
});

/** Opens the incident again that an offer names: its alerts are the incident's then. */
const reopenForAlertButton = defineButton({
  id: 'alert.reopen',
  label: 'Reopen',
  value: OnOffer,
  run: async (ctx, { value: { offer } }) => {
    const offered = await readWaitingOffer(ctx, offer);
    // Throws, as for an unknown number, when the person may not see the incident.
    if (offered) await reopen(ctx, (await readSeen(ctx.deps, offered.offer.after, ctx.now)).incident.incidentID);
  },
});

/** Ends or reopens an incident with its alerts, where the team wants that without a person. */
async function change(deps: IncidentDeps, offered: Offered, status: 'resolved' | 'active'): Promise<void> {
  const { offer, changedAt } = offered;
  const summary = status === 'resolved' ? 'The alert ended.' : 'The alert fires again.';
  const payload = { incidentID: offer.incident_id, status, summary, mentions: [] };
  // An alert that ends and fires again changes the status each time.
  const key = `${offer.id}/${status}/${changedAt}`;
  await submitForAlert(deps, setStatus, payload, { offered, key, subject: offer.incident_id });
}

/** Ending an incident, with what happened and when it was over; and opening it again. */
export const resolve: Feature = {
  verbs: [
    {
      noun: 'incident',
      verb: 'resolve',
      example: '`/incident resolve` ends it',
      grave: true,
      aliases: ['close', 'finish', 'end'],
      argumentKind: 'text',
      ends: true,
      usage: '[summary] [--at 20m ago] [--now]',
      summary: 'Resolve the incident: opens a form with what you typed, or skips it with --now.',
      flags: {
        at: { kind: 'phrase', aliases: ['ended', 'end'], length: timeLength, hint: 'when it ended: 20m ago, 14:05' },
        now: { kind: 'switch', hint: 'resolves at once, without the form' },
      },
      needsRegistered: true,
      run: runResolve,
    },
    ...otherVerbs,
  ],
  modals: [form] as Modal[],
  buttons: [resolveButton, reopenButton, reopenForAlertButton, mistakeButton] as Button[],
  intents: [setEnd, addSummary, finishTasks, setStatus, undoStatus, setMistake, undoMistake],
  onCard: ({ incidentID, status, taskList: { tasks, todoCount } }) => {
    if (status === 'resolved') return [onCard('end', reopenButton, { incidentID })];
    // Resolving is the main button once all tasks are done.
    const isNext = tasks.length > 0 && todoCount === 0;
    return [onCard(isNext ? 'end' : 'resolve', resolveButton, { incidentID }, isNext ? { style: 'primary' } : {})];
  },
  alertActs: {
    resolve: (deps, offered) => change(deps, offered, 'resolved'),
    reopen: (deps, offered) => change(deps, offered, 'active'),
  },
  onAlert: ({ id, state, after }) =>
    state === 'open' && after !== '' ? [pressable(reopenForAlertButton, { offer: id })] : [],
  onLine: (offers, incidentID) => {
    if (offers === 'resolve') return [pressable(resolveFace, { incidentID })];
    return offers === 'reopen' ? [pressable(reopenButton, { incidentID })] : [];
  },
};
