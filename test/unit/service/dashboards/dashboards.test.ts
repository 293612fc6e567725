import { expect, test } from 'vitest';
import { Dashboards } from '../../../../src/contract/dashboards.ts';
import { openDesk, readFixture } from '../../../support/dashboards.ts';
import { tokens } from '../../../support/service.ts';

test.each(['nginx-ingress-controller', 'request-handling-performance'] as const)(
  'a real dashboard (%s) comes back as it was loaded',
  async name => {
    await using desk = await openDesk();
    const model = readFixture(name);

    const saved = await desk.save(model, { message: 'from the repository' });

    expect(saved.status).toBe(200);
    const slug = name === 'nginx-ingress-controller' ? name : 'request-handling-performance';
    expect(saved.body).toEqual({
      status: 'success',
      slug,
      version: 1,
      id: 1,
      uid: model.uid,
      url: `/d/${model.uid}/${slug}`,
      folderUid: '',
    });
    const got = await desk.get(model.uid);
    expect(got.status).toBe(200);
    expect(got.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(got.body.dashboard).toEqual({ ...model, id: 1, version: 1 });
    expect(Dashboards.get.output.parse(got.body)).toEqual(got.body);
    expect(got.body.meta).toMatchObject({
      type: 'db',
      isStarred: false,
      canSave: true,
      canEdit: true,
      canAdmin: false,
      canStar: true,
      canDelete: true,
      slug,
      url: `/d/${model.uid}/${slug}`,
      expires: '0001-01-01T00:00:00Z',
      created: '2026-03-01T12:00:00Z',
      updated: '2026-03-01T12:00:00Z',
      createdBy: 'Service Account: editor',
      updatedBy: 'Service Account: editor',
      version: 1,
      isFolder: false,
      folderId: 0,
      folderUid: '',
      folderTitle: 'General',
      folderUrl: '',
      provisioned: false,
    });
  },
);

test('saving again makes the next version, even without changes, and keeps the history', async () => {
  await using desk = await openDesk();
  await desk.save({ title: 'Ingress', uid: 'ing', tags: ['a'] }, { message: 'first' });
  const { dashboard } = (await desk.get('ing')).body;
  desk.clock.now = new Date('2026-03-02T12:00:00Z');

  const again = await desk.save(
    { ...dashboard, title: ' Ingress two ', extra: { kept: [1, null] } },
    { message: 'second' },
  );
  const third = await desk.save({ ...dashboard, version: 2 });

  expect(again.body).toMatchObject({ status: 'success', version: 2, id: 1, uid: 'ing', slug: 'ingress-two' });
  expect(third.body.version).toBe(3);
  const history = await desk.tables.selectFrom('dashboard_version').selectAll().orderBy('version').execute();
  expect(history.map(each => [each.version, each.parent_version, each.message])).toEqual([
    [1, 0, 'first'],
    [2, 1, 'second'],
    [3, 2, ''],
  ]);
  expect(history[1]?.created_by).toMatch(/^grafana-incident:user-/);
  expect(JSON.parse(history[1]?.model ?? '')).toMatchObject({
    title: 'Ingress two',
    version: 2,
    extra: { kept: [1, null] },
  });
  expect((await desk.get('ing')).body.meta).toMatchObject({
    created: '2026-03-01T12:00:00Z',
    updated: '2026-03-02T12:00:00Z',
  });
});

test('a dashboard without id and uid gets both, from the counter that folders share', async () => {
  await using desk = await openDesk();
  const folder = await desk.call('POST', '/api/folders', { title: 'Ops' });
  const saved = await desk.save({ id: null, uid: null, title: 'New', version: 9 });

  expect(folder.body.id).toBe(1);
  expect(saved.body).toMatchObject({ id: 2, version: 1, uid: expect.stringMatching(/^[a-z][0-9a-f]{24}[a-z]$/) });
  expect((await desk.get(saved.body.uid)).body.dashboard).toEqual({
    id: 2,
    uid: saved.body.uid,
    title: 'New',
    version: 1,
  });
});

test('a refresh below the minimum is stored as the minimum', async () => {
  await using desk = await openDesk({ minRefresh: '10s' });
  for (const [refresh, stored] of [
    ['1s', '10s'],
    ['1m', '1m'],
    ['', ''],
    [false, false],
    ['bad', '10s'],
  ] as const) {
    const { uid } = (await desk.save({ title: `refresh ${refresh}`, refresh })).body;
    expect((await desk.get(uid)).body.dashboard.refresh).toBe(stored);
  }
});

test('tags are listed by name with the number of live dashboards, each dashboard once', async () => {
  await using desk = await openDesk();
  expect((await desk.call('GET', '/api/dashboards/tags')).body).toEqual([]);
  await desk.save(readFixture('nginx-ingress-controller'));
  await desk.save(readFixture('request-handling-performance'));
  await desk.save({ title: 'A', uid: 'a', tags: ['prod', 'prod', '', 7, 'api'] });
  expect((await desk.call('GET', '/api/dashboards/tags', undefined, tokens.Viewer)).body).toEqual([
    { term: 'api', count: 1 },
    { term: 'nginx', count: 2 },
    { term: 'prod', count: 1 },
  ]);
  await desk.call('DELETE', '/api/dashboards/uid/nginx');
  await desk.save({ title: 'A', uid: 'a', version: 1, tags: ['api'] });
  expect((await desk.call('GET', '/api/dashboards/tags')).body).toEqual([
    { term: 'api', count: 1 },
    { term: 'nginx', count: 1 },
  ]);
});

test('the home page is an empty dashboard, or the address of the chosen one', async () => {
  await using desk = await openDesk({ home: 'start', rootUrl: 'https://muster.example/sub/' });
  const home = await desk.call('GET', '/api/dashboards/home', undefined, tokens.Viewer);
  expect(home.body.dashboard).toMatchObject({ title: 'Home', editable: false, templating: { list: [] } });
  expect(home.body.meta).toMatchObject({ isHome: true, canSave: false, canEdit: false, canStar: false, url: '' });
  expect(home.body).not.toHaveProperty('redirectUri');
  expect((await desk.call('GET', '/api/dashboards/home')).body.meta.canEdit).toBe(true);

  await desk.save({ title: 'Start here', uid: 'start' });
  expect((await desk.call('GET', '/api/dashboards/home')).body).toEqual({ redirectUri: '/sub/d/start/start-here' });
});

test('who may do what', async () => {
  await using desk = await openDesk();
  await desk.save({ title: 'T', uid: 't' });
  expect((await desk.call('GET', '/api/dashboards/uid/t', undefined, tokens.Viewer)).body.meta.canEdit).toBe(false);
  const denied = await desk.call('POST', '/api/dashboards/db', { dashboard: { title: 'X' } }, tokens.Viewer);
  expect(denied.status).toBe(403);
  expect(denied.body).toEqual({
    title: 'Access denied',
    message: expect.stringContaining("You'll need additional permissions to perform this action."),
    accessErrorId: expect.stringMatching(/^ACE\d{10}$/),
  });
  for (const [method, path] of [
    ['DELETE', '/api/dashboards/uid/t'],
    ['DELETE', '/api/dashboards/uid/t/trash'],
    ['PATCH', '/api/dashboards/uid/t/trash'],
    ['POST', '/api/folders'],
  ] as const) {
    expect((await desk.call(method, path, undefined, tokens.Viewer)).status).toBe(403);
  }
  for (const path of ['/api/dashboards/uid/t', '/api/dashboards/home', '/api/dashboards/tags', '/api/folders/x']) {
    const unknown = await desk.call('GET', path, undefined, '');
    expect(unknown.status).toBe(401);
    expect(unknown.body).toEqual({
      message: 'Unauthorized',
      messageId: 'auth.unauthorized',
      statusCode: 401,
      traceID: '',
    });
  }
});

test('the process itself needs no token', async () => {
  await using desk = await openDesk();
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ dashboard: { title: 'Within', uid: 'w' } });
  const saved = await desk.service.handle({ method: 'POST', path: '/api/dashboards/db', headers, body });
  expect(saved.status).toBe(200);
  const got = await desk.service.handle({ method: 'GET', path: '/api/dashboards/uid/w', headers: {}, body: undefined });
  expect(JSON.parse(got.body).meta.canAdmin).toBe(true);
});

