import { z } from 'zod';
import { maxTitle } from '../../../contract/incidents.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Feature } from '../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, textField } from '../../dispatch/forms/modal.ts';
import { incidentButton, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { settingVerbs } from '../../grammar/verb.ts';
import { defineIntent, toUndo, type Undo } from '../../incident/acts/intent-kind.ts';
import { onlyFrom, refuseUnless } from '../../incident/acts/only-from.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { checkTitle } from '../../incident/state/title-and-labels.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { cap } from '../../text/words.ts';

const setTitle = defineIntent({
  kind: 'incident.title',
  payload: z.object({ incidentID: z.string(), title: z.string(), only: onlyFrom }),
  result: z.object({ title: z.string(), was: z.string() }),
  run: async ({ api, call }, { incidentID, title, only }) => {
    const before = await api.IncidentsService.GetIncident({ incidentID }, call);
    const was = before.incident.title;
    if (was === title) return { title, was };
    refuseUnless(was, only);
    const { incident } = await api.IncidentsService.UpdateTitle({ incidentID, title }, call);
    return { title: incident.title, was };
  },
  did: ({ incidentID, title: wanted }, { result, incident, line }) => {
    const { title, was } = result ?? { title: wanted, was: '' };
    const shown = `“${toMrkdwn(title)}”`;
    if (result && title === was && !line?.isUnsure)
      return { fact: `${incidentLabel(incidentID, 'Incident')} is called ${shown} already. Nothing was changed.` };
    const before = was === '' || title === was || line ? '' : ` (was “${toMrkdwn(was)}”)`;
    return { sign: signs.changed, verb: 'rename', what: `${incident} to ${shown}${before}` };
  },
  stateChange: ({ title, was }, _wish, isUnsure) => (title !== was || isUnsure ? { title } : undefined),
  undo: ({ title: only, was }, { incidentID }): Undo | undefined =>
    only === was ? undefined : toUndo(setTitle, { incidentID, title: was, only }),
  mapTexts: (change, toText) => ({ ...change, title: cap(toText(change.title), maxTitle) }),
});

const form = defineModal({
  id: 'incident.title',
  state: z.object({ incidentID: z.string() }),
  view: (_state, filled) => ({
    title: 'Rename the incident',
    submit: 'Rename',
    blocks: [textField({ id: 'title', label: 'What is happening?' }, filled)],
  }),
  check: filled => {
    const checked = checkTitle(fieldValue(filled, 'title'));
    return 'problem' in checked ? { problems: { title: checked.problem } } : { value: checked.title };
  },
  submit: async (ctx, title, { incidentID }) => {
    await ctx.carryOut(setTitle, { incidentID, title }, { incidentID });
  },
});

async function openForm(ctx: Context, incidentID: string): Promise<void> {
  if (isProvisional(incidentID)) return ctx.openForm(form, { incidentID });
  const incident = await readKnown(ctx.deps, incidentID);
  await ctx.openForm(form, { incidentID }, { title: incident.title });
}

const renameButton = incidentButton({ id: 'incident.title', label: 'Rename' }, openForm);

/** Renaming an incident. */
export const title: Feature = {
  name: 'title',
  verbs: [
    {
      noun: 'incident',
      verb: 'title',
      aliases: ['rename', 'retitle'],
      managed: {
        words: [...settingVerbs, 'rename', 'add', 'new', 'create'],
        before: ['set', 'put', 'edit', 'change', 'write'],
        shownBy: 'status',
      },
      argumentKind: 'text',
      usage: '[new title]',
      summary: 'Rename the incident; without a new title, in a form.',
      about: 'incident',
      run: async (ctx, args, incidentID) => {
        if (args.text === '') return openForm(ctx, incidentID);
        const checked = checkTitle(args.text);
        if ('problem' in checked) return ctx.reject(`${toMrkdwn(checked.problem)} Nothing was changed.`);
        await ctx.carryOut(setTitle, { incidentID, title: checked.title }, { incidentID });
      },
    },
  ],
  modals: [form],
  buttons: [renameButton],
  intents: [setTitle],
  onCard: ({ incidentID }) => [onCard('menu', renameButton, { incidentID })],
  operations: {
    'IncidentsService.UpdateTitle': ['/incident title', 'form incident.title', 'button incident.title'],
  },
};
