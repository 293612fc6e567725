import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Role } from '../../../contract/roles.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { type Button, defineButton, intentButton, pressable, type Verb } from '../../dispatch/feature/feature.ts';
import { checksField, defineModal, fieldValue, fieldValues, textField } from '../../dispatch/forms/modal.ts';
import { definePager, pageLine, toTurned } from '../../dispatch/surfaces/pager.ts';
import type { Args } from '../../grammar/grammar.ts';
import { fold, forgetRoles } from '../../incident/state/roles.ts';
import { mustPass, whyNotAdmin } from '../../people/access.ts';
import { actions, confirmLoss, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { nearest } from '../../text/distance.ts';
import { toPages } from '../../text/pages.ts';
import { toOneLine } from '../../text/words.ts';
import { createRole, deleteRole, type RoleFields, setArchived, toFields, updateRole } from './catalogue-intents.ts';

/** Most characters of a role's name (docs/api-rules.md A8). */
const maxName = 100;
/** Most characters of a description. */
const maxDescription = 500;

/** The form of a role; `roleID` 0 is a new one. */
export const catalogueForm = defineModal({
  id: 'role.edit',
  state: z.object({ roleID: z.number() }),
  view: ({ roleID }, filled) => ({
    title: roleID === 0 ? 'Create a role' : 'Edit a role',
    submit: roleID === 0 ? 'Create' : 'Save',
    blocks: [
      textField({ id: 'name', label: 'Name', placeholder: 'communications lead' }, filled),
      textField({ id: 'description', label: 'What does it do?', optional: true }, filled),
      checksField(
        {
          id: 'weight',
          label: 'How much does it matter?',
          optional: true,
          options: [
            { value: 'important', label: 'Important', description: 'Lists show a warning while nobody holds it' },
            { value: 'mandatory', label: 'Mandatory', description: 'Every incident needs it' },
          ],
        },
        filled,
      ),
    ],
  }),
  check: filled => {
    const name = toOneLine(fieldValue(filled, 'name')).trim();
    const description = fieldValue(filled, 'description').trim();
    if (name === '') return { problems: { name: 'Give the role a name.' } };
    if (name.length > maxName) return { problems: { name: `A name has at most ${maxName} characters.` } };
    if (description.length > maxDescription) {
      return { problems: { description: `A description has at most ${maxDescription} characters.` } };
    }
    const weight = fieldValues(filled, 'weight');
    return {
      value: { name, description, important: weight.includes('important'), mandatory: weight.includes('mandatory') },
    };
  },
  submit: async (ctx, fields: RoleFields, { roleID }) => {
    if (roleID === 0) await ctx.carryOut(createRole, fields);
    else await ctx.carryOut(updateRole, { ...fields, roleID });
  },
});

/** `role` absent: a new one. */
function openRoleForm(ctx: Context, role: Role | undefined, name = ''): Promise<void> {
  mustPass(whyNotAdmin, ctx.actor);
  if (!role) return ctx.openForm(catalogueForm, { roleID: 0 }, { name });
  const { description, important, mandatory } = toFields(role);
  const weight = [...(important ? ['important'] : []), ...(mandatory ? ['mandatory'] : [])];
  return ctx.openForm(catalogueForm, { roleID: role.roleID }, { name: role.name, description, weight });
}

const OneRole = z.object({ roleID: z.number(), name: z.string() });

const createButton = defineButton({
  id: 'role.create',
  label: 'Create a role',
  value: z.object({ name: z.string() }),
  run: (ctx, { value }) => openRoleForm(ctx, undefined, value.name),
});

const editButton = defineButton({
  id: 'role.edit',
  label: 'Edit',
  value: OneRole,
  run: async (ctx, { value: { roleID } }) => {
    const role = (await readAll(ctx)).find(each => each.roleID === roleID);
    await (role ? openRoleForm(ctx, role) : showCatalogue(ctx, 0, 'That role was deleted in the meantime.'));
  },
});

const archiveButton = intentButton(setArchived, { id: 'role.archive', label: 'Archive' });
const deleteButton = intentButton(deleteRole, { id: 'role.delete', label: 'Delete', style: 'danger' });

const pager = definePager({
  id: 'role',
  value: z.object({}),
  show: (ctx, _list, page) => showCatalogue(ctx, page),
});

/** The buttons of the list of roles. */
export const catalogueButtons: readonly Button[] = [
  createButton,
  editButton,
  archiveButton,
  deleteButton,
  ...pager.buttons,
] as Button[];

/** All roles, as the API has them at this moment. */
async function readAll(ctx: Context): Promise<readonly Role[]> {
  forgetRoles(ctx.deps.api);
  const { roles } = await ctx.deps.api.RolesService.GetRoles({});
  return roles;
}

/** Shows a page of the list of all roles. */
async function showCatalogue(ctx: Context, wanted = 0, notice = ''): Promise<void> {
  const roles = await readAll(ctx);
  const rows = roles.map(toRow);
  const pages = toPages(rows.map(row => JSON.stringify(row).length));
  const turned = toTurned(wanted, pages.length);
  const title = `*The roles of all incidents*: ${roles.length === 0 ? 'none yet' : roles.length}`;
  const words: Words = {
    text: notice || `${title.replaceAll('*', '')}: ${roles.map(role => toMrkdwn(role.name, 60)).join(', ')}`,
    blocks: [
      ...(notice ? [section(notice)] : []),
      section(title),
      ...rows.slice(pages[turned.page], pages[turned.page + 1]).flat(),
      ...pageLine(turned),
      actions([...pager.turns({}, turned), pressable(createButton, { name: '' })]),
    ],
  };
  await ctx.replace(words);
}

function toRow(role: Role): KnownBlock[] {
  const { roleID, name, description, important, mandatory, archived } = role;
  const marks = [important && 'important', mandatory && 'mandatory', archived && 'archived'].filter(each => each);
  const about = description ? `\n${toMrkdwn(toOneLine(description), 150)}` : '';
  const marked = marks.length > 0 ? ` (${marks.join(', ')})` : '';
  const target = { roleID, name };
  const archive = archived ? 'Unarchive' : archiveButton.label;
  const spoken = (label: string) => `${label} the role ${name}`;
  const loss = `Nobody can be given ${name} again. Holders keep it.`;
  const confirm = confirmLoss('Delete this role?', loss, 'Delete');
  return [
    section(`*${toMrkdwn(name, 100)}*${marked}${about}`),
    actions([
      pressable(editButton, target, { spoken: spoken(editButton.label) }),
      pressable(archiveButton, { ...target, archived: !archived }, { label: archive, spoken: spoken(archive) }),
      { ...pressable(deleteButton, target, { spoken: spoken(deleteButton.label) }), confirm },
    ]),
  ];
}

/** The role of that name, archived ones included. Otherwise answers with the nearest ones, and returns undefined. */
async function findTyped(ctx: Context, typed: string): Promise<Role | undefined> {
  mustPass(whyNotAdmin, ctx.actor);
  const roles = await readAll(ctx);
  const found = roles.find(role => role.name === typed) ?? roles.find(role => fold(role.name) === fold(typed));
  if (found) return found;
  const near = nearest(fold(typed), roles, role => fold(role.name));
  const meant = near ? ` Did you mean ${toMrkdwn(near.name, 60)}?` : '';
  await ctx.reject(`There is no role “${toMrkdwn(typed, 60)}”.${meant} Nothing was changed.`, [
    actions([pressable(createButton, { name: typed.slice(0, maxName) }, { label: 'Create it' })]),
  ]);
  return undefined;
}

/** Runs an act on the role that was typed; without a name, shows the list of roles. */
function onTyped(act: (ctx: Context, role: Role) => Promise<unknown>) {
  return async (ctx: Context, { sentence }: Args): Promise<void> => {
    if (sentence === '') return showCatalogue(ctx);
    const role = await findTyped(ctx, sentence);
    if (role) await act(ctx, role);
  };
}

const archive = (archived: boolean) =>
  onTyped((ctx, { roleID, name }) => ctx.carryOut(setArchived, { roleID, name, archived }));

const common = { noun: 'role', about: 'anything', needsNoun: true, begins: 'text' } as const;

/** The commands of administrators on the roles of all incidents. */
export const catalogueVerbs: readonly Verb[] = [
  {
    ...common,
    verb: 'create',
    aliases: ['new'],
    usage: '[name]',
    summary: 'Add a role that incidents can have, in a form. Administrators of the workspace can.',
    run: (ctx: Context, { sentence }: Args) => openRoleForm(ctx, undefined, sentence),
  },
  {
    ...common,
    verb: 'edit',
    usage: '[role]',
    summary: 'Change a role in a form; without a name, see all roles with buttons. Administrators can.',
    run: onTyped((ctx, role) => openRoleForm(ctx, role)),
  },
  {
    ...common,
    verb: 'archive',
    aliases: ['retire'],
    usage: '[role]',
    summary: 'Keep a role from being given to anybody. Administrators can.',
    run: archive(true),
  },
  {
    ...common,
    verb: 'unarchive',
    usage: '[role]',
    summary: 'Let an archived role be given again. Administrators can.',
    run: archive(false),
  },
  {
    ...common,
    verb: 'delete',
    usage: '[role]',
    summary: 'Delete a role, after a question. Administrators can.',
    run: onTyped((ctx, { roleID, name }) =>
      ctx.reject(`Delete the role *${toMrkdwn(name, 100)}*? Nobody can be given it again; holders keep it.`, [
        actions([pressable(deleteButton, { roleID, name }, { label: 'Delete it' })]),
      ]),
    ),
  },
];
