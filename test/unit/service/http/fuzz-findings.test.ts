import { expect, test } from 'vitest';
import { maxActivityBody } from '../../../../src/contract/activity.ts';
import { expectSteadyGrowth } from '../../../support/growth.ts';
import { call, openService, request, tokens } from '../../../support/service.ts';

/*
 * What hostile requests once brought down, each as the smallest request that did. All of these are answered by a refusal or
 * by what was asked for, never by a failure of the service.
 */

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

test('field values that nest deeper than can be written again are refused, and the timeline stays readable', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  const note = (depth: number) => `{"incidentID":"1","body":"x","fieldValues":{"a":${nested(depth)}}}`;
  expect((await request(opened, 'ActivityService.AddActivity', note(99))).status).toBe(200);
  for (const depth of [100, 15_000]) {
    const refused = await request(opened, 'ActivityService.AddActivity', note(depth));
    expect([refused.status, refused.body.error]).toEqual([400, 'fieldValues must not nest deeper than 100 levels']);
  }
  const { activityItems } = await call(opened, 'ActivityService.QueryActivity', { query: { incidentID: '1' } });
  expect(activityItems).toHaveLength(2);
});

test('a dashboard that nests deeper than can be written again is refused', async () => {
  await using opened = await openService();
  const save = (depth: number) =>
    opened.service.handle({
      method: 'POST',
      path: '/api/dashboards/db',
      headers: {},
      body: `{"dashboard":{"title":"Deep ${depth}","a":${nested(depth)}}}`,
    });
  expect((await save(99)).status).toBe(200);
  for (const depth of [100, 90_000]) {
    expect(await save(depth)).toMatchObject({ status: 400, body: '{"message":"bad request data"}' });
  }
});

test('a list of a thousand statuses, labels or kinds is no query too large for the database, and a longer one is refused', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x', labels: [{ label: 'A' }] });
  const list = async (query: object) => {
    const { incidents } = await call(opened, 'IncidentsService.QueryIncidents', { query });
    return incidents.length;
  };
  const words = Array.from({ length: 999 }, (_, index) => `word ${index}`);
  expect(await list({ includeStatuses: [...words, 'ACTIVE'] })).toBe(1);
  expect(await list({ includeStatuses: words })).toBe(0);
  expect(await list({ excludeStatuses: words })).toBe(1);
  expect(await list({ excludeStatuses: [...words, 'Active'] })).toBe(0);
  expect(await list({ incidentLabels: [...words.slice(0, 199), 'a'] })).toBe(1);
  const refused = await request(opened, 'IncidentsService.QueryIncidents', { query: { incidentLabels: words } });
  expect([refused.status, refused.body.error]).toEqual([400, 'query.incidentLabels must be at most 200']);
  const longer = { query: { includeStatuses: [...words, 'a', 'b'] } };
  const tooLong = await request(opened, 'IncidentsService.QueryIncidents', longer);
  expect([tooLong.status, tooLong.body.error]).toEqual([400, 'query.includeStatuses must have at most 1000 items']);
  const kinds = { incidentID: '1', activityKind: words.map(() => 'incidentCreated') };
  expect((await call(opened, 'ActivityService.QueryActivity', { query: kinds })).activityItems).toHaveLength(1);
});

test('an incident cannot be declared with thousands of labels', async () => {
  await using opened = await openService();
  const labels = (count: number) => Array.from({ length: count }, (_, index) => ({ label: `l${index}` }));
  const refused = await request(opened, 'IncidentsService.CreateIncident', { title: 'x', labels: labels(201) });
  expect([refused.status, refused.body.error]).toEqual([400, 'labels must be at most 200']);
  const { incident } = await call(opened, 'IncidentsService.CreateIncident', { title: 'x', labels: labels(200) });
  expect(incident.labels).toHaveLength(200);
});

