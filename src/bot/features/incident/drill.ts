import { z } from 'zod';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Feature } from '../../dispatch/feature/feature.ts';
import { incidentButton, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { defineIntent, toUndo, type Undo } from '../../incident/acts/intent-kind.ts';
import { notYet } from '../../incident/acts/registration.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns } from '../../text/signs.ts';
import { toOneLine } from '../../text/words.ts';

const setDrill = defineIntent({
  kind: 'incident.drill',
  payload: z.object({ incidentID: z.string(), isDrill: z.boolean() }),
  result: z.object({ changed: z.boolean() }),
  run: async ({ api, call }, { incidentID, isDrill }) => {
    const before = await api.IncidentsService.GetIncident({ incidentID }, call);
    if (before.incident.isDrill === isDrill) return { changed: false };
    await api.IncidentsService.UpdateIncidentIsDrill({ incidentID, isDrill }, call);
    return { changed: true };
  },
  did: ({ incidentID, isDrill }, { result, incident, line }) => {
    if (result && !result.changed && !line?.isUnsure)
      return {
        fact: `${incidentLabel(incidentID, 'Incident')} is ${isDrill ? 'a drill' : 'real'} already. Nothing was changed.`,
      };
    return {
      ...{ sign: incidentSigns.drill, verb: 'mark', what: `${incident} as ${isDrill ? 'a *drill*' : 'real'}` },
    };
  },
  stateChange: ({ changed }, { isDrill }, isUnsure) => (changed || isUnsure ? { isDrill } : undefined),
  undo: ({ changed }, { incidentID, isDrill }): Undo | undefined =>
    changed ? toUndo(setDrill, { incidentID, isDrill: !isDrill }) : undefined,
});

const markButton = incidentButton({ id: 'incident.drill', label: 'Mark as a drill' }, (ctx, incidentID) =>
  mark(ctx, incidentID, true),
);

const unmarkButton = incidentButton({ id: 'incident.real', label: 'Mark as real' }, (ctx, incidentID) =>
  mark(ctx, incidentID, false),
);

async function mark(ctx: Context, incidentID: string, isDrill: boolean): Promise<void> {
  await ctx.carryOut(setDrill, { incidentID, isDrill }, { incidentID });
}

/** Marking an incident as a drill or as real. */
export const drill: Feature = {
  name: 'drill',
  verbs: [
    {
      noun: 'incident',
      verb: 'drill',
      argumentKind: 'words',
      usage: 'on|off',
      summary: 'Mark the incident as a drill, or as real.',
      about: 'incident',
      run: async (ctx, args, incidentID) => {
        const word = toOneLine(args.rest).toLowerCase();
        const isOn = /^(on|yes|true|1)$/.test(word);
        if (isOn || /^(off|no|false|0|real)$/.test(word)) {
          await mark(ctx, incidentID, isOn);
          return;
        }
        if (isProvisional(incidentID)) throw notYet();
        const { incident } = await ctx.deps.api.IncidentsService.GetIncident({ incidentID });
        const way = incident.isDrill ? '`/incident drill off` makes it real.' : '`/incident drill on` makes it one.';
        const now = `${incidentLabel(incidentID, 'Incident')} is ${incident.isDrill ? 'a drill' : 'not a drill'}: ${way}`;
        const unread = word === '' ? '' : `“${toMrkdwn(args.rest, 60)}” is neither \`on\` nor \`off\`. `;
        await ctx.reject(`${unread}${now}`);
      },
    },
  ],
  buttons: [markButton, unmarkButton],
  intents: [setDrill],
  onCard: ({ incidentID, isDrill }) => [onCard('menu', isDrill ? unmarkButton : markButton, { incidentID })],
  operations: {
    'IncidentsService.UpdateIncidentIsDrill': ['/incident drill', 'button incident.drill', 'button incident.real'],
  },
};
