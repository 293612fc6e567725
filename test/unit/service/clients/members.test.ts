import { describe, expect, test } from 'vitest';
import { incidentTypeHeader } from '../../../../src/contract/incident-type.ts';
import { toFormed } from '../../../../src/contract/note-forms.ts';
import { call, openService, request, tokens } from '../../../support/service.ts';

const create = 'IncidentsService.CreateIncident';

describe('members that nobody knows', () => {
  test.each([
    [create, { title: 'x', isPrivate: true }, /isPrivate is no member of IncidentsService\.CreateIncident/],
    [create, { title: 'x', private: 'yes' }, /private is no member/],
    [create, { title: 'x', visibility: 'private' }, /visibility is no member/],
    [create, { title: 'x', incident_type: 'private' }, /incident_type is no member.*did you mean incidentType\?/i],
    [create, { title: 'x', incidentTyp: 'private' }, /incidentTyp is no member.*did you mean incidentType\?/i],
    [create, { title: 'x', sensitive: 1 }, /sensitive is no member/],
    [create, { title: 'x', labels: [{ label: 'a' }, { label: 'b', color: '#fff' }] }, /labels\.1\.color is no member/],
    [create, { title: 'x', commander: 'u:1' }, /commander is no member/],
    [
      'IncidentsService.UpdateSeverity',
      { incidentID: '1', severity: 'minor', severityID: 'severity-major' },
      /severityID is no member/,
    ],
    [
      'IncidentsService.UpdateTitle',
      { incidentID: '1', title: 'y', incidentType: 'private' },
      /incidentType is no member/,
    ],
    ['IncidentsService.UpdateStatus', { incidentID: '1', status: 'resolved', comment: 'done' }, /comment is no member/],
    ['IncidentsService.RemoveLabel', { incidentID: '1', label: 'a', key: 'team' }, /key is no member/],
    ['ActivityService.AddActivity', { incidentID: '1', body: 'x', tags: ['important'] }, /tags is no member/],
    ['TasksService.AddTask', { incidentID: '1', text: 'x', status: 'done' }, /status is no member/],
    [
      'TasksService.AddTask',
      { incidentID: '1', text: 'x', assignToUserId: 'u:1', assignee: 'u:2' },
      /assignee is no member/,
    ],
    ['RolesService.CreateRole', { role: { name: 'scribe', hidden: true } }, /role\.hidden is no member/],
  ])('%s %j', async (operation, body, sentence) => {
    await using opened = await openService();
    await call(opened, create, { title: 'There', labels: [{ label: 'a' }] });
    const before = await call(opened, 'IncidentsService.GetIncident', { incidentID: '1' });
    const { status, body: answer } = await request(opened, operation, body);
    expect([status, answer.error]).toEqual([400, expect.stringMatching(sentence)]);
    expect(await call(opened, 'IncidentsService.GetIncident', { incidentID: '1' })).toEqual(before);
    expect((await request(opened, 'IncidentsService.GetIncident', { incidentID: '2' })).status).toBe(404);
  });

  test('reads pass over them', async () => {
    await using opened = await openService();
    await call(opened, create, { title: 'x' });
    expect((await call(opened, 'IncidentsService.GetIncident', { incidentID: '1', wide: true })).incident.title).toBe(
      'x',
    );
  });
});