test('an incident declared by URL keeps the first of thousands of labels, and says so', async () => {
  await using opened = await openService();
  const labels = Array.from({ length: 20_000 }, (_, index) => `l${index}`).join(',');
  const answer = await opened.service.handle({
    method: 'POST',
    path: `/api/experimental/incoming-webhook/grafana.incident.create?title=x&labels=${labels}`,
    headers: {},
    body: undefined,
  });
  expect([answer.status, JSON.parse(answer.body)]).toEqual([
    200,
    { processingErrors: ['labels after the first 200 were left out'] },
  ]);
});

test('a note may be nothing but links, and each of thousands is attached', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  const links = Array.from({ length: 5000 }, (_, index) => `http://${index.toString(36)}`);
  await call(opened, 'ActivityService.AddActivity', { incidentID: '1', body: links.join(' ') });
  const rows = await opened.database
    .as<{ activity: { kind: string } }>()
    .selectFrom('activity')
    .select('kind')
    .execute();
  expect(rows.filter(each => each.kind === 'contextAttached')).toHaveLength(links.length);
});

test('a note with a long row of stops in a link takes no longer than another', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  await expectSteadyGrowth(maxActivityBody / 4, async length => {
    const body = `http://${'.'.repeat(length - 8)}a`;
    const { activityItem } = await call(opened, 'ActivityService.AddActivity', { incidentID: '1', body });
    expect(activityItem.url).toBe(body);
  });
});

test('the body of an incoming webhook may be a hundred thousand fences', async () => {
  await using opened = await openService();
  const path = '/api/experimental/incoming-webhook/grafana.incident.create?title=x';
  const answer = await opened.service.handle({ method: 'POST', path, headers: {}, body: '``` '.repeat(250_000) });
  expect(answer.status).toBe(200);
});

test('a dashboard has at most a thousand tags', async () => {
  await using opened = await openService();
  const save = (count: number) => {
    const dashboard = { title: `With ${count}`, tags: Array.from({ length: count }, (_, index) => `t${index}`) };
    return opened.service.handle({
      method: 'POST',
      path: '/api/dashboards/db',
      headers: {},
      body: JSON.stringify({ dashboard }),
    });
  };
  expect(await save(1001)).toMatchObject({ status: 400, body: '{"message":"too many tags, max 1000"}' });
  expect((await save(1000)).status).toBe(200);
});

test('a refusal is short, however much is wrong and however long it is', async () => {
  await using opened = await openService();
  const long = 'x'.repeat(500_000);
  const labels = Array.from({ length: 1000 }, () => 1);
  const many = await request(opened, 'IncidentsService.CreateIncident', { title: 'x', labels });
  expect(many.body.error).toMatch(/^labels\.0 must be an object; .*; and 990 more$/);
  const requests = [
    many,
    await request(opened, 'IncidentsService.GetIncident', { incidentID: long }),
    await request(opened, 'UsersService.GetUser', { userID: '😀'.repeat(100_000) }),
    await request(opened, 'IncidentsService.CreateIncident', { title: 'x', severity: long }),
  ];
  for (const { status, body } of requests) {
    expect([400, 404]).toContain(status);
    expect(String(body.error).length).toBeLessThan(700);
  }
});

test.for([['//'], ['///a'], ['http://'], ['/api/%'], ['/goto/%'], ['']])(
  'a path such as %j is nowhere',
  async ([path = '']) => {
    await using opened = await openService();
    for (const method of ['GET', 'POST', 'HEAD']) {
      const answer = await opened.service.handle({
        method,
        path,
        headers: {},
        body: method === 'POST' ? '{}' : undefined,
      });
      expect(answer.status).toBe(404);
    }
  },
);

test('what a database cannot store is taken out of the names of members too', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  const body = '{"incidentID":"1","body":"x","fieldValues":{"a\\u0000b\\ud800":"c\\u0000\\udc00","__proto__":{"d":1}}}';
  const { activityItem } = await call(opened, 'ActivityService.AddActivity', body, {
    token: tokens.Editor,
  });
  expect(({} as Record<string, unknown>).d).toBeUndefined();
  expect(Object.values(activityItem.fieldValues)).toContain('c\ufffd');
});
