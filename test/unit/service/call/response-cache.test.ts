import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createResponseCache } from '../../../../src/service/call/response-cache.ts';
import { createService } from '../../../../src/service/service.ts';
import { call, type OpenedService, openService } from '../../../support/service.ts';

const ada = { userID: 'slack:T1/U1', name: 'Ada' };
const grace = { userID: 'slack:T1/U2', name: 'Grace' };

/** An incident with a person, a role, a label, a task and a note; and both readings that are answered from memory. */
async function declare(opened: OpenedService) {
  const manner = { people: { actor: ada } };
  const { incident } = await call(
    opened,
    'IncidentsService.CreateIncident',
    { title: 'x', labels: [{ label: 'shop' }] },
    manner,
  );
  const { incidentID } = incident;
  await call(opened, 'IncidentsService.AssignRole', { incidentID, userID: ada.userID, role: 'commander' }, manner);
  const { task } = await call(opened, 'TasksService.AddTask', { incidentID, text: 'a' }, manner);
  const note = { incidentID, activityKind: 'userNote', body: 'n', eventTime: '' };
  const { activityItem } = await call(opened, 'ActivityService.AddActivity', note, manner);
  const get = async (service = opened.service) =>
    (await call({ service }, 'IncidentsService.GetIncident', { incidentID })).incident;
  const query = async (service = opened.service) =>
    (await call({ service }, 'ActivityService.QueryActivity', { query: { incidentID } })).activityItems;
  return { incidentID, taskID: task.taskID, activityItemID: activityItem.activityItemID, get, query, manner };
}

test('an answer given twice is the same, and each change shows in the next', async () => {
  await using opened = await openService();
  const { incidentID, taskID, activityItemID, get, query } = await declare(opened);
  const changes: [operation: string, input: object][] = [
    ['IncidentsService.UpdateTitle', { incidentID, title: 'y' }],
    ['IncidentsService.UpdateSeverity', { incidentID, severity: 'major' }],
    ['IncidentsService.AddLabel', { incidentID, label: { label: 'till' } }],
    ['IncidentsService.RemoveLabel', { incidentID, label: 'till' }],
    ['IncidentsService.AssignRole', { incidentID, userID: grace.userID, role: 'investigator' }],
    ['IncidentsService.UnassignRole', { incidentID, userID: grace.userID, role: 'investigator' }],
    ['TasksService.UpdateTaskText', { incidentID, taskID, text: 'b' }],
    ['TasksService.UpdateTaskStatus', { incidentID, taskID, status: 'done' }],
    ['ActivityService.UpdateActivityBody', { incidentID, activityItemID, body: 'm' }],
    ['ActivityService.RemoveActivity', { incidentID, activityItemID }],
    ['IncidentsService.UpdateStatus', { incidentID, status: 'resolved' }],
    ['TasksService.DeleteTask', { incidentID, taskID }],
  ];
  for (const [operation, input] of changes) {
    const [incident, items] = [await get(), await query()];
    expect([await get(), await query()]).toEqual([incident, items]);
    opened.now = new Date(opened.now.getTime() + 1);
    await call(opened, operation as 'IncidentsService.UpdateTitle', input);
    expect([operation, await get()]).not.toEqual([operation, incident]);
    const changesTimeline = !operation.startsWith('TasksService.UpdateTaskText');
    if (changesTimeline) expect([operation, await query()]).not.toEqual([operation, items]);
  }
});

test('names of people, roles and labels show as they are known now, though the incident has not changed', async () => {
  await using opened = await openService();
  const { get, query, manner } = await declare(opened);
  const [before] = (await get()).incidentMembership.assignments;
  await query();
  const other = await call(
    opened,
    'IncidentsService.CreateIncident',
    { title: 'other' },
    { people: { actor: { ...ada, name: 'Ada L.' } } },
  );
  expect((await get()).createdByUser.name).toBe('Ada L.');
  expect((await query()).map(each => each.user.name)).toContain('Ada L.');
  await call(opened, 'RolesService.UpdateRole', { role: { ...before?.role, name: 'captain' } }, manner);
  expect((await get()).incidentMembership.assignments[0]?.role.name).toBe('captain');
  const label = { label: 'shop', description: 'The shop', colorHex: '#ff8800' };
  await call(opened, 'IncidentsService.AddLabel', { incidentID: other.incident.incidentID, label }, manner);
  expect((await get()).labels[0]).toMatchObject(label);
});

test('an incident lasts a second longer each second, and no longer when it is resolved', async () => {
  await using opened = await openService();
  const { incidentID, get } = await declare(opened);
  const pass = (seconds: number) => {
    opened.now = new Date(opened.now.getTime() + seconds * 1000);
  };
  expect((await get()).durationSeconds).toBe(0);
  pass(1);
  expect((await get()).durationSeconds).toBe(1);
  await call(opened, 'IncidentsService.UpdateStatus', { incidentID, status: 'resolved' });
  pass(60);
  expect((await get()).durationSeconds).toBe(1);
});

test('what another process changes shows at once', async () => {
  await using opened = await openService();
  await using other = await createService({
    database: opened.database,
    log: pino({ level: 'silent' }),
    clock: () => opened.now,
  });
  const { incidentID, get, query } = await declare(opened);
  await Promise.all([get(), get(other), query(), query(other)]);
  await call(opened, 'IncidentsService.UpdateTitle', { incidentID, title: 'y' });
  expect((await get(other)).title).toBe('y');
  expect(await query(other)).toEqual(await query());
});

test('links lead into the plugin that was asked', async () => {
  await using opened = await openService();
  const { incidentID, get } = await declare(opened);
  await get();
  const manner = { pluginID: 'grafana-incident-app' };
  const { incident } = await call(opened, 'IncidentsService.GetIncident', { incidentID }, manner);
  expect(incident.overviewURL).toMatch(/^\/a\/grafana-incident-app\//);
});

test('a memory forgets first what was not asked for the longest, and holds no more than it may', () => {
  const memory = createResponseCache(30);
  const question = { answer: () => '' };
  const keep = (key: string, text: string) => memory.store(key, { call: question, validator: '1', text });
  const held = () => ['a', 'b', 'c', 'd'].filter(key => memory.find(key) !== undefined);
  for (const key of ['a', 'b', 'c']) keep(key, '123456789');
  expect(memory.find('a')?.text).toBe('123456789');
  keep('d', '123456789');
  expect(held()).toEqual(['a', 'c', 'd']);
  keep('a', '12345678901234567890');
  expect(held()).toEqual(['a']);
  keep('x'.repeat(501), '');
  expect(memory.find('x'.repeat(501))).toBeUndefined();
});
