import { type Check, checksOf, expectRefusal, expectSame, expectThere } from './check.ts';
import type { Fixtures } from './fixtures.ts';

const documents = 'docs/incident-api.md, RolesService';
const getRoles = checksOf('RolesService.GetRoles', documents);
const create = checksOf('RolesService.CreateRole', documents);
const update = checksOf('RolesService.UpdateRole', documents);
const archive = checksOf('RolesService.ArchiveRole', documents);
const unarchive = checksOf('RolesService.UnarchiveRole', documents);
const remove = checksOf('RolesService.DeleteRole', documents);

const noRole = 987_654_321;

/** Real servers allow five active roles at most, so the kit never has more than one. */
async function withRole(
  fixtures: Fixtures,
  name: string,
  work: (role: { roleID: number; name: string }) => Promise<void>,
) {
  const role = await fixtures.role(`${fixtures.prefix} ${name}`);
  try {
    await work(role);
  } finally {
    await fixtures.api.RolesService.DeleteRole({ roleID: role.roleID }).catch(() => undefined);
  }
}

const find = async (fixtures: Fixtures, roleID: number) =>
  (await fixtures.api.RolesService.GetRoles({})).roles.find(each => each.roleID === roleID);

/** Roles. */
export const roleChecks: readonly Check[] = [
  getRoles.required('lists the roles', async fixtures => {
    const { roles } = await fixtures.api.RolesService.GetRoles({});
    expectThere(
      roles.find(each => each.name === 'commander'),
      'a commander',
      roles.map(each => each.name),
    );
  }),
  create.required('adds a role', fixtures =>
    withRole(fixtures, 'scribe', async ({ roleID, name }) => {
      const found = expectThere(await find(fixtures, roleID), `role ${roleID} in the list`, 'a list without it');
      expectSame('name, important, archived', [found.name, found.important, found.archived], [name, true, false]);
    }),
  ),
  create.ours('refuses a name that is taken, in any case', 'A8', fixtures =>
    withRole(fixtures, 'double', async ({ name }) => {
      await expectRefusal(fixtures.api.RolesService.CreateRole({ role: { name: name.toUpperCase() } }), 'conflict');
    }),
  ),
  update.required('replaces a role', fixtures =>
    withRole(fixtures, 'liaison', async ({ roleID, name }) => {
      const role = { roleID, name: `${name}s`, description: 'changed', important: false, mandatory: true };
      const answer = await fixtures.api.RolesService.UpdateRole({ role });
      const { important, mandatory, description } = answer.role;
      expectSame(
        'members',
        [answer.role.name, description, important, mandatory],
        [`${name}s`, 'changed', false, true],
      );
    }),
  ),
  update.ours('answers 404 for a role that does not exist', 'A8', fixtures =>
    expectRefusal(
      fixtures.api.RolesService.UpdateRole({ role: { roleID: noRole, name: fixtures.prefix } }),
      'not_found',
    ),
  ),
  archive.required('archives a role', fixtures =>
    withRole(fixtures, 'archived', async ({ roleID }) => {
      await fixtures.api.RolesService.ArchiveRole({ roleID });
      expectSame('archived', (await find(fixtures, roleID))?.archived, true);
    }),
  ),
  archive.ours('lets nobody be given an archived role', 'A6', fixtures =>
    withRole(fixtures, 'closed', async ({ roleID, name }) => {
      await fixtures.api.RolesService.ArchiveRole({ roleID });
      const { incidentID } = await fixtures.incident('staffed');
      const call = fixtures.api.IncidentsService.AssignRole({
        incidentID,
        userID: await fixtures.person(),
        role: name,
      });
      await expectRefusal(call, 'invalid_argument');
    }),
  ),
  unarchive.required('takes a role back into use', fixtures =>
    withRole(fixtures, 'returned', async ({ roleID }) => {
      await fixtures.api.RolesService.ArchiveRole({ roleID });
      await fixtures.api.RolesService.UnarchiveRole({ roleID });
      expectSame('archived', (await find(fixtures, roleID))?.archived, false);
    }),
  ),
  remove.required('removes a role', fixtures =>
    withRole(fixtures, 'gone', async ({ roleID }) => {
      await fixtures.api.RolesService.DeleteRole({ roleID });
      expectSame('the role', await find(fixtures, roleID), undefined);
    }),
  ),
  remove.required(
    'answers 404 for a role that does not exist',
    fixtures => expectRefusal(fixtures.api.RolesService.DeleteRole({ roleID: noRole }), 'not_found'),
    'docs/api-rules.md A8 (R)',
  ),
];
