import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import type { Role } from '../../../contract/roles.ts';
import { OnIncident, onCard } from '../../dispatch/card-buttons.ts';
import type { Context } from '../../dispatch/context.ts';
import type { Deps } from '../../dispatch/deps.ts';
import { type Button, type CardButton, defineButton, pressable } from '../../dispatch/feature.ts';
import { choiceField, defineModal, fieldValue, userField } from '../../dispatch/modal.ts';
import { definePager, pageLine, toTurned } from '../../dispatch/pager.ts';
import { afterwards } from '../../dispatch/receipts.ts';
import { toClaimed } from '../../incident/claim-note.ts';
import { incidentLabel } from '../../incident/incident-name.ts';
import { readKnown } from '../../incident/read-incident.ts';
import { chooseRoles, fold, forgetRoles, type RoleChoice } from '../../incident/roles.ts';
import { toOthers } from '../../people/directory.ts';
import { findMentioned } from '../../people/mentions.ts';
import type { Person } from '../../people/person.ts';
import { actions, mention, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { toPages } from '../../text/pages.ts';
import { toOneLine } from '../../text/words.ts';
import { holdersOf, listRoles, readHolders } from './holders.ts';
import { assignRole, type Holder, holderName, toHolder } from './intents.ts';

/** Roles that a list can offer (docs/slack.md 5). */
const maxOptions = 100;

/** Takes a free role. When it has a holder already, says who. */
const takeButton = defineButton({
  id: 'role.take',
  label: 'Take',
  style: 'primary',
  value: z.object({ incidentID: z.string(), role: z.string(), inList: z.boolean(), page: z.number().default(0) }),
  run: async (ctx, { value: { incidentID, role, inList, page } }) => {
    const { deps } = ctx;
    const incident = await readKnown(deps, incidentID);
    const holders = holdersOf(await readHolders(deps, incident), role);
    const words =
      holders.length > 0
        ? {
            text: `${holders.map(holderName).join(' and ')} ${holders.length > 1 ? 'are' : 'is'} ${toMrkdwn(role, 100)} already. Nothing was changed.`,
          }
        : await assign(ctx, incidentID, role, [ctx.actor]);
    if (!words) return;
    await ctx.replace(inList ? await roleListWords(deps, ctx.now, incidentID, page, words.text) : words);
    if (holders.length > 0) deps.cards.refresh(incidentID);
  },
});

/** `ids` are Slack ids of the people named so far. */
const Gift = z.object({ incidentID: z.string(), role: z.string(), ids: z.array(z.string()) });
type Gift = z.output<typeof Gift>;

/** Does what a mistyped command may have meant. Its label names the role. */
export const giveButton = defineButton<Gift>({
  id: 'role.give',
  label: 'Assign',
  value: Gift,
  run: (ctx, { value: { incidentID, role, ids } }) => giveTo(ctx, incidentID, role, ids),
});

/** Opens the form; `role` may be `""`. */
export const formButton = defineButton<Gift>({
  id: 'role.form',
  label: 'Assign role',
  value: Gift,
  run: (ctx, { value: { incidentID, role, ids } }) => openForm(ctx, incidentID, role, ids),
});

/** Lists the roles of an incident and who holds them. */
const rolesButton = defineButton({
  id: 'role.list',
  label: 'Roles',
  value: OnIncident,
  reads: true,
  run: async (ctx, { value: { incidentID } }) => ctx.answer(await roleListWords(ctx.deps, ctx.now, incidentID)),
});

/** All of the buttons. */
export const roleButtons: readonly Button[] = [takeButton, giveButton, formButton, rolesButton] as Button[];

/** What the roles put on an incident's card. */
export function cardButtons(
  { incidentID, status, incidentMembership }: Incident,
  commander: string,
): readonly CardButton[] {
  const isLed = incidentMembership.assignments.some(each => fold(each.role.name) === fold(commander));
  const lead = { incidentID, role: commander, inList: false, page: 0 };
  return [
    ...(isLed || commander === '' || status === 'resolved'
      ? []
      : [onCard('lead', takeButton, lead, { label: 'Take command', style: 'primary' })]),
    onCard('menu', rolesButton, { incidentID }),
  ];
}

/** The form that assigns a role. `ids` are Slack ids of several people whom the command named. */
export const form = defineModal({
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
    const { roles } = await chooseRoles(ctx.deps, ctx.now);
    const role = roles.find(each => each.name === name);
    if (role) await giveTo(ctx, incidentID, role.name, ids);
    else
      await ctx.reject(
        'That role was removed in the meantime. Nobody was assigned. `/role list` shows the roles there are.',
      );
  },
});

