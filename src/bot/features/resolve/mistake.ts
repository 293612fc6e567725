import { z } from 'zod';
import { Incident, incidentStatuses } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';
import { defineIntent, toUndo, type Undo } from '../../incident/acts/intent-kind.ts';
import { clearMistake, leftOfMistake, markMistake, mistakeLine } from '../../incident/acts/mistake.ts';
import { madeAt, refuseSetAgain, refuseUnless } from '../../incident/acts/only-from.ts';
import { incidentLabel, incidentName } from '../../incident/state/incident-name.ts';
import { sentence, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';

/** Words that say that there was no incident, with which people also end one. */
const means =
  /^(?:(?:it (?:is|was)|this (?:is|was)|was) )?(?:an? )?(?:false alarm|false positive|(?:declared |opened )?(?:by mistake|by accident|in error)|mistake|duplicate(?: of .{1,60})?)[.!]*$/iu;

/** Whether the words about an end say no more than that the incident was declared by mistake. */
export function meansMistake(words: string): boolean {
  return means.test(words.replaceAll(/\s+/gu, ' ').trim());
}

/** Says that nothing is left to mark. */
export function mistakeAlready(incidentID: string): string {
  return `${incidentLabel(incidentID, 'Incident')} is declared by mistake already. \`/incident reopen\` opens it again.`;
}

/** The status and the end of an incident before it was marked. */
const Before = z.object({ status: z.enum(incidentStatuses), end: z.string() });

/** Says that an incident was declared by mistake: it is over, and counts in no figures (`contract/mistakes.ts`). */
export const setMistake = defineIntent({
  kind: 'incident.mistake',
  payload: z.object({
    incidentID: z.string(),
    /** Why, as the person typed it; `""` when they only say so. */
    why: z.string(),
  }),
  result: z.object({
    incident: Incident,
    changed: z.boolean(),
    /** Absent when an earlier attempt may have marked it. */
    before: Before.optional(),
  }),
  run: async (context, { incidentID }) => {
    const { api, call, isRetry } = context;
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    if (isMistake(incident) && !isRetry) return { incident, changed: false };
    const before = {
      status: incident.status === 'resolved' ? ('resolved' as const) : ('active' as const),
      end: incident.incidentEnd,
    };
    return { incident: await markMistake(context, incident), changed: true, ...(isRetry ? {} : { before }) };
  },
  mapTexts: (payload, change) => ({ ...payload, why: change(payload.why) }),
  room: {
    leaves: ({ incident, changed }, { why }, isUnsure) =>
      changed || isUnsure ? { status: 'resolved', ...leftOfMistake(incident, why) } : undefined,
    line: (_result, { why }, { by }) => ({ words: mistakeLine(by, toMrkdwn(why, 2000)), isAlone: true }),
  },
  undo: ({ incident, before }, { incidentID }): Undo | undefined =>
    before &&
    toUndo(
      undoMistake,
      { incidentID, ...before, closedTime: incident.closedTime, since: incident.modifiedTime },
      { afterwards: '`/incident reopen` opens it again.' },
    ),
  describe: ({ incidentID }) => `mark ${incidentName(incidentID)} as declared by mistake`,
  answer: {
    receipt: ({ incident, changed }, _payload, repeated) => {
      const name = incidentLabel(incident.incidentID, 'Incident');
      return sentence(
        changed && !repeated
          ? `${signs.undone} ${name} was declared by mistake: “${toMrkdwn(incident.title)}”.`
          : mistakeAlready(incident.incidentID),
      );
    },
    beside: ({ changed }) => (changed ? `${signs.undone} Done.` : undefined),
  },
});

/** Takes that back: the incident is as it was before, unless somebody has changed that since. */
const undoMistake = defineIntent({
  kind: 'incident.mistake.undo',
  payload: Before.extend({ incidentID: z.string(), closedTime: z.string(), since: madeAt }),
  result: z.object({ incident: Incident, changed: z.boolean() }),
  run: async (context, { incidentID, status, end, closedTime, since }) => {
    const { api, call, isRetry } = context;
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    if (!isMistake(incident) && !isRetry) return { incident, changed: false };
    if (incident.status === 'resolved') refuseUnless(incident.closedTime, closedTime, 'a later end');
    if (!isRetry) await refuseSetAgain(context, since, { incident, kinds: ['incidentStatusChanged'] });
    await clearMistake(context, incident);
    if (status === 'active' && incident.status !== 'active') {
      await api.IncidentsService.UpdateStatus({ incidentID, status }, call);
      // An end that was set before it was over.
      const moment = { incidentID, activityItemKind: 'incidentEnd' as const, eventTime: end };
      if (end !== '') await api.IncidentsService.UpdateIncidentEventTime(moment, call);
    }
    return { ...(await api.IncidentsService.GetIncident({ incidentID }, call)), changed: true };
  },
  room: {
    leaves: ({ incident, changed }, { status }, isUnsure) =>
      changed || isUnsure ? { status, ...leftOfMistake(incident, '') } : undefined,
    line: (_result, _payload, { by }) => `${signs.undone} ${by} took it back: it was not a mistake.`,
  },
  describe: ({ incidentID }) => `take back that ${incidentName(incidentID)} was declared by mistake`,
  answer: {
    receipt: ({ incident, changed }, _payload, repeated) => {
      const name = incidentLabel(incident.incidentID, 'Incident');
      return sentence(
        changed && !repeated
          ? `${signs.undone} ${name} is ${incident.status === 'resolved' ? 'resolved' : 'active'} again: “${toMrkdwn(incident.title)}”.`
          : `${name} is ${incident.status} already. Nothing was changed.`,
      );
    },
  },
});

/** Both kinds. */
export const mistakeIntents = [setMistake, undoMistake];
