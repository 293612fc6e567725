import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { serveService } from '../../../../src/service/http/server.ts';
import { call, openService, request, tokens } from '../../../support/service.ts';

const log = pino({ level: 'silent' });
const base = '/api/plugins/grafana-irm-app/resources/api/v1';

describe('an operation that does not exist', () => {
  test.each([
    ['IncidentService.CreateIncident', 'IncidentsService.CreateIncident'],
    ['incidentsservice.createincident', 'IncidentsService.CreateIncident'],
    ['IncidentsService.CreateIncidents', 'IncidentsService.CreateIncident'],
    ['IncidentsService.createIncident', 'IncidentsService.CreateIncident'],
    ['Incidents.CreateIncident', 'IncidentsService.CreateIncident'],
    ['IncidentsService.AddTask', 'TasksService.AddTask'],
    ['IncidentService.AddActivity', 'ActivityService.AddActivity'],
    ['ActivitiesService.QueryActivity', 'ActivityService.QueryActivity'],
    ['RoleService.GetRole', 'RolesService.GetRoles'],
    ['UserService.QueryUsers', 'UsersService.QueryUsers'],
    ['IncidentsService.QueryIncidentPreview', 'IncidentsService.QueryIncidentPreviews'],
    ['CreateIncident', 'IncidentsService.CreateIncident'],
    ['IncidentsService/CreateIncident', 'IncidentsService.CreateIncident'],
    ['incidents_service.create_incident', 'IncidentsService.CreateIncident'],
  ])('%s: did you mean %s?', async (typed, meant) => {
    await using opened = await openService();
    for (const manner of [{}, { token: tokens.Viewer }]) {
      const { status, body } = await request(opened, typed, {}, manner);
      expect([status, body.code, body.error]).toEqual([
        404,
        'common.not_found',
        expect.stringMatching(new RegExp(`Did you mean ${meant.replace('.', '\\.')}\\?$`)),
      ]);
    }
  });

  test.each([
    [
      'KeyUpdatesService.CreateKeyUpdate',
      /no operation KeyUpdatesService\.CreateKeyUpdate\. The services are ActivityService, /,
    ],
    ['SeveritiesService.UpdateSeverity', /Did you mean IncidentsService\.UpdateSeverity\?/],
    ['FieldsService.GetFields', /The services are ActivityService, /],
    ['IncidentsService.PostMortem', /IncidentsService has AddLabel, .*UpdateTitle\.$/],
    [`x${'y'.repeat(300)}`, /^There is no operation "xy{99}…"/],
    ['%3Cscript%3E', /^There is no operation /],
  ])('%s: what there is', async (typed, sentence) => {
    await using opened = await openService();
    const { status, body } = await request(opened, typed);
    expect([status, body.error]).toEqual([404, expect.stringMatching(sentence)]);
  });

  test('a request that is no POST is told so', async () => {
    await using opened = await openService();
    const headers = { authorization: `Bearer ${tokens.Viewer}` };
    const answer = await opened.service.fetch(new Request(`http://test${base}/RolesService.GetRoles`, { headers }));
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([
      404,
      'RolesService.GetRoles is called with POST, and this request is GET.',
    ]);
  });
});

test.each([
  `${base}/RolesService.GetRoles/`,
  `${base}/RolesService.GetRoles//`,
  `${base}//RolesService.GetRoles/`,
  `${base}RolesService.GetRoles/`,
])('%s is answered, over HTTP and within the process', async path => {
  await using opened = await openService();
  await using server = await serveService({ service: opened.service, port: 0, log });
  const headers = { authorization: `Bearer ${tokens.Viewer}` };
  const outside = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: '{}' });
  expect([outside.status, await outside.json()]).toMatchObject([200, { roles: [{ name: 'commander' }, {}, {}] }]);
  const slow = await fetch(`${server.url}${path}?x=1`, { method: 'POST', headers, body: '{}' });
  expect(slow.status).toBe(200);
  const inside = await opened.service.handle({ method: 'POST', path, headers: {}, body: '{}' });
  expect(inside.status).toBe(200);
});

test('below a path that a proxy leaves in place nothing is carried out, and the answer says what is wrong', async () => {
  await using opened = await openService();
  const headers = { authorization: `Bearer ${tokens.Editor}` };
  const ask = (method: string, path: string) =>
    opened.service.fetch(new Request(`http://test${path}`, { method, headers }));
  const hook = '/incoming-webhooks/grafana.incident.create?title=x';
  expect((await ask('POST', `${base}${hook}`)).status).toBe(200);
  for (const path of [
    `/muster${base}${hook}`,
    `/slack/events${base}/IncidentsService.CreateIncident`,
    `/tools/muster/${base}/RolesService.GetRoles/`,
    '/muster/api/dashboards/uid/x',
    '/a/b/api/short-urls/',
    '/muster/goto/x',
  ]) {
    const answer = await ask('POST', path);
    const { message } = (await answer.json()) as { message: string };
    expect([path, answer.status, message]).toEqual([path, 404, expect.stringContaining('the proxy must take')]);
  }
  expect((await call(opened, 'IncidentsService.QueryIncidents', { query: {} })).incidents).toHaveLength(1);
});
