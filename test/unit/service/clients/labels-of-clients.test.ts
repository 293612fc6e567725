import { expect, test } from 'vitest';
import { call, openService, request } from '../../../support/service.ts';
import { readTable, readValue } from '../../../support/table.ts';

const create = 'IncidentsService.CreateIncident';

test.each(
  readTable(
    'labels | stored',
    String.raw`
  [{key: team, label: db}, {key: service, label: db}] | [team:db, service:db]
  [{key: team, label: db}, {label: db}] | [team:db, tags:db]
  [{key: team, value: db}, {key: service, value: db}] | [team:db, service:db]
  [{key: team, label: db, value: db}] | [team:db]
  [{key: " team ", label: " db "}, {key: team, label: db}] | [team:db]
  [{key: Team, label: db}, {key: team, label: db}] | [Team:db, team:db]
  [{key: "", label: eu}, {key: null, label: eu}, {key: tags, label: eu}] | [tags:eu]
  [{key: a:b, label: c}, {key: a, label: b:c}] | [a:b:c, a:b:c]
  [{key: team, label: ""}] | labels\.0\.label is required
  [{label: eu}, {description: of nothing}] | labels\.1\.label is required
  [{key: "", label: "", value: "", colorHex: "", description: ""}] | []
  [{label: db, value: cache}] | labels\.0\.label and labels\.0\.value differ
  [{label: eu, colorHex: orange}] | labels\.0\.colorHex must be #
  [{key: k×301, label: eu}] | labels\.0\.key must be at most 300
  [{label: l×301}] | labels\.0\.label must be at most 300
  [{label: "two words, and more"}, {key: the team, label: on call}] | ["tags:two words, and more", the team:on call]
`,
  ),
)('labels $labels of a new incident', async ({ labels, stored }) => {
  await using opened = await openService();
  const { status, body } = await request(opened, create, { title: 'x', labels: readValue(labels) });
  if (!stored.startsWith('[')) {
    expect([status, body.error]).toEqual([400, expect.stringMatching(stored)]);
    return;
  }
  expect(status).toBe(200);
  const { incident } = await call(opened, 'IncidentsService.GetIncident', { incidentID: '1' });
  expect(incident.labels.map(each => `${each.key}:${each.label}`)).toEqual(readValue(stored));
});

test('what a declaration says of a label is what AddLabel would say', async () => {
  await using opened = await openService();
  const label = { key: 'team', label: 'db', description: 'The database', colorHex: '#ff8800' };
  await call(opened, create, { title: 'x', labels: [label] });
  await call(opened, create, { title: 'y' });
  const { incident } = await call(opened, 'IncidentsService.AddLabel', { incidentID: '2', label });
  expect(incident.labels).toEqual([label]);
  const first = await call(opened, 'IncidentsService.GetIncident', { incidentID: '1' });
  expect(first.incident.labels).toEqual([label]);
});

test('a query finds the label under its key', async () => {
  await using opened = await openService();
  await call(opened, create, { title: 'one', labels: [{ key: 'team', label: 'db' }] });
  await call(opened, create, { title: 'two', labels: [{ key: 'service', label: 'db' }] });
  const titles = async (queryString: string) =>
    (await call(opened, 'IncidentsService.QueryIncidentPreviews', { query: { queryString } })).incidentPreviews.map(
      each => each.title,
    );
  expect(await titles('field:team:db')).toEqual(['one']);
  expect(await titles('field:service:db')).toEqual(['two']);
  expect(await titles('label:db')).toEqual(['two', 'one']);
});
