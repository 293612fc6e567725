import type { Context, Modal } from '../../dispatch/context.ts';
import { type Feature, pressable } from '../../dispatch/feature.ts';
import type { Args } from '../../grammar/grammar.ts';
import type { IntentKind } from '../../incident/intent-kind.ts';
import { chooseRoles, forgetRoles, type RoleChoice } from '../../incident/roles.ts';
import { asksForOwn, readMentions } from '../../people/mentions.ts';
import { actions } from '../../text/blocks.ts';
import {
  cardButtons,
  form,
  formButton,
  giveButton,
  giveTo,
  maxPeople,
  openForm,
  ownRolesWords,
  roleButtons,
  roleListWords,
  rolePager,
} from './buttons.ts';
import { catalogueButtons, catalogueForm, catalogueVerbs } from './catalogue.ts';
import { createRole, deleteRole, setArchived, updateRole } from './catalogue-intents.ts';
import { assignRole, unassignRole } from './intents.ts';
import { matchRole, type RoleMatch } from './names.ts';
import { runUnassign, toRoleWords } from './unassign.ts';

async function runAssign(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const mentioned = readMentions(args, ctx.actor.userId);
  const typed = toRoleWords(mentioned.rest);
  const { choice, match } = await findRole(ctx, typed);
  if (match && 'problem' in match) {
    const name = match.near?.name;
    const instead = name && mentioned.ids.length > 0 && mentioned.problem === '' && mentioned.ids.length <= maxPeople;
    const offer = instead
      ? pressable(giveButton, { incidentID, role: name, ids: [...mentioned.ids] }, { label: `Assign ${name}` })
      : pressable(formButton, { incidentID, role: name ?? '', ids: mentioned.ids.slice(0, maxPeople) });
    return ctx.reject(`${match.problem} Nobody was assigned.`, [actions([offer])]);
  }
  const role = match?.role.name ?? '';
  if (mentioned.problem !== '') {
    const offer = pressable(formButton, { incidentID, role, ids: [] });
    return ctx.reject(`${mentioned.problem} Nobody was assigned.`, [actions([offer])]);
  }
  if (role === '' || mentioned.ids.length === 0)
    return openForm(ctx, incidentID, role, mentioned.ids.slice(0, maxPeople), choice);
  await giveTo(ctx, incidentID, role, mentioned.ids);
}

/** The roles, and the one that was typed, if any. A role that is not among those read before may have been made since. */
async function findRole({ deps, now }: Context, typed: string): Promise<{ choice: RoleChoice; match?: RoleMatch }> {
  const choice = await chooseRoles(deps, now);
  if (typed === '') return { choice };
  const match = matchRole(choice, typed);
  if ('role' in match || !choice.isRead) return { choice, match };
  forgetRoles(deps.api);
  const again = await chooseRoles(deps, now);
  return { choice: again, match: matchRole(again, typed) };
}

/** Who does what in an incident: giving and taking roles, and who holds them. */
export const role: Feature = {
  name: 'role',
  verbs: [
    {
      noun: 'role',
      verb: 'assign',
      aliases: ['give', 'set', 'make', 'add', 'appoint'],
      shorthands: { lead: 'lead', ic: 'ic', commander: 'commander', take: 'me', claim: 'me' },
      under: { incident: ['assign', 'lead', 'ic', 'commander'] },
      fallback: 'argument',
      begins: 'words',
      usage: '[@user] [role]',
      summary: 'Give somebody a role, or with `me` yourself. Without a name or a role, in a form.',
      about: 'incident',
      run: runAssign,
    },
    {
      noun: 'role',
      verb: 'unassign',
      aliases: ['remove', 'revoke', 'unset', 'drop'],
      needsNoun: true,
      begins: 'words',
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
      under: { incident: ['who'] },
      shorthands: { mine: 'me' },
      bare: true,
      begins: 'nothing',
      usage: '[me]',
      summary:
        'Show to you alone who holds which role, with buttons to take those that nobody has; with `me` your own.',
      reads: true,
      about: 'incident',
      needsRegistered: true,
      run: async (ctx, args, incidentID) =>
        ctx.answer(
          asksForOwn(args.sentence)
            ? await ownRolesWords(ctx, incidentID)
            : await roleListWords(ctx.deps, ctx.now, incidentID),
        ),
    },
    ...catalogueVerbs,
  ],
  modals: [form, catalogueForm] as Modal[],
  buttons: [...roleButtons, ...rolePager.buttons, ...catalogueButtons],
  intents: [assignRole, unassignRole, createRole, updateRole, setArchived, deleteRole] as IntentKind[],
  onCard: cardButtons,
  operations: {
    'IncidentsService.AssignRole': ['/role assign', 'form role.assign', 'button role.take', 'button role.give'],
    'IncidentsService.UnassignRole': ['/role unassign'],
    'IncidentsService.GetIncidentMembership': ['/role list'],
    'RolesService.GetRoles': ['/role list', '/role edit'],
    'RolesService.CreateRole': ['/role create', 'form role.edit', 'button role.create'],
    'RolesService.UpdateRole': ['/role edit', 'form role.edit', 'button role.edit'],
    'RolesService.ArchiveRole': ['/role archive', 'button role.archive'],
    'RolesService.UnarchiveRole': ['/role unarchive', 'button role.archive'],
    'RolesService.DeleteRole': ['/role delete', 'button role.delete'],
  },
};
