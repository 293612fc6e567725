import { expect, test } from 'vitest';
import { isPassing } from '../../../../src/bot/slack/clients.ts';
import { createGroups } from '../../../../src/bot/slack/groups.ts';
import { oneWorkspace } from '../../../../src/bot/slack/workspaces.ts';

/** The reader of groups over a Slack that answers each list with the next of these; `asked` counts them. */
function openGroups(...answers: (() => Promise<unknown>)[]) {
  const asked = { lists: 0, members: 0, at: 0 };
  const groups = createGroups({
    quick: {
      usergroups: {
        list: (() => answers[asked.lists++]?.() ?? Promise.reject(new Error('asked too often'))) as never,
        users: { list: (async () => ({ users: [`U${asked.members++}`] })) as never },
      },
    },
    workspaces: oneWorkspace(),
    isPassing,
    clock: () => new Date(asked.at),
  });
  return { groups, asked };
}

const two = async () => ({ ok: true, usergroups: [{ id: 'S1', handle: 'sre' }, { id: 'S2' }] });
const refusal = () => Promise.reject(Object.assign(new Error('no'), { data: { error: 'missing_scope' } }));

test('the groups are asked for once in ten minutes, also where Slack refuses', async () => {
  const { groups, asked } = openGroups(two, refusal);
  expect([...(await groups.handles())]).toEqual([['S1', 'sre']]);
  asked.at = 9 * 60_000;
  expect([...(await groups.handles())]).toEqual([['S1', 'sre']]);
  asked.at = 11 * 60_000;
  expect((await groups.handles()).size).toBe(0);
  await expect(groups.all()).rejects.toThrow('no');
  expect(asked.lists).toBe(2);
});

test('a failure that passes is asked again a moment later', async () => {
  const { groups, asked } = openGroups(() => Promise.reject(new Error('away')), two);
  await expect(groups.find('sre')).rejects.toThrow('away');
  asked.at = 3000;
  expect(await groups.find('@SRE')).toMatchObject({ id: 'S1' });
});

test('a group made a moment ago is found; unknown names cost one list in ten seconds', async () => {
  const three = async () => ({
    usergroups: [
      { id: 'S1', handle: 'sre' },
      { id: 'S3', handle: 'new' },
    ],
  });
  const { groups, asked } = openGroups(two, three, three);
  expect(await groups.find('sre')).toMatchObject({ id: 'S1' });
  asked.at = 9000;
  // The list is too fresh for a second look.
  expect(await groups.find('new')).toBeUndefined();
  asked.at = 11_000;
  const found = await Promise.all([groups.find('@new'), groups.find('S3'), groups.find('nobody')]);
  expect(found.map(each => each?.id)).toEqual(['S3', 'S3', undefined]);
  for (let at = 12_000; at <= 21_000; at += 1000) {
    asked.at = at;
    expect(await groups.find(`stranger-${at}`)).toBeUndefined();
  }
  expect(asked.lists).toBe(2);
  // A known name asks nothing.
  asked.at = 60_000;
  expect(await groups.find('new')).toMatchObject({ id: 'S3' });
  expect(asked.lists).toBe(2);
  expect(await groups.find('stranger')).toBeUndefined();
  expect(asked.lists).toBe(3);
});

test('where Slack does not answer the second look, the groups that are known stay known', async () => {
  const { groups, asked } = openGroups(two, () => Promise.reject(new Error('away')), two);
  await groups.all();
  asked.at = 20_000;
  await expect(groups.find('new')).rejects.toThrow('away');
  expect(await groups.find('sre')).toMatchObject({ id: 'S1' });
  expect(asked.lists).toBe(2);
  asked.at = 29000;
  await expect(groups.find('new')).rejects.toThrow('away');
  expect(asked.lists).toBe(2);
  asked.at = 31_000;
  expect(await groups.find('new')).toBeUndefined();
  expect(asked.lists).toBe(3);
});

test.each([
  ['sre', 'S1'],
  ['@sre', 'S1'],
  ['@Sre', 'S1'],
  ['S1', 'S1'],
  ['S2', undefined],
  ['sr', undefined],
  ['', undefined],
  ['@', undefined],
])('“%s” names the group %s', async (named, id) => {
  expect((await openGroups(two).groups.find(named))?.id).toBe(id);
});

test('who is in a group is asked each time', async () => {
  const { groups } = openGroups(two);
  const group = { id: 'S1', handle: 'sre', team: {} };
  expect([await groups.members(group), await groups.members(group)]).toEqual([['U0'], ['U1']]);
});
