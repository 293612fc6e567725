import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { rpc } from '../../../../src/contract/contract.ts';
import { accessRoles } from '../../../../src/contract/define.ts';
import { call, type OpenedService, openService, request, tokens } from '../../../support/service.ts';

const base = '/api/plugins/grafana-irm-app/resources/api/v1';
const token = tokens.Admin;
const admin = { authorization: `Bearer ${token}` };

function post(opened: OpenedService, path: string, init: RequestInit = {}) {
  return opened.service.fetch(new Request(`http://test${path}`, { method: 'POST', headers: admin, ...init }));
}

test.each([
  `${base}/RolesService.GetRoles`,
  `${base}//RolesService.GetRoles`,
  `${base}RolesService.GetRoles`,
  `/${base}/RolesService.GetRoles`,
  `${base.replace('/plugins', '//plugins').replace('/api/v1', '//api///v1')}/RolesService.GetRoles`,
  '/api/plugins/grafana-incident-app/resources/api/v1/RolesService.GetRoles',
  '/api/plugins/some-other-app/resources/api/v1/RolesService.GetRoles',
])('POST %s is answered, over HTTP and within', async path => {
  await using opened = await openService();
  const answer = await post(opened, path);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const text = await answer.text();
  const within = await opened.service.handle({ method: 'POST', path, headers: {}, body: undefined });
  const headers = { 'content-type': 'application/json; charset=utf-8', 'x-muster-people': 'taken' };
  expect(within).toEqual({ status: 200, headers, body: text });
});

test.each([
  ['POST', `${base}/RolesService.Get`],
  ['POST', `${base}/Nobody.GetRoles`],
  ['POST', `${base}/RolesService.constructor`],
  ['POST', base],
  ['GET', `${base}/RolesService.GetRoles`],
  ['PUT', `${base}/RolesService.GetRoles`],
  ['POST', '/api/plugins/grafana-irm-app/settings'],
  ['GET', '/nothing/here'],
])('%s %s is not found, in JSON', async (method, path) => {
  await using opened = await openService();
  const answer = await post(opened, path, { method });
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ error: expect.stringMatching(/./), message: expect.stringMatching(/./) });
  const within = await opened.service.handle({ method, path, headers: {}, body: undefined });
  expect(within.status).toBe(404);
  expect(JSON.parse(within.body)).toHaveProperty('error');
});

test.each([
  ['', 200],
  [' \n', 200],
  ['{}', 200],
  ['{"unknown":{"deep":null}}', 200],
  ['{', 400],
  ['[]', 400],
  ['null', 400],
  ['"x"', 400],
  ['<html>', 400],
])('the body %j answers %i', async (body, status) => {
  await using opened = await openService();
  expect((await request(opened, 'RolesService.GetRoles', body, { token })).status).toBe(status);
  expect((await request(opened, 'RolesService.GetRoles', body)).status).toBe(status);
});

test('the content type of a request does not matter, and zipped bodies are read', async () => {
  await using opened = await openService();
  const body = JSON.stringify({ title: 'zipped' });
  const headers = { ...admin, 'content-type': 'text/plain' };
  expect((await post(opened, `${base}/IncidentsService.CreateIncident`, { headers, body })).status).toBe(200);
  const zipped = { headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(body) };
  expect((await post(opened, `${base}/IncidentsService.CreateIncident`, zipped)).status).toBe(200);
  const broken = { headers: { ...headers, 'content-encoding': 'gzip' }, body };
  expect((await post(opened, `${base}/IncidentsService.CreateIncident`, broken)).status).toBe(400);
});

test('what a Go client sends is understood: every member, unset ones null or empty', async () => {
  await using opened = await openService();
  const { incident } = await call(opened, 'IncidentsService.CreateIncident', {
    title: 'x',
    severity: '',
    labels: null,
    roomPrefix: '',
    isDrill: false,
    status: '',
    attachCaption: '',
    attachURL: '',
    initialStatusUpdate: '',
    alertGroupID: null,
    fieldValues: null,
  });
  const { incidentID } = incident;
  await call(opened, 'ActivityService.AddActivity', {
    incidentID,
    activityKind: '',
    body: 'x',
    eventTime: '',
    fieldValues: null,
  });
  const { query } = await call(opened, 'ActivityService.QueryActivity', {
    query: { incidentID, limit: 0, tag: '', orderDirection: '', activityKind: null },
    cursor: { nextValue: '', hasMore: false },
  });
  expect(query).toEqual({ incidentID, limit: 100, tag: '', orderDirection: 'DESC', activityKind: [] });
  await call(opened, 'IncidentsService.QueryIncidents', {
    query: {
      limit: 0,
      includeStatuses: null,
      excludeStatuses: null,
      incidentLabels: null,
      dateFrom: '',
      dateTo: '',
      onlyDrills: false,
      orderDirection: '',
      severity: '',
      queryString: '',
    },
    cursor: { nextValue: '', hasMore: false },
  });
  await call(opened, 'IncidentsService.QueryIncidentPreviews', { query: { orderDirection: null }, cursor: null });
});

test('answers are zipped for those who accept it', async () => {
  await using opened = await openService();
  const headers = { ...admin, 'accept-encoding': 'gzip' };
  const answer = await post(opened, `${base}/RolesService.GetRoles`, { headers });
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  expect(answer.headers.get('vary')).toBe('Accept-Encoding');
  expect(JSON.parse(gunzipSync(await answer.arrayBuffer()).toString()).roles).toHaveLength(3);
  const plain = await post(opened, `${base}/RolesService.GetRoles`);
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(plain.headers.get('vary')).toBe('Accept-Encoding');
});

