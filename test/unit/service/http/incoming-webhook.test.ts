import { expect, test } from 'vitest';
import { z } from 'zod';
import { IncomingWebhookResponse } from '../../../../src/contract/webhooks.ts';
import { call, type OpenedService, openService, request, tokens } from '../../../support/service.ts';

const newer = '/api/plugins/grafana-irm-app/resources/api/v1/incoming-webhooks/grafana.incident.create';
const older = '/api/plugins/grafana-incident-app/resources/api/experimental/incoming-webhook/grafana.incident.create';
const bearer = { authorization: `Bearer ${tokens.Editor}` };

interface Post {
  readonly path?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly method?: string;
}

async function post(opened: OpenedService, { path = newer, parameters = {}, headers = bearer, ...rest }: Post) {
  const url = `http://test${path}?${new URLSearchParams(parameters)}`;
  const init = { method: rest.method ?? 'POST', headers, ...(rest.body === undefined ? {} : { body: rest.body }) };
  const response = await opened.service.fetch(new Request(url, init));
  const body = z.record(z.string(), z.unknown()).parse(await response.json());
  return { status: response.status, body, type: response.headers.get('content-type') };
}

const timeline = async (opened: OpenedService, incidentID = '1') => {
  const query = { incidentID, limit: 10, orderDirection: 'ASC' };
  const { activityItems } = await call(opened, 'ActivityService.QueryActivity', { query });
  return activityItems.map(each => [each.activityKind, each.body, each.user.name]);
};

test('a title is enough', async () => {
  await using opened = await openService();
  const answer = await post(opened, { parameters: { title: ' Disk is full ' } });
  expect(answer).toEqual({
    status: 200,
    body: { processingErrors: [] },
    type: 'application/json; charset=utf-8',
  });
  expect(IncomingWebhookResponse.parse(answer.body)).toEqual({ incident: null, processingErrors: [] });
  const { incident } = await call(opened, 'IncidentsService.GetIncident', { incidentID: '1' });
  expect(incident).toMatchObject({
    title: 'Disk is full',
    severity: 'pending',
    status: 'active',
    isDrill: false,
    labels: [],
    createdByUser: { name: 'Service Account: editor' },
  });
  expect(await timeline(opened)).toEqual([
    ['incidentCreated', 'The incident was created by Service Account: editor', 'Service Account: editor'],
  ]);
});

test.each([newer, older, '/api/experimental/incoming-webhook/grafana.incident.create'])(
  '%s takes every parameter',
  async path => {
    await using opened = await openService();
    const parameters = {
      title: 'Checkout fails',
      severity: 'Critical',
      status: 'resolved',
      drill: 'true',
      labels: 'eu, shop,,eu',
      roomprefix: 'inc',
      url: 'https://example.com/alert/1',
      caption: 'the alert',
      includes: 'other,incident',
    };
    const { status, body } = await post(opened, { path, parameters, body: '{"alert":"```x```"}' });
    expect(status).toBe(200);
    expect(body.processingErrors).toEqual([]);
    const { incident } = await call(opened, 'IncidentsService.GetIncident', { incidentID: '1' });
    expect(body.incident).toEqual({ ...incident, overviewURL: expect.stringContaining('/incidents/1/checkout-fails') });
    expect(incident).toMatchObject({
      title: 'Checkout fails',
      severity: 'critical',
      status: 'resolved',
      isDrill: true,
    });
    expect(incident.labels.map(each => each.label)).toEqual(['eu', 'shop']);
    expect((await timeline(opened)).map(([kind, text]) => [kind, text])).toEqual([
      ['incidentCreated', 'The incident was created by Service Account: editor'],
      ['contextAttached', 'the alert'],
      ['userNote', '````json\n{"alert":"```x```"}\n````'],
    ]);
  },
);

test('`include` is understood like `includes`', async () => {
  await using opened = await openService();
  const { body } = await post(opened, { parameters: { title: 'x', include: 'incident' } });
  expect(body.incident).toMatchObject({ incidentID: '1', overviewURL: '/a/grafana-irm-app/incidents/1/x' });
});

