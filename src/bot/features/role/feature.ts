import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import { together, undoFace } from '../../dispatch/answers/receipts.ts';
import { askWhich, mostChoices } from '../../dispatch/command/ask-which.ts';
import type { Context, Modal, SubmitOptions } from '../../dispatch/feature/context.ts';
import { type Button, defineButton, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { choiceField, defineModal, fieldValue, userField } from '../../dispatch/forms/modal.ts';
import { incidentButton, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import type { Args } from '../../grammar/grammar.ts';
import { withoutPolite } from '../../grammar/words.ts';
import type { IntentKind } from '../../incident/acts/intent-kind.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { toClaimed } from '../../incident/notes/claim.ts';
import { chooseRoles, fold, forgetRoles, type RoleChoice } from '../../incident/state/roles.ts';
import { toOthers } from '../../people/directory.ts';
import { asksForOwn, findMentioned, type MentionedPeople, readMentions } from '../../people/mentions.ts';
import type { Person } from '../../people/person.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, code, mention, section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import {
  catalogueButtons,
  catalogueForm,
  catalogueVerb,
  createRole,
  deleteRole,
  setArchived,
  updateRole,
} from './catalogue.ts';
import {
  type HeldRole,
  type Holder,
  holderName,
  holderNames,
  holdersOf,
  isOrAre,
  isSame,
  listRoles,
  readHolders,
  toHolder,
} from './holder.ts';
import {
  assignRole,
  HandOver,
  handOverFace,
  handOverRole,
  keepAllFace,
  readHoldersOf,
  rolesFace,
  SharedRole,
  unassignRole,
} from './intents.ts';
import { faces, ownRolesWords, roles, rolesPart } from './list.ts';
import { findRole, matchRole, type RoleMatch } from './names.ts';

/** People named at once, at most. */
const maxPeople = 10;

const bold = (role: string) => `*${toMrkdwn(role, 100)}*`;

/** Answers with the receipt, unless the person was answered. */
async function say(ctx: Context, words: Words | undefined): Promise<void> {
  if (words) await ctx.answer(words);
}

/** The people whom a command names, and the role that is meant. `match` is undefined where it names none. */
async function readRole(ctx: Context, args: Args) {
  const mentioned: MentionedPeople = readMentions(args, ctx.actor.userId);
  const found: { choice: RoleChoice; match?: RoleMatch } = await findRole(ctx, toRoleWords(mentioned.rest));
  return { ...mentioned, ...found };
}

/** The role in `@bob as the commander`: the words without the name and the small words. */
function toRoleWords(rest: string): string {
  return rest
    .replace(/^(?:(?:as|to|is|the|role)(?:\s+|$))+/i, '')
    .replace(/\s(?:to|as|is|role)$/i, '')
    .trim();
}

/* Assigning a role. */

/** `ids` are Slack ids of the people named so far; `role` may be `""`. */
const RoleOffer = z.object({ incidentID: z.string(), role: z.string(), ids: z.array(z.string()) });

/** Does what a mistyped command may have meant. Its label names the role. */
const giveButton = defineButton({
  id: 'role.give',
  label: 'Assign',
  value: RoleOffer,
  run: (ctx, { value: { incidentID, role, ids } }) => assignTo(ctx, incidentID, role, ids),
});

const formButton = defineButton({
  ...faces.form,
  value: RoleOffer,
  run: (ctx, { value: { incidentID, role, ids } }) => openForm(ctx, incidentID, role, ids),
});

/** The form that assigns a role. `ids` are Slack ids of several people whom the command named. */
const form = defineModal({
  id: 'role.assign',
  state: z.object({ incidentID: z.string(), ids: z.array(z.string()) }),
  view: ({ ids }, filled, { offered }) => ({
    title: 'Assign a role',
    submit: 'Assign',
    blocks: [
      ids.length > 0
        ? section(`For ${ids.map(mention).join(', ')}`)
        : userField({ id: 'person', label: 'Who?' }, filled),
      choiceField({ id: 'role', label: 'Which role?', options: offered?.role ?? [] }, filled),
    ],
  }),
  check: (filled, { ids }) => {
    const person = fieldValue(filled, 'person');
    const role = fieldValue(filled, 'role');
    if (role === '') return { problems: { role: 'Pick a role.' } };
    if (ids.length === 0 && person === '') return { problems: { person: 'Pick somebody.' } };
    return { value: { name: role, ids: ids.length > 0 ? ids : [person] } };
  },
  submit: async (ctx, { name, ids }, { incidentID }) => {
    const role = (await chooseRoles(ctx.deps, ctx.now)).roles.find(each => each.name === name);
    if (role) await assignTo(ctx, incidentID, role.name, ids);
    else await ctx.reject('That role is gone, so nobody was assigned. `/role list` shows the roles there are.');
  },
});

/** Opens the form. Without a name in the command, it names the person who asks. `choice` are the roles, where they have been read. */
async function openForm(
  ctx: Context,
  incidentID: string,
  role: string,
  ids: readonly string[],
  choice?: RoleChoice,
): Promise<void> {
  const all = choice ?? (await chooseRoles(ctx.deps, ctx.now));
  const options = all.roles.filter(each => !each.archived).slice(0, slackLimits.options);
  if (options.length === 0) {
    return ctx.reject(
      'There are no roles to assign. An administrator of this workspace can add one with `/role create`.',
    );
  }
  const chosen = options.find(each => fold(each.name) === fold(role));
  const filled = { person: ids[0] ?? ctx.actor.userId, ...(chosen ? { role: chosen.name } : {}) };
  await ctx.openForm(form, { incidentID, ids: ids.length > 1 ? [...ids] : [] }, filled, {
    role: options.map(each => ({ value: each.name, label: each.name })),
  });
}

/** Assigns a role to the people of these Slack ids; when one of them cannot be named, to none. */
async function assignTo(ctx: Context, incidentID: string, role: string, ids: readonly string[]): Promise<void> {
  if (ids.length > maxPeople) {
    return ctx.reject(`At most ${maxPeople} people at once, and you named ${ids.length}. Nobody was assigned.`);
  }
  const found = await findMentioned(ctx.deps, ids, 'role');
  if ('people' in found) return say(ctx, await assign(ctx, incidentID, role, found.people));
  const again = actions([pressable(formButton, { incidentID, role, ids: [] })]);
  await ctx.reject(`${found.problem} Nobody was assigned.`, [again]);
}

/** Assigns one person after the other. Answers at once for those not done, and returns the receipts of the others. */
async function assign(
  ctx: Context,
  incidentID: string,
  role: string,
  people: readonly Person[],
): Promise<Words | undefined> {
  const all: Words[] = [];
  for (const person of people) {
    const named = await ctx.deps.people.toNamed(person);
    const payload = { incidentID, role, holder: toHolder(named), ...toClaimed(named, ctx.now) };
    const outcome = await ctx.perform(assignRole, payload, {
      ...{ incidentID, step: person.userId, others: toOthers([named]), hasMore: person !== people.at(-1) },
    });
    if (outcome.words) all.push(outcome.words);
    if (outcome.state === 'failed') forgetRoles(ctx.deps.api);
  }
  return all.length === 0 ? undefined : together(all);
}

async function runAssign(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const { ids, problem, match, choice } = await readRole(ctx, args);
  const refuse = (why: string, offer: ReturnType<typeof pressable>) =>
    ctx.reject(`${why} Nobody was assigned.`, [actions([offer])]);
  if (match && 'problem' in match) {
    const name = match.near?.name;
    const isMeant = name && ids.length > 0 && problem === '' && ids.length <= maxPeople;
    return isMeant
      ? refuse(
          match.problem,
          pressable(giveButton, { incidentID, role: name, ids: [...ids] }, { label: `Assign ${name}` }),
        )
      : refuse(match.problem, pressable(formButton, { incidentID, role: name ?? '', ids: ids.slice(0, maxPeople) }));
  }
  const role = match?.role.name ?? '';
  if (problem !== '') return refuse(problem, pressable(formButton, { incidentID, role, ids: [] }));
  const [only, ...more] = ids;
  if (args.flags.replace && role !== '') {
    if (more.length > 0) return ctx.reject('With `--replace` one person takes over, so name one. Nobody was assigned.');
    return only === undefined
      ? openHandOver(ctx, incidentID, role)
      : say(ctx, await handOver(ctx, { incidentID, role, to: only }));
  }
  if (role === '' || ids.length === 0) return openForm(ctx, incidentID, role, ids.slice(0, maxPeople), choice);
  await assignTo(ctx, incidentID, role, ids);
}

/** Takes a free role. When a person in reach holds it already, says who. */
const takeButton = defineButton({
  ...faces.take,
  value: z.object({ incidentID: z.string(), role: z.string(), inList: z.boolean(), page: z.number().default(0) }),
  run: async (ctx, { value: { incidentID, role, inList, page } }) => {
    const all = await readHoldersOf(ctx, incidentID, role);
    const absent = await ctx.deps.people.absentUsers(all);
    const holders = all.filter(each => !absent.has(each.userID));
    const already = `${holderNames(holders)} ${isOrAre(holders)} ${toMrkdwn(role, 100)} already. Nothing was changed.`;
    const words = holders.length > 0 ? { text: already } : await assign(ctx, incidentID, role, [ctx.actor]);
    if (!words) return;
    await ctx.replace(inList ? await roles.words(ctx, incidentID, page, words) : words);
    if (holders.length > 0) ctx.deps.cards.refresh(incidentID);
  },
});

/* Taking a role away. */

/** Takes a role from the one who holds it. Of several who hold it, a form asks which one. */
const removeButton = defineButton({
  ...faces.remove,
  value: z.object({ incidentID: z.string(), role: z.string(), page: z.number() }),
  run: async (ctx, { value: { incidentID, role, page } }) => {
    const holders = await readHoldersOf(ctx, incidentID, role);
    if (holders.length > 1) return askWhom(ctx, incidentID, role, holders);
    const words = await remove(ctx, incidentID, role, all => all[0]);
    if (words) await ctx.replace(await roles.words(ctx, incidentID, page, words));
  },
});

/** Takes a role from the holder who is chosen of all; yields the receipt unless the person was answered. */
async function remove(
  ctx: Context,
  incidentID: string,
  role: string,
  choose: (all: readonly Holder[]) => Holder | undefined,
): Promise<Words | undefined> {
  const before = await ctx.before(unassignRole);
  const holders = await readHoldersOf(ctx, incidentID, role);
  const holder = before ? before.holder : choose(holders);
  if (holder) return (await ctx.perform(unassignRole, { incidentID, role, holder }, { incidentID })).words;
  const who = holders.length > 0 ? `${holderNames(holders)} ${isOrAre(holders)}` : 'Nobody is';
  return sentence(`${who} ${toMrkdwn(role, 100)} now. Nothing was changed.`);
}

const keyOf = (holder: Holder) => holder.slackUserID || holder.userID;

async function askWhom(ctx: Context, incidentID: string, role: string, holders: readonly Holder[]): Promise<void> {
  const named = await Promise.all(
    holders.slice(0, slackLimits.options).map(async each => {
      const person = await ctx.deps.people.find(each.slackUserID).catch(() => undefined);
      return { value: keyOf(each), label: person?.name || each.name };
    }),
  );
  const holder = named.filter(each => each.value.length <= slackLimits.optionValue);
  await ctx.openForm(removeForm, { incidentID, role }, {}, { holder });
}

/** Asks which holder loses a role. */
const removeForm = defineModal({
  id: 'role.remove',
  state: z.object({ incidentID: z.string(), role: z.string() }),
  view: ({ role }, filled, { offered }) => ({
    title: 'Take a role away',
    submit: 'Remove',
    blocks: [
      section(`Who is no longer ${bold(role)}?`),
      choiceField({ id: 'holder', label: 'Who?', options: offered?.holder ?? [] }, filled),
    ],
  }),
  check: filled => {
    const key = fieldValue(filled, 'holder');
    return key === '' ? { problems: { holder: 'Pick somebody.' } } : { value: { key } };
  },
  submit: async (ctx, { key }, { incidentID, role }) =>
    say(ctx, await remove(ctx, incidentID, role, all => all.find(each => keyOf(each) === key))),
});

/** Takes each of these roles from its holder. Steps are numbered: handled again, the delivery means the holders of the first time. */
async function takeEach(ctx: Context, incidentID: string, held: readonly HeldRole[]): Promise<void> {
  const some = held.slice(0, maxPeople);
  const all: Words[] = [];
  for (const [place, { role, holder }] of some.entries()) {
    const how: SubmitOptions = { incidentID, step: `${place}`, hasMore: place < some.length - 1 };
    const { words } = await ctx.perform(unassignRole, { incidentID, role, holder }, how);
    if (words) all.push(words);
  }
  if (all.length > 0) await ctx.answer(together(all));
}

/** The roles that can be taken: all that there are, and those that people hold though they are gone. */
function allOf(choice: RoleChoice, incident: Incident): RoleChoice {
  const all = [...listRoles(choice.roles, incident), ...choice.roles].map(role => ({ ...role, archived: false }));
  return { ...choice, isRead: true, roles: all };
}

/** Takes a role away. A role with one holder needs no name, and a person with one role needs no role. */
async function runUnassign(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const { deps } = ctx;
  const refuse = (why: string) => ctx.reject(`${why} Nothing was changed.`);
  const mentioned = readMentions(args, ctx.actor.userId);
  const incident = await readKnown(deps, incidentID);
  if (mentioned.problem !== '') return refuse(mentioned.problem);
  const found = await findMentioned(deps, mentioned.ids, 'removal');
  if ('problem' in found) return refuse(found.problem);
  const named = (await Promise.all(found.people.map(person => deps.people.toNamed(person)))).map(toHolder);
  const typed = toRoleWords(mentioned.rest);
  const choice = await chooseRoles(deps, ctx.now);
  const held = await readHolders(deps, incident);
  const match = typed === '' ? undefined : matchRole(allOf(choice, incident), typed, deps.settings.apiName);
  if (match && 'problem' in match) return refuse(match.problem);
  if (match) {
    const role = match.role.name;
    const current = holdersOf(held, role);
    // The API may know the person who was named under another id.
    const asHeld = (wanted: Holder) => ({
      ...{ role, holder: { ...wanted, userID: current.find(each => isSame(each, wanted))?.userID ?? wanted.userID } },
    });
    if (named.length > 0) return takeEach(ctx, incidentID, named.map(asHeld));
    if (current.length === 1) return takeEach(ctx, incidentID, current.map(asHeld));
    if (current.length === 0) return refuse(`Nobody is ${toMrkdwn(role, 100)}.`);
    return ctx.reject(
      `${holderNames(current)} are ${toMrkdwn(role, 100)}. Say who should lose it: ${code(`/role unassign @bob ${role}`, 130)}.`,
    );
  }
  const [holder, ...others] = named;
  if (!holder || others.length > 0) return refuse('Say who should lose which role: `/role unassign @bob commander`.');
  const theirs = held.filter(each => isSame(each.holder, holder));
  const [first, ...more] = theirs;
  if (first && more.length === 0) return takeEach(ctx, incidentID, [first]);
  if (!first) return refuse(`${holderName(holder)} has no role in this incident.`);
  const names = theirs.map(each => toMrkdwn(each.role, 100)).join(' and ');
  await ctx.reject(
    `${holderName(holder)} is ${names}. Say which role to take: ${code(`/role unassign @bob ${first.role}`, 130)}.`,
  );
}

/** Words that mean all of one's roles, and words around a role that say nothing more. */
const allRoles = /^(?:all|everything|both)(?: of (?:them|it))?(?: (?:my )?roles?)?$/i;
const beforeOwn = /^(?:(?:me|my|as|from|being|own|the)(?:\s+|$))*/i;

async function askWhichRole(ctx: Context, incidentID: string, own: readonly HeldRole[]): Promise<void> {
  const pressed = (label: string, text: string) => ({
    ...{ label, incidentID },
    draft: { kind: 'command', root: 'role', text: `leave ${text}` } as const,
  });
  await askWhich(ctx, 'Which role do you give up?', [
    ...own.slice(0, mostChoices).map(({ role }) => pressed(role, role)),
    pressed('All of them', 'all'),
  ]);
}

/** Takes a role from the person who asks: the one that they named, or the only one that they have. Of several it asks which. */
async function runLeave(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const { deps, actor } = ctx;
  const mentioned = readMentions(args, actor.userId);
  // `/role drop @bob observer` is about another person.
  if (mentioned.problem !== '' || mentioned.ids.some(id => id !== actor.userId))
    return runUnassign(ctx, args, incidentID);
  const named = withoutPolite(mentioned.rest).trim().replace(beforeOwn, '');
  const typed = named.replace(/\broles?$/i, '').trim();
  const me = toHolder(await deps.people.toNamed(actor));
  const incident = await readKnown(deps, incidentID);
  const own = (await readHolders(deps, incident)).filter(each => isSame(each.holder, me));
  if (own.length === 0) return ctx.reject('You have no role in this incident. Nothing was changed.');
  if (allRoles.test(typed) || (typed === '' && own.length === 1)) return takeEach(ctx, incidentID, own);
  if (typed === '') return askWhichRole(ctx, incidentID, own);
  const match = matchRole(allOf(await chooseRoles(deps, ctx.now), incident), typed, deps.settings.apiName);
  if ('problem' in match) return ctx.reject(`${match.problem} Nothing was changed.`);
  const meant = own.filter(each => fold(each.role) === fold(match.role.name));
  if (meant.length > 0) return takeEach(ctx, incidentID, meant);
  await ctx.reject(`You are not ${toMrkdwn(match.role.name, 100)}. Nothing was changed.`);
}

/* Handing a role over. */

/** A role and its next holder, by Slack id. `from`: the API's ids of those who lose it; absent: all who hold it. */
interface HandOverWish {
  readonly incidentID: string;
  readonly role: string;
  readonly to: string;
  readonly from?: readonly string[];
}

/** Hands a role over to one person. When no other person holds it, they are given it. Yields the receipt unless the person was answered. */
async function handOver(ctx: Context, { incidentID, role, to, from }: HandOverWish): Promise<Words | undefined> {
  const { deps } = ctx;
  const before = await ctx.before(handOverRole);
  if (before) return (await ctx.perform(handOverRole, before, { incidentID })).words;
  const found = await findMentioned(deps, [to], 'role');
  const again = actions([pressable(handOverFormButton, { incidentID, role })]);
  if ('problem' in found) return void (await ctx.reject(`${found.problem} Nothing was changed.`, [again]));
  const [person] = found.people;
  if (!person) throw new Error('Nobody was named');
  const named = await deps.people.toNamed(person);
  const receiver = toHolder(named);
  const held = await readHoldersOf(ctx, incidentID, role);
  const others = held.filter(each => !isSame(each, receiver));
  const losing = from ? others.filter(each => from.includes(each.userID)) : others;
  if (losing.length === 0) {
    if (!from) return void (await assignTo(ctx, incidentID, role, [to]));
    if (held.length === 0) return sentence(`Nobody is ${bold(role)} any more. Nothing was changed.`);
    return sentence(`Nothing was changed: ${holderNames(held)} ${isOrAre(held)} ${bold(role)} now.`);
  }
  const holding = held.find(each => isSame(each, receiver));
  const wish = {
    ...{ incidentID, role, from: losing, isUndo: false, ...toClaimed(named, ctx.now) },
    to: [{ ...receiver, userID: holding?.userID ?? receiver.userID }],
    beside: holding ? [holding.userID] : [],
  };
  return (await ctx.perform(handOverRole, wish, { incidentID, others: toOthers([named]) })).words;
}

/** Takes a role from the others, where two or more hold it. */
const handOverButton = defineButton({
  ...handOverFace,
  value: HandOver,
  run: async (ctx, { value }) => {
    const words = await handOver(ctx, value);
    if (words) await ctx.replace(words);
  },
});

/** Leaves a role to all who hold it. */
const keepButton = defineButton({
  ...keepAllFace,
  value: SharedRole,
  reads: true,
  run: async (ctx, { value: { incidentID, role, intent } }) => {
    const holders = await readHoldersOf(ctx, incidentID, role).catch(() => []);
    const kept = `${holderNames(holders)} ${isOrAre(holders)} ${bold(role)}.`;
    const text = holders.length > 0 ? kept : `Nobody loses the role ${bold(role)}.`;
    await ctx.replace({ text, blocks: [section(text), actions([pressable(undoFace, { intent })])] });
  },
});

const handOverFormButton = defineButton({
  ...faces.handOverForm,
  value: z.object({ incidentID: z.string(), role: z.string() }),
  run: (ctx, { value: { incidentID, role } }) => openHandOver(ctx, incidentID, role),
});

const handOverForm = defineModal({
  id: 'role.handover',
  state: z.object({ incidentID: z.string(), role: z.string() }),
  view: ({ role }, filled) => ({
    title: 'Hand over a role',
    submit: 'Hand over',
    blocks: [
      section(`Who takes over as ${bold(role)}? Current holders lose the role.`),
      userField({ id: 'person', label: 'Who takes over?' }, filled),
    ],
  }),
  check: filled => {
    const to = fieldValue(filled, 'person');
    return to === '' ? { problems: { person: 'Pick somebody.' } } : { value: { to } };
  },
  submit: async (ctx, { to }, { incidentID, role }) => say(ctx, await handOver(ctx, { incidentID, role, to })),
});

/** Opens the form. It names the person who asks, unless they hold the role. */
async function openHandOver(ctx: Context, incidentID: string, role: string): Promise<void> {
  const holders = await readHoldersOf(ctx, incidentID, role);
  const isOwn = holders.some(each => each.slackUserID === ctx.actor.userId);
  await ctx.openForm(handOverForm, { incidentID, role }, isOwn ? {} : { person: ctx.actor.userId });
}

/** Lists the roles of an incident and who holds them. */
const rolesButton = incidentButton({ ...rolesFace, reads: true }, async (ctx, incidentID) =>
  ctx.answer(await roles.words(ctx, incidentID)),
);

/** Takes the role that leads an incident, from its card or below a reminder that the incident has no leader. */
const takeCommand = (incidentID: string, role: string) => ({ incidentID, role, inList: false, page: 0 });

const about = { noun: 'role', argumentKind: 'words' } as const;

/** The roles of an incident: giving and taking them, and their holders. */
export const role: Feature = {
  verbs: [
    {
      ...about,
      verb: 'assign',
      example: '`/role assign @bob commander` gives somebody a role',
      aliases: ['give', 'set', 'make', 'add', 'appoint'],
      shorthands: { lead: 'lead', ic: 'ic', commander: 'commander', take: 'me', claim: 'me' },
      under: { incident: ['assign', 'ic', 'commander', 'lead'] },
      fallback: 'argument',
      usage: '[@user] [role] [--replace]',
      summary: 'Give somebody a role, or with `me` yourself. Without a name or a role, in a form.',
      flags: { replace: { kind: 'switch', aliases: ['instead'] } },
      run: runAssign,
    },
    {
      ...about,
      verb: 'handover',
      aliases: ['handoff', 'transfer', 'replace'],
      under: { incident: ['handover', 'handoff', 'transfer'] },
      usage: '[@user] [role]',
      summary: 'Hand a role over: its holders lose it. Without a role, command; without a name, in a form.',
      needsRegistered: true,
      // Hands the role over that was typed, or the one that leads the incident.
      run: async (ctx, args, incidentID) => {
        const { ids, problem, match, choice } = await readRole(ctx, args);
        if (match && 'problem' in match) return ctx.reject(`${match.problem} Nothing was changed.`);
        const role = match?.role.name ?? choice.commander;
        if (role === '') {
          return ctx.reject(
            'No role is set to lead incidents. Name the role to hand over: `/role handover @bob observer`.',
          );
        }
        const [to, ...more] = ids;
        if (problem !== '' || more.length > 0) {
          const why = problem || 'One person takes over, and you named several.';
          return ctx.reject(`${why} Nothing was changed.`, [
            actions([pressable(handOverFormButton, { incidentID, role })]),
          ]);
        }
        if (to === undefined) return openHandOver(ctx, incidentID, role);
        await say(ctx, await handOver(ctx, { incidentID, role, to }));
      },
    },
    {
      ...about,
      verb: 'unassign',
      aliases: ['remove', 'revoke', 'unset'],
      needsNoun: true,
      usage: '[@user] <role>',
      summary:
        'Take a role from somebody; with `leave`, give up your own. With several it asks which; `all` gives up all of them.',
      words: [
        {
          verb: 'leave',
          aliases: ['stepdown', 'resign', 'giveup', 'quit', 'drop', 'release', 'relinquish'],
          under: { incident: ['stepdown'] },
          needsNoun: ['leave', 'resign', 'giveup', 'quit', 'drop', 'release', 'relinquish'],
          argumentKind: 'words',
          usage: '[role]',
        },
      ],
      needsRegistered: true,
      run: (ctx, args, incidentID) =>
        args.verb === 'leave' ? runLeave(ctx, args, incidentID) : runUnassign(ctx, args, incidentID),
    },
    {
      ...about,
      verb: 'list',
      aliases: ['show', 'ls', 'who'],
      under: { incident: ['who'] },
      shorthands: { mine: 'me' },
      bare: true,
      argumentKind: 'nothing',
      usage: '[me]',
      summary:
        'Show you who holds which role, with buttons to take free ones; with `me` your own. By mention, show everybody.',
      reads: true,
      run: async (ctx, args, incidentID) => {
        if (asksForOwn(args.text)) await ctx.answer(await ownRolesWords(ctx, incidentID));
        else await roles.answer(ctx, incidentID);
      },
    },
    catalogueVerb,
  ],
  modals: [form, handOverForm, removeForm, catalogueForm] as Modal[],
  buttons: [
    ...([giveButton, formButton, takeButton, removeButton, rolesButton] as Button[]),
    ...([handOverButton, keepButton, handOverFormButton] as Button[]),
    ...roles.buttons,
    ...catalogueButtons,
  ],
  intents: [assignRole, unassignRole, handOverRole, createRole, updateRole, setArchived, deleteRole] as IntentKind[],
  onCard: ({ incidentID, status }, { commander, isLed }) => {
    const isFree = commander !== '' && status !== 'resolved' && !isLed;
    const lead = { label: 'Take command', style: 'primary' } as const;
    return [
      ...(isFree ? [onCard('lead', takeButton, takeCommand(incidentID, commander), lead)] : []),
      onCard('last', rolesButton, { incidentID }),
    ];
  },
  onReminder: ({ kind, incidentID, commander }) =>
    kind === 'lead' && commander !== ''
      ? [pressable(takeButton, takeCommand(incidentID, commander), { label: 'Take command' })]
      : [],
  onHome: rolesPart,
};
