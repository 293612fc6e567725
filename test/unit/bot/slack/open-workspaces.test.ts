import { expect, test } from 'vitest';
import { openWorkspaces } from '../../../../src/bot/slack/connection.ts';
import { openWatchedLog } from '../../../support/watched-log.ts';

const installed = { team: 'Acme Group', team_id: 'E1', enterprise_id: 'E1', is_enterprise_install: true };

/** An organisation whose workspaces Slack lists on pages; undefined while Slack does not answer. */
async function openOrganisation(pages: readonly (readonly string[])[], wanted = '', auth: object = installed) {
  const world = { pages: pages as readonly (readonly string[])[] | undefined, asked: 0, now: 1_000_000_000 };
  const list = async ({ cursor = '0' }: { cursor?: string } = {}) => {
    world.asked += 1;
    if (!world.pages) throw Object.assign(new Error('away'), { code: 'slack_webapi_request_error' });
    const at = Number(cursor);
    const next = at + 1 < world.pages.length ? String(at + 1) : '';
    return { ok: true, teams: (world.pages[at] ?? []).map(id => ({ id })), response_metadata: { next_cursor: next } };
  };
  const { log, records } = openWatchedLog({ close: async () => undefined });
  const opened = await openWorkspaces(auth, {
    web: { auth: { teams: { list: list as never } } },
    patiently: ask => ask(),
    clock: () => new Date(world.now),
    ...{ wanted, log },
  });
  const warnings = () => records.filter(each => each.level === 'warn').map(each => each.msg);
  return { ...opened, world, warnings };
}

test('the home is the organisation, and every page of its workspaces is read', async () => {
  const { homeId, workspaces, world } = await openOrganisation([['T1', 'T2'], ['T3']]);
  expect([homeId, workspaces.isOrganisation, world.asked]).toEqual(['E1', true, 2]);
  expect(await workspaces.each()).toEqual([{ team_id: 'T1' }, { team_id: 'T2' }, { team_id: 'T3' }]);
  expect(['T1', 'T3', 'T4', 'E1', ''].map(id => workspaces.has(id))).toEqual([true, true, false, false, false]);
  expect(world.asked).toBe(2);
});

test.each([
  ['', 'T2', 'T2'],
  ['', '', 'T1'],
  ['', 'T9', 'T1'],
  ['T2', '', 'T2'],
  ['T2', 'T9', 'T2'],
  ['T2', 'T1', 'T1'],
  ['T9', '', 'T1'],
])('with SLACK_WORKSPACE %j a channel wanted in %j is made in %s', async (setting, wanted, made) => {
  const { workspaces, warnings } = await openOrganisation([['T1', 'T2']], setting);
  expect(await workspaces.forChannel(wanted)).toEqual({ team_id: made });
  expect(warnings()).toHaveLength(setting === 'T9' ? 1 : 0);
});

test('workspaces are listed anew after ten minutes, and when somebody declares in an unknown one', async () => {
  const { workspaces, world } = await openOrganisation([['T1']]);
  world.pages = [['T1', 'T2']];
  expect(await workspaces.each()).toHaveLength(1);
  world.now += 10 * 60_000 + 1;
  expect(await workspaces.each()).toHaveLength(2);
  world.pages = [['T2', 'T3']];
  expect(await workspaces.forChannel('T3')).toEqual({ team_id: 'T3' });
  expect(workspaces.has('T1')).toBe(false);
});

test('what was known counts while Slack does not answer, or lists none', async () => {
  const { workspaces, world, warnings } = await openOrganisation([['T1']]);
  for (const pages of [undefined, [[]]]) {
    world.pages = pages;
    world.now += 11 * 60_000;
    expect(await workspaces.each()).toEqual([{ team_id: 'T1' }]);
    expect(await workspaces.forChannel('T2')).toEqual({ team_id: 'T1' });
  }
  expect(warnings()).toHaveLength(2);
});

test('an organisation without a workspace ends the start with what to do', async () => {
  await expect(openOrganisation([[]])).rejects.toThrow(/Acme Group.*no workspace.*add the app/);
});

test.each([
  ['a workspace of its own', { team_id: 'T1' }, '', []],
  ['one of an organisation', { team_id: 'T1', enterprise_id: 'E1', is_enterprise_install: false }, '', ['E1']],
  ['one for which the setting is another', { team_id: 'T1' }, 'T2', []],
])('%s has one home, and its calls name none', async (_what, auth, setting, formerHomes) => {
  const { homeId, workspaces, world, warnings } = await openOrganisation([['T1']], setting, auth);
  expect([homeId, workspaces.isOrganisation, workspaces.formerHomes, world.asked]).toEqual([
    'T1',
    false,
    formerHomes,
    0,
  ]);
  expect([await workspaces.each(), await workspaces.forChannel('T2')]).toEqual([[{}], {}]);
  expect(warnings()).toHaveLength(setting === '' ? 0 : 1);
});
