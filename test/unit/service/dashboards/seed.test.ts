import { expect, test } from 'vitest';
import { openDesk } from '../../../support/dashboards.ts';
import { makeDatabase } from '../../../support/databases/fresh.ts';

test('a provisioned dashboard cannot be deleted, and follows the options from start to start', async () => {
  await using fresh = await makeDatabase();
  {
    await using desk = await openDesk(
      { provisionedDashboards: [{ uid: 'prov', title: 'One', tags: ['t'] }] },
      fresh.url,
    );
    const refused = await desk.call('DELETE', '/api/dashboards/uid/prov');
    expect([refused.status, refused.body]).toEqual([400, { message: 'provisioned dashboard cannot be deleted' }]);
    const { dashboard, meta } = (await desk.get('prov')).body;
    expect(dashboard).toEqual({ uid: 'prov', title: 'One', tags: ['t'], id: 1, version: 1 });
    expect(meta).toMatchObject({ provisioned: true, canSave: false, canDelete: false, createdBy: 'Anonymous' });
  }
  {
    await using desk = await openDesk(
      { provisionedDashboards: [{ uid: 'prov', title: 'One', tags: ['t'] }] },
      fresh.url,
    );
    expect((await desk.get('prov')).body.dashboard.version).toBe(1);
  }
  {
    await using desk = await openDesk({ provisionedDashboards: [{ uid: 'prov', title: 'Two' }] }, fresh.url);
    expect((await desk.get('prov')).body.dashboard).toEqual({ uid: 'prov', title: 'Two', id: 1, version: 2 });
    expect((await desk.call('GET', '/api/dashboards/tags')).body).toEqual([]);
  }
  await using desk = await openDesk({}, fresh.url);
  expect((await desk.call('DELETE', '/api/dashboards/uid/prov')).status).toBe(200);
});

test('folders and plugin dashboards of the options are there, and keep what people changed', async () => {
  await using fresh = await makeDatabase();
  const options = {
    folders: [{ uid: 'ops', title: 'Ops' }],
    pluginDashboards: [{ pluginId: 'p', pluginName: 'Prometheus', model: { uid: 'plug', title: 'Plugged' } }],
  };
  {
    await using desk = await openDesk(options, fresh.url);
    expect((await desk.call('GET', '/api/folders/ops')).body.title).toBe('Ops');
    expect((await desk.save({ uid: 'plug', title: 'Ours' }, { overwrite: true })).body.version).toBe(2);
  }
  await using desk = await openDesk(options, fresh.url);
  expect((await desk.get('plug')).body.dashboard).toMatchObject({ title: 'Ours', version: 2 });
  expect((await desk.save({ uid: 'plug', title: 'Ours', version: 2 })).body.status).toBe('plugin-dashboard');
});

test('a dashboard of the options that cannot be stored stops the start', async () => {
  await expect(openDesk({ provisionedDashboards: [{ title: 'Nameless' }] })).rejects.toThrow(
    'The dashboard "Nameless" of the options has no uid: give it one.',
  );
  await expect(
    openDesk({ folders: [{ uid: 'x', title: 'X' }], provisionedDashboards: [{ uid: 'x', title: 'Y' }] }),
  ).rejects.toThrow('has the uid of a folder');
});
