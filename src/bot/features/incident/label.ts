import { z } from 'zod';
import { together } from '../../dispatch/answers/receipts.ts';
import type { Context, Submitted } from '../../dispatch/feature/context.ts';
import type { Feature } from '../../dispatch/feature/feature.ts';
import { defineIntent, toUndo, type Undo } from '../../incident/acts/intent-kind.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { checkLabels, maxLabel, splitLabels } from '../../incident/state/title-and-labels.ts';
import { code, toMrkdwn, type Words } from '../../text/blocks.ts';
import { nearest } from '../../text/distance.ts';
import { signs } from '../../text/signs.ts';
import { cap, toOneLine } from '../../text/words.ts';

const LabelChange = z.object({ incidentID: z.string(), label: z.string() });
/** `others` are the labels the incident has, for the words. */
const LabelResult = z.object({ label: z.string(), changed: z.boolean(), others: z.array(z.string()) });

const addLabel = defineIntent({
  kind: 'incident.label',
  payload: LabelChange,
  result: LabelResult,
  run: async ({ api, call }, { incidentID, label }) => {
    const before = await api.IncidentsService.GetIncident({ incidentID }, call);
    const others = before.incident.labels.map(each => each.label);
    if (others.includes(label)) return { label, changed: false, others };
    await api.IncidentsService.AddLabel({ incidentID, label: { label } }, call);
    return { label, changed: true, others };
  },
  did: ({ incidentID, label: wanted }, { result, incident, line }) => {
    const shown = code(wanted, maxLabel);
    if (result && !result.changed && !line?.isUnsure)
      return { fact: `${incidentLabel(incidentID, 'Incident')} is labelled ${shown} already. Nothing was changed.` };
    return { sign: signs.label, verb: 'add', what: `the label ${shown} to ${incident}` };
  },
  mapTexts: (change, toText) => ({ ...change, label: cap(toText(change.label), maxLabel) }),
  stateChange: ({ label, changed }, _wish, isUnsure) =>
    changed || isUnsure ? { label: { name: label, isThere: true } } : undefined,
  undo: ({ label, changed }, { incidentID }): Undo | undefined =>
    changed ? toUndo(removeLabel, { incidentID, label }) : undefined,
});

const removeLabel = defineIntent({
  kind: 'incident.unlabel',
  payload: LabelChange,
  result: LabelResult,
  run: async ({ api, call }, { incidentID, label: typed }) => {
    const before = await api.IncidentsService.GetIncident({ incidentID }, call);
    const others = before.incident.labels.map(each => each.label);
    const label =
      others.find(each => each === typed) ?? others.find(each => each.toLowerCase() === typed.toLowerCase());
    if (label === undefined) return { label: typed, changed: false, others };
    await api.IncidentsService.RemoveLabel({ incidentID, label }, call);
    return { label, changed: true, others };
  },
  did: ({ incidentID, label: wanted }, { result, incident, line }) => {
    const shown = code(result?.label ?? wanted, maxLabel);
    if (!result || result.changed || line?.isUnsure)
      return { sign: signs.label, verb: 'take', what: `the label ${shown} off ${incident}` };
    const { label, others } = result;
    const near = nearest(label.toLowerCase(), others, each => each.toLowerCase());
    const meant = near ? `Did you mean ${code(near, maxLabel)}? ` : '';
    const all = others.slice(0, 20).map(each => code(each, maxLabel));
    const has = all.length === 0 ? 'It has no labels.' : `It has ${all.join(' ')}.`;
    const name = incidentLabel(incidentID, 'Incident');
    return { fact: `${name} has no label ${shown}, so nothing was changed. ${meant}${has}` };
  },
  stateChange: ({ label, changed }, _wish, isUnsure) =>
    changed || isUnsure ? { label: { name: label, isThere: false } } : undefined,
  undo: ({ label, changed }, { incidentID }): Undo | undefined =>
    changed ? toUndo(addLabel, { incidentID, label }) : undefined,
});

async function changeLabels(ctx: Context, incidentID: string, verb: 'label' | 'unlabel', text: string): Promise<void> {
  // Labels without the quotes that people set around several words.
  const quoted = /^["'“”„‘’«»](.*)["'“”„‘’«»]$/;
  const read = checkLabels(splitLabels(text).map(piece => toOneLine(piece).replace(quoted, '$1')));
  if ('problem' in read) return ctx.reject(`${toMrkdwn(read.problem)} Nothing was changed.`);
  if (read.labels.length === 0)
    return ctx.reject(`Name a label, as in \`/incident ${verb} checkout\`. Nothing was changed.`);
  const receipts: Words[] = [];
  const notDone: Submitted<unknown>[] = [];
  for (const label of read.labels) {
    const part = { incidentID, step: label, hasMore: label !== read.labels.at(-1), isPart: true };
    const intent = verb === 'label' ? addLabel : removeLabel;
    const changed = await ctx.perform(intent, { incidentID, label }, part);
    if (changed.state === 'done') receipts.push(changed.words);
    else notDone.push(changed);
  }
  // Each label has its own Undo; the most labels at once fit into one message (docs/slack.md 5).
  if (receipts.length > 0) await ctx.answer(together(receipts));
  for (const each of notDone) await each.tell();
}

/** Whether a text is labels of one word each. */
const plainly = (text: string) =>
  splitLabels(text.replace(/^(?:add|remove) /, '')).every(each => !/\s|^@/.test(each.trim()));

/** Putting labels on an incident, and taking them off. */
export const label: Feature = {
  name: 'label',
  verbs: [
    {
      noun: 'incident',
      verb: 'label',
      aliases: ['tag'],
      managed: {
        words: ['new', 'create', 'make', 'set', 'put'],
        reads: ['add', 'remove'],
        shownBy: 'status',
        removedBy: 'unlabel',
      },
      argumentKind: 'text',
      plainly,
      usage: '[add|remove] <label>[, label…]',
      summary: 'Put labels on the incident, or take them off.',
      about: 'incident',
      run: async (ctx, args, incidentID) => {
        const [first = ''] = args.words;
        const mode = /^(?:(add|set|new)|(remove|rm|delete|drop|del))$/i.exec(args.text.startsWith(first) ? first : '');
        const text = mode ? args.text.slice(first.length) : args.text;
        await changeLabels(ctx, incidentID, mode?.[2] ? 'unlabel' : 'label', text);
      },
    },
    {
      noun: 'incident',
      verb: 'unlabel',
      aliases: ['untag'],
      argumentKind: 'text',
      plainly,
      usage: '<label>[, label…]',
      summary: 'Take labels off the incident.',
      about: 'incident',
      run: (ctx, args, incidentID) => changeLabels(ctx, incidentID, 'unlabel', args.text),
    },
  ],
  intents: [addLabel, removeLabel],
  operations: {
    'IncidentsService.AddLabel': ['/incident label'],
    'IncidentsService.RemoveLabel': ['/incident unlabel', '/incident label'],
  },
};
