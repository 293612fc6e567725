import { expect, test } from 'vitest';
import { call, openService, request } from '../../../support/service.ts';

const address = { incidentID: '1' };
const add = 'IncidentsService.AddLabel';

test('an incident takes two hundred labels, at its creation or later, and one more when one is gone', async () => {
  await using opened = await openService();
  const labels = Array.from({ length: 199 }, (_, index) => ({ label: `label ${index}` }));
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x', labels });
  const last = await call(opened, add, { ...address, label: { label: 'last' } });
  expect(last.incident.labels).toHaveLength(200);
  expect(await request(opened, add, { ...address, label: { label: 'one more' } })).toMatchObject({
    status: 400,
    body: {
      code: 'common.validation_failed',
      error: 'incident 1 has 200 labels, which is the most. Remove one first',
    },
  });
  expect(await call(opened, add, { ...address, label: { label: 'last' } })).toEqual(last);
  await call(opened, 'IncidentsService.RemoveLabel', { ...address, label: 'label 0' });
  const { incident } = await call(opened, add, { ...address, label: { label: 'one more' } });
  expect(incident.labels.map(each => each.label).slice(-2)).toEqual(['last', 'one more']);
});