test.each([
  ['not JSON', '{'],
  ['nothing', ''],
  ['a list', '[]'],
  ['no dashboard', '{"overwrite":true}'],
  ['a null dashboard', '{"dashboard":null}'],
  ['a dashboard that is a list', '{"dashboard":[]}'],
  ['a dashboard that is a word', '{"dashboard":"x"}'],
  ['a word for a boolean', '{"dashboard":{"title":"x"},"overwrite":"yes"}'],
  ['a word for a folder id', '{"dashboard":{"title":"x"},"folderId":"1"}'],
])('a body of %s is 400', async (_, body) => {
  await using desk = await openDesk();
  const reply = await desk.call('POST', '/api/dashboards/db', body);
  expect(reply.status).toBe(400);
  expect(reply.body).toEqual({ message: 'bad request data' });
});

test('a body may be large, but not without end', async () => {
  await using desk = await openDesk();
  const large = await desk.save({ title: 'Large', panels: ['x'.repeat(9 * 1024 * 1024)] });
  expect(large.status).toBe(200);
  const tooLarge = await desk.save({ title: 'Larger', panels: ['x'.repeat(10 * 1024 * 1024)] });
  expect(tooLarge.status).toBe(413);
  expect(tooLarge.body.message).toContain('10240 KiB');
  expect((await desk.call('POST', '/api/folders', { title: 'x'.repeat(1024 * 1024) })).status).toBe(413);
});

test('hostile models do no harm', async () => {
  await using desk = await openDesk();
  const deep = `{"dashboard":{"title":"deep","panels":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
  expect((await desk.call('POST', '/api/dashboards/db', deep)).status).toBe(400);
  const odd = '{"dashboard":{"title":"a\\u0000b \\ud800","uid":"odd","__proto__":{"polluted":true},"tags":"no"}}';
  expect((await desk.call('POST', '/api/dashboards/db', odd)).status).toBe(200);
  expect((await desk.get('odd')).body.dashboard.title).toBe('ab \ufffd');
  expect(Object.prototype).not.toHaveProperty('polluted');
  expect((await desk.call('GET', '/api/dashboards/uid/%E0%A4')).status).toBe(404);
  expect((await desk.call('GET', "/api/dashboards/uid/'%20or%201=1")).body).toEqual({
    message: 'Dashboard not found',
    status: 'not-found',
  });
});
