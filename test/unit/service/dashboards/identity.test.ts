import { expect, test } from 'vitest';
import { openDesk } from '../../../support/dashboards.ts';

type Desk = Awaited<ReturnType<typeof openDesk>>;
type Ask = readonly [dashboard: object, rest?: object];

/** By id: 1 `one`, 2 `two`, 3 `gone` (in the trash, at version 2), 4 the folder `fold`. */
async function open(): Promise<Desk> {
  const desk = await openDesk();
  await desk.save({ uid: 'one', title: 'One', panels: [{ title: 'of one' }] });
  await desk.save({ uid: 'two', title: 'Two' });
  await desk.save({ uid: 'gone', title: 'Gone', tags: ['old'] });
  await desk.save({ uid: 'gone', title: 'Gone', version: 1 });
  await desk.call('DELETE', '/api/dashboards/uid/gone');
  await desk.call('POST', '/api/folders', { uid: 'fold', title: 'Fold' });
  return desk;
}

const rowsOf = (desk: Desk) => desk.tables.selectFrom('dashboard').selectAll().orderBy('id').execute();

const missing = 'Dashboard not found';

test.each<[string, Ask, number, string]>([
  ['its version', [{ id: 1, version: 1, uid: 'newcomer', title: 'New' }], 404, missing],
  ['overwrite', [{ id: 1, uid: 'newcomer', title: 'New' }, { overwrite: true }], 404, missing],
  ['its version and overwrite', [{ id: 2, version: 1, uid: 'n', title: 'Two' }, { overwrite: true }], 404, missing],
  ['its own title', [{ id: 1, version: 1, uid: 'newcomer', title: 'One' }], 404, missing],
  ['a folder', [{ id: 1, version: 1, uid: 'newcomer', title: 'New' }, { folderUid: 'fold' }], 404, missing],
  ['a uid of another case', [{ id: 1, version: 1, uid: 'ONE', title: 'New' }], 404, missing],
  ['a uid with blanks around it', [{ id: 1, version: 1, uid: ' newcomer ', title: 'New' }], 404, missing],
  ['a broken id', [{ id: 1.9, version: 1, uid: 'newcomer', title: 'New' }], 404, missing],
  ['the id of a folder', [{ id: 4, version: 1, uid: 'newcomer', title: 'New' }, { overwrite: true }], 404, missing],
  ['the id of one in the trash', [{ id: 3, version: 2, uid: 'newcomer', title: 'New' }], 404, missing],
  ['the id of one in the trash alone', [{ id: 3, version: 2, title: 'New' }, { overwrite: true }], 404, missing],
  ['the id of nothing', [{ id: 99, version: 1, uid: 'newcomer', title: 'New' }], 404, missing],
  ['a uid that is a number', [{ id: 1, version: 1, uid: 42, title: 'New' }], 400, 'bad request data'],
  ['a uid that is a list', [{ id: 1, version: 1, uid: ['one'], title: 'New' }], 400, 'bad request data'],
])('a save with the id of something else and %s changes nothing', async (_, ask, status, message) => {
  await using desk = await open();
  const before = await rowsOf(desk);

  const reply = await desk.save(...ask);

  expect([reply.status, reply.body.message]).toEqual([status, message]);
  expect(await rowsOf(desk)).toEqual(before);
});

test.each<[string, Ask, number]>([
  ['id, uid and version of one', [{ id: 1, uid: 'one', version: 1, title: 'Again' }], 1],
  ['id and version, no uid', [{ id: 2, version: 1, title: 'Again' }], 2],
  ['id and version, and null for the uid', [{ id: 2, uid: null, version: 1, title: 'Again' }], 2],
  ['a uid, and 0 for the id', [{ id: 0, uid: 'two', version: 1, title: 'Again' }], 2],
  ['a uid, and a word for the id', [{ id: '1', uid: 'two', version: 1, title: 'Again' }], 2],
  ['a new uid, and null for the id', [{ id: null, uid: 'newcomer', version: 1, title: 'Again' }], 5],
])('%s: one dashboard, and no other, is saved', async (_, ask, id) => {
  await using desk = await open();
  const others = async () => (await rowsOf(desk)).filter(each => each.id !== id);
  const before = await others();

  expect((await desk.save(...ask)).body).toMatchObject({ status: 'success', id });
  expect(await others()).toEqual(before);
});

