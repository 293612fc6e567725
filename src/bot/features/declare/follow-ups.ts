import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import { defineIntent } from '../../incident/acts/intent-kind.ts';
import { Claimed, claimNotes } from '../../incident/notes/claim.ts';
import { incidentLabel, incidentName } from '../../incident/state/incident-name.ts';
import { learnHolder, readCommander } from '../../incident/state/roles.ts';
import { sentence, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';

/** Sets the end that was declared. */
export const setEnd = defineIntent({
  kind: 'declare.end',
  payload: z.object({ incidentID: z.string(), endedAt: z.string() }),
  result: z.object({}),
  run: async ({ api, call }, { incidentID, endedAt: eventTime }) => {
    const moment = { incidentID, activityItemKind: 'incidentEnd', eventTime } as const;
    await api.IncidentsService.UpdateIncidentEventTime(moment, call);
    return {};
  },
  describe: ({ incidentID }) => `set the end time of ${incidentName(incidentID)}`,
  answer: {
    receipt: (_result, { incidentID }) => sentence(`The end time of ${incidentLabel(incidentID)} is set.`),
  },
});

/** Sets the start that was declared. */
export const setStart = defineIntent({
  kind: 'declare.start',
  payload: z.object({ incidentID: z.string(), startedAt: z.string() }),
  result: z.object({}),
  run: async ({ api, call }, { incidentID, startedAt: eventTime }) => {
    const moment = { incidentID, activityItemKind: 'incidentStart', eventTime } as const;
    await api.IncidentsService.UpdateIncidentEventTime(moment, call);
    return {};
  },
  describe: ({ incidentID }) => `set the start time of ${incidentName(incidentID)}`,
  answer: {
    receipt: (_result, { incidentID }) => sentence(`The start time of ${incidentLabel(incidentID)} is set.`),
  },
});

/** Gives the person who declared the role that leads an incident. */
export const takeCommand = defineIntent({
  kind: 'declare.commander',
  payload: z.object({ incidentID: z.string(), userID: z.string(), claimed: Claimed.optional() }),
  /** What an older version stored names no role. */
  result: z.object({ role: z.string().default('commander'), userID: z.string().optional() }),
  run: async (context, { incidentID, userID: declarer }) => {
    const { api, call, deps } = context;
    const role = await readCommander(deps);
    if (role === '') {
      const why =
        'no role leads an incident: none is called as COMMANDER_ROLE says, and none is mandatory or important';
      throw new RpcError('failed_precondition', why, { maybeApplied: false });
    }
    const sent = await deps.people.resolveUserID(declarer, context);
    const { incident } = await api.IncidentsService.AssignRole({ incidentID, userID: sent, role }, call);
    return { role, userID: await learnHolder(deps.people, sent, role, [], incident) };
  },
  room: {
    line: ({ role }, _wish, { by }) => `${signs.person} ${by} is now *${toMrkdwn(role, 100)}*`,
    leaves: ({ role, userID }, wish) => ({ roles: [{ role, userID: userID ?? wish.userID, isHeld: true }] }),
    // They may have held it before.
    isMadeNow: () => false,
  },

  followUps: (_result, { incidentID, claimed }) => claimNotes(incidentID, claimed),
  describe: ({ incidentID }) => `make you commander of ${incidentName(incidentID)}`,
  answer: {
    receipt: ({ role }, { incidentID }) => sentence(`You are ${toMrkdwn(role, 100)} of ${incidentLabel(incidentID)}.`),
  },
});
