import { z } from 'zod';
import type { Context } from '../../dispatch/feature/context.ts';
import { defineButton, type Feature } from '../../dispatch/feature/feature.ts';
import { choiceField, defineModal, fieldValue, textField } from '../../dispatch/forms/modal.ts';
import { OnIncident, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { type Args, flagOn, flagText } from '../../grammar/grammar.ts';
import { wordsOf } from '../../incident/notes/notes.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { slackLimits } from '../../slack/limits.ts';
import { section, toMrkdwn } from '../../text/blocks.ts';
import { alert } from '../../text/newer-blocks.ts';
import { formatDuration, readMinutes, secondsAfter } from '../../text/times.ts';
import { endSentence, stripControls } from '../../text/words.ts';
import { postUpdate } from './intents.ts';

/** The longest promise of a next update, in minutes: a day. */
const maxMinutes = 24 * 60;

/** What the form offers for the next update, in minutes; `""` for no promise. */
const promises = ['', '15', '30', '60'] as const;

/** An update as a person gives it; `minutes` until the next one is due, `""` for no promise. */
interface Given {
  readonly text: string;
  readonly minutes: string;
}

function tooLong(length: number): string {
  return `An update has at most ${slackLimits.inputText} characters, and this one has ${length}. Put the rest in a note.`;
}

async function post(ctx: Context, incidentID: string, { text, minutes }: Given): Promise<void> {
  const nextAt = minutes === '' ? '' : secondsAfter(ctx.now, Number(minutes) * 60).toISOString();
  const update = {
    incidentID,
    text,
    eventTime: ctx.now.toISOString(),
    ...wordsOf(ctx.actor),
    source: 'update',
    nextAt,
  };
  await ctx.carryOut(postUpdate, update, { incidentID });
}

const form = defineModal({
  id: 'incident.update',
  state: z.object({ incidentID: z.string(), notice: z.string().default('') }),
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
  submit: (ctx, given, { incidentID }) => post(ctx, incidentID, given),
});

/** The beginning of an update on the stage before the end, which other tools have a command for. */
const mitigated = 'Mitigated:';

async function runUpdate(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const typedText = stripControls(args.sentence).trim();
  const isStage = /^\p{Lu}\p{L}+:$/u.test(typedText);
  const text = isStage && flagOn(args, 'now') ? typedText.replace(/:$/, '.') : typedText;
  const typed = flagText(args, 'next');
  const minutes = typed === undefined ? undefined : readMinutes(typed);
  const problems = [
    ...(typed !== undefined && (minutes === undefined || minutes < 1 || minutes > maxMinutes)
      ? [
          `“${toMrkdwn(typed, 60)}” is not the time until the next update. Give minutes, for example \`--next 30m\`; at most a day.`,
        ]
      : []),
    ...(text.length > slackLimits.inputText ? [tooLong(text.length)] : []),
  ];
  const isBegun = text === '' || (text.endsWith(':') && isStage) || /^#?\d{1,9}$/.test(text);
  if (isBegun && problems.length === 0) {
    const next = promises.find(each => each === String(minutes));
    return ctx.openForm(
      form,
      { incidentID, notice: '' },
      { ...(text === '' ? {} : { text }), ...(next === undefined ? {} : { next }) },
    );
  }
  if (problems.length > 0) return ctx.reject(`${problems.join(' ')} Nothing was posted.`);
  await post(ctx, incidentID, { text, minutes: minutes === undefined ? '' : String(minutes) });
}

const updateButton = defineButton({
  id: 'incident.update',
  label: 'Update',
  value: OnIncident,
  run: (ctx, { value: { incidentID } }) => ctx.openForm(form, { incidentID, notice: '' }),
});

/** Telling everybody how an incident stands. */
export const update: Feature = {
  name: 'update',
  verbs: [
    {
      noun: 'incident',
      verb: 'update',
      aliases: ['post', 'say', 'brief'],
      shorthands: { mitigate: mitigated, mitigated, stabilized: 'Stable:', stabilised: 'Stable:' },
      begins: 'prose',
      asksBeforeVerbs: true,
      usage: '[what happened and what you do] [--next 30m]',
      summary:
        'Tell everybody how it stands: on the card, in its channel and under the announcement; without words, in a form.',
      flags: {
        now: { kind: 'switch' },
        next: {
          kind: 'phrase',
          aliases: ['again'],
          fits: words => readMinutes(words) !== undefined,
          hint: `when the next update is due: 15m, 30m, ${formatDuration(3600)}`,
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
