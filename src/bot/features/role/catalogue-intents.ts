import { z } from 'zod';
import type { Api } from '../../../contract/contract.ts';
import { RpcError } from '../../../contract/errors.ts';
import { Role } from '../../../contract/roles.ts';
import { defineIntent, type IntentContext, toUndo, type Undo } from '../../incident/acts/intent-kind.ts';
import { onlyFrom, refuseUnless } from '../../incident/acts/only-from.ts';
import { forgetRoles } from '../../incident/state/roles.ts';
import { code, sentence, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';

/** The members of a role that people decide about. */
export const RoleFields = z.object({
  name: z.string(),
  description: z.string(),
  important: z.boolean(),
  mandatory: z.boolean(),
});
/** The members of a role that people decide about. */
export type RoleFields = z.output<typeof RoleFields>;

/** The queue of changes of the list of roles: they belong to no incident. */
const roleLane = () => 'roles';

/** What a role is without its ids and times. */
export function toFields({ name, description, important, mandatory }: Role): RoleFields {
  return { name, description, important, mandatory };
}

/** The same with the texts that people wrote as `change` makes them. */
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
  mapTexts: mapFields,
  describe: ({ name }) => `create the role “${name}”`,
  undo: ({ role }): Undo => toUndo(deleteRole, { roleID: role.roleID, name: role.name }),
  answer: {
    receipt: ({ role }, _fields, repeated) =>
      sentence(
        repeated
          ? `The role ${quoted(role.name)} exists already. Nothing was added twice.`
          : `${signs.added} The role ${quoted(role.name)} is created. ${code(`/role assign @somebody ${role.name}`, 130)} gives it to somebody.`,
      ),
  },
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
  mapTexts: mapFields,
  describe: ({ name }) => `change the role “${name}”`,
  undo: ({ before, after }, { roleID }): Undo | undefined => {
    const only = JSON.stringify(after);
    return only === JSON.stringify(before) ? undefined : toUndo(updateRole, { roleID, ...before, only });
  },
  answer: {
    receipt: ({ before, after }) => {
      if (JSON.stringify(before) === JSON.stringify(after)) {
        return sentence(`You changed nothing in the role ${quoted(after.name)}, so it stays as it is.`);
      }
      const renamed = before.name === after.name ? '' : ` It was called ${quoted(before.name)}.`;
      return sentence(`${signs.changed} The role ${quoted(after.name)} is changed.${renamed}`);
    },
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
  describe: ({ name, archived }) => (archived ? `archive the role “${name}”` : `unarchive the role “${name}”`),
  undo: ({ didChange }, wish): Undo | undefined =>
    didChange ? toUndo(setArchived, { ...wish, archived: !wish.archived }) : undefined,
  answer: {
    receipt: ({ didChange }, { name, archived }) => {
      if (!didChange) {
        return sentence(
          `The role ${quoted(name)} is ${archived ? 'archived' : 'active'} already. Nothing was changed.`,
        );
      }
      return sentence(
        archived
          ? `${signs.changed} The role ${quoted(name)} is archived. Nobody can be given it; holders keep it.`
          : `${signs.changed} The role ${quoted(name)} can be given again.`,
      );
    },
  },
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
  describe: ({ name }) => `delete the role “${name}”`,
  answer: {
    receipt: (_result, { name }) =>
      sentence(`${signs.removed} The role ${quoted(name)} is deleted. Holders keep it in their incidents.`),
  },
});
