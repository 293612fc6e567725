import { expect, test } from 'vitest';
import { openDesk } from '../../../support/dashboards.ts';
import { tokens } from '../../../support/service.ts';

const create = '/api/short-urls';

test('a path is shortened, and the short address leads to it', async () => {
  await using desk = await openDesk({ rootUrl: 'https://muster.example/sub/' });
  const made = await desk.call('POST', create, { path: ' d/nginx/x?from=1&to=2&var=a%2Fb ' }, tokens.Viewer);
  expect(made.status).toBe(200);
  expect(made.body).toEqual({
    uid: expect.stringMatching(/^[a-z][0-9a-f]{24}[a-z]$/),
    url: `https://muster.example/sub/goto/${made.body.uid}?orgId=1`,
  });
  desk.clock.now = new Date('2026-03-02T00:00:00Z');
  const followed = await desk.call('GET', `/goto/${made.body.uid}?orgId=1`, undefined, tokens.Viewer);
  expect(followed.status).toBe(302);
  expect(followed.headers.get('location')).toBe('https://muster.example/sub/d/nginx/x?from=1&to=2&var=a%2Fb');
  desk.clock.now = new Date('2026-03-03T00:00:00Z');
  await desk.call('GET', `/goto/${made.body.uid}`);
  const row = await desk.tables.selectFrom('short_url').selectAll().executeTakeFirstOrThrow();
  expect(row).toMatchObject({
    path: 'd/nginx/x?from=1&to=2&var=a%2Fb',
    created_at: Date.parse('2026-03-01T12:00:00Z') * 1000,
    last_seen_at: Date.parse('2026-03-02T00:00:00Z') * 1000,
  });
});

test('the same path gets a new address each time', async () => {
  await using desk = await openDesk();
  const one = await desk.call('POST', create, { path: 'd/a' });
  const two = await desk.call('POST', create, { path: 'd/a' });
  expect(one.body.uid).not.toBe(two.body.uid);
});

test('a uid may be chosen, once', async () => {
  await using desk = await openDesk();
  expect((await desk.call('POST', create, { path: 'd/a', uid: 'My_link-1' })).body.uid).toBe('My_link-1');
  const again = await desk.call('POST', create, { path: 'd/b', uid: 'My_link-1' });
  expect(again.status).toBe(409);
  expect(again.body).toEqual({
    statusCode: 409,
    messageId: 'shorturl.conflict',
    message: 'A short URL with this uid already exists',
    traceID: '',
  });
});

const relative = ['shorturl.absolute-path', 'Path should be relative'] as const;
const invalid = ['shorturl.invalid-path', 'Invalid short URL path'] as const;
const bad = 'shorturl.bad-request';

test.each<[string, unknown, readonly [string, string]]>([
  ['not JSON', '{', [bad, 'bad request data']],
  ['nothing', undefined, [bad, 'path is required']],
  ['null', { path: null }, [bad, 'path is required']],
  ['a number', { path: 7 }, [bad, 'path must be a string']],
  ['blanks', { path: ' \t' }, [bad, 'path is required']],
  ['a rooted path', { path: '/d/a' }, relative],
  ['a rooted path that climbs', { path: '/../a' }, relative],
  ['another host', { path: '//evil.example' }, relative],
  ['a path that climbs', { path: 'd/../../admin' }, invalid],
  ['a path that climbs in code', { path: '%2e%2e/%2E%2E/x' }, invalid],
  ['a path that climbs by backslash', { path: '..\\x' }, invalid],
  ['a path that ends above', { path: '..' }, invalid],
  ['a whole URL', { path: 'https://evil.example/x' }, invalid],
  ['a line feed', { path: 'd/a\nset-cookie: x' }, invalid],
  ['a NUL', { path: 'd/\0a' }, invalid],
  ['too much', { path: 'ä'.repeat(4097) }, [bad, 'path is too long, max 8192 bytes']],
  ['a strange uid', { path: 'd/a', uid: 'a b' }, ['shorturl.invalid-uid', expect.stringContaining('uid')]],
])('a path of %s is refused', async (_, body, [messageId, message]) => {
  await using desk = await openDesk({ rootUrl: 'https://muster.example/sub' });
  const reply = await desk.call('POST', create, body);
  expect(reply.body).toEqual({ statusCode: 400, messageId, message, traceID: '' });
  expect(reply.status).toBe(400);
  expect(await desk.tables.selectFrom('short_url').selectAll().execute()).toEqual([]);
});

test.each(['javascript:alert(1)', 'd/a?url=https://x.example/', '@evil.example', 'ä/日本', 'a'.repeat(8192)])(
  'the path %s stays below the root',
  async path => {
    await using desk = await openDesk({ rootUrl: 'https://muster.example/sub' });
    const made = await desk.call('POST', create, { path });
    const { headers } = await desk.call('GET', `/goto/${made.body.uid}`);
    expect(headers.get('location')).toMatch(/^https:\/\/muster\.example\/sub\//);
    expect(headers.get('location')).toBe(new URL(`https://muster.example/sub/${path}`).href);
  },
);

test('an address that nobody made is not found', async () => {
  await using desk = await openDesk();
  for (const path of ['/goto/nothing', '/goto/a%20b']) {
    const reply = await desk.call('GET', path);
    expect([reply.status, reply.body]).toEqual([404, { message: 'Not found' }]);
  }
});

test('following takes a token, unless the options open it to everybody', async () => {
  await using closed = await openDesk();
  await closed.call('POST', create, { path: 'd/a', uid: 'x' });
  expect((await closed.call('GET', '/goto/x', undefined, '')).status).toBe(401);
  expect((await closed.call('POST', create, { path: 'd/a' }, '')).status).toBe(401);

  await using open = await openDesk({ publicGoto: true });
  await open.call('POST', create, { path: 'd/a', uid: 'x' });
  expect((await open.call('GET', '/goto/x', undefined, '')).status).toBe(302);
  expect((await open.call('POST', create, { path: 'd/a' }, '')).status).toBe(401);
});

test('addresses that nobody followed are forgotten after a week, and looked for every ten minutes', async () => {
  await using desk = await openDesk();
  const uids = async () =>
    (await desk.tables.selectFrom('short_url').select('uid').orderBy('uid').execute()).map(each => each.uid);
  await desk.call('POST', create, { path: 'd/a', uid: 'visited' });
  await desk.call('POST', create, { path: 'd/a', uid: 'unvisited' });
  await desk.call('GET', '/goto/visited');
  desk.clock.now = new Date('2026-03-08T11:59:00Z');
  await desk.call('POST', create, { path: 'd/a', uid: 'young' });
  desk.clock.now = new Date('2026-03-08T12:05:00Z');
  await desk.call('GET', '/goto/visited');
  expect(await uids()).toEqual(['unvisited', 'visited', 'young']);
  desk.clock.now = new Date('2026-03-08T12:09:00Z');
  await desk.call('GET', '/goto/visited');
  expect(await uids()).toEqual(['visited', 'young']);
});
