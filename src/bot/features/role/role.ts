import { z } from 'zod';
import type { Context } from '../../dispatch/context.ts';
import { defineButton, type Feature, pressable } from '../../dispatch/feature.ts';
import { choiceField, defineModal, fieldValue, userField } from '../../dispatch/modal.ts';
import type { Args } from '../../grammar/grammar.ts';
import { readKnown } from '../../incident/read-incident.ts';
import { readNamed } from '../../people/mentions.ts';
import { actions, mention, said, section } from '../../text/blocks.ts';
import { assign, giveTo, maxPeople, runUnassign, toRoleWords, wrong } from './actions.ts';
import { assignRole, toMrkdwn, unassignRole } from './intents.ts';
import { faces, holdersOf, roleListWords } from './list.ts';
import { chooseRoles, fold, matchRole } from './names.ts';

/** The role that the card asks for when nobody has it. */
const command = 'commander';
/** Roles that a list can offer (docs/slack.md 5). */
const maxOptions = 100;

/** The form that gives somebody a role. `ids` are Slack ids of several people who were named already. */
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
    const { roles } = await chooseRoles(ctx.deps.api, ctx.now);
    const role = roles.find(each => each.name === name);
    if (role) await giveTo(ctx, incidentID, role.name, ids);
    else
      await wrong(
        ctx,
        'That role was removed in the meantime. Nobody was assigned. `/role list` shows the roles there are.',
      );
  },
});

/** Opens the form, with whoever asks in it when nobody was named. */
async function openForm(ctx: Context, incidentID: string, role: string, ids: readonly string[]): Promise<void> {
  const all = (await chooseRoles(ctx.deps.api, ctx.now)).roles;
  const roles = all.filter(each => !each.archived).slice(0, maxOptions);
  if (roles.length === 0) {
    return wrong(ctx, 'There are no roles to assign. Add roles in the incident API first.');
  }
  const chosen = roles.find(each => fold(each.name) === fold(role));
  const several = ids.length > 1 ? [...ids] : [];
  const filled = { person: ids[0] ?? ctx.actor.userId, ...(chosen ? { role: chosen.name } : {}) };
  await ctx.openForm(form, { incidentID, ids: several }, filled, {
    role: roles.map(each => ({ value: each.name, label: each.name })),
  });
}

async function runAssign(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const named = readNamed(args, ctx.actor.userId);
  const typed = toRoleWords(named.rest);
  const { roles, isRead } = await chooseRoles(ctx.deps.api, ctx.now);
  const match = typed === '' ? undefined : matchRole(roles, typed, isRead);
  if (match && 'problem' in match) {
    const name = match.near?.name;
    const instead = name && named.ids.length > 0 && named.problem === '' && named.ids.length <= maxPeople;
    const offer = instead
      ? pressable(faces.give, `Assign ${name}`, { incidentID, role: name, ids: [...named.ids] })
      : pressable(faces.form, 'Assign role', { incidentID, role: name ?? '', ids: named.ids.slice(0, maxPeople) });
    return wrong(ctx, `${match.problem} Nobody was assigned.`, [actions([offer])]);
  }
  const role = match?.role.name ?? '';
  if (named.problem !== '') {
    const offer = pressable(faces.form, 'Assign role', { incidentID, role, ids: [] });
    return wrong(ctx, `${named.problem} Nobody was assigned.`, [actions([offer])]);
  }
  if (role === '' || named.ids.length === 0) return openForm(ctx, incidentID, role, named.ids.slice(0, maxPeople));
  await giveTo(ctx, incidentID, role, named.ids);
}

/** A button for whoever wants the role; once somebody has it, it says who. */
const takeButton = defineButton({
  ...faces.take,
  run: async (ctx, { value: { incidentID, role, inList } }) => {
    const { deps } = ctx;
    const incident = await readKnown(deps, incidentID);
    const holders = await holdersOf(deps, incident, role);
    const words =
      holders.length > 0
        ? {
            text: `${holders.map(toMrkdwn).join(' and ')} ${holders.length > 1 ? 'are' : 'is'} ${said(role, 100)} already. Nothing was changed.`,
          }
        : await assign(ctx, incidentID, role, [ctx.actor]);
    if (!words) return;
    await ctx.replace(inList ? await roleListWords(deps, ctx.now, incidentID, words.text) : words);
    if (holders.length > 0) deps.cards.refresh(incidentID);
  },
});

/** A button that does what a mistyped command may have meant. */
const giveButton = defineButton({
  ...faces.give,
  run: (ctx, { value: { incidentID, role, ids } }) => giveTo(ctx, incidentID, role, ids),
});

const formButton = defineButton({
  ...faces.form,
  run: (ctx, { value: { incidentID, role, ids } }) => openForm(ctx, incidentID, role, ids),
});

/** Who does what in an incident: giving and taking roles, and who holds them. */
export const role: Feature = {
  name: 'role',
  verbs: [
    {
      noun: 'role',
      verb: 'assign',
      aliases: ['give', 'set', 'make', 'add', 'appoint'],
      shorthands: { lead: command, ic: command, take: 'me', claim: 'me' },
      fallback: true,
      usage: '[@user] [role]',
      summary: 'Give somebody a role, or with `me` yourself. Without a name or a role, in a form.',
      about: 'incident',
      run: runAssign,
    },
    {
      noun: 'role',
      verb: 'unassign',
      aliases: ['remove', 'revoke', 'unset', 'drop'],
      usage: '[@user] <role>',
      summary: 'Take a role from somebody.',
      about: 'incident',
      needsRegistered: true,
      run: runUnassign,
    },
    {
      noun: 'role',
      verb: 'list',
      aliases: ['show', 'ls', 'who'],
      usage: '',
      summary: 'Show to you alone who holds which role, with buttons to take those that nobody has.',
      reads: true,
      about: 'incident',
      needsRegistered: true,
      run: async (ctx, _args, incidentID) => ctx.answer(await roleListWords(ctx.deps, ctx.now, incidentID)),
    },
  ],
  modals: [form],
  buttons: [takeButton, giveButton, formButton],
  intents: [assignRole, unassignRole],
  onCard: ({ incidentID, status, incidentMembership }) => {
    const isLed = incidentMembership.assignments.some(each => fold(each.role.name) === command);
    return [
      ...(isLed || status === 'resolved'
        ? []
        : [pressable(faces.take, 'Take command', { incidentID, role: command, inList: false }, 'primary')]),
      pressable(faces.form, 'Assign role', { incidentID, role: '', ids: [] }),
    ];
  },
};
