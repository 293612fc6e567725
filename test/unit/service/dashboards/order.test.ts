import { afterAll, beforeAll, expect, test } from 'vitest';
import { callerMaySave } from '../../../../src/service/dashboards/checks.ts';
import { openDesk } from '../../../support/dashboards.ts';
import { readTable, readValue } from '../../../support/table.ts';

let desk: Awaited<ReturnType<typeof openDesk>>;

/** By id: 1 a folder, 2 of a plugin, 3 provisioned, 4 live, 5 another, 6 in the trash. */
beforeAll(async () => {
  desk = await openDesk({
    autoCreateFolders: false,
    folders: [{ uid: 'fold', title: 'Folder' }],
    pluginDashboards: [{ pluginId: 'p', pluginName: 'Prometheus', model: { uid: 'plug', title: 'Plugged' } }],
    provisionedDashboards: [{ uid: 'prov', title: 'Provisioned' }],
  });
  await desk.save({ uid: 'live', title: 'Live' });
  await desk.save({ uid: 'other', title: 'Other' });
  await desk.save({ uid: 'gone', title: 'Gone' });
  await desk.call('DELETE', '/api/dashboards/uid/gone');
});
afterAll(async () => {
  await desk[Symbol.asyncDispose]();
});

test.each(
  readTable(
    'check | body | status | message | reason',
    `
  1 before 2                       | {isFolder: true} | 400 | bad request data
  2 before 6                       | {isFolder: true, dashboard: {}} | 400 | Use folders endpoint for saving folders.
  6: title                         | {dashboard: {title: " "}, message: x×5001} | 400 | Dashboard title cannot be empty | empty-name
  6: title length before message   | {dashboard: {title: x×5001}, message: x×5001} | 400 | Dashboard title cannot contain more than 5 000 characters | title-too-long
  6 before 7                       | {dashboard: {title: T, uid: ä}, message: x×501} | 400 | message too long, max 500 characters
  7: letters before length         | {dashboard: {title: T, uid: /×41}} | 400 | uid contains illegal characters
  7 before 8                       | {dashboard: {title: T, id: 999, uid: u×41}} | 400 | uid too long, max 40 characters
  8 before 9                       | {dashboard: {title: T, id: 999}, folderUid: no} | 404 | Dashboard not found | not-found
  8: in the trash                  | {dashboard: {title: T, id: 6}} | 404 | Dashboard not found | not-found
  9 before 10                      | {dashboard: {title: T, id: 4, uid: other}, folderUid: no} | 400 | folder not found
  9: by id                         | {dashboard: {title: T, id: 4, uid: other}, folderId: 99} | 404 | Folder not found
  9: uid wins                      | {dashboard: {title: T}, folderId: 1, folderUid: no} | 400 | folder not found
  9: no folder                     | {dashboard: {title: T}, folderUid: live} | 400 | folder not found
  10 before 12                     | {dashboard: {title: T, id: 1, uid: live}} | 412 | A dashboard with the same uid already exists | name-exists
  10 before 13                     | {dashboard: {title: T, id: 4, uid: other, version: 9}} | 412 | A dashboard with the same uid already exists | name-exists
  10: no version                   | {dashboard: {title: T, uid: live}} | 412 | A dashboard with the same uid already exists | name-exists
  12 before 13                     | {dashboard: {title: T, uid: fold, version: 9}} | 400 | Dashboard cannot be changed to a folder
  13 before 14                     | {dashboard: {title: T, uid: plug, version: 9}} | 412 | The dashboard has been changed by someone else | version-mismatch
  13: by id, no version            | {dashboard: {title: T, id: 4}} | 412 | The dashboard has been changed by someone else | version-mismatch
  14 before 15                     | {dashboard: {title: Live, uid: plug, version: 1}} | 412 | The dashboard belongs to plugin Prometheus. | plugin-dashboard
  15 before 16                     | {dashboard: {title: Live, uid: prov, version: 1}} | 412 | A dashboard with the same name in the folder already exists | name-exists
  15: a folder, overwriting or not | {dashboard: {title: Folder, uid: prov}, overwrite: true} | 400 | Dashboard name cannot be the same as folder | name-match
  16                               | {dashboard: {title: Provisioned, uid: prov, version: 1}} | 400 | Cannot save provisioned dashboard
  16: by title                     | {dashboard: {title: Provisioned}, overwrite: true} | 400 | Cannot save provisioned dashboard
`,
  ),
)('check $check', async ({ body, status, message, reason }) => {
  const before = await desk.tables.selectFrom('dashboard').selectAll().execute();
  const reply = await desk.call('POST', '/api/dashboards/db', readValue(body));
  expect(reply.body).toEqual(reason === '' ? { message } : { message, status: reason });
  expect(reply.status).toBe(Number(status));
  expect(await desk.tables.selectFrom('dashboard').selectAll().execute()).toEqual(before);
});

test('check 16: a viewer who gets past the door is told', () => {
  expect(() => callerMaySave({ userID: 'u', name: 'U', photoURL: '', role: 'Viewer' })).toThrow(
    'Access denied to save dashboard',
  );
});

test('with overwrite, versions and plugins do not stand in the way, and a namesake is saved over', async () => {
  await using other = await openDesk({
    pluginDashboards: [{ pluginId: 'p', pluginName: 'Prometheus', model: { uid: 'plug', title: 'Plugged' } }],
  });
  await other.save({ uid: 'live', title: 'Live' });
  expect((await other.save({ uid: 'live', title: 'Live', version: 7 }, { overwrite: true })).body.version).toBe(2);
  expect((await other.save({ uid: 'live', title: 'Live' }, { overwrite: true })).body.version).toBe(3);
  expect((await other.save({ uid: 'plug', title: 'Plugged' }, { overwrite: true })).body).toMatchObject({
    id: 1,
    version: 2,
  });

  const over = await other.save({ uid: 'mine', title: 'Live', panels: [] }, { overwrite: true });
  expect(over.body).toMatchObject({ id: 2, uid: 'live', version: 4 });
  expect((await other.get('mine')).status).toBe(404);
  expect((await other.get('live')).body.dashboard).toMatchObject({ id: 2, uid: 'live', version: 4, panels: [] });
});

test('titles are compared exactly, and within a folder', async () => {
  await using other = await openDesk();
  await other.save({ title: 'Live' });
  expect((await other.save({ title: 'live' })).status).toBe(200);
  expect((await other.save({ title: ' Live ' })).body.status).toBe('name-exists');
  expect((await other.save({ title: 'Live' }, { folderUid: 'ops' })).status).toBe(200);
  expect((await other.save({ title: 'Live' }, { folderUid: 'ops' })).body.status).toBe('name-exists');
});
