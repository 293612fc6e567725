import { expect, test } from 'vitest';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { openIncident } from '../support/incident-room.ts';

/** An incident in a Grafana, and how many requests somebody's act costs with all that follows from it. */
async function openCounted() {
  const grafana = await openFakeGrafana();
  const opened = await openIncident({ settings: grafana.settings });
  const { place } = opened;
  const costOf = async (act: () => Promise<unknown>): Promise<readonly string[]> => {
    await place.quiet();
    const before = grafana.requests.length;
    await act();
    await place.quiet();
    return grafana.requests.slice(before).map(each => each.replace(/.*\//, ''));
  };
  return { ...opened, grafana, costOf };
}

test('a change costs three requests at most beside its own', async () => {
  const { type, costOf } = await openCounted();
  for (const [line, own] of [
    ['/incident severity major', 'IncidentsService.UpdateSeverity'],
    ['/incident label eu', 'IncidentsService.AddLabel'],
    ['/incident drill on', 'IncidentsService.UpdateIncidentIsDrill'],
    ['/task add fail over', 'TasksService.AddTask'],
    ['/task done 1', 'TasksService.UpdateTaskStatus'],
    ['/note It is their network', 'ActivityService.AddActivity'],
    ['/role assign @bob observer', 'IncidentsService.AssignRole'],
    ['/incident update We fail over', 'ActivityService.AddActivity'],
  ] as const) {
    const cost = await costOf(() => type(line));
    expect(cost, line).toContain(own);
    expect(cost.length, `${line}: ${cost.join(' ')}`).toBeLessThanOrEqual(4);
  }
  // A resolution is looked at before its form would open.
  expect((await costOf(() => type('/incident resolve --now'))).length).toBeLessThanOrEqual(5);
  expect((await costOf(() => type('/incident reopen'))).length).toBeLessThanOrEqual(4);
});

test('a home tab on which nothing changed lately costs three requests at most, however many incidents are active', async () => {
  const { alice, api, costOf } = await openCounted();
  for (let count = 0; count < 6; count += 1)
    await api.IncidentsService.CreateIncident({ title: `Other ${count}`, severity: 'minor' });
  const cost = async () => (await costOf(async () => alice.openHome())).length;
  await expect.poll(cost, { timeout: 10_000 }).toBeLessThanOrEqual(3);
});
