import { wantsToChange } from '../../dispatch/command/typed-times.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Feature } from '../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, textField } from '../../dispatch/forms/modal.ts';
import { incidentButton, OnIncident, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { settingVerbs } from '../../grammar/verb.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { wordsOf } from '../../incident/notes/notes.ts';
import { setSummary, summarySources } from '../../incident/notes/summary.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { slackLimits } from '../../slack/limits.ts';
import { stripControls } from '../../text/words.ts';

function tooLong(text: string): string {
  return `A summary has at most ${slackLimits.inputText} characters, and this one has ${text.length}.`;
}

async function set(ctx: Context, incidentID: string, text: string): Promise<void> {
  const note = { incidentID, text, eventTime: ctx.now.toISOString(), ...wordsOf(ctx.actor) };
  await ctx.carryOut(setSummary, { ...note, source: summarySources.set }, { incidentID });
}

const form = defineModal({
  id: 'incident.summary',
  state: OnIncident,
  view: (_state, filled) => ({
    title: 'Summary',
    submit: 'Save',
    blocks: [textField({ id: 'summary', label: 'What is going on?', multiline: true }, filled)],
  }),
  check: filled => {
    const text = stripControls(fieldValue(filled, 'summary')).trim();
    if (text === '') return { problems: { summary: 'Say in a sentence or two what is going on.' } };
    return text.length > slackLimits.inputText ? { problems: { summary: tooLong(text) } } : { value: text };
  },
  submit: (ctx, text, { incidentID }) => set(ctx, incidentID, text),
});

/** Opens the form with the present summary. */
async function openForm(ctx: Context, incidentID: string, typed = ''): Promise<void> {
  const known = isProvisional(incidentID)
    ? { incidentID, status: '', summary: '' }
    : await readKnown(ctx.deps, incidentID);
  const { summary } = await ctx.deps.updates.latest(known);
  await ctx.openForm(form, { incidentID }, { summary: typed || (summary?.text ?? '') });
}

const summaryButton = incidentButton({ id: 'incident.summary', label: 'Summary' }, openForm);

/** Saying what an incident is about. */
export const summary: Feature = {
  name: 'summary',
  verbs: [
    {
      noun: 'incident',
      verb: 'summary',
      aliases: ['description', 'tldr'],
      managed: {
        words: [...settingVerbs, 'add', 'new', 'create', 'write'],
        before: ['set', 'put', 'edit', 'change', 'write'],
        shownBy: 'status',
      },
      argumentKind: 'text',
      usage: '[what is going on]',
      summary: 'Say what the incident is about; without words, in a form.',
      about: 'incident',
      run: async (ctx, args, incidentID) => {
        const text = stripControls(args.text).trim();
        if (text === '' || wantsToChange(ctx)) return openForm(ctx, incidentID, text);
        if (text.length > slackLimits.inputText) return ctx.reject(`${tooLong(text)} Nothing was changed.`);
        await set(ctx, incidentID, text);
      },
    },
  ],
  modals: [form],
  buttons: [summaryButton],
  intents: [setSummary],
  onCard: ({ incidentID, status }) => (status === 'resolved' ? [] : [onCard('menu', summaryButton, { incidentID })]),
  operations: {
    'ActivityService.AddActivity': ['/incident summary', 'form incident.summary', 'button incident.summary'],
  },
};
