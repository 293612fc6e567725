import { expect, test } from 'vitest';
import { openDesk, type Reply } from '../../../support/dashboards.ts';
import { tokens } from '../../../support/service.ts';

type Desk = Awaited<ReturnType<typeof openDesk>>;

/** Ids: 1 and 2 the folders `ops` and `dev`, then the dashboards a to e; `e` is in the trash. */
async function open(): Promise<Desk> {
  const desk = await openDesk({ rootUrl: 'https://muster.example/sub' });
  await desk.call('POST', '/api/folders', { uid: 'ops', title: 'Ops' });
  await desk.call('POST', '/api/folders', { uid: 'dev', title: 'Dev boards' });
  await desk.save({ uid: 'a', title: 'Checkout latency', tags: ['prod', 'api'] }, { folderUid: 'ops' });
  await desk.save({ uid: 'b', title: 'checkout errors', tags: ['prod'] }, { folderUid: 'dev' });
  await desk.save({ uid: 'c', title: 'Élan 100%', tags: ['api'] });
  await desk.save({ uid: 'd', title: 'Ops of the root' });
  await desk.save({ uid: 'e', title: 'Checkout, deleted', tags: ['prod'] });
  await desk.call('DELETE', '/api/dashboards/uid/e');
  return desk;
}

const uidsOf = ({ body }: Reply) => body.map((each: { uid: string }) => each.uid);

test.each<[string, readonly string[]]>([
  ['', ['dev', 'ops', 'b', 'a', 'c', 'd']],
  ['?query=&type=dash-db&tag=', ['b', 'a', 'c', 'd']],
  ['?type=dash-db', ['b', 'a', 'c', 'd']],
  ['?type=dash-folder', ['dev', 'ops']],
  ['?type=dash-folder&query=Ops', ['ops']],
  ['?query=ops', ['ops', 'd']],
  ['?query=CHECKOUT', ['b', 'a']],
  ['?query=%20checkout%20', ['b', 'a']],
  ['?query=%C3%A9lan', ['c']],
  ['?query=100%25', ['c']],
  ['?query=%25', ['c']],
  ['?query=_', []],
  ["?query='%20or%201=1", []],
  ['?tag=prod', ['b', 'a']],
  ['?tag=prod&tag=api', ['a']],
  ['?tag=PROD', []],
  ['?folderUIDs=ops', ['a']],
  ['?folderUIDs=ops&folderUIDs=dev&type=dash-db', ['b', 'a']],
  ['?folderUIDs=general&type=dash-db', ['c', 'd']],
  ['?folderUIDs=nowhere', []],
  ['?folderUIDs=ops&type=dash-folder', []],
  ['?folderIds=1', ['a']],
  ['?folderIds=0&query=Ops&type=dash-db', ['d']],
  ['?dashboardUIDs=a&dashboardUIDs=c', ['a', 'c']],
  ['?dashboardUID=b', ['b']],
  ['?dashboardIds=3&type=dash-db', ['a']],
  ['?starred=true', []],
  ['?starred=false&tag=api', ['a', 'c']],
  ['?deleted=true', ['e']],
  ['?limit=2', ['dev', 'ops']],
  ['?limit=2&page=2', ['b', 'a']],
  ['?limit=2&page=4', []],
  ['?limit=&page=&orgId=1&permission=View', ['dev', 'ops', 'b', 'a', 'c', 'd']],
  ['?sort=alpha-desc&type=dash-db', ['d', 'c', 'a', 'b']],
  ['/?type=dash-db&limit=1', ['b']],
])('GET /api/search%s finds %j', async (query, uids) => {
  await using desk = await open();
  const found = await desk.call('GET', `/api/search${query}`, undefined, tokens.Viewer);
  expect([found.status, found.status === 200 ? uidsOf(found) : found.body]).toEqual([200, uids]);
});

test.each([
  ['type=dash-annotation', 'type must be one of dash-folder, dash-db'],
  ['sort=viewed-recently', 'sort must be alpha-asc or alpha-desc'],
  ['limit=many', 'limit must be a whole number'],
  ['page=-1', 'page must be a whole number'],
  ['limit=1&limit=2', 'limit'],
])('GET /api/search?%s is refused with a sentence', async (query, sentence) => {
  await using desk = await open();
  const refused = await desk.call('GET', `/api/search?${query}`);
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(sentence)]);
});

test('a hit says what it is and where it lies', async () => {
  await using desk = await open();
  const common = { orgId: 1, slug: '', isStarred: false, sortMeta: 0, isDeleted: false };
  expect((await desk.call('GET', '/api/search?query=latency')).body).toEqual([
    {
      ...common,
      id: 3,
      uid: 'a',
      title: 'Checkout latency',
      uri: 'db/checkout-latency',
      url: '/sub/d/a/checkout-latency',
      type: 'dash-db',
      tags: ['api', 'prod'],
      folderId: 1,
      folderUid: 'ops',
      folderTitle: 'Ops',
      folderUrl: '/sub/dashboards/f/ops/ops',
    },
  ]);
  expect((await desk.call('GET', '/api/search?query=dev')).body).toEqual([
    {
      ...common,
      id: 2,
      uid: 'dev',
      title: 'Dev boards',
      uri: 'db/dev-boards',
      url: '/sub/dashboards/f/dev/dev-boards',
      type: 'dash-folder',
      tags: [],
    },
  ]);
});