test('a body above 1 MiB is refused, announced or not', async () => {
  await using opened = await openService();
  const fits = `{"title":"x"${' '.repeat(1024 * 1024 - 30)}}`;
  expect((await request(opened, 'IncidentsService.CreateIncident', fits, { token })).status).toBe(200);
  const large = JSON.stringify({ title: 'x', summary: 'x'.repeat(1024 * 1024) });
  const refused = {
    status: 413,
    body: { error: 'the body must be at most 1024 KiB', code: 'common.payload_too_large' },
  };
  expect(await request(opened, 'IncidentsService.CreateIncident', large, { token })).toMatchObject(refused);
  expect(await request(opened, 'IncidentsService.CreateIncident', large)).toMatchObject(refused);
  const announced = { token, headers: { 'content-length': '3000000' } };
  expect(await request(opened, 'IncidentsService.CreateIncident', '{}', announced)).toMatchObject(refused);
  const headers = { ...admin, 'content-encoding': 'gzip' };
  const bomb = { headers, body: gzipSync(Buffer.alloc(8 * 1024 * 1024)) };
  expect((await post(opened, `${base}/IncidentsService.CreateIncident`, bomb)).status).toBe(413);
});

test.each([
  [undefined, 'Unauthorized', 'auth.unauthorized'],
  ['', 'Unauthorized', 'auth.unauthorized'],
  ['Basic YTpi', 'Unauthorized', 'auth.unauthorized'],
  ['Bearer', 'Unauthorized', 'auth.unauthorized'],
  ['Bearer glsa_wrong', 'Invalid API key', 'api-key.invalid'],
])('the credential %j is refused with 401', async (authorization, error, messageId) => {
  await using opened = await openService();
  const headers = authorization === undefined ? {} : { authorization };
  const answer = await post(opened, `${base}/RolesService.GetRoles`, { headers, body: '{' });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  expect(await answer.json()).toMatchObject({
    status: 401,
    statusCode: 401,
    error,
    message: error,
    detail: error,
    messageId,
  });
});

test('every operation asks for its role, and says which one when it is missing', async () => {
  await using opened = await openService();
  for (const [service, methods] of Object.entries(rpc)) {
    for (const [name, method] of Object.entries(methods)) {
      for (const role of accessRoles) {
        const allowed = accessRoles.indexOf(role) >= accessRoles.indexOf(method.access);
        const { status, body } = await request(opened, `${service}.${name}`, '{', { token: tokens[role] });
        expect(`${service}.${name} as ${role}: ${status}`).toBe(
          `${service}.${name} as ${role}: ${allowed ? 400 : 403}`,
        );
        if (allowed) continue;
        expect(body).toMatchObject({
          title: 'Access denied',
          accessErrorId: expect.stringMatching(/^ACE\d{10}$/),
          message: `You'll need additional permissions to perform this action. Permissions needed: basic role ${method.access}`,
        });
      }
    }
  }
});

test('roles can be left to editors', async () => {
  await using opened = await openService({ rolesNeedAdmin: false });
  const role = { name: 'scribe' };
  expect(await request(opened, 'RolesService.CreateRole', { role }, { token: tokens.Editor })).toMatchObject({
    status: 200,
  });
  expect(await request(opened, 'RolesService.CreateRole', { role }, { token: tokens.Viewer })).toMatchObject({
    status: 403,
  });
});

test('who acts is the person named by an admin, else the service account', async () => {
  await using opened = await openService();
  const people = { actor: { userID: 'slack:U1', name: 'Ann é' } };
  const declare = async (role: 'Editor' | 'Admin', headers = {}) => {
    const manner = { token: tokens[role], people, headers };
    return (await call(opened, 'IncidentsService.CreateIncident', { title: 'x' }, manner)).incident.createdByUser;
  };
  expect(await declare('Admin')).toEqual({ userID: 'slack:U1', name: 'Ann é', photoURL: '' });
  expect(await declare('Editor')).toEqual({
    userID: expect.stringMatching(/^grafana-incident:user-[0-9a-f]{24}$/),
    name: 'Service Account: editor',
    photoURL: '',
  });
  expect(await declare('Admin', { 'x-muster-people': 'nonsense' })).toMatchObject({ name: 'Service Account: admin' });
});

test('problem+json is sent to those who accept it', async () => {
  await using opened = await openService();
  const manner = { token, headers: { accept: 'application/problem+json, application/json' } };
  const answer = await request(opened, 'IncidentsService.GetIncident', { incidentID: '9' }, manner);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.body).toEqual({
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail: 'incident "9" was not found',
    code: 'incidents.not_found',
    retryable: false,
    error: 'incident "9" was not found',
    message: 'incident "9" was not found',
  });
});

test('a failure nobody foresaw tells callers nothing but where to look', async () => {
  await using opened = await openService();
  await opened.database.as<{ role: { id: number } }>().schema.dropTable('role').execute();
  const { status, body } = await request(opened, 'RolesService.GetRoles');
  expect(status).toBe(500);
  expect(body).toMatchObject({ code: 'common.internal_error', retryable: true, title: 'Internal Server Error' });
  expect(JSON.stringify(body)).not.toMatch(/role|table|sql/i);
  const [line] = opened.errors.splice(0);
  expect(body.error).toContain(line?.reference);
  expect(JSON.stringify(line)).toMatch(/no such table: role|relation .+role.+ does not exist/);
});

test('a call that is cancelled before it starts does nothing', async () => {
  await using opened = await openService();
  const cancelled = {
    method: 'POST',
    path: `${base}/IncidentsService.CreateIncident`,
    headers: {},
    body: '{"title":"x"}',
  };
  await expect(opened.service.handle({ ...cancelled, signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  expect(await request(opened, 'IncidentsService.GetIncident', { incidentID: '1' })).toMatchObject({ status: 404 });
});
