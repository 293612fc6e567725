import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Api } from '../../../contract/contract.ts';
import { RpcError } from '../../../contract/errors.ts';
import { Role } from '../../../contract/roles.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { type Button, defineButton, intentButton, pressable, type Verb } from '../../dispatch/feature/feature.ts';
import { checksField, defineModal, fieldValue, fieldValues, textField } from '../../dispatch/forms/modal.ts';
import { clampPage, definePager, pageLine } from '../../dispatch/surfaces/pager.ts';
import { defineIntent, type IntentContext, toUndo, type Undo } from '../../incident/acts/intent-kind.ts';
import { onlyFrom, refuseUnless } from '../../incident/acts/only-from.ts';
import { fold, forgetRoles } from '../../incident/state/roles.ts';
import { mustPass, whyNotAdmin } from '../../people/reach.ts';
import { actions, code, confirmLoss, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { nearest } from '../../text/distance.ts';
import { toPages } from '../../text/pages.ts';
import { signs } from '../../text/signs.ts';
import { toOneLine } from '../../text/words.ts';

/** The members of a role that people decide about. */
const RoleFields = z.object({
  name: z.string(),
  description: z.string(),
  important: z.boolean(),
  mandatory: z.boolean(),
});
/** The members of a role that people decide about. */
type RoleFields = z.output<typeof RoleFields>;

/** The queue of changes of the list of roles: they belong to no incident. */
const roleLane = () => 'roles';

/** A role without its ids and times. */
function toFields({ name, description, important, mandatory }: Role): RoleFields {
  return { name, description, important, mandatory };
}

/** A role with the texts that people wrote as `change` makes them. */
function mapFields<F extends RoleFields>(fields: F, change: (text: string) => string): F {
  return { ...fields, name: change(fields.name), description: change(fields.description) };
}

function quoted(name: string): string {
  return `*${toMrkdwn(name, 100)}*`;
}

async function readRole(api: Api, { call }: IntentContext, roleID: number): Promise<Role | undefined> {
  const { roles } = await api.RolesService.GetRoles({}, call);
  return roles.find(role => role.roleID === roleID);
}

async function needRole(context: IntentContext, roleID: number): Promise<Role> {
  const role = await readRole(context.api, context, roleID);
  if (!role) throw new RpcError('not_found', 'the role was deleted', { maybeApplied: false });
  return role;
}

/** Adds a role. */
export const createRole = defineIntent({
  kind: 'role.create',
  lane: roleLane,
  needsAdmin: true,
  payload: RoleFields,
  result: z.object({ role: Role }),
  run: async ({ api, call }, fields) => {
    const { role } = await api.RolesService.CreateRole({ role: { ...fields, roleID: 0 } }, call);
    forgetRoles(api);
    return { role };
  },
  // Names are unique, so a role of this name with these members is the one whose answer was lost.
  reconcile: async ({ api, call }, fields) => {
    const { roles } = await api.RolesService.GetRoles({}, call);
    const role = roles.find(each => JSON.stringify(toFields(each)) === JSON.stringify(fields));
    forgetRoles(api);
    return role && { role };
  },
  did: ({ name }, { result }) => ({
    ...{ sign: signs.added, verb: 'create', what: `the role ${quoted(result?.role.name ?? name)}` },
    more: `${code(`/role assign @somebody ${name}`, 130)} gives it to a person.`,
    room: [],
  }),
  mapTexts: mapFields,
  undo: ({ role }): Undo => toUndo(deleteRole, { roleID: role.roleID, name: role.name }),
});

/** Replaces what people decide about a role. */
export const updateRole = defineIntent({
  kind: 'role.update',
  lane: roleLane,
  needsAdmin: true,
  payload: RoleFields.extend({ roleID: z.number(), only: onlyFrom }),
  result: z.object({ before: RoleFields, after: RoleFields }),
  run: async (context, { roleID, only, ...fields }) => {
    const { api, call } = context;
    const current = await needRole(context, roleID);
    const before = toFields(current);
    refuseUnless(JSON.stringify(before), only, before.name);
    const { role } = await api.RolesService.UpdateRole({ role: { ...current, ...fields } }, call);
    forgetRoles(api);
    return { before, after: toFields(role) };
  },
  did: ({ name }, { result }) => {
    if (!result) return { verb: 'change', what: `the role ${quoted(name)}`, room: [] };
    const { before, after } = result;
    if (JSON.stringify(before) === JSON.stringify(after))
      return { fact: `You changed nothing in the role ${quoted(after.name)}, so it stays as it is.` };
    const renamed = before.name === after.name ? '' : `It was called ${quoted(before.name)}.`;
    return { sign: signs.changed, verb: 'change', what: `the role ${quoted(after.name)}`, more: renamed, room: [] };
  },
  mapTexts: mapFields,
  undo: ({ before, after }, { roleID }): Undo | undefined => {
    const only = JSON.stringify(after);
    return only === JSON.stringify(before) ? undefined : toUndo(updateRole, { roleID, ...before, only });
  },
});

/** Archives a role, or takes it out of the archive. */
export const setArchived = defineIntent({
  kind: 'role.archive',
  lane: roleLane,
  needsAdmin: true,
  payload: z.object({ roleID: z.number(), name: z.string(), archived: z.boolean() }),
  result: z.object({ didChange: z.boolean() }),
  run: async (context, { roleID, archived }) => {
    const { api, call } = context;
    const current = await needRole(context, roleID);
    if (current.archived === archived) return { didChange: false };
    const { ArchiveRole, UnarchiveRole } = api.RolesService;
    await (archived ? ArchiveRole : UnarchiveRole)({ roleID }, call);
    forgetRoles(api);
    return { didChange: true };
  },
  did: ({ name, archived }, { result }) => {
    if (result?.didChange === false)
      return { fact: `The role ${quoted(name)} is ${archived ? 'archived' : 'active'} already.`, isUnchanged: true };
    const what = `the role ${quoted(name)}`;
    return archived
      ? { sign: signs.changed, verb: 'archive', what, more: 'Nobody can be given it; holders keep it.', room: [] }
      : { sign: signs.changed, verb: 'unarchive', what, more: 'It can be given again.', room: [] };
  },
  undo: ({ didChange }, wish): Undo | undefined =>
    didChange ? toUndo(setArchived, { ...wish, archived: !wish.archived }) : undefined,
});

/** Removes a role. Assignments already made keep a copy (docs/incident-api.md, RolesService). */
export const deleteRole = defineIntent({
  kind: 'role.delete',
  lane: roleLane,
  needsAdmin: true,
  payload: z.object({ roleID: z.number(), name: z.string() }),
  result: z.object({}),
  run: async ({ api, call }, { roleID }) => {
    await api.RolesService.DeleteRole({ roleID }, call);
    forgetRoles(api);
    return {};
  },
  reconcile: async (context, { roleID }) => {
    forgetRoles(context.api);
    return (await readRole(context.api, context, roleID)) ? undefined : {};
  },
  did: ({ name }) => ({
    ...{ sign: signs.removed, verb: 'delete', what: `the role ${quoted(name)}` },
    more: 'Holders keep it in their incidents.',
    room: [],
  }),
});

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

async function showCatalogue(ctx: Context, wanted = 0, notice = ''): Promise<void> {
  const roles = await readAll(ctx);
  const rows = roles.map(toRow);
  const pages = toPages(rows.map(row => JSON.stringify(row).length));
  const turned = clampPage(wanted, pages.length);
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

/** The acts on one role, by the word that was typed. */
const acts: Readonly<Record<string, (ctx: Context, role: Role) => Promise<unknown>>> = {
  manage: openRoleForm,
  edit: openRoleForm,
  archive: (ctx, { roleID, name }) => ctx.carryOut(setArchived, { roleID, name, archived: true }),
  unarchive: (ctx, { roleID, name }) => ctx.carryOut(setArchived, { roleID, name, archived: false }),
  delete: (ctx, { roleID, name }) =>
    ctx.reject(`Delete the role *${toMrkdwn(name, 100)}*? Nobody can be given it again; holders keep it.`, [
      actions([pressable(deleteButton, { roleID, name }, { label: 'Delete it' })]),
    ]),
};

const typed = { needsNoun: true, argumentKind: 'text', usage: '[role]' } as const;

/** The command of administrators on the roles of all incidents. Without a name, it lists them with their buttons. */
export const catalogueVerb: Verb = {
  ...typed,
  noun: 'role',
  verb: 'manage',
  leads: true,
  summary:
    'See all roles with buttons that create, edit, archive and delete them. Administrators of the workspace can.',
  words: [
    { ...typed, verb: 'create', aliases: ['new'], usage: '[name]' },
    { ...typed, verb: 'edit' },
    { ...typed, verb: 'archive', aliases: ['retire'] },
    { ...typed, verb: 'unarchive' },
    { ...typed, verb: 'delete' },
  ],
  about: 'anything',
  run: async (ctx, { verb, text }) => {
    if (verb === 'create') return openRoleForm(ctx, undefined, text);
    if (text === '') return showCatalogue(ctx);
    const role = await findTyped(ctx, text);
    if (role) await acts[verb]?.(ctx, role);
  },
};
