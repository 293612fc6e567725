import { expect, test } from 'vitest';
import { rpcBase } from '../../../../src/contract/contract.ts';
import { openTestClient } from '../../../support/client.ts';
import { openDesk } from '../../../support/dashboards.ts';
import { type OpenedService, openService, request, tokens } from '../../../support/service.ts';

/* Numbers that JavaScript cannot hold are stored, sent and read as they were written. */

const numbers =
  '{"id":9223372036854775807,"ns":[-1757900000000123456,0.1234567890123456789],"deep":{"big":1e400},"plain":12.5}';

async function ask(
  { service }: Pick<OpenedService, 'service'>,
  method: string,
  path: string,
  body?: string,
): Promise<string> {
  const headers = { authorization: `Bearer ${tokens.Admin}` };
  const response = await service.fetch(
    new Request(`http://test${path}`, { method, headers, ...(body === undefined ? {} : { body }) }),
  );
  const text = await response.text();
  expect([response.status, response.status === 200 ? '' : text]).toEqual([200, '']);
  return text;
}

const rpc = (opened: Pick<OpenedService, 'service'>, operation: string, body: string) =>
  ask(opened, 'POST', `${rpcBase('grafana-irm-app')}/${operation}`, body);

test('field values of a note', async () => {
  await using opened = await openService();
  await rpc(opened, 'IncidentsService.CreateIncident', '{"title":"x"}');
  const added = await rpc(
    opened,
    'ActivityService.AddActivity',
    `{"incidentID":"1","body":"x","fieldValues":${numbers}}`,
  );
  expect(added).toContain(numbers);
  expect(await rpc(opened, 'ActivityService.QueryActivity', '{"query":{"incidentID":"1"}}')).toContain(numbers);
  const inside = await opened.service.handle({
    method: 'POST',
    path: `${rpcBase('grafana-irm-app')}/ActivityService.QueryActivity`,
    headers: {},
    body: '{"query":{"incidentID":"1"}}',
  });
  expect(inside.body).toContain(numbers);
});

test('field values beside a text that no database can store', async () => {
  await using opened = await openService();
  await rpc(opened, 'IncidentsService.CreateIncident', '{"title":"x"}');
  const body = '{"incidentID":"1","body":"x\\u0000","fieldValues":{"n":18446744073709551615,"t":"a\\u0000b"}}';
  expect(await rpc(opened, 'ActivityService.AddActivity', body)).toContain('{"n":18446744073709551615,"t":"ab"}');
});

test('a dashboard, its versions and its way through the trash', async () => {
  await using desk = await openDesk();
  const panels = `"panels":[{"id":1,"options":${numbers}}]`;
  await ask(desk, 'POST', '/api/dashboards/db', `{"dashboard":{"uid":"big","title":"Big",${panels}}}`);
  expect(await ask(desk, 'GET', '/api/dashboards/uid/big')).toContain(numbers);
  await ask(desk, 'POST', '/api/dashboards/db', `{"dashboard":{"uid":"big","version":1,"title":"Big 2",${panels}}}`);
  await ask(desk, 'DELETE', '/api/dashboards/uid/big');
  await ask(desk, 'PATCH', '/api/dashboards/uid/big/trash', '{}');
  expect(await ask(desk, 'GET', '/api/dashboards/uid/big')).toContain(numbers);
});

test.each([
  ['IncidentsService.QueryIncidentPreviews', '{"query":{"limit":9223372036854775807}}', 'query.limit'],
  ['IncidentsService.QueryIncidentPreviews', '{"query":{"limit":1e400}}', 'query.limit'],
  ['ActivityService.AddActivity', '{"incidentID":"1","body":"x","fieldValues":12345678901234567890}', 'fieldValues'],
  ['IncidentsService.QueryIncidentPreviews', '{"query":12345678901234567890}', 'query'],
  ['IncidentsService.CreateIncident', '{"title":12345678901234567890}', 'title'],
  ['IncidentsService.CreateIncident', '{"title":"x","labels":[12345678901234567890]}', 'labels.0'],
  ['RolesService.ArchiveRole', '{"roleID":9223372036854775807}', 'roleID'],
])('%s with %s is refused: the member takes no such number', async (operation, body, member) => {
  await using opened = await openService();
  const { status, body: answer } = await request(opened, operation, body);
  expect([status, answer.error]).toEqual([400, expect.stringContaining(`${member} must be`)]);
});

test('the client reads and sends them as they are written', async () => {
  await using opened = await openService();
  await rpc(opened, 'IncidentsService.CreateIncident', '{"title":"x"}');
  await rpc(opened, 'ActivityService.AddActivity', `{"incidentID":"1","body":"x","fieldValues":${numbers}}`);
  await ask(opened, 'POST', '/api/dashboards/db', `{"dashboard":{"uid":"big","title":"Big","options":${numbers}}}`);
  await using open = openTestClient('http://muster.test', { transport: opened.service.handle });
  const { activityItems } = await open.client.ActivityService.QueryActivity({
    query: { incidentID: '1', activityKind: ['userNote'] },
  });
  const fieldValues = activityItems[0]?.fieldValues ?? {};
  expect(JSON.stringify(fieldValues)).toBe(numbers);
  await open.client.ActivityService.AddActivity({ incidentID: '1', activityKind: 'userNote', body: 'y', fieldValues });
  const { dashboard } = await open.client.Dashboards.get({ uid: 'big' });
  await open.client.Dashboards.save({ dashboard: { ...dashboard, title: 'Copy', uid: 'copy', id: null } });
  const listed = await rpc(opened, 'ActivityService.QueryActivity', '{"query":{"incidentID":"1"}}');
  expect(listed.split(numbers)).toHaveLength(3);
  expect(await ask(opened, 'GET', '/api/dashboards/uid/copy')).toContain(numbers);
});

test('the client reads a number of its own members that it cannot hold as the one next to it', async () => {
  const body = '{"roles":[{"roleID":9223372036854775807,"name":"x"}],"error":""}';
  const transport = async () => ({ status: 200, headers: {}, body });
  await using open = openTestClient('http://grafana.test', { transport });
  const { roles } = await open.client.RolesService.GetRoles({});
  expect(roles[0]?.roleID).toBe(2 ** 63);
});
