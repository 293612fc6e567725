import type { ActionsBlockElement } from '@slack/types';
import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import { type Invitations, inviteAllowed } from '../../dispatch/answers/receipts.ts';
import { catchUpButton } from '../../dispatch/feature/faces.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import {
  type AfterDoneContext,
  type AfterDoneResult,
  defineIntent,
  type IntentContext,
  type ReceiptContext,
  toUndo,
  type Undo,
} from '../../incident/acts/intent-kind.ts';
import { changedSince } from '../../incident/acts/only-from.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { readCatchUp } from '../../incident/catchup/read.ts';
import { Claimed, claimNotes, claimWords } from '../../incident/notes/claim.ts';
import { type PersonalNews, tellDirectly } from '../../incident/room/invite.ts';
import { chooseRoles, commanderRole, fold, learnHolder, roleAsHeld } from '../../incident/state/roles.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, mention, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { ApiUser, Holder, holderName, holderNames, isOrAre, othersHolding, toHolders } from './holder.ts';

/** The button that shows the roles of an incident, as it looks. */
export const rolesFace = { id: 'role.list', label: 'Roles' } as const;

interface RoleAddress {
  readonly incidentID: string;
  readonly role: string;
}

/** Tells people of a role of theirs. Returns a sentence of mrkdwn when they do not know of it, and `""` otherwise. */
function tellOfRole(
  ctx: AfterDoneContext,
  { incidentID }: RoleAddress,
  { slackUserID }: Holder,
  { news, ...rest }: Partial<PersonalNews> & { readonly news: string; readonly isReceiver?: boolean },
) {
  const text = `${signs.person} ${mention(ctx.actor.userId)} ${news}.`;
  const buttons = [pressable(rolesFace, { incidentID }), ...(rest.isReceiver ? [catchUpButton(incidentID)] : [])];
  return tellDirectly(ctx, incidentID, slackUserID, { text, buttons, ...rest });
}

/**
 * Tells the person who received a role and what it asks of them. When it was handed over, also what is new to them in the incident.
 * Returns a sentence of mrkdwn when they do not know of it, and `""` otherwise.
 */
function tellReceiver(
  ctx: AfterDoneContext,
  about: RoleAddress,
  holder: Holder,
  how: 'assigned' | 'handed over' | 'given back',
): Promise<string> {
  const what = roleAsHeld(about.role);
  const news = {
    assigned: `made you *${toMrkdwn(about.role, 100)}*`,
    'handed over': `handed you ${what}`,
    'given back': `gave you ${what} back`,
  }[how];
  const more = () => (how === 'handed over' ? briefOf(ctx, about) : purposeOf(ctx, about.role));
  return tellOfRole(ctx, about, holder, { news, isReceiver: true, more });
}

/** What a role asks of its holder: its description, as the team wrote it; no words where it has none. */
async function purposeOf({ deps, now }: AfterDoneContext, role: string): Promise<Words> {
  const { roles } = await chooseRoles(deps, now);
  const description = roles.find(each => fold(each.name) === fold(role))?.description ?? '';
  const text = description === '' ? '' : `*${toMrkdwn(role, 100)}*: ${toMrkdwn(description, 500)}`;
  return { text, blocks: text === '' ? [] : [section(text)] };
}

/** The note of a receipt that says what a role asks of the person who takes it; none where another person gets it: a message tells them. */
async function notePurpose(ctx: AfterDoneContext, role: string, to: Holder | undefined): Promise<readonly string[]> {
  if (ctx.repeated || to?.slackUserID !== ctx.actor.userId) return [];
  const { text } = await purposeOf(ctx, role).catch(() => ({ text: '' }));
  return text === '' ? [] : [text];
}

/** What a new holder takes over: the purpose of the role, and the incident from its start. */
async function briefOf(ctx: AfterDoneContext, { incidentID, role }: RoleAddress): Promise<Words> {
  const { deps, now } = ctx;
  const [about, { words }] = await Promise.all([
    purposeOf(ctx, role),
    readCatchUp(deps, { incidentID, since: undefined, userId: '', now }),
  ]);
  return { ...words, blocks: [...(about.blocks ?? []), ...(words.blocks ?? [])] };
}

