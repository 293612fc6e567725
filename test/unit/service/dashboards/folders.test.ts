import { expect, test } from 'vitest';
import { openDesk } from '../../../support/dashboards.ts';
import { tokens } from '../../../support/service.ts';

test('a folder is made, fetched and saved into', async () => {
  await using desk = await openDesk({ autoCreateFolders: false });
  const made = await desk.call('POST', '/api/folders', { uid: 'ops', title: ' Operations ' });
  expect(made.body).toMatchObject({ id: 1, uid: 'ops', title: 'Operations', url: '/dashboards/f/ops/operations' });
  expect((await desk.call('GET', '/api/folders/ops', undefined, tokens.Viewer)).body).toEqual({
    ...made.body,
    canSave: false,
    canEdit: false,
  });
  const byUid = await desk.save({ title: 'A', uid: 'a' }, { folderUid: 'ops', folderId: 77 });
  expect(byUid.body.folderUid).toBe('ops');
  expect((await desk.save({ title: 'B' }, { folderId: 1 })).body.folderUid).toBe('ops');
  expect((await desk.get('a')).body.meta).toMatchObject({
    folderId: 1,
    folderUid: 'ops',
    folderTitle: 'Operations',
    folderUrl: '/dashboards/f/ops/operations',
  });
});

test('a dashboard moves to the root level when an update names no folder', async () => {
  await using desk = await openDesk();
  await desk.save({ title: 'A', uid: 'a' }, { folderUid: 'ops' });
  await desk.save({ title: 'A', uid: 'a', version: 1 });
  expect((await desk.get('a')).body.meta).toMatchObject({ folderId: 0, folderUid: '', folderTitle: 'General' });
});

test('a folder that nobody made is made when a dashboard names it, and only if that is saved', async () => {
  await using desk = await openDesk();
  await desk.save({ title: 'ops' });
  const saved = await desk.save({ title: 'A' }, { folderUid: 'ops' });
  expect(saved.body.folderUid).toBe('ops');
  expect((await desk.call('GET', '/api/folders/ops')).body.title).toBe('ops (folder 2)');

  const numbered = await desk.save({ title: 'A', uid: 'a' }, { folderId: 5 });
  expect(numbered.status).toBe(200);
  expect((await desk.get('a')).body.meta.folderId).toBe(5);
  expect((await desk.save({ title: 'B', uid: 'b' }, { folderId: 5 })).body.folderUid).toBe(numbered.body.folderUid);
  expect((await desk.save({ title: 'C' })).body.id).toBe(7);

  await desk.save({ title: 'A', uid: 'a', version: 9 }, { folderUid: 'never' });
  expect((await desk.call('GET', '/api/folders/never')).body).toEqual({
    message: 'folder not found',
    status: 'not-found',
  });
});

test.each<[string, object, string, number]>([
  ['with the id of a dashboard', { folderId: 1 }, 'Folder not found', 404],
  ['with a broken id', { folderId: 1.5 }, 'Folder not found', 404],
  ['with an enormous id', { folderId: 1e15 }, 'Folder not found', 404],
  ['with an illegal uid', { folderUid: 'a b' }, 'folder not found', 400],
  ['with a long uid', { folderUid: 'a'.repeat(41) }, 'folder not found', 400],
  ['with the uid of the dashboard itself', { folderUid: 'new' }, 'folder not found', 400],
])('a folder %s cannot be made', async (_, place, message, status) => {
  await using desk = await openDesk();
  await desk.save({ title: 'A' });
  const reply = await desk.save({ title: 'New', uid: 'new' }, place);
  expect([reply.status, reply.body]).toEqual([status, { message }]);
});

test.each<[object, number, string]>([
  [{}, 400, 'folder title cannot be empty'],
  [{ title: 7 }, 400, 'bad request data'],
  [{ title: 'x', uid: 'ä' }, 400, 'uid contains illegal characters'],
  [{ title: 'x', uid: 'a'.repeat(41) }, 400, 'uid too long, max 40 characters'],
  [{ title: 'x', uid: 'taken' }, 409, 'a folder or dashboard with the same uid already exists'],
  [{ title: 'Taken' }, 409, 'a folder or dashboard in the general folder with the same name already exists'],
])('a folder of %j is refused', async (body, status, message) => {
  await using desk = await openDesk();
  await desk.save({ title: 'Taken', uid: 'taken' });
  const reply = await desk.call('POST', '/api/folders', body);
  expect([reply.status, reply.body]).toEqual([status, { message }]);
});