test('the token may be in the URL; the header comes first', async () => {
  await using opened = await openService();
  const inUrl = { title: 'x', token: tokens.Editor };
  expect((await post(opened, { parameters: inUrl, headers: {} })).status).toBe(200);
  expect((await post(opened, { parameters: inUrl, headers: { authorization: '' } })).status).toBe(200);
  expect((await post(opened, { parameters: inUrl, headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
});

test.each([
  ['no token', {}, {}, 401, 'Unauthorized'],
  ['a wrong token', { token: 'glsa_wrong' }, {}, 401, 'Invalid API key'],
  ['a token that only reads', { token: tokens.Viewer }, {}, 403, "You'll need additional permissions"],
  ['no title', {}, bearer, 400, 'title is required, as a parameter of the URL'],
  ['a blank title', { title: ' ' }, bearer, 400, 'title is required, as a parameter of the URL'],
])('%s is refused', async (_, parameters, headers, status, words) => {
  await using opened = await openService();
  const answer = await post(opened, { parameters, headers });
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject({ status, error: expect.stringContaining(words), message: answer.body.error });
  const { incidentPreviews } = await call(opened, 'IncidentsService.QueryIncidentPreviews', { query: { limit: 1 } });
  expect(incidentPreviews).toEqual([]);
});

test('it is a POST, of an event there is', async () => {
  await using opened = await openService();
  expect((await post(opened, { parameters: { title: 'x' }, method: 'GET' })).status).toBe(404);
  const other = newer.replace('grafana.incident.create', 'grafana.incident.delete');
  expect((await post(opened, { path: other, parameters: { title: 'x' } })).status).toBe(404);
});

test('what cannot be is left out and said, and the incident is declared all the same', async () => {
  await using opened = await openService();
  const parameters = {
    title: 't'.repeat(501),
    severity: 'sev-99',
    status: 'closed',
    drill: 'perhaps',
    labels: `eu,${'l'.repeat(1001)}`,
    roomprefix: 'r'.repeat(81),
  };
  const { status, body } = await post(opened, { parameters, body: 'b'.repeat(70_000) });
  expect(status).toBe(200);
  expect(body.processingErrors).toEqual([
    'title was cut to 500 characters',
    'Severity.FindOne: not found: "sev-99" is none of pending, critical, major, minor; it is pending now',
    'status must be one of active, resolved; it is active now',
    'drill must be true or false; it is false now',
    'labels of more than 300 characters were left out',
    'roomprefix was cut to 80 characters',
    expect.stringMatching(/^the body was cut to 655\d\d characters$/),
  ]);
  const { incident } = await call(opened, 'IncidentsService.GetIncident', { incidentID: '1' });
  expect(incident).toMatchObject({ severity: 'pending', status: 'active', isDrill: false, labels: [{ label: 'eu' }] });
  expect((await timeline(opened))[1]?.[1]).toHaveLength(65_536);
});

test('a body of more than 1 MiB is refused', async () => {
  await using opened = await openService();
  const answer = await post(opened, { parameters: { title: 'x' }, body: 'b'.repeat(1024 * 1024 + 1) });
  expect(answer.status).toBe(413);
});

test('the note of the body can be changed, as any note', async () => {
  await using opened = await openService();
  await post(opened, { parameters: { title: 'x' }, body: 'plain words' });
  const query = { incidentID: '1', limit: 10, activityKind: ['userNote'] };
  const { activityItems } = await call(opened, 'ActivityService.QueryActivity', { query });
  expect(activityItems).toMatchObject([{ body: '```\nplain words\n```', immutable: false }]);
});

test('the outgoing webhook of a Muster declares nothing; other signed webhooks do', async () => {
  await using opened = await openService();
  const signature = { ...bearer, 'gi-signature': 't=1,v1=00' };
  const parameters = { title: 'echo' };
  for (const agent of ['Muster', 'Muster/1.2 (of a proxy)']) {
    const answer = await post(opened, { parameters, headers: { ...signature, 'user-agent': agent } });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('this is the outgoing webhook of a Muster') },
    });
  }
  expect(await request(opened, 'IncidentsService.GetIncident', { incidentID: '1' })).toMatchObject({ status: 404 });
  expect((await post(opened, { parameters, headers: { ...signature, 'user-agent': 'Grafana' } })).status).toBe(200);
  expect((await post(opened, { parameters, headers: { ...bearer, 'user-agent': 'Muster' } })).status).toBe(200);
});

/** A body as Alertmanager sends it. */
const alert = {
  commonLabels: { severity: 'critical', alertname: 'Disk is full' },
  alerts: [{ labels: { 'team.name': 'storage' }, value: 97.5, isNew: true, tags: ['eu', 'disk'], gone: null }],
};

test.each([
  ['title', 'json(commonLabels.alertname)', { title: 'Disk is full' }],
  ['title', 'json($.commonLabels.alertname)', { title: 'Disk is full' }],
  ['title', ' json( commonLabels.alertname ) ', { title: 'Disk is full' }],
  ['title', 'json(alerts[0].value)', { title: '97.5' }],
  ['title', "json(alerts[0].labels['team.name'])", { title: 'storage' }],
  ['title', 'json(alerts[-1].labels["team.name"])', { title: 'storage' }],
  ['title', 'json (commonLabels.alertname)', { title: 'json (commonLabels.alertname)' }],
  ['title', 'Why json(x) fails', { title: 'Why json(x) fails' }],
  ['severity', 'json(commonLabels.severity)', { severity: 'critical' }],
  ['drill', 'json(alerts[0].isNew)', { isDrill: true }],
  ['labels', 'json(alerts[0].tags)', { labels: [{ label: 'eu' }, { label: 'disk' }] }],
  ['labels', 'json(alerts[0].tags[1])', { labels: [{ label: 'disk' }] }],
] as const)('%s=%s is taken out of the body', async (name, value, wanted) => {
  await using opened = await openService();
  const parameters = { title: 'An alert', [name]: value };
  const { status, body } = await post(opened, { parameters, body: JSON.stringify(alert) });
  expect([status, body.processingErrors]).toEqual([200, []]);
  const { incident } = await call(opened, 'IncidentsService.GetIncident', { incidentID: '1' });
  expect(incident).toMatchObject(wanted);
});

test.each([
  ['title', 'json(commonLabels.nothing)', 'the body has nothing there'],
  ['title', 'json(alerts[7].value)', 'the body has nothing there'],
  ['title', 'json(alerts[0].gone)', 'no text there'],
  ['title', 'json(alerts[0].labels)', 'no text there'],
  ['title', 'json(alerts)', 'no text there'],
  ['title', 'json(constructor)', 'the body has nothing there'],
  ['title', 'json(__proto__.x)', 'the body has nothing there'],
  ['title', 'json()', 'no path to one member'],
  ['title', 'json(alerts[*].value)', 'no path to one member'],
  ['title', 'json($..value)', 'no path to one member'],
  ['title', 'json(alerts[?@.value > 1].value)', 'no path to one member'],
  ['title', 'json(alerts[0)', 'no path to one member'],
  ['title', `json(${'a.'.repeat(300)}a)`, 'at most 500'],
  ['severity', 'json(commonLabels)', 'no text there'],
  ['labels', 'json(alerts)', 'no text there'],
  ['url', 'json(nothing)', 'the body has nothing there'],
] as const)('%s=%s declares nothing, and says why', async (name, value, why) => {
  await using opened = await openService();
  const parameters = { title: 'An alert', [name]: value };
  const { status, body } = await post(opened, { parameters, body: JSON.stringify(alert) });
  expect(status).toBe(400);
  expect(String(body.error)).toContain(why);
  expect(String(body.error)).toContain(name);
  const { incidentPreviews } = await call(opened, 'IncidentsService.QueryIncidentPreviews', { query: { limit: 5 } });
  expect(incidentPreviews).toEqual([]);
});

test('without a body of JSON such a value declares nothing', async () => {
  await using opened = await openService();
  for (const body of ['', 'severity=critical', '{"commonLabels":'])
    expect(await post(opened, { parameters: { title: 'json(title)' }, body })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('the body is no JSON') },
    });
});