/** Opens the form. When nobody was named, it names the person who asks. `choice` are the roles, where they have been read. */
export async function openForm(
  ctx: Context,
  incidentID: string,
  role: string,
  ids: readonly string[],
  choice?: RoleChoice,
): Promise<void> {
  const all = choice ?? (await chooseRoles(ctx.deps, ctx.now));
  const roles = all.roles.filter(each => !each.archived).slice(0, maxOptions);
  if (roles.length === 0) {
    return ctx.reject(
      'There are no roles to assign. An administrator of this workspace can add one with `/role create`.',
    );
  }
  const chosen = roles.find(each => fold(each.name) === fold(role));
  const several = ids.length > 1 ? [...ids] : [];
  const filled = { person: ids[0] ?? ctx.actor.userId, ...(chosen ? { role: chosen.name } : {}) };
  await ctx.openForm(form, { incidentID, ids: several }, filled, {
    role: roles.map(each => ({ value: each.name, label: each.name })),
  });
}

/** People named at once, at most. */
export const maxPeople = 10;

/** Assigns a role to the people of these Slack ids; when one of them cannot be named, to none. */
export async function giveTo(ctx: Context, incidentID: string, role: string, ids: readonly string[]): Promise<void> {
  const again = actions([pressable(formButton, { incidentID, role, ids: [] })]);
  if (ids.length > maxPeople) {
    return ctx.reject(`At most ${maxPeople} people at once, and you named ${ids.length}. Nobody was assigned.`);
  }
  const found = await findMentioned(ctx.deps, ids, 'role');
  if ('problem' in found) return ctx.reject(`${found.problem} Nobody was assigned.`, [again]);
  const words = await assign(ctx, incidentID, role, found.people);
  if (words) await ctx.answer(words);
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
    const hasMore = person !== people.at(-1);
    const outcome = await ctx.submit(assignRole, payload, {
      incidentID,
      step: person.userId,
      others: toOthers([named]),
      hasMore,
    });
    if (outcome.state === 'done') all.push(await afterwards(ctx, assignRole, payload, outcome));
    else {
      if (outcome.state === 'failed') forgetRoles(ctx.deps.api);
      await ctx.answerNotDone(assignRole, payload, outcome);
    }
  }
  if (all.length === 0) return undefined;
  return {
    text: all.map(each => each.text).join('\n'),
    blocks: all.flatMap(each => each.blocks ?? [section(each.text)]),
  };
}

/** Turns the pages of the list of roles. */
export const rolePager = definePager({
  id: 'role.list',
  value: z.object({ incidentID: z.string() }),
  show: async (ctx, { incidentID }, page) => ctx.replace(await roleListWords(ctx.deps, ctx.now, incidentID, page)),
});

/** A page of the list of roles and their holders, under a notice of mrkdwn. Throws an RpcError when it cannot be read. */
export async function roleListWords(
  deps: Deps,
  now: Date,
  incidentID: string,
  wanted = 0,
  notice = '',
): Promise<Words> {
  const { incident } = await deps.api.IncidentsService.GetIncident({ incidentID });
  const roles = listRoles((await chooseRoles(deps, now)).roles, incident);
  const held = await readHolders(deps, incident);
  const title = `*Roles of ${incidentLabel(incidentID)}* “${toMrkdwn(incident.title, 100)}”`;
  const toRow = (role: Role, page: number) => roleRow(incidentID, role, holdersOf(held, role.name), page);
  const pages = toPages(roles.map(role => JSON.stringify(toRow(role, 0)).length));
  const turned = toTurned(wanted, pages.length);
  const rows = roles.slice(pages[turned.page], pages[turned.page + 1]).map(role => toRow(role, turned.page));
  return {
    text: notice || title,
    blocks: [
      ...(notice ? [section(notice)] : []),
      section(title),
      ...rows,
      ...pageLine(turned),
      ...(roles.length === 0
        ? [section('There are no roles yet. An administrator of this workspace can add one with `/role create`.')]
        : []),
      actions([...rolePager.turns({ incidentID }, turned), pressable(formButton, { incidentID, role: '', ids: [] })]),
    ],
  };
}

/** The roles of an incident that a person holds. */
export async function ownRolesWords({ deps, actor }: Context, incidentID: string): Promise<Words> {
  const { incident } = await deps.api.IncidentsService.GetIncident({ incidentID });
  const held = await readHolders(deps, incident);
  const names = held.filter(({ holder }) => holder.slackUserID === actor.userId).map(each => toMrkdwn(each.role, 100));
  const count = names.length === 0 ? 'none' : names.join(', ');
  const text = `*Your roles in ${incidentLabel(incidentID)}* “${toMrkdwn(incident.title, 100)}”: ${count}`;
  return { text, blocks: [section(text), actions([pressable(formButton, { incidentID, role: '', ids: [] })])] };
}

function roleRow(incidentID: string, role: Role, holders: readonly Holder[], page: number): KnownBlock {
  const matters = role.mandatory || role.important;
  const who = holders.length > 0 ? holders.map(holderName).join(', ') : matters ? ':warning: nobody' : 'nobody';
  const archived = role.archived ? ' (archived)' : '';
  const what = role.description ? `\n${toMrkdwn(toOneLine(role.description), 150)}` : '';
  return section(
    `*${toMrkdwn(role.name, 100)}*${archived}: ${who}${what}`,
    holders.length === 0 && matters && !role.archived
      ? pressable(
          takeButton,
          { incidentID, role: role.name, inList: true, page },
          { spoken: `Take the role ${role.name}` },
        )
      : undefined,
  );
}
