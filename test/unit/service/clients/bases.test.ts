import { describe, expect, test } from 'vitest';
import { createClient } from '../../../../src/client/client.ts';
import { pluginIDs, rpc } from '../../../../src/contract/contract.ts';
import { patient } from '../../../support/deadlines.ts';
import { call, type OpenedService, openService, tokens } from '../../../support/service.ts';

/*
 * Which base path the vendor's clients call for which service (docs/api-rules.md A1, Base path). The documented services are called
 * below `api/v1` by all of them; by older ones, and by the command line after a 404, below `api` alone. What is not documented is
 * called below `api` alone.
 */

const bases = pluginIDs.flatMap(id =>
  ['api/v1/', 'api/v1', 'api/v1//', 'api/', 'api', 'api//'].map(rest => `/api/plugins/${id}/resources/${rest}`),
);
const documented = Object.entries(rpc).flatMap(([service, methods]) =>
  Object.keys(methods).map(name => `${service}.${name}`),
);
const undocumented = [
  'SeveritiesService.GetOrgSeverities',
  'IncidentContextService.QueryIncidentContext',
  'IntegrationService.GetHookRuns',
];
const ask = async (opened: OpenedService, path: string, body: object, token: string = tokens.Admin) => {
  const init = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body) };
  const answer = await opened.service.fetch(new Request(`http://test${path}`, init));
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

describe.each(bases)('below %s', base => {
  test('every operation is answered', async () => {
    await using opened = await openService();
    for (const operation of [...documented, ...undocumented]) {
      const { status, body } = await ask(opened, `${base}${operation}`, {});
      // An empty body lacks what some operations need; only an operation that does not exist is 404 then.
      expect([operation, [200, 400].includes(status), body]).toEqual([operation, true, expect.anything()]);
    }
  });

  test('an operation that does not exist is 404, and the links of an answer have the plugin’s id', async () => {
    await using opened = await openService();
    expect((await ask(opened, `${base}IncidentsService.NoSuchThing`, {})).status).toBe(404);
    const { body } = await ask(opened, `${base}IncidentsService.CreateIncident`, { title: 'x' });
    const id = /plugins\/([^/]+)/.exec(base)?.[1];
    expect(body).toMatchObject({ incident: { overviewURL: `/a/${id}/incidents/1/x` } });
  });
});

test('the address alone, with either version, names no operation', async () => {
  await using opened = await openService();
  for (const rest of ['api', 'api/', 'api/v1', 'api/v1/', 'api/v1//']) {
    const { status, body } = await ask(opened, `/api/plugins/grafana-irm-app/resources/${rest}`, {});
    expect([rest, status, body.error]).toEqual([rest, 404, expect.stringContaining('names no operation')]);
  }
});

describe('the client calls each service where every Grafana answers it', () => {
  test.each(documented)('%s', async operation => {
    const asked: string[] = [];
    const transport = async ({ path }: { path: string }) => {
      asked.push(path);
      return { status: 404, headers: {}, body: '{"error":"none"}' };
    };
    const client = createClient({ ...patient().api, transport }) as unknown as Record<
      string,
      Record<string, (input: object) => Promise<unknown>>
    >;
    const [service = '', name = ''] = operation.split('.');
    const input = {
      incidentID: '1',
      title: 'x',
      body: 'x',
      text: 'x',
      userID: 'u',
      role: 'observer',
      severity: 'minor',
    };
    const more = { status: 'done', label: { label: 'x' }, activityItemID: 'a', taskID: 't', roleID: 1, query: input };
    await client[service]?.[name]?.({ ...input, ...more }).catch(() => undefined);
    expect(asked.every(path => path === `/api/plugins/grafana-irm-app/resources/api/v1/${operation}`)).toBe(true);
  });
});

const unversioned = (operation: string) => `/api/plugins/grafana-irm-app/resources/api/${operation}`;

