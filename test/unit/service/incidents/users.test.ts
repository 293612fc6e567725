import { expect, test } from 'vitest';
import type { KnownPerson } from '../../../../src/contract/define.ts';
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

test('somebody who is named again without a name, an e-mail or a photo keeps those that are known', async () => {
  await using opened = await openService();
  const bob = {
    userID: 'slack:U2',
    name: 'Bob',
    email: 'bob@example.com',
    photoURL: 'https://img.example/b.png',
    slackUserID: 'U2',
    slackTeamID: 'T1',
  };
  const create = (actor: KnownPerson) =>
    call(opened, 'IncidentsService.CreateIncident', { title: 'x' }, { people: { actor } });
  const stored = async () => (await call(opened, 'UsersService.GetUser', { userID: 'slack:U2' })).user;
  await create(bob);
  const before = await stored();
  expect(before).toMatchObject(bob);
  const unknown = { userID: 'slack:U2', slackUserID: 'U2', slackTeamID: 'T1' };
  for (const name of [undefined, '', 'U2', 'slack:U2']) {
    const { incident } = await create({ ...unknown, name, email: '', photoURL: '' });
    expect(incident.createdByUser).toEqual({ userID: 'slack:U2', name: 'Bob', photoURL: 'https://img.example/b.png' });
    expect(await stored()).toEqual(before);
    const query = { incidentID: incident.incidentID };
    const { activityItems } = await call(opened, 'ActivityService.QueryActivity', { query });
    expect(activityItems.map(each => each.body)).toContain('The incident was created by Bob');
  }
  await create({ ...bob, name: 'Robert', email: 'robert@example.com' });
  expect(await stored()).toMatchObject({ name: 'Robert', email: 'robert@example.com' });
});

test('somebody whose name nobody ever knew is called by their id', async () => {
  await using opened = await openService();
  const actor = { userID: 'slack:U3', slackUserID: 'U3' };
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' }, { people: { actor } });
  expect((await call(opened, 'UsersService.GetUser', { userID: 'slack:U3' })).user.name).toBe('slack:U3');
});
