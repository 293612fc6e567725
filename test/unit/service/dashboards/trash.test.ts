import { expect, test } from 'vitest';
import { openDesk } from '../../../support/dashboards.ts';

const trash = (uid: string) => `/api/dashboards/uid/${uid}/trash`;

test('a deleted dashboard goes into the trash and comes back as it was', async () => {
  await using desk = await openDesk();
  await desk.save({ uid: 'd', title: 'Disks', tags: ['x'] }, { folderUid: 'ops' });
  const { id } = (await desk.get('d')).body.dashboard;

  const deleted = await desk.call('DELETE', '/api/dashboards/uid/d');

  expect(deleted.body).toEqual({ title: 'Disks', message: 'Dashboard Disks moved to Recently deleted', uid: 'd', id });
  expect((await desk.get('d')).status).toBe(404);
  expect((await desk.call('DELETE', '/api/dashboards/uid/d')).body).toEqual({ message: 'Dashboard not found' });

  const restored = await desk.call('PATCH', trash('d'));
  expect(restored.body).toMatchObject({ title: 'Disks', message: 'Dashboard Disks restored', uid: 'd' });
  const got = (await desk.get('d')).body;
  expect(got.dashboard.version).toBe(1);
  expect(got.meta.folderUid).toBe('ops');
  expect((await desk.call('PATCH', trash('d'))).status).toBe(404);
  expect((await desk.call('GET', '/api/dashboards/tags')).body).toEqual([{ term: 'x', count: 1 }]);
});

test('a dashboard is restored into another folder, where no other has its title', async () => {
  await using desk = await openDesk({ folders: [{ uid: 'ops', title: 'Ops' }] });
  await desk.save({ uid: 'd', title: 'Disks' });
  await desk.call('DELETE', '/api/dashboards/uid/d');
  await desk.save({ uid: 'e', title: 'Disks' });

  expect((await desk.call('PATCH', trash('d'), {})).body).toEqual({
    message: 'A dashboard with the same name in the folder already exists',
    status: 'name-exists',
  });
  expect((await desk.call('PATCH', trash('d'), '{')).body).toEqual({ message: 'bad request data' });
  const lost = await desk.call('PATCH', trash('d'), { folderUid: 'nowhere' });
  expect([lost.status, lost.body.message]).toEqual([400, 'Restoring folder not found']);
  expect((await desk.call('PATCH', trash('d'), { folderUid: 'ops' })).status).toBe(200);
  expect((await desk.get('d')).body.meta.folderTitle).toBe('Ops');
});

test('only what is in the trash is deleted for good', async () => {
  await using desk = await openDesk({ folders: [{ uid: 'ops', title: 'Ops' }] });
  await desk.save({ uid: 'd', title: 'Disks', tags: ['x'] });
  expect((await desk.call('DELETE', trash('d'))).body).toEqual({ message: 'Dashboard not found' });
  const folder = await desk.call('DELETE', trash('ops'));
  expect([folder.status, folder.body.message]).toEqual([400, 'Use folders endpoint for deleting folders.']);
  await desk.call('DELETE', '/api/dashboards/uid/d');

  const gone = await desk.call('DELETE', trash('d'));

  expect(gone.body).toMatchObject({ title: 'Disks', message: 'Dashboard Disks deleted', uid: 'd' });
  expect((await desk.call('PATCH', trash('d'))).status).toBe(404);
  for (const table of ['dashboard', 'dashboard_tag', 'dashboard_version'] as const) {
    expect(await desk.tables.selectFrom(table).selectAll().execute()).toEqual([]);
  }
  expect((await desk.save({ uid: 'd', title: 'Disks' })).body).toMatchObject({ version: 1, id: 3 });
});

test('the trash forgets after its days', async () => {
  await using desk = await openDesk({ trash: { enabled: true, days: 30 } });
  await desk.save({ uid: 'd', title: 'Disks' });
  await desk.call('DELETE', '/api/dashboards/uid/d');
  desk.clock.now = new Date('2026-03-31T11:59:59Z');
  expect((await desk.save({ uid: 'd', title: 'New' })).body.version).toBe(2);
  await desk.call('DELETE', '/api/dashboards/uid/d');
  desk.clock.now = new Date('2026-04-30T11:59:59Z');
  expect((await desk.call('PATCH', trash('d'))).status).toBe(404);
  expect((await desk.save({ uid: 'd', title: 'New' })).body.version).toBe(1);
});

test('without a trash, deleting is for good and the trash is not found', async () => {
  await using desk = await openDesk({ trash: { enabled: false, days: 30 } });
  await desk.save({ uid: 'd', title: 'Disks' });
  const deleted = await desk.call('DELETE', '/api/dashboards/uid/d');
  expect(deleted.body).toEqual({ title: 'Disks', message: 'Dashboard Disks deleted', uid: 'd', id: 1 });
  expect(await desk.tables.selectFrom('dashboard_version').selectAll().execute()).toEqual([]);
  for (const method of ['DELETE', 'PATCH']) {
    const reply = await desk.call(method, trash('d'));
    expect([reply.status, reply.body]).toEqual([404, { message: 'Not found' }]);
  }
});