/** Tells a person that a role is not theirs any more, and whose it is. */
async function tellFormerHolder(
  ctx: AfterDoneContext,
  about: RoleAddress,
  former: Holder,
  to: readonly Holder[] = [],
): Promise<void> {
  const what = roleAsHeld(about.role);
  const isOwn = to.length === 1 && to[0]?.slackUserID === ctx.actor.userId;
  const given = isOwn ? `took over ${what} from you` : `moved ${what} from you to ${holderNames(to)}`;
  const news = to.length > 0 ? given : `removed you as *${toMrkdwn(about.role, 100)}*`;
  await tellOfRole(ctx, about, former, { news });
}

/** The next and only holder of a role, by Slack id, and the API's ids of those who lose it. */
export const HandOver = z.object({
  incidentID: z.string(),
  role: z.string(),
  to: z.string(),
  from: z.array(z.string()),
});
export type HandOver = z.output<typeof HandOver>;

/** A role that two or more people keep. `intent` gave it to the last of them. */
export const SharedRole = z.object({ incidentID: z.string(), role: z.string(), intent: z.string() });

/** The button that takes a role from the others, as it looks. */
export const handOverFace = { id: 'role.handover', label: 'Hand over' } as const;
/** The button that leaves it to all of them. */
export const keepAllFace = { id: 'role.keep', label: 'Keep both' } as const;

/** The button that hands a role over; none when its value would be too long. */
function handOverButtons(value: HandOver, actorId: string): readonly ActionsBlockElement[] {
  if (JSON.stringify(value).length > slackLimits.buttonValue) return [];
  return [pressable(handOverFace, value, value.to === actorId ? { label: 'Take over' } : {})];
}

/** Those who hold a role now. Throws an RpcError when that is not known. */
export async function readHoldersOf({ deps }: ReceiptContext, incidentID: string, role: string): Promise<Holder[]> {
  return await toHolders(deps, othersHolding(await readKnown(deps, incidentID), role, []));
}

/** Says that others too hold the role that leads an incident, and asks whether they keep it. */
async function askAboutOthers(
  ctx: AfterDoneContext,
  { incidentID, role }: { readonly incidentID: string; readonly role: string },
  { slackUserID: to }: Holder,
  others: readonly ApiUser[],
): Promise<{ readonly notes: readonly string[]; readonly buttons: readonly ActionsBlockElement[] }> {
  if (others.length === 0 || fold(role) !== fold(await commanderRole(ctx.deps, ctx.now))) {
    return { notes: [], buttons: [] };
  }
  const holders = await toHolders(ctx.deps, others);
  const notes = [`${holderNames(holders)} ${isOrAre(holders)} *${toMrkdwn(role, 100)}* too.`];
  const handOver = handOverButtons({ incidentID, role, to, from: others.map(each => each.userID) }, ctx.actor.userId);
  const label = others.length > 1 ? 'Keep all' : keepAllFace.label;
  const keep = pressable(keepAllFace, { incidentID, role, intent: ctx.id }, { label });
  return { notes, buttons: to === '' || handOver.length === 0 ? [] : [...handOver, keep] };
}

const RoleAssignment = z.object({
  incidentID: z.string(),
  role: z.string(),
  holder: Holder,
  claimed: Claimed.optional(),
});
const RoleChange = z.object({ didChange: z.boolean() });

/**
 * The holders of a role before it changes. A call is repeated when its answer is lost, and the answer to the repeated one says that nothing
 * changed.
 */
async function holding(
  { api, call }: IntentContext,
  { incidentID, role }: z.output<typeof RoleAssignment>,
): Promise<readonly ApiUser[]> {
  const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
  return othersHolding(incident, role, []);
}

