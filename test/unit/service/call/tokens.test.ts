import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { createToken, isTokenForm, listTokens, revokeToken } from '../../../../src/service/call/tokens.ts';
import type { Db, Tables } from '../../../../src/service/store/tables.ts';
import { serviceLock } from '../../../../src/service/store/tables.ts';
import { toTokenDb } from '../../../../src/service/store/tokens.ts';
import { call, type OpenedService, openService, request } from '../../../support/service.ts';

const change = <T>(opened: OpenedService, work: (db: Db) => Promise<T>) =>
  opened.database.withLock<Tables, T>(serviceLock, work);
const create = (opened: OpenedService, name: string, role: 'Viewer' | 'Editor' | 'Admin' = 'Editor') =>
  change(opened, db => createToken(db, { name, role }, opened.now));
const pass = (opened: OpenedService, ms: number) => {
  opened.now = new Date(opened.now.getTime() + ms);
};

const use = async (opened: OpenedService, token: string) =>
  (await request(opened, 'IncidentsService.GetHomescreenVersion', {}, { token })).status;

test('a token has 256 random bits and a checksum, and is never the same', async () => {
  await using opened = await openService();
  const { token } = await create(opened, 'one');
  const [, start = '', checksum] = /^(glsa_[0-9A-Za-z]{43})_([0-9a-f]{8})$/.exec(token) ?? [];
  expect(checksum).toBe(crc32(start).toString(16).padStart(8, '0'));
  expect(isTokenForm(token)).toBe(true);
  expect((await create(opened, 'other')).token).not.toBe(token);
  for (const other of [
    `${token}0`,
    token.slice(0, -1),
    token.toUpperCase(),
    `glsa_${'a'.repeat(43)}_00000000`,
    'x',
    '',
  ]) {
    expect(isTokenForm(other)).toBe(false);
  }
});

test('a token is stored hashed only, accepted at once, and named on the timeline', async () => {
  await using opened = await openService();
  const { id, token } = await create(opened, ' deploy bot ');
  expect(id).toBe(1);
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' }, { token });
  const query = { incidentID: '1', limit: 10 };
  const { activityItems } = await call(opened, 'ActivityService.QueryActivity', { query }, { token });
  expect(activityItems).toMatchObject([
    {
      body: 'The incident was created by Service Account: deploy bot',
      user: {
        name: 'Service Account: deploy bot',
        userID: expect.stringMatching(/^grafana-incident:user-[0-9a-f]{24}$/),
      },
    },
  ]);
  const stored = JSON.stringify(
    await toTokenDb(opened.database.as<Tables>()).selectFrom('api_token').selectAll().execute(),
  );
  expect(stored).not.toContain(token);
  expect(stored).not.toContain(token.slice(5, 48));
});

test('what each role may do holds for stored tokens', async () => {
  await using opened = await openService();
  const viewer = await create(opened, 'reader', 'Viewer');
  const editor = await create(opened, 'writer', 'Editor');
  const admin = await create(opened, 'chief', 'Admin');
  const title = { title: 'x' };
  expect((await request(opened, 'IncidentsService.CreateIncident', title, viewer)).status).toBe(403);
  expect((await request(opened, 'IncidentsService.CreateIncident', title, editor)).status).toBe(200);
  const role = { name: 'scribe' };
  expect((await request(opened, 'RolesService.CreateRole', { role }, editor)).status).toBe(403);
  expect((await request(opened, 'RolesService.CreateRole', { role }, admin)).status).toBe(200);
});

test('a revoked token is refused within seconds, in its own words', async () => {
  await using opened = await openService();
  const { token } = await create(opened, 'ci');
  expect(await use(opened, token)).toBe(200);
  await change(opened, db => revokeToken(db, 'ci', opened.now));
  pass(opened, 2000);
  const refused = await request(opened, 'IncidentsService.GetHomescreenVersion', {}, { token });
  expect(refused.status).toBe(401);
  expect(refused.body).toMatchObject({ message: 'Token revoked', messageId: 'ERR_TOKEN_REVOKED', statusCode: 401 });
  const headers = { authorization: `Bearer ${token}` };
  const plain = await opened.service.fetch(new Request('http://test/api/dashboards/tags', { headers }));
  expect(plain.status).toBe(401);
  expect(await plain.json()).toEqual({
    message: 'Token revoked',
    error: { id: 'ERR_TOKEN_REVOKED', maxConcurrentSessions: 0 },
  });
});

test('a token that never was is an invalid key', async () => {
  await using opened = await openService();
  expect(isTokenForm(`glsa_${'0'.repeat(43)}_de093f32`)).toBe(true);
  for (const token of [`glsa_${'0'.repeat(43)}_de093f32`, 'glsa_nonsense', 'x'.repeat(5000)]) {
    const refused = await request(opened, 'IncidentsService.GetHomescreenVersion', {}, { token });
    expect(refused.status).toBe(401);
    expect(refused.body).toMatchObject({ message: 'Invalid API key', messageId: 'api-key.invalid' });
  }
});

test('the last use is written down, at most once a minute', async () => {
  await using opened = await openService();
  const { token } = await create(opened, 'ci');
  const lastUse = async () => (await listTokens(opened.database.as<Tables>()))[0]?.lastUsedTime;
  expect(await lastUse()).toBe('');
  await use(opened, token);
  await expect.poll(lastUse, { interval: 5 }).toBe('2026-09-19T09:30:00.123Z');
  pass(opened, 59_999);
  await use(opened, token);
  pass(opened, 2001);
  expect(await lastUse()).toBe('2026-09-19T09:30:00.123Z');
  await use(opened, token);
  await expect.poll(lastUse, { interval: 5 }).toBe('2026-09-19T09:31:02.123Z');
});

test('a refused use is no use', async () => {
  await using opened = await openService();
  const { token } = await create(opened, 'ci');
  await change(opened, db => revokeToken(db, '1', opened.now));
  await use(opened, token);
  await opened.service[Symbol.asyncDispose]();
  expect((await listTokens(opened.database.as<Tables>()))[0]).toMatchObject({
    lastUsedTime: '',
    revokedTime: '2026-09-19T09:30:00.123Z',
  });
});

test('names are unique among live tokens, and free again after a revocation', async () => {
  await using opened = await openService();
  await create(opened, 'ci');
  await expect(create(opened, 'ci')).rejects.toThrow('token 1 has the name "ci": revoke it first, or choose another');
  expect(await change(opened, db => revokeToken(db, 'ci', opened.now))).toBe('ci');
  expect((await create(opened, 'ci')).id).toBe(2);
  expect(await change(opened, db => revokeToken(db, '2', opened.now))).toBe('ci');
  await expect(change(opened, db => revokeToken(db, 'ci', opened.now))).rejects.toThrow('there is no token "ci"');
  expect((await listTokens(opened.database.as<Tables>())).map(each => [each.id, each.name, each.role])).toEqual([
    [1, 'ci', 'Editor'],
    [2, 'ci', 'Editor'],
  ]);
});

test.each(['', '  ', 'x'.repeat(101), '12', 'a\nb'])('the name %j is refused', async name => {
  await using opened = await openService();
  await expect(create(opened, name)).rejects.toThrow('a token’s name must');
});
