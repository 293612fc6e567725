import { expect, test } from 'vitest';
import { call, openService, request } from '../../../support/service.ts';

const seeded = '2026-09-19T09:30:00.123Z';

test('a fresh organisation has three roles', async () => {
  await using opened = await openService();
  const { roles } = await call(opened, 'RolesService.GetRoles');
  const usual = { orgID: '1', archived: false, createdAt: seeded, updatedAt: seeded };
  const proper = { important: true, mandatory: true };
  expect(roles).toEqual([
    {
      ...usual,
      ...proper,
      roleID: 1,
      name: 'commander',
      description: 'Owns the incident (has their full-time attention)',
    },
    { ...usual, ...proper, roleID: 2, name: 'investigator', description: 'Finds the cause' },
    { ...usual, roleID: 3, name: 'observer', description: 'Watching the incident', important: false, mandatory: false },
  ]);
});

test('roles are added, replaced, archived and brought back', async () => {
  await using opened = await openService();
  const home = (await call(opened, 'IncidentsService.GetHomescreenVersion')).version;
  const { role } = await call(opened, 'RolesService.CreateRole', {
    role: { name: ' Scribe ', roleID: 99, orgID: '7', important: true },
  });
  expect(role).toEqual({
    roleID: 4,
    orgID: '1',
    name: 'Scribe',
    description: '',
    important: true,
    mandatory: false,
    archived: false,
    createdAt: seeded,
    updatedAt: seeded,
  });
  opened.now = new Date('2026-09-20T00:00:00Z');
  const replaced = await call(opened, 'RolesService.UpdateRole', {
    role: { roleID: 4, name: 'scribe', archived: true },
  });
  const after = { ...role, name: 'scribe', important: false, archived: true, updatedAt: '2026-09-20T00:00:00Z' };
  expect(replaced.role).toEqual(after);
  await call(opened, 'RolesService.UnarchiveRole', { roleID: 4 });
  await call(opened, 'RolesService.ArchiveRole', { roleID: 4 });
  const { roles } = await call(opened, 'RolesService.GetRoles');
  expect(roles[3]).toEqual(after);
  expect((await call(opened, 'IncidentsService.GetHomescreenVersion')).version).toBe(home + 4);

  opened.now = new Date('2026-09-21T00:00:00Z');
  await call(opened, 'RolesService.ArchiveRole', { roleID: 4 });
  await call(opened, 'RolesService.UpdateRole', { role: after });
  expect((await call(opened, 'RolesService.GetRoles')).roles).toEqual(roles);
  expect((await call(opened, 'IncidentsService.GetHomescreenVersion')).version).toBe(home + 4);
});

test('a deleted role stays with those who hold it, and its name is free again', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  const holder = { incidentID: '1', userID: 'u', role: 'observer' };
  await call(opened, 'IncidentsService.AssignRole', holder);
  await call(opened, 'RolesService.DeleteRole', { roleID: 3 });
  expect((await call(opened, 'RolesService.GetRoles')).roles.map(each => each.roleID)).toEqual([1, 2]);
  const { assignments } = await call(opened, 'IncidentsService.GetIncidentMembership', holder);
  expect(assignments[0]).toMatchObject({ roleID: 3, role: { name: 'observer', description: 'Watching the incident' } });
  expect(await request(opened, 'IncidentsService.AssignRole', { ...holder, userID: 'v' })).toMatchObject({
    status: 404,
  });
  expect((await call(opened, 'IncidentsService.UnassignRole', holder)).didChange).toBe(true);
  const { role } = await call(opened, 'RolesService.CreateRole', { role: { name: 'Observer' } });
  expect(role.roleID).toBe(4);
  expect(await request(opened, 'RolesService.DeleteRole', { roleID: 3 })).toMatchObject({
    status: 404,
    body: { code: 'roles.not_found' },
  });
});

test('an archived role cannot be given, and is kept by those who hold it', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  const holder = { incidentID: '1', userID: 'u', role: 'observer' };
  await call(opened, 'IncidentsService.AssignRole', holder);
  await call(opened, 'RolesService.ArchiveRole', { roleID: 3 });
  expect(await request(opened, 'IncidentsService.AssignRole', { ...holder, userID: 'v' })).toMatchObject({
    status: 400,
    body: { error: 'role "observer" is archived and cannot be assigned' },
  });
  expect((await call(opened, 'IncidentsService.AssignRole', holder)).didChange).toBe(false);
  expect((await call(opened, 'IncidentsService.UnassignRole', holder)).didChange).toBe(true);
});

test('bounds on active roles hold where they are enforced', async () => {
  await using opened = await openService({ enforceRoleBounds: true });
  const create = (name: string) => request(opened, 'RolesService.CreateRole', { role: { name } });
  await create('four');
  await create('five');
  const full = { status: 409, body: { code: 'roles.maximum_active_reached', retryable: false } };
  expect(await create('six')).toMatchObject(full);
  await call(opened, 'RolesService.ArchiveRole', { roleID: 5 });
  await create('six');
  expect(await request(opened, 'RolesService.UnarchiveRole', { roleID: 5 })).toMatchObject(full);
  for (const roleID of [6, 4, 3]) await call(opened, 'RolesService.DeleteRole', { roleID });
  const empty = { status: 409, body: { code: 'roles.minimum_active_required' } };
  expect(await request(opened, 'RolesService.DeleteRole', { roleID: 2 })).toMatchObject(empty);
  expect(await request(opened, 'RolesService.ArchiveRole', { roleID: 2 })).toMatchObject(empty);
  expect(await request(opened, 'RolesService.DeleteRole', { roleID: 77 })).toMatchObject({ status: 404 });
});

test.each([
  ['CreateRole', { role: { name: 'COMMANDER' } }, 409, 'role "commander" exists already'],
  ['CreateRole', { role: { name: '  ' } }, 400, 'role.name is required'],
  ['CreateRole', { role: { name: 'x'.repeat(101) } }, 400, 'role.name must be at most 100 characters'],
  ['CreateRole', {}, 400, 'role is required'],
  ['UpdateRole', { role: { roleID: 2, name: 'commander' } }, 409, 'role "commander" exists already'],
  ['UpdateRole', { role: { roleID: 9, name: 'x' } }, 404, 'role 9 was not found'],
  ['UpdateRole', { role: { name: 'x' } }, 400, 'role.roleID is required'],
  ['ArchiveRole', { roleID: 9 }, 404, 'role 9 was not found'],
  ['UnarchiveRole', { roleID: 1.5 }, 400, 'roleID must be a whole number'],
  ['DeleteRole', { roleID: '1' }, 400, 'roleID must be a whole number'],
])('%s of %j is refused', async (operation, input, status, error) => {
  await using opened = await openService();
  expect(await request(opened, `RolesService.${operation}`, input)).toMatchObject({ status, body: { error } });
});
