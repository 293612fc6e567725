import { describe, expect, test } from 'vitest';
import { openFakeSlack } from '../../../../playground/fake-slack/fake-slack.ts';
import {
  documentedArguments,
  methodsOfOneTeam,
} from '../../../../playground/fake-slack/web-api/documented-arguments.ts';
import { type Grid, organisation, teams } from '../../../../playground/fake-slack/workspace/grid.ts';

const [acme, west, labs] = teams;
const granted = [acme.id, west.id];

async function openGrid(install: Grid['install']) {
  const slack = await openFakeSlack({ grid: { install, granted } });
  const ask = async (method: string, args: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${slack.botToken}` };
    const body = new URLSearchParams(args);
    return (await (await fetch(`${slack.apiUrl}${method}`, { method: 'POST', headers, body })).json()) as {
      readonly ok: boolean;
      readonly error?: string;
      readonly [member: string]: unknown;
    };
  };
  return { slack, ask, [Symbol.asyncDispose]: () => slack[Symbol.asyncDispose]() };
}

/** A method that succeeds in the workspace of its group alone. */
const ofGroup = 'usergroups.users.list';

/** The other arguments with which each other method succeeds. */
const complete: Readonly<Record<string, Record<string, string>>> = {
  'bots.info': { bot: 'B0MUSTER001' },
  'conversations.create': { name: 'inc-1' },
  'usergroups.list': {},
  'users.conversations': {},
  'users.list': {},
};

test('the methods of one workspace are those that Slack documents so', () => {
  expect([...methodsOfOneTeam].toSorted()).toEqual([...Object.keys(complete), ofGroup].toSorted());
  for (const method of methodsOfOneTeam) expect(documentedArguments[method]).toContain('team_id');
});

describe.each(Object.entries(complete))('%s with a token of an organisation', (method, args) => {
  test.each([
    ['no workspace', {}, 'missing_argument'],
    ['an empty one', { team_id: '' }, 'missing_argument'],
    ['one of nobody', { team_id: 'T0NOBODY001' }, 'team_not_found'],
    ['one of another organisation', { team_id: 'T0PARTNER01' }, 'team_not_found'],
    ['one without the app', { team_id: labs.id }, 'team_access_not_granted'],
    ['the first one', { team_id: acme.id }, undefined],
    ['the second one', { team_id: west.id }, undefined],
  ])('names %s', async (_what, team, error) => {
    await using place = await openGrid('organisation');
    expect((await place.ask(method, { ...args, ...team })).error).toBe(error);
  });

  test('a token of one workspace names none, and may name any', async () => {
    await using place = await openGrid('workspace');
    expect((await place.ask(method, args)).error).toBeUndefined();
    await using other = await openGrid('workspace');
    expect((await other.ask(method, { ...args, team_id: west.id })).error).toBeUndefined();
  });
});

test.each([
  ['organisation', { team_id: organisation.id, enterprise_id: organisation.id, is_enterprise_install: true }],
  ['workspace', { team_id: acme.id, enterprise_id: organisation.id, is_enterprise_install: false }],
] as const)('auth.test names what has installed it: %s', async (install, answer) => {
  await using place = await openGrid(install);
  expect(await place.ask('auth.test')).toMatchObject(answer);
  expect((await place.ask('auth.teams.list')).teams).toHaveLength(install === 'organisation' ? 2 : 1);
});

test('each workspace has its own people, groups, channels and names of channels', async () => {
  await using place = await openGrid('organisation');
  const { slack, ask } = place;
  const alice = slack.addPerson({ name: 'alice' });
  const bob = slack.addPerson({ name: 'bob', teamId: west.id });
  const group = slack.addUserGroup({ handle: 'sre', members: [bob], teamId: west.id });
  expect([alice.id[0], bob.id[0]]).toEqual(['U', 'W']);
  const listed = async (team_id: string) => JSON.stringify(await ask('users.list', { team_id }));
  expect(await listed(acme.id)).toContain(alice.id);
  expect(await listed(acme.id)).not.toContain(bob.id);
  expect(await listed(west.id)).toContain(bob.id);
  expect(JSON.stringify(await ask('usergroups.list', { team_id: west.id }))).toContain(group.id);
  expect(JSON.stringify(await ask('usergroups.list', { team_id: acme.id }))).not.toContain(group.id);
  const membersIn = (team_id: string) => ask(ofGroup, { usergroup: group.id, team_id });
  expect((await membersIn(west.id)).users).toEqual([bob.id]);
  expect((await membersIn(acme.id)).error).toBe('no_such_subteam');
  expect((await ask(ofGroup, { usergroup: group.id })).error).toBe('missing_argument');
  for (const team_id of granted)
    expect((await ask('conversations.create', { name: 'inc-1', team_id })).ok, team_id).toBe(true);
  expect((await ask('conversations.create', { name: 'inc-1', team_id: west.id })).error).toBe('name_taken');
  const [, made] = slack.channels;
  const invite = (users: string) => ask('conversations.invite', { channel: made?.id ?? '', users });
  expect((await invite(alice.id)).error).toBe('cant_invite');
  expect((await invite(bob.id)).ok).toBe(true);
  const answer = await ask('users.info', { user: bob.id });
  expect(answer.user).toMatchObject({ team_id: west.id, enterprise_user: { enterprise_id: organisation.id } });
});
