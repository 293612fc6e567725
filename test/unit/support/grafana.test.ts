import { expect, onTestFinished, test } from 'vitest';
import { endpoints, requests } from '../../support/grafana/documents.ts';
import { absences, delays, losses, pauses, refusals, refusalWords } from '../../support/grafana/failures.ts';
import { type GrafanaOptions, openGrafana } from '../../support/grafana/grafana.ts';
import { type Oddities, plain } from '../../support/grafana/oddities.ts';
import { importsBelow } from '../../support/imports.ts';

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at as any stranger's, without our shapes.
type Json = Record<string, any>;

async function open(options: GrafanaOptions = {}) {
  const grafana = await openGrafana(options);
  onTestFinished(() => grafana[Symbol.asyncDispose]());
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${grafana.token}`, 'content-type': 'application/json; charset=utf-8' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(grafana.url + path, { method, headers, redirect: 'manual', ...sent });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      json: (/^[{[]/.test(text) ? JSON.parse(text) : {}) as Json,
    };
  };
  const call = (operation: string, body: object = {}, pluginID = 'grafana-irm-app') =>
    ask('POST', `/api/plugins/${pluginID}/resources/api/v1/${operation}`, body);
  return { ...grafana, ask, call };
}

test('it shares no code with Muster', () => {
  const strangers = importsBelow('test/support/grafana').map(each => each.to);
  expect(strangers.filter(each => !/^(node:|test\/support\/grafana\/)/.test(each))).toEqual([]);
});

const incidentID = '1';
const incident = 'incident';
const ofTask = ['incidentID', 'task', 'taskList'];

/** A life of an incident in the requests of the document, and the members of each answer other than `error`, as the document has them. */
const life: readonly (readonly [keyof typeof requests, object | ((ids: Json) => object), readonly string[]])[] = [
  ['RolesService.GetRoles', {}, ['roles']],
  [
    'RolesService.CreateRole',
    { role: { ...requests['RolesService.CreateRole'].role, name: 'scribe', important: true } },
    ['role'],
  ],
  ['RolesService.UpdateRole', ({ role }) => ({ role: { ...role, description: 'Writes' } }), ['role']],
  ['RolesService.ArchiveRole', ({ role }) => ({ roleID: role.roleID }), []],
  ['RolesService.UnarchiveRole', ({ role }) => ({ roleID: role.roleID }), []],
  ['RolesService.DeleteRole', ({ role }) => ({ roleID: role.roleID }), []],
  [
    'IncidentsService.CreateIncident',
    {
      ...{
        title: 'High latency in web requests',
        severity: 'minor',
        labels: [{ label: 'outage' }],
        roomPrefix: 'incident',
      },
      ...{
        isDrill: false,
        status: 'active',
        attachCaption: 'Service Level Objective',
        attachURL: 'https://example.com/slo',
      },
    },
    [incident],
  ],
  ['IncidentsService.GetIncident', { incidentID }, [incident]],
  ['IncidentsService.UpdateTitle', { incidentID, title: 'High latency' }, [incident]],
  ['IncidentsService.UpdateSeverity', { incidentID, severity: 'Major' }, [incident]],
  ['IncidentsService.UpdateIncidentIsDrill', { incidentID, isDrill: true }, [incident]],
  ['IncidentsService.AddLabel', { incidentID, label: { label: 'web', description: '', colorHex: '' } }, [incident]],
  ['IncidentsService.RemoveLabel', { incidentID, label: 'outage' }, [incident]],
  ['IncidentsService.AssignRole', { incidentID, userID: 'slack:U1', role: 'commander' }, [incident, 'didChange']],
  ['IncidentsService.GetIncidentMembership', { incidentID }, ['assignments']],
  ['IncidentsService.UnassignRole', { incidentID, userID: 'slack:U1', role: 'commander' }, [incident, 'didChange']],
  [
    'IncidentsService.UpdateIncidentEventTime',
    { incidentID, eventTime: '2021-08-07T11:58:23Z', activityItemKind: 'incidentStart' },
    [],
  ],
  ['TasksService.AddTask', { incidentID, text: 'Restart it', assignToUserID: 'slack:U2' }, ofTask],
  ['TasksService.UpdateTaskText', ({ task }) => ({ incidentID, taskID: task.taskID, text: 'Restart all' }), ofTask],
  ['TasksService.UpdateTaskUser', ({ task }) => ({ incidentID, taskID: task.taskID, userID: '' }), ofTask],
  ['TasksService.UpdateTaskStatus', ({ task }) => ({ incidentID, taskID: task.taskID, status: 'done' }), ofTask],
  ['TasksService.DeleteTask', ({ task }) => ({ incidentID, taskID: task.taskID }), ['incidentID', 'taskList']],
  [
    'ActivityService.AddActivity',
    { incidentID, activityKind: 'userNote', body: 'See https://example.com/a', eventTime: '2021-08-07T11:58:23Z' },
    ['activityItem'],
  ],
  [
    'ActivityService.UpdateActivityBody',
    ({ activityItem }) => ({ incidentID, activityItemID: activityItem.activityItemID, body: 'Seen' }),
    ['activityItem'],
  ],
  [
    'ActivityService.UpdateActivityEventTime',
    ({ activityItem }) => ({ incidentID, activityItemID: activityItem.activityItemID, eventTime: '' }),
    ['activityItem'],
  ],
  [
    'ActivityService.QueryActivity',
    { query: { incidentID, limit: 10, tag: '', orderDirection: 'ASC', activityKind: ['userNote'] }, cursor: {} },
    ['activityItems', 'query', 'cursor'],
  ],
  [
    'ActivityService.RemoveActivity',
    ({ activityItem }) => ({ incidentID, activityItemID: activityItem.activityItemID }),
    ['activityItem'],
  ],
  ['IncidentsService.UpdateStatus', { incidentID, status: 'resolved' }, [incident]],
  [
    'IncidentsService.QueryIncidentPreviews',
    {
      query: { limit: 10, queryString: 'isdrill:true or(status:resolved severity:minor)' },
      includeMembershipPreview: true,
    },
    ['incidentPreviews', 'query', 'cursor'],
  ],
  [
    'IncidentsService.QueryIncidents',
    { query: { severity: 'major', includeStatuses: ['resolved'] }, cursor: {} },
    ['incidents', 'query', 'cursor'],
  ],
];

test('it does each operation of the incident document, and answers with the members that stand there', async () => {
  const { call, incidents, taken } = await open();
  const known: Json = {};
  for (const [operation, given, members] of life) {
    const { status, json } = await call(operation, typeof given === 'function' ? given(known) : given);
    expect([operation, status, json.error]).toEqual([operation, 200, '']);
    expect(Object.keys(json).toSorted(), operation).toEqual([...members, 'error'].toSorted());
    Object.assign(known, json);
  }
  expect([...new Set(life.map(([operation]) => operation))].toSorted()).toEqual(Object.keys(requests).toSorted());
  expect(taken.flatMap(each => each.beyond)).toEqual([]);
  expect(known.incidentPreviews).toMatchObject([{ title: 'High latency', severityLabel: 'major' }]);
  expect(known.incidents).toMatchObject([{ incidentID, status: 'resolved', incidentStart: '2021-08-07T11:58:23Z' }]);
  expect(incidents[0]?.items.map(each => each.activityKind)).toEqual([
    ...[
      'incidentCreated',
      'contextAttached',
      'incidentTitleChanged',
      'incidentSeverityChanged',
      'incidentIsDrillChanged',
    ],
    ...['labelAdded', 'labelRemoved', 'roleAssigned', 'roleUnassigned', 'incidentStart', 'taskAdded', 'taskUpdated'],
    ...['taskUpdated', 'taskCompleted', 'taskDeleted', 'incidentStatusChanged'],
  ]);
});

test('it does each endpoint of the short-URL and dashboard document', async () => {
  const { ask, url, taken } = await open({ subPath: '/grafana', oddities: { subPathInUrls: true } });
  const short = (await ask('POST', '/api/short-urls', { path: 'd/TxKARsmGz/new?orgId=1&from=1599389322894' })).json;
  expect(short).toEqual({ uid: expect.any(String), url: `${url}/goto/${short.uid}?orgId=1` });
  const followed = await ask('GET', `/goto/${short.uid}`);
  expect([followed.status, followed.headers.get('location')]).toEqual([
    302,
    `${url}/d/TxKARsmGz/new?orgId=1&from=1599389322894`,
  ]);
  expect((await ask('POST', '/api/short-urls', { path: '/d/x' })).status).toBe(400);
  const dashboard = { id: null, uid: null, title: 'Production Overview', tags: ['templated'], timezone: 'browser' };
  const { json: saved } = await ask('POST', '/api/dashboards/db', { dashboard, message: 'First', overwrite: false });
  expect(saved).toMatchObject({ url: `/grafana/d/${saved.uid}/production-overview`, status: 'success', version: 1 });
  const at = `/api/dashboards/uid/${saved.uid}`;
  const stale = { ...dashboard, id: saved.id, version: 0 };
  const { status, json } = await ask('POST', '/api/dashboards/db', { dashboard: stale });
  expect([status, json.status]).toEqual([412, 'version-mismatch']);
  expect((await ask('POST', '/api/dashboards/db', { dashboard })).json.status).toBe('name-exists');
  expect((await ask('GET', at)).json).toMatchObject({
    dashboard: { title: 'Production Overview' },
    meta: { version: 1 },
  });
  expect((await ask('GET', '/api/dashboards/tags')).json).toEqual([{ term: 'templated', count: 1 }]);
  expect((await ask('GET', '/api/dashboards/home')).json.meta.isHome).toBe(true);
  expect((await ask('GET', '/api/search?query=overview&type=dash-db')).json).toMatchObject([{ uid: saved.uid }]);
  expect((await ask('DELETE', at)).json).toMatchObject({ title: 'Production Overview', id: saved.id });
  expect((await ask('GET', at)).status).toBe(404);
  expect((await ask('PATCH', `${at}/trash`, {})).json.uid).toBe(saved.uid);
  await ask('DELETE', at);
  expect((await ask('DELETE', `${at}/trash`)).json.uid).toBe(saved.uid);
  const asked = new Set(
    taken.map(each => `${each.method} ${each.path.replace('/grafana', '').replace(saved.uid, ':uid')}`),
  );
  expect(endpoints.filter(each => !asked.has(each))).toEqual([]);
});

const ofAll = Object.fromEntries(Object.keys(plain).map(name => [name, true])) as unknown as Oddities;

test('each oddity shows', async () => {
  const people = [
    { userID: 'grafana-incident:user-1', name: 'Bob', email: 'bob@a.test', slackUserID: 'U1', slackTeamID: 'T1' },
  ];
  const look = async (oddities: Partial<Oddities>) => {
    const { call, ask } = await open({ oddities, users: () => people, now: () => new Date('2026-03-02T14:00:00Z') });
    const made = (await call('IncidentsService.CreateIncident', { title: 'Checkout' })).json.incident;
    await call('IncidentsService.AddLabel', { incidentID, label: { label: 'web' } });
    const given = { incidentID, activityKind: 'userNote', body: 'https://a.test/1', fieldValues: { mine: 1 } };
    const note = (await call('ActivityService.AddActivity', given)).json.activityItem;
    const { json } = await call('ActivityService.QueryActivity', { query: { incidentID, limit: 2 } });
    const roles = (await call('RolesService.GetRoles')).json.roles;
    const users = await call('UsersService.QueryUsers', { query: {} });
    const assigned = await call('IncidentsService.AssignRole', { incidentID, userID: 'slack:U9', role: 'commander' });
    const search = await ask('GET', '/api/search');
    const slots = assigned.json.incident.incidentMembership.assignments;
    const refusal = await call('IncidentsService.UpdateSeverity', { incidentID, severity: 'bad' });
    expect(refusal.json.error).toBe('Severity.FindOne: not found');
    return {
      spacedTimes: made.createdTime.includes(' '),
      nulls: made.labels === null,
      tenSlots: slots.length === 10,
      unknownMembers: 'notHeardOf' in made && !('heroImagePath' in made),
      bigRoleIDs: roles[0].roleID >= 9576,
      ownUserIDs: slots
        .find((each: Json) => each.role.name === 'commander')
        .user.userID.startsWith('grafana-incident:'),
      usersService: users.status === 200,
      listsNobody: users.status === 200 && !JSON.stringify(users.json).includes('Bob'),
      dropsFieldValues: note.fieldValues?.mine === undefined,
      attachesAddresses: JSON.stringify(json.activityItems).includes('contextAttached'),
      creatorObserves: made.incidentMembership.totalAssignments === 1,
      systemTasks: made.taskList.todoCount === 3,
      searchForbidden: search.status === 403,
      displaySeverities: made.severity === 'Pending',
      uuidCursors: /^[\da-f-]{36}$/.test(json.cursor.nextValue),
      refusals: refusal.status === 404 ? 'problem' : `status ${refusal.status}`,
    };
  };
  const usual = await look({});
  const { subPathInUrls: _, hundredAPage: __, ...rest } = plain;
  expect(usual).toEqual(rest);
  for (const refused of ['status 200', 'status 500'] as const) {
    const odd = await look({ ...ofAll, refusals: refused });
    expect(odd).toEqual({ ...Object.fromEntries(Object.keys(rest).map(name => [name, true])), refusals: refused });
  }
});

test('pages have at most a hundred items where the server says so, and their cursors lead to the end', async () => {
  const { call } = await open({ oddities: { hundredAPage: true } });
  await call('IncidentsService.CreateIncident', { title: 'Checkout' });
  for (let at = 0; at < 120; at += 1)
    await call('ActivityService.AddActivity', { incidentID, activityKind: 'userNote', body: `${at}` });
  const query = { incidentID, limit: 1000 };
  const first = (await call('ActivityService.QueryActivity', { query })).json;
  const second = (await call('ActivityService.QueryActivity', { query, cursor: first.cursor })).json;
  expect([first.activityItems.length, first.cursor.hasMore]).toEqual([100, true]);
  expect([second.activityItems.length, second.cursor.hasMore]).toEqual([21, false]);
});

test('what it does not understand it refuses, as a server in Go does', async () => {
  const { call, ask } = await open();
  await call('IncidentsService.CreateIncident', { title: 'Checkout', labels: null });
  const spaced = { incidentID, eventTime: '2022-02-11 00:50:20.574137', activityItemKind: 'incidentStart' };
  expect((await call('IncidentsService.UpdateIncidentEventTime', spaced)).json.error).toMatch(/parsing time/);
  expect((await call('IncidentsService.GetIncident', { incidentID: 1 })).json.error).toMatch(/cannot unmarshal number/);
  expect((await call('IncidentsService.GetIncident', { incidentID: '9' })).status).toBe(404);
  expect((await call('IncidentsService.Gone')).text).toBe('404 page not found\n');
  expect((await call('RolesService.GetRoles', {}, 'other-app')).json.message).toBe('Plugin not found');
  expect((await ask('GET', '/d/uid/slug')).status).toBe(404);
});

test('a failure that has no effect has none, and one that has it has it once', async () => {
  let now = new Date('2026-03-02T14:00:00Z');
  const { call, fail, heal, incidents, holds, tick } = await open({ now: () => now });
  await call('IncidentsService.CreateIncident', { title: 'Checkout' });
  const note = (body: string) => call('ActivityService.AddActivity', { incidentID, activityKind: 'userNote', body });
  const count = (body: string) => incidents[0]?.items.filter(each => each.body === body).length;
  for (const [name, failure] of Object.entries({ ...refusals, ...absences, ...pauses, ...losses })) {
    fail('AddActivity', failure);
    const answer = await note(name).catch(() => undefined);
    expect(answer?.status === 200 && answer.json.error === '', name).toBe(false);
    expect(count(name), name).toBe(name in losses ? 1 : 0);
    heal();
  }
  fail('AddActivity', refusals['status 500 with an error']);
  expect((await note('x')).json.error).toBe(refusalWords);
  heal();
  for (const [name, failure] of Object.entries(delays)) {
    fail('AddActivity', failure);
    const held = holds();
    const asked = note(name)
      .then(each => each.status)
      .catch(() => 'cut');
    await held;
    now = new Date(now.getTime() + 7000);
    tick();
    const isLate = name !== 'lands after 5 s';
    expect([await asked, count(name)], name).toEqual(isLate ? ['cut', 0] : [200, 1]);
    now = new Date(now.getTime() + 40_000);
    tick();
    expect(count(name), name).toBe(1);
    heal();
  }
});
