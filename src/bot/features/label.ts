import { z } from 'zod';
import type { Context } from '../dispatch/context.ts';
import type { Feature } from '../dispatch/feature.ts';
import { afterwards } from '../dispatch/receipts.ts';
import type { Args } from '../grammar/grammar.ts';
import { incidentName } from '../incident/incident-name.ts';
import { defineIntent } from '../incident/intent-kind.ts';
import { section, sentence, toMrkdwn, type Words } from '../text/blocks.ts';
import { nearest } from '../text/distance.ts';
import { cap, toOneLine } from '../text/words.ts';

/** Labels of one command, and characters of a label. */
const maxLabels = 20;
const maxLabel = 100;

const LabelChange = z.object({ incidentID: z.string(), label: z.string() });
/** `others` are the labels the incident has, for the words. */
const LabelResult = z.object({ label: z.string(), changed: z.boolean(), others: z.array(z.string()) });

/** A label as people read it. */
function shown(label: string): string {
  return `\`${toMrkdwn(label.replaceAll('`', "'"), maxLabel)}\``;
}

const addLabel = defineIntent({
  kind: 'incident.label',
  payload: LabelChange,
  result: LabelResult,
  run: async ({ api, call }, { incidentID, label }) => {
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    const others = incident.labels.map(each => each.label);
    if (others.includes(label)) return { label, changed: false, others };
    await api.IncidentsService.AddLabel({ incidentID, label: { label } }, call);
    return { label, changed: true, others };
  },
  describe: ({ incidentID, label }) => `label ${incidentName(incidentID)} with “${cap(label, maxLabel)}”`,
  receipt: ({ label, changed }, { incidentID }) => {
    const name = `Incident ${toMrkdwn(incidentID, 40)}`;
    return sentence(
      changed
        ? `:label: ${name} is labelled ${shown(label)}.`
        : `${name} is labelled ${shown(label)} already. Nothing was changed.`,
    );
  },
});

const removeLabel = defineIntent({
  kind: 'incident.unlabel',
  payload: LabelChange,
  result: LabelResult,
  run: async ({ api, call }, { incidentID, label: typed }) => {
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    const others = incident.labels.map(each => each.label);
    const label =
      others.find(each => each === typed) ?? others.find(each => each.toLowerCase() === typed.toLowerCase());
    if (label === undefined) return { label: typed, changed: false, others };
    await api.IncidentsService.RemoveLabel({ incidentID, label }, call);
    return { label, changed: true, others };
  },
  describe: ({ incidentID, label }) => `take the label “${cap(label, maxLabel)}” off ${incidentName(incidentID)}`,
  receipt: ({ label, changed, others }, { incidentID }) => {
    const name = `Incident ${toMrkdwn(incidentID, 40)}`;
    if (changed) return sentence(`:label: ${name} is no longer labelled ${shown(label)}.`);
    const near = nearest(label.toLowerCase(), others, each => each.toLowerCase());
    const has = others.length === 0 ? 'It has no labels.' : `It has ${others.slice(0, 20).map(shown).join(' ')}.`;
    return sentence(
      `${name} has no label ${shown(label)}, so nothing was changed. ${near ? `Did you mean ${shown(near)}? ` : ''}${has}`,
    );
  },
});

/** Labels separated by commas, or a sentence of mrkdwn on what is wrong with them. */
function readLabels(text: string, verb: 'label' | 'unlabel'): { labels: readonly string[] } | { problem: string } {
  const labels = [...new Set(text.split(',').map(piece => unquoted(toOneLine(piece))))].filter(label => label !== '');
  if (labels.length === 0) return { problem: `Which label? For example \`/incident ${verb} checkout\`.` };
  if (labels.length > maxLabels) return { problem: `At most ${maxLabels} labels at once; these are ${labels.length}.` };
  const long = labels.find(label => label.length > maxLabel);
  if (long === undefined) return { labels };
  return { problem: `A label has at most ${maxLabel} characters, and “${toMrkdwn(long, 40)}” has ${long.length}.` };
}

async function changeLabels(ctx: Context, incidentID: string, verb: 'label' | 'unlabel', text: string): Promise<void> {
  const read = readLabels(text, verb);
  if ('problem' in read) return ctx.reject(`${read.problem} Nothing was changed.`);
  const intent = verb === 'label' ? addLabel : removeLabel;
  const receipts: Words[] = [];
  const notDone: (() => Promise<void>)[] = [];
  for (const label of read.labels) {
    const payload = { incidentID, label };
    const outcome = await ctx.submit(intent, payload, { incidentID, step: label });
    if (outcome.state === 'done') receipts.push(await afterwards(ctx, intent, payload, outcome));
    else notDone.push(() => ctx.answerNotDone(intent, payload, outcome));
  }
  const lines = receipts.map(words => words.text).join('\n');
  if (receipts.length > 0) await ctx.answer({ text: lines, blocks: [section(lines)] });
  for (const answer of notDone) await answer();
}

/** `label add X`, `label remove X` and `label X`. */
async function runLabel(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const [first = ''] = args.words;
  const mode = /^(?:(add|set|new)|(remove|rm|delete|drop|del))$/i.exec(args.sentence.startsWith(first) ? first : '');
  const text = mode ? args.sentence.slice(first.length) : args.sentence;
  await changeLabels(ctx, incidentID, mode?.[2] ? 'unlabel' : 'label', text);
}

/** A label without the quotes that people set around several words. */
function unquoted(text: string): string {
  return /^["'“”„‘’«»](.*)["'“”„‘’«»]$/.exec(text)?.[1] ?? text;
}

/** Putting labels on an incident, and taking them off. */
export const label: Feature = {
  name: 'label',
  verbs: [
    {
      noun: 'incident',
      verb: 'label',
      aliases: ['tag'],
      usage: '[add|remove] <label>[, label…]',
      summary: 'Put labels on the incident, or take them off.',
      about: 'incident',
      run: runLabel,
    },
    {
      noun: 'incident',
      verb: 'unlabel',
      aliases: ['untag'],
      usage: '<label>[, label…]',
      summary: 'Take labels off the incident.',
      about: 'incident',
      run: (ctx, args, incidentID) => changeLabels(ctx, incidentID, 'unlabel', args.sentence),
    },
  ],
  intents: [addLabel, removeLabel],
};