test.each<[string, Ask]>([
  ['without a version', [{ uid: 'gone', title: 'Back' }]],
  ['with overwrite', [{ uid: 'gone', title: 'Back' }, { overwrite: true }]],
  ['with the version it had', [{ uid: 'gone', version: 2, title: 'Back' }]],
  ['with an older version', [{ uid: 'gone', version: 1, title: 'Back' }]],
  ['with a version of elsewhere', [{ uid: 'gone', version: 77, title: 'Back' }]],
  ['as it was exported, with its id', [{ id: 3, uid: 'gone', version: 2, title: 'Back' }]],
  ['with its id and overwrite', [{ id: 3, uid: 'gone', title: 'Back' }, { overwrite: true }]],
  ['with null for the id', [{ id: null, uid: 'gone', title: 'Back' }]],
  ['under its old title', [{ uid: 'gone', title: 'Gone' }]],
  ['into a folder', [{ uid: 'gone', title: 'Back' }, { folderUid: 'fold' }]],
  ['into a folder that is made', [{ uid: 'gone', title: 'Back' }, { folderUid: 'new' }]],
  ['with a message', [{ uid: 'gone', title: 'Back' }, { message: 'terraform' }]],
])('a save %s takes over what lies in the trash, and keeps its versions', async (_, [model, rest]) => {
  await using desk = await open();

  const saved = await desk.save({ tags: ['new'], ...model }, rest);

  expect(saved.body).toMatchObject({ status: 'success', uid: 'gone', version: 3 });
  expect((await desk.get('gone')).body.dashboard).toEqual({ ...model, id: 3, uid: 'gone', version: 3, tags: ['new'] });
  const versions = await desk.tables
    .selectFrom('dashboard_version')
    .select(['version', 'parent_version'])
    .where('dashboard_id', '=', 3)
    .orderBy('version')
    .execute();
  expect(versions.map(each => [each.version, each.parent_version])).toEqual([
    [1, 0],
    [2, 1],
    [3, 2],
  ]);
  expect((await desk.call('GET', '/api/dashboards/tags')).body).toEqual([{ term: 'new', count: 1 }]);
  expect((await desk.call('PATCH', '/api/dashboards/uid/gone/trash')).status).toBe(404);
  expect((await rowsOf(desk)).map(each => each.uid)).toEqual(['one', 'two', 'gone']);
});

test('what is refused leaves the trash as it is, and says what to do', async () => {
  await using desk = await open();
  const before = await rowsOf(desk);

  expect((await desk.save({ uid: 'gone', title: 'One' })).body.status).toBe('name-exists');
  const other = await desk.save({ id: 1, uid: 'gone', version: 1, title: 'One' });
  expect([other.status, other.body.status]).toEqual([412, 'name-exists']);
  const folder = await desk.call('POST', '/api/folders', { uid: 'gone', title: 'Gone' });
  expect(folder.status).toBe(409);

  for (const { body } of [other, folder]) expect(body.message).toContain('DELETE /api/dashboards/uid/gone/trash');
  expect(await rowsOf(desk)).toEqual(before);
});

test('a dashboard of a plugin that somebody deleted comes back as theirs', async () => {
  await using desk = await openDesk({
    pluginDashboards: [{ pluginId: 'p', pluginName: 'Prometheus', model: { uid: 'plug', title: 'Plugged' } }],
  });
  await desk.call('DELETE', '/api/dashboards/uid/plug');
  expect((await desk.save({ uid: 'plug', title: 'Mine' })).body.version).toBe(2);
  expect((await desk.save({ uid: 'plug', title: 'Mine', version: 2 })).body.version).toBe(3);
});
