import type { Context, Modal } from '../../dispatch/feature/context.ts';
import { type Button, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import type { Args } from '../../grammar/grammar.ts';
import type { IntentKind } from '../../incident/acts/intent-kind.ts';
import { asksForOwn, readMentions } from '../../people/mentions.ts';
import { actions } from '../../text/blocks.ts';
import { form, formButton, giveButton, giveTo, maxPeople, openForm, roleButtons } from './assign.ts';
import { cardButtons, listButtons, reminderButtons, removeForm } from './buttons.ts';
import { catalogueButtons, catalogueForm, catalogueVerbs } from './catalogue.ts';
import { createRole, deleteRole, setArchived, updateRole } from './catalogue-intents.ts';
import {
  handOverButton,
  handOverForm,
  handOverFormButton,
  handOverTo,
  keepButton,
  openHandOver,
  runHandOver,
} from './handover.ts';
import { handOverRole } from './handover-intent.ts';
import { rolesPart } from './home.ts';
import { assignRole, unassignRole } from './intents.ts';
import { ownRolesWords, roleListWords, rolePager } from './list.ts';
import { findRole } from './names.ts';
import { postedRoles } from './posted.ts';
import { runLeave, runUnassign, toRoleWords } from './unassign.ts';

async function runAssign(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const mentioned = readMentions(args, ctx.actor.userId);
  const typed = toRoleWords(mentioned.text);
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
  const [only, ...more] = mentioned.ids;
  if (args.flags.replace && role !== '') {
    if (more.length > 0) return ctx.reject('With `--replace` one person takes over, so name one. Nobody was assigned.');
    return only === undefined ? openHandOver(ctx, incidentID, role) : handOverTo(ctx, { incidentID, role, to: only });
  }
  if (role === '' || mentioned.ids.length === 0)
    return openForm(ctx, incidentID, role, mentioned.ids.slice(0, maxPeople), choice);
  await giveTo(ctx, incidentID, role, mentioned.ids);
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
      under: { incident: ['assign', 'ic', 'commander', 'lead'] },
      fallback: 'argument',
      begins: 'words',
      usage: '[@user] [role] [--replace]',
      summary: 'Give somebody a role, or with `me` yourself. Without a name or a role, in a form.',
      flags: { replace: { kind: 'switch', aliases: ['instead'] } },
      about: 'incident',
      run: runAssign,
    },
    {
      noun: 'role',
      verb: 'handover',
      aliases: ['handoff', 'transfer', 'replace'],
      under: { incident: ['handover', 'handoff', 'transfer'] },
      begins: 'words',
      usage: '[@user] [role]',
      summary: 'Hand a role over: its holders lose it. Without a role, command; without a name, in a form.',
      about: 'incident',
      needsRegistered: true,
      run: runHandOver,
    },
    {
      noun: 'role',
      verb: 'unassign',
      aliases: ['remove', 'revoke', 'unset'],
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
      verb: 'leave',
      aliases: ['stepdown', 'resign', 'giveup', 'quit', 'drop', 'release', 'relinquish'],
      under: { incident: ['stepdown'] },
      needsNoun: ['leave', 'resign', 'giveup', 'quit', 'drop', 'release', 'relinquish'],
      begins: 'words',
      usage: '[role]',
      summary: 'Give up your own role. With several it asks which; `all` gives up all of them.',
      about: 'incident',
      needsRegistered: true,
      run: runLeave,
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
        'Show you who holds which role, with buttons to take free ones; with `me` your own. By mention, show everybody.',
      reads: true,
      about: 'incident',
      run: async (ctx, args, incidentID) => {
        if (asksForOwn(args.sentence)) return ctx.answer(await ownRolesWords(ctx, incidentID));
        if (await postedRoles.answerMention(ctx, { incidentID })) return;
        await ctx.answer(await roleListWords(ctx, incidentID));
      },
    },
    ...catalogueVerbs,
  ],
  modals: [form, handOverForm, removeForm, catalogueForm] as Modal[],
  buttons: [
    ...roleButtons,
    ...listButtons,
    ...rolePager.buttons,
    ...([handOverButton, keepButton, handOverFormButton] as Button[]),
    ...catalogueButtons,
  ],
  intents: [assignRole, unassignRole, handOverRole, createRole, updateRole, setArchived, deleteRole] as IntentKind[],
  onCard: cardButtons,
  onReminder: reminderButtons,
  onHome: rolesPart,
  operations: {
    'IncidentsService.AssignRole': [
      '/role assign',
      '/role handover',
      'form role.assign',
      'form role.handover',
      'button role.take',
      'button role.give',
      'button role.handover',
    ],
    'IncidentsService.UnassignRole': [
      '/role unassign',
      '/role leave',
      '/role handover',
      'form role.remove',
      'button role.remove',
    ],
    'IncidentsService.GetIncidentMembership': ['/role list'],
    'RolesService.GetRoles': ['/role list', '/role edit'],
    'RolesService.CreateRole': ['/role create', 'form role.edit', 'button role.create'],
    'RolesService.UpdateRole': ['/role edit', 'form role.edit', 'button role.edit'],
    'RolesService.ArchiveRole': ['/role archive', 'button role.archive'],
    'RolesService.UnarchiveRole': ['/role unarchive', 'button role.archive'],
    'RolesService.DeleteRole': ['/role delete', 'button role.delete'],
  },
};