describe('a private incident', () => {
  test.each([
    [{ incidentType: 'private' }, undefined],
    [{ IncidentType: 'private' }, undefined],
    [{ incidenttype: 'private', severityID: 'severity-minor' }, undefined],
    [{ incidentType: 'private' }, 'internal'],
    [{ incidentType: 'internal' }, 'private'],
    [{ incidentType: '' }, 'private'],
    [{}, ' Private '],
  ])('%j with the header %s is private', async (members, header) => {
    await using opened = await openService();
    const headers = header === undefined ? {} : { [incidentTypeHeader]: header };
    const { incident } = await call(opened, create, { title: 'Secret', ...members }, { token: tokens.Admin, headers });
    expect(incident.incidentType).toBe('private');
    const query = { query: {} };
    expect(
      (await call(opened, 'IncidentsService.QueryIncidentPreviews', query, { token: tokens.Viewer })).incidentPreviews,
    ).toEqual([]);
  });

  test.each([
    [{ incidentType: 'Private' }, undefined],
    [{ incidentType: 'secret' }, undefined],
    [{ incidentType: true }, undefined],
    [{ incidentType: 'private', IncidentType: 'internal' }, undefined],
    [{}, 'secret'],
    [{}, 'true'],
  ])('%j with the header %s is refused', async (members, header) => {
    await using opened = await openService();
    const headers = header === undefined ? {} : { [incidentTypeHeader]: header };
    const { status, body } = await request(opened, create, { title: 'Secret', ...members }, { headers });
    expect([status, body.error]).toEqual([400, expect.stringMatching(/incident-?type/i)]);
    expect((await request(opened, 'IncidentsService.GetIncident', { incidentID: '1' })).status).toBe(404);
  });

  test('declared by a URL that says so is refused, and not declared for everybody', async () => {
    await using opened = await openService();
    const hook = '/api/plugins/grafana-irm-app/resources/api/v1/incoming-webhooks/grafana.incident.create';
    for (const parameter of ['incidentType=private', 'private=true', 'isPrivate=1', 'type=private']) {
      const init = { method: 'POST', headers: { authorization: `Bearer ${tokens.Admin}` } };
      const answer = await opened.service.fetch(new Request(`http://test${hook}?title=x&${parameter}`, init));
      expect([parameter, answer.status]).toEqual([parameter, 400]);
    }
    expect((await request(opened, 'IncidentsService.GetIncident', { incidentID: '1' })).status).toBe(404);
  });
});

describe('members in another case', () => {
  test.each([
    [create, { Title: 'Case' }],
    [create, { TITLE: 'Case', SEVERITY: 'major', Labels: [{ Label: 'eu', KEY: 'region' }] }],
    [create, { title: 'Case', isdrill: true, RoomPrefix: 'inc' }],
    [create, { title: 'Case', InitialStatusUpdate: 'words' }],
    ['IncidentsService.GetIncident', { IncidentID: '1' }],
    ['IncidentsService.GetIncident', { incidentId: '1' }],
    ['IncidentsService.QueryIncidentPreviews', { Query: { Limit: 1, QueryString: 'there' } }],
    ['IncidentsService.AddLabel', { INCIDENTID: '1', Label: { Label: 'db', ColorHex: '#fff' } }],
    ['ActivityService.AddActivity', { IncidentId: '1', Body: 'x', EventTime: '2026-09-19T09:00:00Z' }],
    ['TasksService.AddTask', { incidentId: '1', Text: 'x', assignToUserId: 'u:1' }],
    ['RolesService.CreateRole', { Role: { Name: 'scribe', Important: true } }],
  ])('%s %j is read', async (operation, body) => {
    await using opened = await openService();
    await call(opened, create, { title: 'There' });
    const { status, body: answer } = await request(opened, operation, body);
    expect([status, answer.error]).toEqual([200, '']);
  });

  test('free-form members keep theirs', async () => {
    await using opened = await openService();
    await call(opened, create, { title: 'x' });
    const fieldValues = { Source: 1, source: 2, incidentid: 3 };
    const { activityItem } = await call(opened, 'ActivityService.AddActivity', {
      incidentID: '1',
      body: 'x',
      fieldValues,
    });
    expect(activityItem.fieldValues).toEqual(fieldValues);
  });

  test('a member given twice is refused', async () => {
    await using opened = await openService();
    const { status, body } = await request(opened, create, { title: 'x', Title: 'y' });
    expect([status, body.error]).toEqual([400, expect.stringContaining('title is given twice')]);
  });
});

describe('the first update', () => {
  test('stands on the timeline as the bot writes updates, with its links', async () => {
    await using opened = await openService();
    const initialStatusUpdate = '  Half fail, see https://graph.example/7.  ';
    await call(opened, create, { title: 'x', initialStatusUpdate });
    const query = { incidentID: '1', orderDirection: 'ASC' };
    const { activityItems } = await call(opened, 'ActivityService.QueryActivity', { query });
    expect(activityItems.map(each => [each.activityKind, each.body, each.immutable])).toEqual([
      ['incidentCreated', expect.any(String), true],
      ['userNote', toFormed('update', 'Half fail, see https://graph.example/7.'), false],
      ['contextAttached', 'https://graph.example/7', true],
    ]);
  });

  test('is refused when it is too long', async () => {
    await using opened = await openService();
    const { status, body } = await request(opened, create, { title: 'x', initialStatusUpdate: 'x'.repeat(65_537) });
    expect([status, body.error]).toEqual([400, expect.stringContaining('initialStatusUpdate must be at most')]);
  });
});

