import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import { letAllIn } from '../../dispatch/answers/receipts.ts';
import {
  type AfterDoneContext,
  type AfterDoneResult,
  defineIntent,
  type IntentContext,
  toUndo,
  type Undo,
} from '../../incident/acts/intent-kind.ts';
import { changedSince, madeAt, refuseSetAgain } from '../../incident/acts/only-from.ts';
import { Claimed, claimNotes, claimWords } from '../../incident/notes/claim.ts';
import { learnHolder } from '../../incident/state/roles.ts';
import { actions, section, sentence, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { askAboutOthers, handOverButtons, readHoldersOf } from './handover-question.ts';
import { Holder, holderName, holderNames, isOrAre, othersHolding, roleAsHeld, Somebody, toHolders } from './holder.ts';
import { changesOf } from './intents.ts';
import { tellFormerHolder, tellReceiver } from './notify-holder.ts';

/** The reason of a hand-over that is refused because somebody else got the role meanwhile. */
const takenSince = 'takenSince';

const payload = z.object({
  incidentID: z.string(),
  role: z.string(),
  /** Those who hold the role afterwards. */
  to: z.array(Holder),
  /** Those who lose it. */
  from: z.array(Holder),
  /** The API's ids of those who held it when this was asked for, and keep it. */
  beside: z.array(z.string()),
  isUndo: z.boolean().default(false),
  since: madeAt,
  claimed: Claimed.optional(),
});
type Wish = z.output<typeof payload>;

const result = z.object({
  /** Those who did not hold it before, under the ids by which the API knows them. */
  given: z.array(Holder),
  /** Those who held it before. */
  taken: z.array(Holder),
  /** Others who hold it now. */
  others: z.array(Somebody),
  at: madeAt,
  /** This attempt gave or took the role, and not only an earlier one. Absent in what an older version stored. */
  isSet: z.boolean().optional(),
});
type Result = z.output<typeof result>;

/** Hands a role over: some people get it, and others lose it. Refused when somebody else got it since this was asked for. */
export const handOverRole = defineIntent<Wish, Result>({
  kind: 'role.handover',
  payload,
  result,
  run: async (context, wish) => {
    const { api, call, deps, isRetry } = context;
    const { incidentID, role, from, beside } = wish;
    const to = await Promise.all(
      wish.to.map(async each => ({ ...each, userID: await deps.people.resolveUserID(each.userID, context) })),
    );
    let incident = await readUnlessTaken(context, { ...wish, to });
    // A call is repeated when its answer is lost, and then nothing changes any more.
    const held = new Set(othersHolding(incident, role, []).map(each => each.userID));
    for (const { userID } of isRetry ? [] : [...to, ...from]) {
      await refuseSetAgain(context, wish.since, changesOf(incident, role, userID));
    }
    const { AssignRole, UnassignRole } = api.IncidentsService;
    const given: Holder[] = [];
    const receivers: string[] = [];
    const taken: Holder[] = [];
    let isSet = false;
    // Both may be the work of an earlier attempt.
    for (const sent of to) {
      const before = othersHolding(incident, role, []);
      const answer = await AssignRole({ incidentID, userID: sent.userID, role }, call);
      const holder = { ...sent, userID: await learnHolder(deps.people, sent.userID, role, before, answer.incident) };
      receivers.push(holder.userID);
      const isNew = answer.didChange || !held.has(holder.userID);
      isSet ||= isNew;
      if (isNew || (isRetry && !beside.includes(holder.userID))) given.push(holder);
      incident = answer.incident;
    }
    for (const holder of from.filter(each => !receivers.includes(each.userID))) {
      const answer = await UnassignRole({ incidentID, userID: holder.userID, role }, call);
      const isLost = answer.didChange || held.has(holder.userID);
      isSet ||= isLost;
      if (isLost || isRetry) taken.push(holder);
      incident = answer.incident;
    }
    return { given, taken, others: othersHolding(incident, role, receivers), at: incident.modifiedTime, isSet };
  },
  room: {
    leaves: ({ given, taken }, { role }) => {
      const roles = [
        ...given.map(({ userID }) => ({ role, userID, isHeld: true })),
        ...taken.map(({ userID }) => ({ role, userID, isHeld: false })),
      ];
      return roles.length > 0 ? { roles } : undefined;
    },
    isMadeNow: ({ isSet = false }) => isSet,
    line: ({ given, taken }, { role, to, from, claimed }, { by, userId }) => {
      if (given.length + taken.length === 0) return undefined;
      const what = roleAsHeld(role);
      const isAll = (some: readonly Holder[]) => some.length === 1 && some[0]?.slackUserID === userId;
      const sign = signs.person;
      if (isAll(to)) return `${sign} ${by} took over ${what} from ${holderNames(from)}${claimWords(claimed)}`;
      if (isAll(from) && given.length === 0) return `${sign} ${by} handed ${what} to ${holderNames(to)}`;
      const instead = isAll(from) || from.length === 0 ? '' : ` in place of ${holderNames(from)}`;
      return `${sign} ${holderNames(to)} ${isOrAre(to)} now *${toMrkdwn(role, 100)}*${claimWords(claimed)}${instead} (handed over by ${by})`;
    },
  },

  undo: ({ given, taken, at: since }, { incidentID, role, to }): Undo | undefined => {
    if (given.length + taken.length === 0) return undefined;
    const kept = to.filter(each => !given.some(other => other.slackUserID === each.slackUserID));
    const beside = kept.map(each => each.userID);
    return toUndo(handOverRole, { incidentID, role, to: taken, from: given, beside, isUndo: true, since });
  },
  followUps: ({ given }, { incidentID, claimed }) => (given.length > 0 ? claimNotes(incidentID, claimed) : []),
  describe: ({ role, to, isUndo }) =>
    isUndo ? `give the role ${role} back to ${plainNames(to)}` : `hand over the role ${role} to ${plainNames(to)}`,
  answer: {
    receipt: ({ given, taken }, { role, to, from, isUndo, claimed }) => {
      const who = holderNames(to);
      const isOne = to.length === 1;
      if (given.length + taken.length === 0)
        return sentence(`${who} ${isOrAre(to)} *${toMrkdwn(role, 100)}* already. Nothing was changed.`);
      const what = roleAsHeld(role);
      if (isUndo) return sentence(`${signs.person} ${who} ${isOne ? 'has' : 'have'} ${what} back.`);
      const whose = from.length > 0 ? ` from ${holderNames(from)}` : '';
      return sentence(`${signs.person} ${who} ${isOne ? 'takes' : 'take'} over ${what}${whose}${claimWords(claimed)}.`);
    },
    beside: ({ given, taken }) => (given.length + taken.length === 0 ? undefined : `${signs.person} Done.`),
    choices: async (ctx, { error }, { incidentID, role, to: [receiver] }) => {
      if (error.reason !== takenSince || !receiver) return undefined;
      const holders = await readHoldersOf(ctx, incidentID, role).catch(() => []);
      const who = holders.length > 0 ? holderNames(holders) : toMrkdwn(error.message, 300);
      const what = `*${toMrkdwn(role, 100)}*`;
      const text = `I did not make ${holderName(receiver)} ${what}: ${who} got it first.`;
      const value = { incidentID, role, to: receiver.slackUserID, from: holders.map(each => each.userID) };
      const row = holders.length > 0 ? handOverButtons(value, ctx.actor.userId) : [];
      return { text, blocks: [section(text), ...(row.length > 0 ? [actions(row)] : [])] };
    },
    afterDone: async (ctx, { given, taken, others }, wish): Promise<AfterDoneResult> => {
      const entry = ctx.repeated ? undefined : await bringIn(ctx, wish, given);
      for (const former of taken) await tellFormerHolder(ctx, wish, former, wish.to);
      const [receiver] = wish.to;
      const asked = receiver && wish.to.length === 1 ? await askAboutOthers(ctx, wish, receiver, others) : undefined;
      return {
        notes: [...(entry?.notes ?? []), ...(asked?.notes ?? [])],
        troubles: entry?.troubles ?? [],
        buttons: [...(asked?.buttons ?? []), ...(entry?.buttons ?? [])],
      };
    },
  },
});

function plainNames(holders: readonly Holder[]): string {
  return holders.map(each => each.name).join(' and ');
}

/**
 * The incident. Throws an RpcError when somebody holds the role of whom the person did not know: their hand-over came first. One that was
 * begun before goes on.
 */
async function readUnlessTaken(
  { api, call, deps }: IntentContext,
  { incidentID, role, to, from, beside, isUndo }: Wish,
) {
  const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
  const holding = othersHolding(incident, role, []);
  const receivers = to.map(each => each.userID);
  const known = [...receivers, ...from.map(each => each.userID), ...beside];
  const rivals = holding.filter(each => !known.includes(each.userID));
  const haveIt = receivers.length > 0 && receivers.every(id => holding.some(each => each.userID === id));
  if (rivals.length === 0 || haveIt) return incident;
  const names = plainNames(await toHolders(deps, rivals));
  const [why, reason] = isUndo ? [`somebody has changed it since, to ${names}`, changedSince] : [names, takenSince];
  throw new RpcError('failed_precondition', why, { reason, maybeApplied: false });
}

/** Invites those who got the role, and tells those who lead now. */
async function bringIn(
  ctx: AfterDoneContext,
  wish: Wish,
  given: readonly Holder[],
): Promise<Required<Omit<AfterDoneResult, 'rows'>>> {
  const { incidentID } = wish;
  const people = given.map(holder => ({ slackUserID: holder.slackUserID, words: holderName(holder) }));
  const [receivers, how] = wish.isUndo ? ([given, 'given back'] as const) : ([wish.to, 'handed over'] as const);
  // The message below catches them up, so nobody offers that when they come into the room.
  for (const { slackUserID } of receivers) await ctx.deps.visits.isFirstOffer(incidentID, slackUserID, ctx.now);
  const entry = await letAllIn(ctx, incidentID, people);
  const troubles = [...entry.troubles];
  for (const holder of receivers) troubles.push(await tellReceiver(ctx, wish, holder, how));
  return { ...entry, troubles: troubles.filter(each => each !== '') };
}
