import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import { letAllIn } from '../../dispatch/answers/receipts.ts';
import {
  type AfterDoneResult,
  defineIntent,
  type IntentContext,
  toUndo,
  type Undo,
} from '../../incident/acts/intent-kind.ts';
import { type ChangesOfOne, madeAt, refuseSetAgain } from '../../incident/acts/only-from.ts';
import { Claimed, claimNotes, claimWords } from '../../incident/notes/claim.ts';
import { learnHolder } from '../../incident/state/roles.ts';
import { sentence, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { askAboutOthers } from './handover-question.ts';
import { Holder, holderName, othersHolding, Somebody } from './holder.ts';
import { tellFormerHolder, tellReceiver } from './notify-holder.ts';

const payload = z.object({
  incidentID: z.string(),
  role: z.string(),
  holder: Holder,
  claimed: Claimed.optional(),
  since: madeAt,
});
const result = z.object({ didChange: z.boolean(), at: madeAt });

/** The changes of who holds a role, as far as they are about one person. */
export function changesOf(incident: Incident, role: string, holderID: string): ChangesOfOne {
  const isAbout: ChangesOfOne['isAbout'] = ({ role: changed, userID }) => changed === role && userID === holderID;
  return { incident, kinds: ['roleAssigned', 'roleUnassigned'], isAbout };
}

/**
 * Who holds a role before it changes. A call is repeated when its answer is lost, and the answer to the repeated one says that nothing
 * changed. Throws an RpcError when the role was given and taken again `since`.
 */
async function holding(
  context: IntentContext,
  { incidentID, role, since }: z.output<typeof payload>,
  userID: string,
): Promise<readonly Somebody[]> {
  const { incident } = await context.api.IncidentsService.GetIncident({ incidentID }, context.call);
  if (!context.isAmbiguous) await refuseSetAgain(context, since, changesOf(incident, role, userID));
  return othersHolding(incident, role, []);
}

/** Assigns a role. The person who receives it is invited and told. */
export const assignRole = defineIntent({
  kind: 'role.assign',
  payload,
  result: result.extend({
    /** The id under which the API knows the holder. Absent in what an older version stored. */
    userID: z.string().optional(),
    /** Others who hold the role now. Absent in what an older version stored. */
    others: z.array(Somebody).optional(),
  }),
  run: async (context, wish) => {
    const { incidentID, role, holder } = wish;
    const { api, call, deps } = context;
    const sent = await deps.people.resolveUserID(holder.userID, context);
    const before = await holding(context, wish, sent);
    const { didChange, incident } = await api.IncidentsService.AssignRole({ incidentID, userID: sent, role }, call);
    const userID = await learnHolder(deps.people, sent, role, before, incident);
    // Where the person is not among the holders under that id, one of the others may be them.
    const isShown = othersHolding(incident, role, []).some(each => each.userID === userID);
    const others = isShown ? othersHolding(incident, role, [userID]) : [];
    const wasHeld = before.some(each => each.userID === userID);
    return { didChange: didChange || !wasHeld, userID, at: incident.modifiedTime, others };
  },
  room: {
    leaves: ({ didChange, userID }, { role, holder }, isUnsure) =>
      didChange || isUnsure ? { roles: [{ role, userID: userID ?? holder.userID, isHeld: true }] } : undefined,
    line: (_result, { role, holder, claimed }, { by, userId }) => {
      const giver = holder.slackUserID === userId ? '' : ` (assigned by ${by})`;
      return `${signs.person} ${holderName(holder)} is now *${toMrkdwn(role, 100)}*${claimWords(claimed)}${giver}`;
    },
  },
  undo: ({ didChange, userID, at: since }, wish): Undo | undefined => {
    const holder = { ...wish.holder, userID: userID ?? wish.holder.userID };
    return didChange ? toUndo(unassignRole, { ...wish, holder, since }) : undefined;
  },
  describe: ({ role, holder }) => `make ${holder.name} ${role}`,
  followUps: ({ didChange }, { incidentID, claimed }) => (didChange ? claimNotes(incidentID, claimed) : []),
  answer: {
    receipt: ({ didChange }, { role, holder, claimed }) =>
      sentence(
        didChange
          ? `${signs.person} ${holderName(holder)} is now *${toMrkdwn(role, 100)}*${claimWords(claimed)}.`
          : `${holderName(holder)} is ${toMrkdwn(role, 100)} already. Nothing was changed.`,
      ),
    beside: ({ didChange }) => (didChange ? `${signs.person} Done.` : undefined),
    afterDone: async (ctx, { didChange, others = [] }, wish): Promise<AfterDoneResult> => {
      if (!didChange) return { notes: [], troubles: [] };
      const asked = await askAboutOthers(ctx, wish, wish.holder, others);
      if (ctx.repeated) return { ...asked, troubles: [] };
      const { slackUserID } = wish.holder;
      const entry = await letAllIn(ctx, wish.incidentID, [{ slackUserID, words: holderName(wish.holder) }]);
      const untold = await tellReceiver(ctx, wish, wish.holder, 'assigned');
      return {
        notes: [...entry.notes, ...asked.notes],
        troubles: [...entry.troubles, ...(untold === '' ? [] : [untold])],
        buttons: [...asked.buttons, ...entry.buttons],
      };
    },
  },
});

/** Takes a role from its holder. */
export const unassignRole = defineIntent({
  kind: 'role.unassign',
  payload,
  result,
  run: async (context, wish) => {
    const { incidentID, role, holder } = wish;
    const { userID } = holder;
    const wasHeld = (await holding(context, wish, userID)).some(each => each.userID === userID);
    const { api, call } = context;
    const { didChange, incident } = await api.IncidentsService.UnassignRole({ incidentID, userID, role }, call);
    return { didChange: didChange || wasHeld, at: incident.modifiedTime };
  },
  room: {
    leaves: ({ didChange }, { role, holder }, isUnsure) =>
      didChange || isUnsure ? { roles: [{ role, userID: holder.userID, isHeld: false }] } : undefined,
    line: (_result, { role, holder }, { by, userId }) => {
      const taker = holder.slackUserID === userId ? '' : ` (removed by ${by})`;
      return `${signs.person} ${holderName(holder)} is no longer *${toMrkdwn(role, 100)}*${taker}`;
    },
  },
  undo: ({ didChange, at: since }, wish): Undo | undefined =>
    didChange ? toUndo(assignRole, { ...wish, since }) : undefined,
  describe: ({ role, holder }) => `take the role ${role} from ${holder.name}`,
  answer: {
    receipt: ({ didChange }, { role, holder }) =>
      sentence(
        didChange
          ? `${holderName(holder)} is no longer ${toMrkdwn(role, 100)}.`
          : `${holderName(holder)} is not ${toMrkdwn(role, 100)}. Nothing was changed.`,
      ),
    beside: ({ didChange }) => (didChange ? `${signs.person} Done.` : undefined),
    afterDone: async (ctx, { didChange }, wish) => {
      if (didChange) await tellFormerHolder(ctx, wish, wish.holder);
      return { notes: [], troubles: [] };
    },
  },
});
