import nock from 'nock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decodePeople } from '../../../src/contract/acting.ts';
import { rpcBase } from '../../../src/contract/contract.ts';
import { failureOf, openTestClient, token } from '../../support/client.ts';
import { readTable, readValue } from '../../support/table.ts';

const host = 'http://grafana.test';
const irm = rpcBase('grafana-irm-app');

beforeAll(() => {
  if (!nock.isActive()) nock.activate();
});
beforeEach(() => {
  nock.disableNetConnect();
});
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([]);
  nock.cleanAll();
  nock.enableNetConnect();
});
// Test files share a worker, and an active nock stands between every later one and its sockets.
afterAll(() => nock.restore());

describe('what is sent', () => {
  test.each(['grafana-irm-app', 'grafana-incident-app'])('the base path of %s', async pluginID => {
    nock(host, {
      reqheaders: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json; charset=utf-8',
        accept: 'application/json',
      },
    })
      .post(`/api/plugins/${pluginID}/resources/api/v1/RolesService.GetRoles`, {})
      .reply(200, { roles: [{ roleID: 1, name: 'commander' }], error: '' });
    await using open = openTestClient(host, { pluginID });
    const { roles } = await open.client.RolesService.GetRoles({});
    expect(roles.map(role => role.name)).toEqual(['commander']);
  });

  test.each([`${host}/grafana`, `${host}/grafana/`])('an installation below a path: %s', async baseUrl => {
    nock(host).post(`/grafana${irm}/RolesService.GetRoles`).reply(200, { roles: [], error: '' });
    await using open = openTestClient(baseUrl);
    await open.client.RolesService.GetRoles({});
  });

  test('a new incident: every member of the documents, and none that they do not have', async () => {
    nock(host)
      .post(`${irm}/IncidentsService.CreateIncident`, body => {
        expect(body).toEqual({
          title: 'Checkout is down',
          severity: 'major',
          labels: [{ label: 'shop', description: '', colorHex: '' }],
          roomPrefix: '',
          isDrill: false,
          status: 'active',
          attachCaption: '',
          attachURL: '',
        });
        return true;
      })
      .reply(200, { incident: { incidentID: '7' }, error: '' });
    await using open = openTestClient(host);
    const { incident } = await open.client.IncidentsService.CreateIncident({
      title: 'Checkout is down',
      severity: 'major',
      labels: [{ label: 'shop' }],
      status: 'active',
    });
    expect(incident.incidentID).toBe('7');
  });

  test('members beyond the documents go along when they say something', async () => {
    const bodies: unknown[] = [];
    const keep = (body: unknown) => bodies.push(body) > 0;
    nock(host).post(`${irm}/IncidentsService.UpdateIncidentEventTime`, keep).twice().reply(200, { error: '' });
    nock(host).post(`${irm}/ActivityService.AddActivity`, keep).reply(200, { activityItem: {}, error: '' });
    await using open = openTestClient(host);
    const { IncidentsService, ActivityService } = open.client;
    const time = { incidentID: '7', eventTime: '2026-03-02T14:00:00Z' };
    await IncidentsService.UpdateIncidentEventTime({ ...time, activityItemKind: 'incidentStart' });
    await IncidentsService.UpdateIncidentEventTime({ ...time, eventName: 'incidentEnd' });
    await ActivityService.AddActivity({
      incidentID: '7',
      activityKind: 'userNote',
      body: 'hi',
      fieldValues: { by: 'x' },
    });
    expect(bodies).toEqual([
      { ...time, activityItemKind: 'incidentStart' },
      { ...time, activityItemKind: '', eventName: 'incidentEnd' },
      { incidentID: '7', activityKind: 'userNote', body: 'hi', eventTime: '', fieldValues: { by: 'x' } },
    ]);
  });

  test('a first page has an empty cursor', async () => {
    nock(host)
      .post(`${irm}/UsersService.QueryUsers`, { query: { limit: 0 }, cursor: { nextValue: '', hasMore: false } })
      .reply(200, { users: [], query: { limit: 100 }, cursor: null, error: '' });
    await using open = openTestClient(host);
    const page = await open.client.UsersService.QueryUsers({});
    expect(page.cursor).toEqual({ nextValue: '', hasMore: false });
  });

  test('a dashboard goes as it is, its empty members too', async () => {
    const dashboard = { id: null, uid: '', title: 'Shop', tags: [], message: '' };
    nock(host, { reqheaders: { 'content-type': 'application/json' } })
      .post('/api/dashboards/db', { dashboard, overwrite: false, message: 'first' })
      .reply(200, { id: 1, uid: 'abc', url: '/d/abc/shop', status: 'success', version: 1, slug: 'shop' });
    await using open = openTestClient(host);
    expect(await open.client.Dashboards.save({ dashboard, message: 'first' })).toMatchObject({
      uid: 'abc',
      version: 1,
    });
  });

  test('a path is encoded, and a body is sent only where there is one', async () => {
    nock(host, { badheaders: ['content-type', 'content-length'] })
      .get('/api/dashboards/uid/a%2Fb%20c')
      .reply(200, { dashboard: { uid: 'a/b c', title: 'T', panels: [{ id: 1 }] }, meta: { url: '/d/x/t' } });
    nock(host).patch('/api/dashboards/uid/abc/trash', {}).reply(200, { title: 'T', message: 'restored', uid: 'abc' });
    nock(host).delete('/api/dashboards/uid/abc', '').reply(200, { title: 'T', message: 'deleted', uid: 'abc' });
    nock(host)
      .get('/api/dashboards/tags')
      .reply(200, [{ term: 'shop', count: 2 }]);
    await using open = openTestClient(host);
    const { Dashboards } = open.client;
    const { dashboard, meta } = await Dashboards.get({ uid: 'a/b c' });
    expect(dashboard).toMatchObject({ title: 'T', panels: [{ id: 1 }], refresh: '' });
    expect(meta.url).toBe('/d/x/t');
    await Dashboards.restore({ uid: 'abc' });
    await Dashboards.delete({ uid: 'abc' });
    expect(await Dashboards.tags({})).toEqual([{ term: 'shop', count: 2 }]);
  });

  test('on whose behalf the call is made, in a header, only when that is said', async () => {
    const people = { actor: { userID: 'slack:U1', name: 'Zoë' } };
    nock(host, { reqheaders: { 'x-muster-people': value => decodePeople(value ?? '')?.actor?.name === 'Zoë' } })
      .post(`${irm}/RolesService.GetRoles`)
      .reply(200, { roles: [], error: '' });
    nock(host, { badheaders: ['x-muster-people'] })
      .post(`${irm}/RolesService.GetRoles`)
      .reply(200, { roles: [], error: '' });
    await using open = openTestClient(host);
    await open.client.RolesService.GetRoles({}, { people });
    await open.client.RolesService.GetRoles({});
  });

  test('a server that may be a Grafana is told for whom a call is made once it says that it takes that', async () => {
    const people = { actor: { userID: 'slack:U1', name: 'Zoë' } };
    const say = (headers: object) => nock(host, headers).post(`${irm}/RolesService.GetRoles`);
    say({ badheaders: ['x-muster-people'] }).reply(200, { roles: [], error: '' });
    say({ badheaders: ['x-muster-people'] }).reply(200, { roles: [], error: '' }, { 'x-muster-people': 'taken' });
    say({ reqheaders: { 'x-muster-people': /./ } }).reply(200, { roles: [], error: '' });
    await using open = openTestClient(host, { takesPeople: 'if it says so' });
    for (let call = 0; call < 3; call += 1) await open.client.RolesService.GetRoles({}, { people });
  });

  test('an input that the contract refuses is not sent, and the words say which member', async () => {
    await using open = openTestClient(host);
    const title = await failureOf(open.client.IncidentsService.CreateIncident({ title: '' }));
    expect(title).toMatchObject({ code: 'invalid_argument', message: 'title is required', maybeApplied: false });
    const dots = await failureOf(open.client.Dashboards.get({ uid: '..' }));
    expect(String(dots)).toBe('Dashboards.get: invalid_argument: uid cannot be part of an address');
  });
});

