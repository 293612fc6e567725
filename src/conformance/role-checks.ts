import { type Check, checksOf, refused, same, there } from './check.ts';
import type { Desk } from './fixtures.ts';

const documents = 'docs/incident-api.md, RolesService';
const getRoles = checksOf('RolesService.GetRoles', documents);
const create = checksOf('RolesService.CreateRole', documents);
const update = checksOf('RolesService.UpdateRole', documents);
const archive = checksOf('RolesService.ArchiveRole', documents);
const unarchive = checksOf('RolesService.UnarchiveRole', documents);
const remove = checksOf('RolesService.DeleteRole', documents);

const noRole = 987_654_321;

/** Real servers take five active roles at most, so that the kit never has more than one. */
async function withRole(desk: Desk, name: string, work: (role: { roleID: number; name: string }) => Promise<void>) {
  const role = await desk.role(`${desk.prefix} ${name}`);
  try {
    await work(role);
  } finally {
    await desk.api.RolesService.DeleteRole({ roleID: role.roleID }).catch(() => undefined);
  }
}

const find = async (desk: Desk, roleID: number) =>
  (await desk.api.RolesService.GetRoles({})).roles.find(each => each.roleID === roleID);

/** Roles. */
export const roleChecks: readonly Check[] = [
  getRoles.required('lists the roles', async desk => {
    const { roles } = await desk.api.RolesService.GetRoles({});
    there(
      roles.find(each => each.name === 'commander'),
      'a commander',
      roles.map(each => each.name),
    );
  }),
  create.required('adds a role', desk =>
    withRole(desk, 'scribe', async ({ roleID, name }) => {
      const found = there(await find(desk, roleID), `role ${roleID} in the list`, 'a list without it');
      same('name, important, archived', [found.name, found.important, found.archived], [name, true, false]);
    }),
  ),
  create.ours('refuses a name that is taken, in any case', 'A8', desk =>
    withRole(desk, 'double', async ({ name }) => {
      await refused(desk.api.RolesService.CreateRole({ role: { name: name.toUpperCase() } }), 'conflict');
    }),
  ),
  update.required('replaces a role', desk =>
    withRole(desk, 'liaison', async ({ roleID, name }) => {
      const role = { roleID, name: `${name}s`, description: 'changed', important: false, mandatory: true };
      const answer = await desk.api.RolesService.UpdateRole({ role });
      const { important, mandatory, description } = answer.role;
      same('members', [answer.role.name, description, important, mandatory], [`${name}s`, 'changed', false, true]);
    }),
  ),
  update.ours('answers 404 for a role that there is not', 'A8', desk =>
    refused(desk.api.RolesService.UpdateRole({ role: { roleID: noRole, name: desk.prefix } }), 'not_found'),
  ),
  archive.required('archives a role', desk =>
    withRole(desk, 'archived', async ({ roleID }) => {
      await desk.api.RolesService.ArchiveRole({ roleID });
      same('archived', (await find(desk, roleID))?.archived, true);
    }),
  ),
  archive.ours('lets nobody be given an archived role', 'A6', desk =>
    withRole(desk, 'closed', async ({ roleID, name }) => {
      await desk.api.RolesService.ArchiveRole({ roleID });
      const { incidentID } = await desk.incident('staffed');
      const call = desk.api.IncidentsService.AssignRole({ incidentID, userID: await desk.person(), role: name });
      await refused(call, 'invalid_argument');
    }),
  ),
  unarchive.required('takes a role back into use', desk =>
    withRole(desk, 'returned', async ({ roleID }) => {
      await desk.api.RolesService.ArchiveRole({ roleID });
      await desk.api.RolesService.UnarchiveRole({ roleID });
      same('archived', (await find(desk, roleID))?.archived, false);
    }),
  ),
  remove.required('removes a role', desk =>
    withRole(desk, 'gone', async ({ roleID }) => {
      await desk.api.RolesService.DeleteRole({ roleID });
      same('the role', await find(desk, roleID), undefined);
    }),
  ),
  remove.required(
    'answers 404 for a role that there is not',
    desk => refused(desk.api.RolesService.DeleteRole({ roleID: noRole }), 'not_found'),
    'docs/api-rules.md A8 (R)',
  ),
];