test('tools read a version of three numbers, and where the service is', async () => {
  await using desk = await open();
  const health = await desk.call('GET', '/api/health', undefined, tokens.Viewer);
  expect(health.body).toEqual({ commit: '', database: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  const settings = await desk.call('GET', '/api/frontend/settings', undefined, tokens.Viewer);
  expect(settings.body).toMatchObject({ appUrl: 'https://muster.example/sub/', appSubUrl: '/sub' });
  expect(settings.body.buildInfo.version).toBe(health.body.version);
});

test.each([
  ['GET', '/api/search', 'Viewer'],
  ['GET', '/api/health', 'Viewer'],
  ['GET', '/api/frontend/settings', 'Viewer'],
  ['GET', '/api/folders', 'Viewer'],
  ['PUT', '/api/folders/ops', 'Editor'],
  ['DELETE', '/api/folders/ops', 'Editor'],
])('%s %s takes a token of a %s', async (method, path, role) => {
  await using desk = await open();
  expect((await desk.call(method, path, undefined, '')).status).toBe(401);
  expect((await desk.call(method, path, undefined, 'nonsense')).status).toBe(401);
  if (role === 'Editor') expect((await desk.call(method, path, undefined, tokens.Viewer)).status).toBe(403);
  expect((await desk.call('GET', '/api/folders/ops')).body.title).toBe('Ops');
});

test('folders are listed by title, a page at a time', async () => {
  await using desk = await open();
  const all = [
    { id: 2, uid: 'dev', title: 'Dev boards' },
    { id: 1, uid: 'ops', title: 'Ops' },
  ];
  for (const [query, found] of [
    ['', all],
    ['/', all],
    ['?limit=1000&page=1', all],
    ['?limit=1', all.slice(0, 1)],
    ['?limit=1&page=2', all.slice(1)],
    ['?parentUid=general', all],
    ['?parentUid=', all],
    ['?parentUid=ops', []],
  ] as const) {
    expect((await desk.call('GET', `/api/folders${query}`, undefined, tokens.Viewer)).body).toEqual(found);
  }
  expect((await desk.call('GET', '/api/folders?parentUid=nowhere')).status).toBe(404);
});

test.each<[string, object, number, object]>([
  ['its version', { title: ' Team ', version: 1 }, 200, { title: 'Team', version: 2 }],
  ['overwrite', { title: 'Team', overwrite: true }, 200, { title: 'Team', version: 2 }],
  ['its own title', { title: 'Ops', version: 1 }, 200, { title: 'Ops', version: 1 }],
  ['another case', { title: 'OPS', version: 1 }, 200, { title: 'OPS', url: '/sub/dashboards/f/ops/ops' }],
  ['the root as its parent', { title: 'Team', version: 1, parentUid: 'general' }, 200, { title: 'Team' }],
  ['an old version', { title: 'Team', version: 7 }, 412, { status: 'version-mismatch' }],
  ['no version', { title: 'Team' }, 412, { status: 'version-mismatch' }],
  ['no title', { title: ' ', overwrite: true }, 400, { message: 'folder title cannot be empty' }],
  ['the title of another', { title: 'Dev boards', overwrite: true }, 409, {}],
  ['the title of a dashboard', { title: 'Ops of the root', overwrite: true }, 409, {}],
  ['a parent', { title: 'Team', overwrite: true, parentUid: 'dev' }, 400, { message: /folders cannot lie in/ }],
  ['a description', { title: 'Team', overwrite: true, description: 'x' }, 400, { message: /no description/ }],
])('a folder is renamed with %s', async (_, body, status, answer) => {
  await using desk = await open();
  const reply = await desk.call('PUT', '/api/folders/ops', body);
  const words = Object.entries(answer).map(([name, value]) => [
    name,
    value instanceof RegExp ? expect.stringMatching(value) : value,
  ]);
  expect(reply.body).toMatchObject(Object.fromEntries(words));
  expect(reply.status).toBe(status);
  const now = (await desk.call('GET', '/api/folders/ops')).body;
  expect(now.title).toBe(status === 200 ? reply.body.title : 'Ops');
  expect((await desk.get('a')).body.meta.folderTitle).toBe(now.title);
});

test('a folder is deleted: its dashboards go into the trash, and can come back elsewhere', async () => {
  await using desk = await open();
  const gone = await desk.call('DELETE', '/api/folders/ops?forceDeleteRules=true');
  expect([gone.status, gone.body]).toEqual([200, { id: 1, title: 'Ops', message: 'Folder Ops deleted' }]);
  expect((await desk.call('DELETE', '/api/folders/ops')).status).toBe(404);
  expect((await desk.get('a')).status).toBe(404);
  expect((await desk.get('d')).status).toBe(200);
  expect((await desk.call('PATCH', '/api/dashboards/uid/a/trash')).body.message).toContain('folder not found');
  expect((await desk.call('PATCH', '/api/dashboards/uid/a/trash', { folderUid: 'general' })).status).toBe(200);
  expect((await desk.get('a')).body.meta).toMatchObject({ folderId: 0, folderUid: '' });
  expect((await desk.call('POST', '/api/folders', { uid: 'ops', title: 'Ops' })).status).toBe(200);
});

test('without a trash, a folder and its dashboards are gone for good', async () => {
  await using desk = await openDesk({ trash: { enabled: false, days: 30 } });
  await desk.save({ uid: 'a', title: 'A' }, { folderUid: 'ops' });
  await desk.save({ uid: 'b', title: 'B' });
  expect((await desk.call('DELETE', '/api/folders/ops')).status).toBe(200);
  expect((await desk.tables.selectFrom('dashboard').select('uid').execute()).map(each => each.uid)).toEqual(['b']);
  expect(await desk.tables.selectFrom('folder').selectAll().execute()).toEqual([]);
});

test('a folder with a dashboard of files stays', async () => {
  await using first = await openDesk();
  await first.save({ uid: 'files', title: 'Files' }, { folderUid: 'ops' });
  await first.tables.updateTable('dashboard').set({ provisioned: 1 }).execute();
  const refused = await first.call('DELETE', '/api/folders/ops');
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('provisioned dashboard')]);
  expect((await first.get('files')).status).toBe(200);
});

