import { z } from 'zod';
import { askTimes, readTypedTime, type TypedTime, wantsToChange } from '../../dispatch/command/typed-times.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { defineButton, type Feature } from '../../dispatch/feature/feature.ts';
import { choiceField, defineModal, fieldValue, textField } from '../../dispatch/forms/modal.ts';
import { OnIncident, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { type Args, flagOn, flagText } from '../../grammar/grammar.ts';
import { wordsOf } from '../../incident/notes/notes.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { KeptMention, withGroups } from '../../people/kept-mentions.ts';
import { slackLimits } from '../../slack/limits.ts';
import { section, toMrkdwn } from '../../text/blocks.ts';
import { alert } from '../../text/newer-blocks.ts';
import { formatDuration, secondsAfter, timeLength } from '../../text/times.ts';
import { endSentence, stripControls } from '../../text/words.ts';
import { postUpdate } from './intents.ts';

/** The longest promise of a next update, in minutes: a day. */
const maxMinutes = 24 * 60;

/** Minutes without a unit. */
const minutesAlone = /^(?:in\s+)?(\d{1,3})$/i;

/** Mentions that a form carries at most: its state has 3,000 characters in all. */
const maxCarried = 20;

/** What the form offers for the next update, in minutes; `""` for no promise. */
const promises = ['', '15', '30', '60'] as const;

/** An update as a person gives it; `nextAt` is when the next one is due, undefined for no promise. */
interface Given {
  readonly text: string;
  readonly nextAt: Date | undefined;
  /** Whom Slack made mentions of in the text. */
  readonly mentions: readonly KeptMention[];
}

function tooLong(length: number): string {
  return `An update has at most ${slackLimits.inputText} characters, and this one has ${length}. Put the rest in a note.`;
}

async function post(ctx: Context, incidentID: string, { text, nextAt, mentions }: Given): Promise<void> {
  const update = {
    incidentID,
    text,
    eventTime: ctx.now.toISOString(),
    ...wordsOf(ctx.actor),
    source: 'update',
    nextAt: nextAt?.toISOString() ?? '',
    mentions: [...(await withGroups(ctx.deps.slack, text, mentions))],
  };
  await ctx.carryOut(postUpdate, update, { incidentID });
}

const form = defineModal({
  id: 'incident.update',
  state: z.object({
    incidentID: z.string(),
    notice: z.string().default(''),
    mentions: z.array(KeptMention).max(maxCarried).default([]),
  }),
  view: ({ incidentID, notice }, filled) => ({
    title: 'Post an update',
    submit: 'Post',
    blocks: [
      section(`It goes on the card of ${incidentLabel(incidentID)}, into its channel and under its announcement.`),
      ...(notice ? [alert('warning', notice)] : []),
      textField({ id: 'happened', label: 'What happened?', multiline: true }, filled),
      textField({ id: 'doing', label: 'What do we do?', multiline: true, optional: true }, filled),
      choiceField(
        {
          id: 'next',
          label: 'Next update',
          options: promises.map(each => ({
            value: each === '' ? 'none' : each,
            label: each === '' ? 'No promise' : `In ${each} minutes`,
          })),
        },
        { next: 'none', ...filled },
      ),
    ],
  }),
  check: filled => {
    const part = (id: string) => stripControls(fieldValue(filled, id)).trim();
    const [happened, doing] = [part('happened'), part('doing')];
    // Most places show it on one line.
    const text = doing === '' ? happened : `${endSentence(happened)}\n${doing}`;
    if (happened === '') return { problems: { happened: 'Say in a sentence what happened.' } };
    if (text.length > slackLimits.inputText) return { problems: { happened: tooLong(text.length) } };
    const next = fieldValue(filled, 'next');
    return { value: { text, minutes: promises.find(each => each === next) ?? '' } };
  },
  submit: (ctx, { text, minutes }, { incidentID, mentions }) =>
    post(ctx, incidentID, {
      text,
      mentions,
      nextAt: minutes === '' ? undefined : secondsAfter(ctx.now, Number(minutes) * 60),
    }),
});

/** The beginning of an update on the stage before the end, which other tools have a command for. */
const mitigated = 'Mitigated:';

async function runUpdate(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const typedText = stripControls(args.sentence).trim();
  const isStage = /^\p{Lu}\p{L}+:$/u.test(typedText);
  const text = isStage && flagOn(args, 'now') ? typedText.replace(/:$/, '.') : typedText;
  const typed = flagText(args, 'next');
  const next = typed === undefined ? undefined : readNext(ctx, typed);
  const mentions = args.mentions.slice(0, maxCarried);
  const problems = [
    ...(next && 'problem' in next ? [next.problem] : []),
    ...(text.length > slackLimits.inputText ? [tooLong(text.length)] : []),
  ];
  const isBegun = text === '' || (text.endsWith(':') && isStage) || /^#?\d{1,9}$/.test(text);
  if (isBegun && problems.length === 0) {
    const promise = promises.find(each => each === String(minutesUntil(ctx, next)));
    const filled = { ...(text === '' ? {} : { happened: text }), ...(promise === undefined ? {} : { next: promise }) };
    return ctx.openForm(form, { incidentID, notice: '', mentions }, filled);
  }
  if (problems.length > 0) return ctx.reject(`${problems.join(' ')} Nothing was posted.`);
  if (wantsToChange(ctx)) return ctx.openForm(form, { incidentID, notice: '', mentions }, { happened: text });
  const time = next && 'at' in next ? next : undefined;
  if (time && (await askTimes(ctx, { times: [time], does: 'Post', incidentID }))) return;
  await post(ctx, incidentID, { text, nextAt: time?.at, mentions: args.mentions });
}

/** Reads when the next update is due: `30` (minutes), `half an hour`, `14:30`. */
function readNext(ctx: Context, typed: string): TypedTime | { readonly problem: string } {
  const read = readTypedTime(ctx, 'next', typed.replace(minutesAlone, '$1m'), { isNext: true });
  const minutes = minutesUntil(ctx, read);
  if (minutes !== undefined && minutes >= 1 && minutes <= maxMinutes) return read;
  if ('problem' in read) return read;
  return { problem: `“${toMrkdwn(typed, 60)}” is not within a day. Say when the next update is due: 30m, 14:30.` };
}

function minutesUntil({ now }: Context, read: ReturnType<typeof readTypedTime> | undefined): number | undefined {
  return read && 'at' in read ? Math.round((read.at.getTime() - now.getTime()) / 60_000) : undefined;
}

const updateButton = defineButton({
  id: 'incident.update',
  label: 'Update',
  value: OnIncident,
  run: (ctx, { value: { incidentID } }) => ctx.openForm(form, { incidentID, notice: '', mentions: [] }),
});

/** Telling everybody how an incident stands. */
export const update: Feature = {
  name: 'update',
  verbs: [
    {
      noun: 'incident',
      verb: 'update',
      aliases: ['post', 'say', 'brief'],
      shorthands: {
        ...{ mitigate: mitigated, mitigated, stable: 'Stable:', stabilized: 'Stable:', stabilised: 'Stable:' },
        ...{ fixedwatching: 'Fixed, watching', monitoring: 'Monitoring' },
      },
      begins: 'prose',
      asksBeforeVerbs: true,
      managed: {
        words: ['add', 'new', 'create', 'make', 'write', 'post', 'send', 'publish', 'update'],
        shownBy: 'timeline',
      },
      usage: '[what happened and what you do] [--next 30m]',
      summary: 'Post an update: on the card, in its channel and under the announcement; without words, in a form.',
      flags: {
        now: { kind: 'switch' },
        next: {
          kind: 'phrase',
          aliases: ['again'],
          length: words => timeLength(words) || Number(minutesAlone.test(words[0] ?? '')),
          hint: `when the next update is due: 15m, ${formatDuration(3600)}, 14:30`,
        },
      },
      about: 'incident',
      run: runUpdate,
    },
  ],
  modals: [form],
  buttons: [updateButton],
  intents: [postUpdate],
  onCard: ({ incidentID, status }) => (status === 'resolved' ? [] : [onCard('update', updateButton, { incidentID })]),
  operations: {
    'ActivityService.AddActivity': ['/incident update', 'form incident.update', 'button incident.update'],
  },
};