describe('what is understood', () => {
  test('null lists, absent strings, unknown members and unknown words of a list', async () => {
    nock(host)
      .post(`${irm}/ActivityService.QueryActivity`)
      .reply(200, {
        activityItems: [{ activityItemID: 'a', activityKind: 'statusPageUpdated', tags: null, user: null, extra: 1 }],
        query: { incidentID: '7' },
        cursor: { nextValue: '', hasMore: false },
      });
    nock(host).post(`${irm}/RolesService.GetRoles`).reply(200, { roles: null });
    await using open = openTestClient(host);
    const { activityItems } = await open.client.ActivityService.QueryActivity({ query: { incidentID: '7' } });
    expect(activityItems[0]).toMatchObject({
      activityKind: 'statusPageUpdated',
      tags: [],
      body: '',
      user: { name: '' },
    });
    expect(activityItems[0]).not.toHaveProperty('extra');
    expect(await open.client.RolesService.GetRoles({})).toEqual({ roles: [], error: '' });
  });

  test('placeholder slots of a membership are dropped', async () => {
    const held = {
      user: { userID: 'u1', name: 'Ada', photoURL: '' },
      role: { roleID: 1, name: 'commander' },
      roleID: 1,
    };
    const slot = { user: { userID: '', name: '', photoURL: '' }, role: { roleID: 2, name: 'observer' }, roleID: 2 };
    nock(host)
      .post(`${irm}/IncidentsService.GetIncidentMembership`)
      .reply(200, { assignments: [slot, held], error: '' });
    nock(host)
      .post(`${irm}/IncidentsService.GetIncident`)
      .reply(200, { incident: { incidentMembership: { assignments: [held, slot] } }, error: '' });
    await using open = openTestClient(host);
    const { assignments } = await open.client.IncidentsService.GetIncidentMembership({ incidentID: '7' });
    expect(assignments.map(each => each.user.name)).toEqual(['Ada']);
    const { incident } = await open.client.IncidentsService.GetIncident({ incidentID: '7' });
    expect(incident.incidentMembership.assignments).toHaveLength(1);
  });

  test('a short link is its address; a page instead of a redirect means there is no such link', async () => {
    nock(host)
      .get('/goto/abc')
      .query(true)
      .reply(302, '', { location: `${host}/d/x/t?from=1` });
    nock(host).get('/goto/nope').reply(200, '<!doctype html>', { 'content-type': 'text/html' });
    await using open = openTestClient(host);
    expect(await open.client.ShortUrls.goto({ uid: 'abc' })).toEqual({ location: `${host}/d/x/t?from=1` });
    expect((await failureOf(open.client.ShortUrls.goto({ uid: 'nope' }))).code).toBe('not_found');
  });
});

