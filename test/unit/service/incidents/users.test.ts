import { expect, test } from 'vitest';
import { call, openService, request } from '../../../support/service.ts';

test('people are known from settings and from calls that name them', async () => {
  await using opened = await openService({ users: [{ userID: 'ldap:1', name: 'Cat', email: 'cat@example.com' }] });
  const bob = { userID: 'slack:U2', name: 'Bob', slackUserID: 'U2', slackTeamID: 'T1' };
  const ann = { userID: 'slack:U1', name: 'Ann', photoURL: 'https://img.example/a.png' };
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' }, { people: { actor: ann, others: [bob] } });
  const { user } = await call(opened, 'UsersService.GetUser', { userID: 'slack:U2' });
  expect(user).toEqual({
    userID: 'slack:U2',
    internalUserID: '',
    email: '',
    modifiedTime: '2026-09-19T09:30:00.123Z',
    name: 'Bob',
    photoURL: '',
    grafanaUserID: '',
    grafanaLogin: '',
    slackUserID: 'U2',
    slackTeamID: 'T1',
    msTeamsUserID: '',
  });
  expect((await call(opened, 'UsersService.GetUser', { userID: 'ldap:1' })).user.email).toBe('cat@example.com');
  expect(await request(opened, 'UsersService.GetUser', { userID: 'nobody' })).toMatchObject({
    status: 404,
    body: { error: 'user "nobody" was not found', code: 'users.not_found' },
  });
});

test('people are listed page by page', async () => {
  await using opened = await openService({
    users: Array.from({ length: 5 }, (_, index) => ({ userID: `u:${index}`, name: `U${index}` })),
  });
  const seen: string[] = [];
  let cursor = { nextValue: '', hasMore: true };
  while (cursor.hasMore) {
    const page = await call(opened, 'UsersService.QueryUsers', { query: { limit: 2 }, cursor });
    expect(page.query).toEqual({ limit: 2 });
    seen.push(...page.users.map(each => each.userID));
    cursor = page.cursor;
  }
  expect(seen.filter(each => each.startsWith('u:'))).toEqual(['u:0', 'u:1', 'u:2', 'u:3', 'u:4']);
  const all = await call(opened, 'UsersService.QueryUsers');
  expect(all.users.map(each => each.userID)).toEqual(seen);
  expect(all.query.limit).toBe(100);
});