/** Assigns a role. The person who receives it is invited and told. */
export const assignRole = defineIntent({
  kind: 'role.assign',
  payload: RoleAssignment,
  result: RoleChange.extend({
    /** The id under which the API knows the holder. Absent in what an older version stored. */
    userID: z.string().optional(),
    /** Others who hold the role now. Absent in what an older version stored. */
    others: z.array(ApiUser).optional(),
  }),
  run: async (context, wish) => {
    const { incidentID, role, holder } = wish;
    const { api, call, deps } = context;
    const sent = await deps.people.resolveUserID(holder.userID, context);
    const before = await holding(context, wish);
    const { didChange, incident } = await api.IncidentsService.AssignRole({ incidentID, userID: sent, role }, call);
    const userID = await learnHolder(deps.people, sent, role, before, incident);
    // Where the person is not among the holders under that id, one of the others may be them.
    const isShown = othersHolding(incident, role, []).some(each => each.userID === userID);
    const others = isShown ? othersHolding(incident, role, [userID]) : [];
    const wasHeld = before.some(each => each.userID === userID);
    return { didChange: didChange || !wasHeld, userID, others };
  },
  did: ({ role, holder, claimed }, { result, userId, line }) => {
    const sign = signs.person;
    const name = toMrkdwn(role, 100);
    if (!result) return { sign, verb: 'make', what: `${toMrkdwn(holder.name, 80)} ${name}` };
    if (!result.didChange && !line?.isUnsure)
      return { fact: `${holderName(holder)} is ${name} already.`, isUnchanged: true };
    return holder.slackUserID === userId
      ? { sign, verb: 'take', what: `${roleAsHeld(role)}${claimWords(claimed)}` }
      : { sign, verb: 'make', what: `${holderName(holder)} *${name}*${claimWords(claimed)}` };
  },
  stateChange: ({ didChange, userID }, { role, holder }, isUnsure) =>
    didChange || isUnsure ? { roles: [{ role, userID: userID ?? holder.userID, isHeld: true }] } : undefined,
  undo: ({ didChange, userID }, wish): Undo | undefined => {
    const holder = { ...wish.holder, userID: userID ?? wish.holder.userID };
    return didChange ? toUndo(unassignRole, { ...wish, holder }) : undefined;
  },
  consequences: ({ didChange }, { incidentID, claimed }) => (didChange ? claimNotes(incidentID, claimed) : []),
  afterDone: async (ctx, { didChange, others = [] }, wish): Promise<AfterDoneResult> => {
    if (!didChange) return { notes: [], troubles: [] };
    const asked = await askAboutOthers(ctx, wish, wish.holder, others);
    if (ctx.repeated) return { ...asked, troubles: [] };
    const { slackUserID } = wish.holder;
    const entry = await inviteAllowed(ctx, wish.incidentID, [{ slackUserID, words: holderName(wish.holder) }]);
    const untold = await tellReceiver(ctx, wish, wish.holder, 'assigned');
    return {
      notes: [...(await notePurpose(ctx, wish.role, wish.holder)), ...entry.notes, ...asked.notes],
      troubles: [...entry.troubles, ...(untold === '' ? [] : [untold])],
      buttons: [...asked.buttons, ...entry.buttons],
    };
  },
});

/** Takes a role from its holder. */
export const unassignRole = defineIntent({
  kind: 'role.unassign',
  payload: RoleAssignment,
  result: RoleChange,
  run: async (context, wish) => {
    const { incidentID, role, holder } = wish;
    const { userID } = holder;
    const wasHeld = (await holding(context, wish)).some(each => each.userID === userID);
    const { api, call } = context;
    const { didChange } = await api.IncidentsService.UnassignRole({ incidentID, userID, role }, call);
    return { didChange: didChange || wasHeld };
  },
  did: ({ role, holder }, { result, userId, line }) => {
    const sign = signs.person;
    if (!result) return { sign, verb: 'take', what: `${roleAsHeld(role)} from ${toMrkdwn(holder.name, 80)}` };
    if (!result.didChange && !line?.isUnsure)
      return { fact: `${holderName(holder)} is not ${toMrkdwn(role, 100)}.`, isUnchanged: true };
    return holder.slackUserID === userId
      ? { sign, verb: 'give', what: `up ${roleAsHeld(role)}` }
      : { sign, verb: 'take', what: `${roleAsHeld(role)} from ${holderName(holder)}` };
  },
  stateChange: ({ didChange }, { role, holder }, isUnsure) =>
    didChange || isUnsure ? { roles: [{ role, userID: holder.userID, isHeld: false }] } : undefined,
  undo: ({ didChange }, wish): Undo | undefined => (didChange ? toUndo(assignRole, wish) : undefined),
  afterDone: async (ctx, { didChange }, wish) => {
    if (didChange) await tellFormerHolder(ctx, wish, wish.holder);
    return { notes: [], troubles: [] };
  },
});

/** The reason of a hand-over that is refused because another person got the role meanwhile. */
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
  claimed: Claimed.optional(),
});
type HandOverRequest = z.output<typeof payload>;

const result = z.object({
  /** Those who did not hold it before, under the ids by which the API knows them. */
  given: z.array(Holder),
  /** Those who held it before. */
  taken: z.array(Holder),
  /** Others who hold it now. */
  others: z.array(ApiUser),
  /** This attempt gave or took the role, and not only an earlier one. Absent in what an older version stored. */
  isSet: z.boolean().optional(),
});
type Result = z.output<typeof result>;