describe('severities', () => {
  test.each([
    [{ severityID: 'severity-major' }, 'major'],
    [{ severityID: 'SEVERITY-Major' }, 'major'],
    [{ severityID: 'major' }, 'major'],
    [{ severityID: 'severity-major', severity: 'Major' }, 'major'],
    [{ severityID: '', severity: 'minor' }, 'minor'],
    [{ severityID: 'severity-major', severity: 'minor' }, undefined],
    [{ severityID: 'severity-9f2c' }, undefined],
  ])('%j', async (members, severity) => {
    await using opened = await openService();
    const { status, body } = await request(opened, create, { title: 'x', ...members });
    if (severity === undefined) expect([status, body.error]).toEqual([400, expect.stringMatching(/severity/i)]);
    else expect(body).toMatchObject({ incident: { severity } });
  });
});

describe('types of incidents in queries', () => {
  test.each([
    [['private'], ['Secret']],
    [['internal'], ['Open']],
    [
      ['internal', 'private'],
      ['Open', 'Secret'],
    ],
    [[], ['Open', 'Secret']],
    [null, ['Open', 'Secret']],
  ])('%j', async (incidentTypes, titles) => {
    await using opened = await openService();
    await call(opened, create, { title: 'Open' });
    await call(opened, create, { title: 'Secret', incidentType: 'private' });
    const query = { incidentTypes, orderDirection: 'ASC' };
    const { incidentPreviews } = await call(opened, 'IncidentsService.QueryIncidentPreviews', { query });
    expect(incidentPreviews.map(each => each.title)).toEqual(titles);
    const { incidents } = await call(opened, 'IncidentsService.QueryIncidents', { query });
    expect(incidents.map(each => each.title)).toEqual(titles);
    const both = { ...query, queryString: 'title:secret' };
    const narrowed = await call(opened, 'IncidentsService.QueryIncidentPreviews', { query: both });
    expect(narrowed.incidentPreviews.map(each => each.title)).toEqual(titles.filter(each => each === 'Secret'));
  });

  test('an unknown one is refused', async () => {
    await using opened = await openService();
    const { status } = await request(opened, 'IncidentsService.QueryIncidents', {
      query: { incidentTypes: ['secret'] },
    });
    expect(status).toBe(400);
  });
});

describe('filters of the other kind of query', () => {
  test.each([
    ['IncidentsService.QueryIncidentPreviews', { includeStatuses: ['active'] }, /query\.includeStatuses .*queryString/],
    ['IncidentsService.QueryIncidentPreviews', { excludeStatuses: ['resolved'] }, /query\.excludeStatuses/],
    ['IncidentsService.QueryIncidentPreviews', { severity: 'major' }, /query\.severity .*queryString/],
    ['IncidentsService.QueryIncidentPreviews', { incidentLabels: ['db'] }, /query\.incidentLabels/],
    ['IncidentsService.QueryIncidentPreviews', { onlyDrills: true }, /query\.onlyDrills/],
    ['IncidentsService.QueryIncidentPreviews', { dateFrom: '2026-01-01T00:00:00Z' }, /query\.dateFrom/],
    ['IncidentsService.QueryIncidentPreviews', { DateTo: '2026-01-01T00:00:00Z' }, /query\.dateTo/],
    ['IncidentsService.QueryIncidents', { orderField: 'title' }, /query\.orderField must be one of createdTime/],
  ])('%s %j is refused', async (operation, query, sentence) => {
    await using opened = await openService();
    const { status, body } = await request(opened, operation, { query });
    expect([status, body.error]).toEqual([400, expect.stringMatching(sentence)]);
  });

  test('empty ones are no matter', async () => {
    await using opened = await openService();
    const none = {
      severity: '',
      onlyDrills: false,
      includeStatuses: null,
      excludeStatuses: [],
      dateFrom: '',
      dateTo: '',
    };
    await call(opened, 'IncidentsService.QueryIncidentPreviews', { query: { ...none, incidentLabels: null } });
    await call(opened, 'IncidentsService.QueryIncidents', { query: { ...none, orderField: 'createdTime' } });
  });
});