describe('how refusals are told', () => {
  const problem = (status: number, code: string, detail: string, more: object = {}) => ({
    status,
    body: { type: 'about:blank', title: 'x', status, detail, code, retryable: false, error: detail, ...more },
  });
  const page = '<html><body>Sign in</body></html>';

  test.each(
    readTable(
      'answer | status | body | code | message | reason',
      String.raw`
  legacy 500         | 500 | {error: "Severity.FindOne: not found"} | invalid_argument  | Severity.FindOne: not found
  200 with error     | 200 | {error: title is required} | invalid_argument  | title is required
  200 with a problem | 200 | {type: about:blank, title: x, status: 409, detail: five are active, code: x, retryable: false, error: five are active} | conflict          | five are active | x
  problem 500        | 500 | {type: about:blank, title: Internal Server Error, status: 500, detail: no such column} | invalid_argument  | no such column
  500 that passes    | 500 | {error: locked, retryable: true} | internal          | locked
  500 with message   | 500 | {message: Plugin failed} | internal          | Plugin failed
  503 with error     | 503 | {error: the database is away} | unavailable       | the database is away
  404 of Grafana     | 404 | {message: Plugin not found} | unavailable       | Plugin not found
  404 of the API     | 404 | {error: incident 7 was not found} | not_found         | incident 7 was not found
  problem 404        | 404 | {type: about:blank, title: x, status: 404, detail: role 9 was not found, code: roles.not_found, retryable: false, error: role 9 was not found} | not_found         | role 9 was not found | roles.not_found
  problem 409        | 409 | {type: about:blank, title: x, status: 409, detail: five roles are active, code: roles.maximum_active_reached, retryable: false, error: five roles are active} | conflict          | five roles are active | roles.maximum_active_reached
  401 with message   | 401 | {message: Unauthorized} | unauthenticated   | Unauthorized
  401 revoked        | 401 | {message: Token revoked, error: {id: ERR_TOKEN_REVOKED}} | unauthenticated   | Token revoked | ERR_TOKEN_REVOKED
  403                | 403 | {title: Access denied, message: You'll need additional permissions, accessErrorId: ACE0123456789} | permission_denied | You'll need additional permissions
  404 text           | 404 | 404 page not found\n | unavailable       | 404 page not found
  400 text           | 400 | bad request data\nmore | invalid_argument  | bad request data
  404 empty          | 404 |  | unavailable       | The API is not available.
  502 page           | 502 | <html><body>Sign in</body></html> | unavailable       | A web page came instead of an answer (status 502).
  500 null           | 500 | null | internal          | The API failed inside.
  302                | 302 |  | invalid_response  | The API answered with status 302, which means nothing here.
`,
    ),
  )('$answer', async ({ status: given, body, code, message, reason }) => {
    const status = Number(given);
    await using open = openTestClient(host, { breaker: { failures: 100 } });
    nock(host)
      .post(`${irm}/RolesService.DeleteRole`)
      .times(6)
      .optionally()
      .reply(status, body.startsWith('{') ? readValue(body) : body);
    const error = await failureOf(open.client.RolesService.DeleteRole({ roleID: 9 }));
    expect(error).toMatchObject({
      code,
      message,
      reason: reason || undefined,
      status,
      method: 'RolesService.DeleteRole',
    });
    expect(String(error)).toBe(`RolesService.DeleteRole: ${code}: ${message}`);
  });

  test('a server that keeps to the document says in plain text that it lacks an operation, once', async () => {
    const lacking = ['UsersService.QueryUsers', 'IncidentsService.GetHomescreenVersion'];
    await using open = openTestClient(host);
    const { UsersService, IncidentsService } = open.client;
    const calls = [() => UsersService.QueryUsers({ query: {} }), () => IncidentsService.GetHomescreenVersion({})];
    for (const [at, call] of calls.entries()) {
      nock(host).post(`${irm}/${lacking[at]}`).reply(404, '404 page not found\n');
      expect(await failureOf(call())).toMatchObject({ code: 'not_found', method: lacking[at] });
      nock(host).post(`${irm}/${lacking[at]}`).times(6).optionally().reply(404, { message: 'Plugin not found' });
      expect(await failureOf(call())).toMatchObject({ code: 'unavailable' });
      nock.cleanAll();
    }
  });

  test.each(['version-mismatch', 'name-exists', 'plugin-dashboard'])('412 %s', async status => {
    nock(host).post('/api/dashboards/db').reply(412, { message: 'Somebody was faster', status });
    await using open = openTestClient(host);
    const error = await failureOf(open.client.Dashboards.save({ dashboard: { title: 'T' } }));
    expect(error).toMatchObject({
      code: 'failed_precondition',
      reason: status,
      message: 'Somebody was faster',
      retryable: false,
    });
  });

  test('a reason of the short-URL API, and a hint of the incident API', async () => {
    nock(host)
      .post('/api/short-urls')
      .reply(400, { messageId: 'shorturl.absolute-path', message: 'Path should be relative' });
    nock(host)
      .post(`${irm}/RolesService.GetRoles`)
      .reply(400, problem(400, 'orgs.x', 'no', { hint: 'Do this.' }).body);
    await using open = openTestClient(host);
    const path = await failureOf(open.client.ShortUrls.create({ path: '/x' }));
    expect(path).toMatchObject({ code: 'invalid_argument', reason: 'shorturl.absolute-path' });
    expect((await failureOf(open.client.RolesService.GetRoles({}))).hint).toBe('Do this.');
  });

  test.each([
    ['a web page', page, 'The API sent a web page instead of an answer.'],
    ['half a body', '{"roles":[{"roleID":1,"na', 'The API sent an answer that is not complete JSON.'],
    ['nothing', '', 'The API sent an empty answer.'],
    ['another shape', '{"roles":{"a":1}}', 'The API sent an unexpected answer: roles '],
    ['a word', '"ok"', 'The API sent an unexpected answer: '],
  ])('status 200 with %s', async (_, body, message) => {
    nock(host).post(`${irm}/RolesService.GetRoles`).reply(200, body);
    await using open = openTestClient(host);
    const error = await failureOf(open.client.RolesService.GetRoles({}));
    expect(error).toMatchObject({ code: 'invalid_response', status: 200, body, retryable: false });
    expect(error.message).toContain(message);
  });

  test('the token is in no error and no log line, even when the other side repeats it', async () => {
    nock(host)
      .post(`${irm}/RolesService.GetRoles`)
      .reply(401, { message: `no such token: ${token}`, code: token, hint: `not ${token}` });
    await using open = openTestClient(host);
    const error = await failureOf(open.client.RolesService.GetRoles({}));
    const all = [
      String(error),
      error.stack,
      error.body,
      error.hint,
      JSON.stringify(error),
      ...open.recorder.lines,
    ].join();
    expect(error.message).toBe('no such token: [token]');
    expect(all).not.toContain(token);
  });

  test('words without end are cut', async () => {
    nock(host)
      .post(`${irm}/RolesService.GetRoles`)
      .reply(400, { error: 'x'.repeat(100_000) });
    await using open = openTestClient(host);
    const error = await failureOf(open.client.RolesService.GetRoles({}));
    expect(error.message).toHaveLength(500);
    expect(error.body?.length).toBe(2000);
  });
});