/** Hands a role over: some people get it, and others lose it. Refused when another person got it since this was asked for. */
export const handOverRole = defineIntent<HandOverRequest, Result>({
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
    return { given, taken, others: othersHolding(incident, role, receivers), isSet };
  },
  did: ({ role, to, from, isUndo, claimed }, { result, userId }) => {
    const sign = signs.person;
    const what = roleAsHeld(role);
    const plain = toMrkdwn(plainNames(to), 200);
    if (!result)
      return isUndo
        ? { sign, verb: 'give', what: `${what} back to ${plain}` }
        : { sign, verb: 'hand', what: `${what} to ${plain}` };
    if (result.given.length + result.taken.length === 0)
      return { fact: `${holderNames(to)} ${isOrAre(to)} *${toMrkdwn(role, 100)}* already.`, isUnchanged: true };
    const isAll = (some: readonly Holder[]) => some.length === 1 && some[0]?.slackUserID === userId;
    if (isAll(to) && isUndo) return { sign, verb: 'take', what: `${what} back` };
    if (isAll(to)) return { sign, verb: 'take', what: `over ${what} from ${holderNames(from)}${claimWords(claimed)}` };
    if (isUndo) return { sign, verb: 'give', what: `${what} back to ${holderNames(to)}` };
    const instead = isAll(from) || from.length === 0 ? '' : ` in place of ${holderNames(from)}`;
    return { sign, verb: 'hand', what: `${what} to ${holderNames(to)}${claimWords(claimed)}${instead}` };
  },
  stateChange: ({ given, taken, isSet = false }, { role }) => {
    const roles = [
      ...given.map(({ userID }) => ({ role, userID, isHeld: true })),
      ...taken.map(({ userID }) => ({ role, userID, isHeld: false })),
    ];
    return roles.length > 0 ? { roles, appliedNow: isSet } : undefined;
  },
  undo: ({ given, taken }, { incidentID, role, to }): Undo | undefined => {
    if (given.length + taken.length === 0) return undefined;
    const kept = to.filter(each => !given.some(other => other.slackUserID === each.slackUserID));
    const beside = kept.map(each => each.userID);
    return toUndo(handOverRole, { incidentID, role, to: taken, from: given, beside, isUndo: true });
  },
  consequences: ({ given }, { incidentID, claimed }) => (given.length > 0 ? claimNotes(incidentID, claimed) : []),
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
    const entry = ctx.repeated ? undefined : await notifyReceivers(ctx, wish, given);
    for (const former of taken) await tellFormerHolder(ctx, wish, former, wish.to);
    const [receiver] = wish.to;
    const asked = receiver && wish.to.length === 1 ? await askAboutOthers(ctx, wish, receiver, others) : undefined;
    return {
      notes: [
        ...(wish.isUndo || given.length === 0 ? [] : await notePurpose(ctx, wish.role, receiver)),
        ...(entry?.notes ?? []),
        ...(asked?.notes ?? []),
      ],
      troubles: entry?.troubles ?? [],
      buttons: [...(asked?.buttons ?? []), ...(entry?.buttons ?? [])],
    };
  },
});

function plainNames(holders: readonly Holder[]): string {
  return holders.map(each => each.name).join(' and ');
}

/**
 * The incident. Throws an RpcError when a person unknown to the actor holds the role: another hand-over came first. One that was
 * begun before goes on.
 */
async function readUnlessTaken(
  { api, call, deps }: IntentContext,
  { incidentID, role, to, from, beside, isUndo }: HandOverRequest,
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
async function notifyReceivers(
  ctx: AfterDoneContext,
  wish: HandOverRequest,
  given: readonly Holder[],
): Promise<Invitations> {
  const { incidentID } = wish;
  const people = given.map(holder => ({ slackUserID: holder.slackUserID, words: holderName(holder) }));
  const [receivers, how] = wish.isUndo ? ([given, 'given back'] as const) : ([wish.to, 'handed over'] as const);
  // The message below catches them up, so Muster does not offer that when they come into the room.
  for (const { slackUserID } of receivers) await ctx.deps.visits.isFirstOffer(incidentID, slackUserID, ctx.now);
  const entry = await inviteAllowed(ctx, incidentID, people);
  const troubles = [...entry.troubles];
  for (const holder of receivers) troubles.push(await tellReceiver(ctx, wish, holder, how));
  return { ...entry, troubles: troubles.filter(each => each !== '') };
}