describe('what the command line and OnCall ask, which no document describes', () => {
  test('the severities have the ids that incidents are declared with, in the order of the setting', async () => {
    const severities = [
      { label: 'Pending', level: -1 },
      { label: 'SEV 1', level: 1 },
      { label: 'ärger', level: 2 },
    ];
    await using opened = await openService({ severities });
    const { status, body } = await ask(opened, unversioned('SeveritiesService.GetOrgSeverities'), {}, tokens.Viewer);
    expect(status).toBe(200);
    const listed = body.severities as { severityID: string; displayLabel: string; level: number; orgID: string }[];
    expect(listed.map(each => [each.displayLabel, each.level, each.orgID])).toEqual(
      severities.map(each => [each.label, each.level, '1']),
    );
    for (const { severityID, displayLabel } of listed) {
      const { incident } = await call(opened, 'IncidentsService.CreateIncident', { title: 'x', severityID });
      expect(incident.severity).toBe(displayLabel);
    }
    const { incidentPreviews } = await call(opened, 'IncidentsService.QueryIncidentPreviews', {
      query: { orderDirection: 'ASC', orderField: 'incidentID' },
    });
    expect(incidentPreviews.map(each => each.severityID)).toEqual(listed.map(each => each.severityID));
  });

  const contexts = async (opened: OpenedService, query: object, token: string = tokens.Viewer) =>
    await ask(opened, unversioned('IncidentContextService.QueryIncidentContext'), { query }, token);

  test('the contexts of an incident are what was attached to it', async () => {
    await using opened = await openService();
    await call(opened, 'IncidentsService.CreateIncident', {
      ...{ title: 'x', attachURL: 'https://a.example/graph', attachCaption: 'A graph', alertGroupID: 'ag-42' },
    });
    opened.now = new Date('2026-09-19T09:31:00Z');
    await call(opened, 'ActivityService.AddActivity', { incidentID: '1', body: 'see https://b.example/log' });
    const titles = async (query: object) =>
      ((await contexts(opened, { incidentID: '1', ...query })).body.incidentContexts as { title: string }[]).map(
        each => each.title,
      );
    expect(await titles({})).toEqual(['https://b.example/log', 'Alert group ag-42', 'A graph']);
    expect(await titles({ orderDirection: 'ASC', orderField: 'createdTime' })).toEqual([
      'A graph',
      'Alert group ag-42',
      'https://b.example/log',
    ]);
    expect(await titles({ limit: 1 })).toEqual(['https://b.example/log']);
    expect(await titles({ alertGroupID: 'ag-42' })).toEqual(['Alert group ag-42']);
    expect(await titles({ type: 'genericURL' })).toEqual(['https://b.example/log', 'A graph']);
    expect(await titles({ type: 'grafana.dashboard' })).toEqual([]);
    expect(await titles({ status: 'archived' })).toEqual([]);
    expect((await contexts(opened, { incidentID: '1', limit: 1 })).body.incidentContexts).toEqual([
      expect.objectContaining({
        ...{ incidentID: '1', type: 'genericURL', status: 'active', createdTime: '2026-09-19T09:31:00Z' },
        payload: 'https://b.example/log',
      }),
    ]);
    expect((await contexts(opened, { incidentID: '1', orderField: 'title' })).status).toBe(400);
    expect((await contexts(opened, {})).status).toBe(400);
  });

  test('no integration runs here, so no hook ran', async () => {
    await using opened = await openService();
    await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
    const runs = (incidentID: string) =>
      ask(opened, unversioned('IntegrationService.GetHookRuns'), { incidentID }, tokens.Viewer);
    expect(await runs('1')).toEqual({ status: 200, body: { hookRuns: [], error: '' } });
    expect((await runs('9')).status).toBe(404);
  });

  test('a private incident is as one that does not exist', async () => {
    await using opened = await openService();
    await call(opened, 'IncidentsService.CreateIncident', {
      title: 'x',
      incidentType: 'private',
      attachURL: 'https://a',
    });
    expect((await contexts(opened, { incidentID: '1' })).status).toBe(404);
    expect((await contexts(opened, { incidentID: '1' }, tokens.Admin)).status).toBe(200);
    const runs = await ask(opened, unversioned('IntegrationService.GetHookRuns'), { incidentID: '1' }, tokens.Editor);
    expect(runs.status).toBe(404);
  });
});