test.each<[string, string, unknown]>([
  ['GET', '/api/dashboards/uid/a/', undefined],
  ['GET', '/api/dashboards/uid/a//', undefined],
  ['GET', '//api//dashboards/uid/a/', undefined],
  ['GET', '/api/dashboards/home/', undefined],
  ['GET', '/api/dashboards/tags/', undefined],
  ['GET', '/api/folders/ops/', undefined],
  ['GET', '/api/search/?query=x', undefined],
  ['POST', '/api/dashboards/db/', { dashboard: { title: 'New' } }],
  ['POST', '/api/folders/', { title: 'New' }],
  ['POST', '/api/short-urls/', { path: 'd/a' }],
  ['DELETE', '/api/dashboards/uid/a/', undefined],
  ['PATCH', '/api/dashboards/uid/e/trash/', undefined],
  ['DELETE', '/api/dashboards/uid/e/trash/', undefined],
])('%s %s ends with a slash and is answered', async (method, path, body) => {
  await using desk = await open();
  expect((await desk.call(method, path, body)).status).toBe(200);
  const headers = { 'content-type': 'application/json' };
  await using other = await open();
  const text = body === undefined ? undefined : JSON.stringify(body);
  expect((await other.service.handle({ method, path, headers, body: text })).status).toBe(200);
});

test.each<[object, number | string]>([
  [{ folderUid: 'general' }, ''],
  [{ folderUid: 'General' }, ''],
  [{ folderUid: 'GENERAL' }, ''],
  [{ folderUid: ' general ' }, ''],
  [{ folderUid: 'general', folderId: 0 }, ''],
  [{ folderUid: 'general', folderId: 1 }, ''],
  [{ folderUid: null, folderId: 0 }, ''],
  [{ folderUid: '', folderId: -1 }, ''],
  [{ folderUid: 'generals' }, 'generals'],
  [{ folderUid: 'the-general' }, 'the-general'],
  [{ folderUid: 'ops' }, 'ops'],
])('a save into %j lies in “%s”', async (place, folderUid) => {
  await using desk = await open();
  const before = (await desk.call('GET', '/api/folders')).body.length;
  const saved = await desk.save({ uid: 'new', title: 'New' }, place);
  expect(saved.body).toMatchObject({ status: 'success', folderUid });
  const more = folderUid === '' || folderUid === 'ops' ? 0 : 1;
  expect((await desk.call('GET', '/api/folders')).body).toHaveLength(before + more);
});

test('the root level has the uid general, and no folder gets it', async () => {
  await using desk = await open();
  expect((await desk.call('GET', '/api/folders/general')).body).toMatchObject({
    id: 0,
    uid: 'general',
    title: 'General',
  });
  for (const uid of ['general', 'General']) {
    const refused = await desk.call('POST', '/api/folders', { uid, title: 'Mine' });
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('root level')]);
  }
  const nested = await desk.call('POST', '/api/folders', { title: 'Mine', parentUid: 'ops' });
  expect([nested.status, nested.body.message]).toEqual([400, expect.stringContaining('leave parentUid out')]);
  expect((await desk.call('POST', '/api/folders', { title: 'Mine', parentUid: 'general' })).status).toBe(200);
  expect((await desk.call('DELETE', '/api/folders/general')).status).toBe(404);
});
