import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rpcBase } from '../../src/contract/contract.ts';
import { openFolder } from '../support/folder.ts';
import { openProgram } from '../support/program.ts';
import { openWorkplace } from '../support/workplace.ts';

const viewer = 'a-viewer-of-the-service';
const base = rpcBase('grafana-irm-app');
const doors = {
  rpc: ['POST', `${base}/IncidentsService.GetIncident`],
  changes: ['POST', `${base}/IncidentsService.CreateIncident`],
  dashboards: ['GET', '/api/dashboards/tags'],
  webhook: ['POST', `${base}/incoming-webhooks/grafana.incident.create?title=x`],
} as const;

/** A Muster with the embedded service, which strangers call with tokens of any kind. */
async function openDoors() {
  const databaseFile = join(await openFolder(), 'muster.db');
  const place = await openWorkplace({ databaseFile, settings: { SERVICE_TOKENS: `${viewer}:Viewer` } });
  const call = async (door: keyof typeof doors, headers: Record<string, string>) => {
    const [method, path] = doors[door];
    const body = method === 'GET' ? null : '{}';
    const answer = await fetch(`${place.muster.url}${path}`, { method, headers, body });
    await answer.text();
    return answer.status;
  };
  const lines = () => place.troubles.filter(each => each.msg === 'service: a request was refused');
  const counts = async () => {
    const page = await (await fetch(`${place.muster.url}/metrics`)).text();
    const found = page.matchAll(/^muster_service_refusals_total\{reason="([^"]+)"\} (\d+)$/gm);
    return Object.fromEntries([...found].map(([, reason = '', count]) => [reason, Number(count)]));
  };
  return { database: `sqlite:${databaseFile}`, call, lines, counts };
}

test('before anything is refused, each reason is counted as 0, so that an alert sees the first', async () => {
  const { counts } = await openDoors();
  expect(await counts()).toEqual({ 'no token': 0, 'unknown token': 0, 'revoked token': 0, 'role too low': 0 });
});

test.each(Object.keys(doors) as (keyof typeof doors)[])(
  'a hundred wrong tokens are five lines, each with the address they came from, and are counted: %s',
  async door => {
    const { call, lines, counts } = await openDoors();
    const headers = { authorization: 'Bearer glsa_of_nobody', 'x-forwarded-for': '203.0.113.7, 198.51.100.2' };
    for (let sent = 0; sent < 100; sent += 1) expect(await call(door, headers)).toBe(401);
    expect(lines()).toHaveLength(5);
    for (const line of lines()) {
      expect(line).toMatchObject({ reason: 'unknown token', forwardedFor: '203.0.113.7, 198.51.100.2' });
      expect(line.from).toMatch(/127\.0\.0\.1$/);
      expect(JSON.stringify(line)).not.toContain('glsa_of_nobody');
    }
    expect(await counts()).toMatchObject({ 'unknown token': 100, 'no token': 0 });
  },
);

test('the log and the metric tell why: no token, a revoked one, or one that may do too little', async () => {
  const { database, call, lines, counts } = await openDoors();
  const { said, run } = openProgram();
  await run('tokens', 'create', 'ci', '--role', 'Editor', '--database', database);
  await run('tokens', 'revoke', 'ci', '--database', database);
  expect(await call('dashboards', { authorization: `Bearer ${said.printed.trim().split('\n')[0]}` })).toBe(401);
  expect(await call('rpc', {})).toBe(401);
  expect(await call('changes', { authorization: `Bearer ${viewer}` })).toBe(403);
  expect(lines()).toMatchObject([
    { reason: 'revoked token' },
    { reason: 'no token' },
    { reason: 'role too low', account: 'Service Account: API 1 (Viewer)' },
  ]);
  expect(await counts()).toEqual({ 'no token': 1, 'unknown token': 0, 'revoked token': 1, 'role too low': 1 });
});
