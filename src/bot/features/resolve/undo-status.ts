import { z } from 'zod';
import { Incident, incidentStatuses } from '../../../contract/incidents.ts';
import { defineIntent } from '../../incident/acts/intent-kind.ts';
import { leftOfMistake, markMistake } from '../../incident/acts/mistake.ts';
import { madeAt, refuseSetAgain, refuseUnless } from '../../incident/acts/only-from.ts';
import { headlined } from '../../incident/lines/headline.ts';
import { toEnd } from '../../incident/lines/news.ts';
import { incidentLabel, incidentName } from '../../incident/state/incident-name.ts';
import { sentence, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';

/**
 * Takes a resolution or a reopening back: the status and the end are as they were before. Fails when somebody has resolved or reopened the
 * incident again since.
 */
export const undoStatus = defineIntent({
  kind: 'incident.status.undo',
  payload: z.object({
    incidentID: z.string(),
    /** The status to have again. */
    status: z.enum(incidentStatuses),
    /** The end to have again, RFC 3339; `""` for the one that the API sets. */
    end: z.string(),
    /** When the incident had been closed by the change that is taken back; `""` when it had been opened. */
    closedTime: z.string(),
    since: madeAt,
    /** It had been declared by mistake. Absent in what an older version stored. */
    isMistake: z.boolean().default(false),
  }),
  result: z.object({
    incident: Incident,
    changed: z.boolean(),
    /** This attempt set the status. Absent in what an older version stored. */
    isSet: z.boolean().optional(),
  }),
  run: async (context, { incidentID, status, end, closedTime, since, isMistake }) => {
    const { api, call, isRetry } = context;
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    const isThere = incident.status === status;
    // An earlier attempt may have set the status, and not the end.
    if (isThere && !isRetry) return { incident, changed: false, isSet: false };
    if (!isThere) {
      refuseUnless(incident.closedTime, closedTime, 'a later end');
      await refuseSetAgain(context, since, { incident, kinds: ['incidentStatusChanged'] });
      await api.IncidentsService.UpdateStatus({ incidentID, status }, call);
    }
    if (isMistake) await markMistake(context, { ...incident, status });
    if (end !== '') {
      await api.IncidentsService.UpdateIncidentEventTime(
        { incidentID, activityItemKind: 'incidentEnd', eventTime: end },
        call,
      );
    }
    return { ...(await api.IncidentsService.GetIncident({ incidentID }, call)), changed: true, isSet: !isThere };
  },
  room: {
    leaves: ({ changed, incident }, { status, isMistake }, isUnsure) => {
      if (!changed && !isUnsure) return undefined;
      const mistake = isMistake ? leftOfMistake(incident, '') : {};
      return status === 'resolved' ? { status, end: toEnd(incident, ''), ...mistake } : { status };
    },
    isMadeNow: ({ isSet = false }) => isSet,
    line: (_result, { status }, { by }) => {
      const what = status === 'active' ? 'Active again: the resolution' : 'Resolved again: the reopening';
      return { words: headlined({ sign: signs.undone, what: `${what} was taken back`, by }), isAlone: true };
    },
  },

  describe: ({ incidentID, status }) =>
    status === 'active'
      ? `take the resolution of ${incidentName(incidentID)} back`
      : `resolve ${incidentName(incidentID)} again`,

  answer: {
    receipt: ({ incident, changed }, { status }, repeated) => {
      const name = incidentLabel(incident.incidentID, 'Incident');
      const title = toMrkdwn(incident.title);
      const state = status === 'active' ? 'active again' : 'resolved, as before';
      return sentence(
        changed && !repeated
          ? `${signs.undone} ${name} is ${state}: “${title}”.`
          : `${name} is ${status} already. Nothing was changed.`,
      );
    },
  },
});
