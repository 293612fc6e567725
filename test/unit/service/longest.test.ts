import { expect, test } from 'vitest';
import { openDesk } from '../../support/dashboards.ts';
import { call, openService } from '../../support/service.ts';

/** Characters of three bytes that no index can press together; the same ones each time. */
function noise(length: number): string {
  let seed = length;
  return Array.from({ length }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return String.fromCharCode(0x4e00 + ((seed >> 8) % 0x5000));
  }).join('');
}

test('the longest texts that are let in are stored, and found by what is indexed of them', async () => {
  await using opened = await openService();
  const label = { label: noise(300), key: noise(300) };
  const { incident } = await call(opened, 'IncidentsService.CreateIncident', {
    title: noise(500),
    roomPrefix: noise(80),
    labels: [{ label: noise(299) }],
    attachURL: `https://example.com/${noise(8000)}`,
    attachCaption: noise(8000),
  });
  const address = { incidentID: incident.incidentID };
  const tooLong = { title: 'a', attachURL: `https://example.com/${'a'.repeat(8192)}` };
  await expect(call(opened, 'IncidentsService.CreateIncident', tooLong)).rejects.toThrow('at most 8192');
  await call(opened, 'IncidentsService.AddLabel', { ...address, label });
  await call(opened, 'IncidentsService.UpdateTitle', { ...address, title: 'ᾷ'.repeat(500) });
  await call(opened, 'ActivityService.AddActivity', { ...address, body: `https://example.com/${noise(60_000)}` });
  await call(opened, 'IncidentsService.AssignRole', { ...address, userID: noise(200), role: 'observer' });
  const queryString = `label:${label.label} context:${noise(8000).slice(0, 1000)}`;
  const { incidentPreviews } = await call(opened, 'IncidentsService.QueryIncidentPreviews', { query: { queryString } });
  expect(incidentPreviews).toMatchObject([{ incidentID: '1', labels: [{ label: noise(299) }, label] }]);
});

test('tags of dashboards may be as long as they like', async () => {
  await using desk = await openDesk();
  const tags = [noise(20_000), 'short'];
  expect((await desk.save({ uid: 'x', title: noise(5000), tags })).status).toBe(200);
  expect((await desk.get('x')).body.dashboard.tags).toEqual(tags);
});

test('ids beyond what a database can hold are those of nothing', async () => {
  await using desk = await openDesk();
  for (const id of [1e300, 2 ** 60, 3_000_000_000, 1.5]) {
    const { status } = await desk.save({ id, title: 'x' });
    expect([id, status]).toEqual([id, 404]);
  }
});
