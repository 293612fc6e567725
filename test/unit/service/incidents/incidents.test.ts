import { expect, test } from 'vitest';
import { call, openService, request } from '../../../support/service.ts';

const address = { incidentID: '1' };
const minute = 60_000;

test('a declared incident is complete from the start', async () => {
  await using opened = await openService();
  const { incident } = await call(
    opened,
    'IncidentsService.CreateIncident',
    {
      title: '  [Seed] Café 5xx spike!  ',
      severity: '',
      labels: [
        { label: ' eu ' },
        { label: 'eu' },
        { label: ' ' },
        { label: 'checkout', colorHex: '#ff8800', key: 'team' },
      ],
      roomPrefix: 'inc',
      isDrill: null,
      status: '',
    },
    { pluginID: 'grafana-incident-app', people: { actor: { userID: 'slack:U1', name: 'Ann' } } },
  );
  expect(incident).toEqual({
    incidentID: '1',
    severity: 'pending',
    labels: [
      { key: 'tags', label: 'eu', description: '', colorHex: '' },
      { key: 'team', label: 'checkout', description: '', colorHex: '#ff8800' },
    ],
    isDrill: false,
    createdTime: '2026-09-19T09:30:00.123Z',
    modifiedTime: '2026-09-19T09:30:00.123Z',
    createdByUser: { userID: 'slack:U1', name: 'Ann', photoURL: '' },
    closedTime: '',
    durationSeconds: 0,
    status: 'active',
    title: '[Seed] Café 5xx spike!',
    overviewURL: '/a/grafana-incident-app/incidents/1/seed-cafe-5xx-spike',
    incidentMembership: { assignments: [], totalAssignments: 0, totalParticipants: 0 },
    taskList: { tasks: [], todoCount: 0, doneCount: 0 },
    heroImagePath: '',
    incidentStart: '2026-09-19T09:30:00Z',
    incidentEnd: '',
    summary: '',
    incidentType: 'internal',
    refs: [],
    incidentChannels: [],
  });
  expect((await call(opened, 'IncidentsService.GetIncident', address)).incident).toEqual({
    ...incident,
    overviewURL: '/a/grafana-irm-app/incidents/1/seed-cafe-5xx-spike',
  });
  expect((await call(opened, 'IncidentsService.GetIncidentVersion', address)).version).toBe(1);
  const second = await call(opened, 'IncidentsService.CreateIncident', { title: '???' });
  expect(second.incident).toMatchObject({ incidentID: '2', overviewURL: '/a/grafana-irm-app/incidents/2/incident' });
});

test('a retrospective incident is over when it is declared', async () => {
  await using opened = await openService();
  const { incident } = await call(opened, 'IncidentsService.CreateIncident', { title: 'x', status: 'resolved' });
  expect(incident).toMatchObject({
    status: 'resolved',
    closedTime: incident.createdTime,
    incidentEnd: incident.createdTime,
  });
});

test('duration runs while open, ends with the incident, and follows the times that are said', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  opened.now = new Date(opened.now.getTime() + 10 * minute);
  expect((await call(opened, 'IncidentsService.GetIncident', address)).incident.durationSeconds).toBe(600);
  const moment = { ...address, eventTime: '2026-09-19T09:20:00Z', activityItemKind: 'incidentStart' };
  await call(opened, 'IncidentsService.UpdateIncidentEventTime', moment);
  expect((await call(opened, 'IncidentsService.GetIncident', address)).incident.durationSeconds).toBe(1200);

  const resolved = await call(opened, 'IncidentsService.UpdateStatus', { ...address, status: 'resolved' });
  const end = '2026-09-19T09:40:00.123Z';
  expect(resolved.incident).toMatchObject({ closedTime: end, incidentEnd: end, durationSeconds: 1200 });
  opened.now = new Date(opened.now.getTime() + minute);
  expect((await call(opened, 'IncidentsService.GetIncident', address)).incident.durationSeconds).toBe(1200);
  await call(opened, 'IncidentsService.UpdateIncidentEventTime', {
    ...address,
    eventTime: '2026-09-19T09:25:00Z',
    activityItemKind: 'incidentEnd',
  });
  expect((await call(opened, 'IncidentsService.GetIncident', address)).incident).toMatchObject({
    incidentEnd: '2026-09-19T09:25:00Z',
    closedTime: end,
    durationSeconds: 300,
  });

  const reopened = await call(opened, 'IncidentsService.UpdateStatus', { ...address, status: 'active' });
  expect(reopened.incident).toMatchObject({ status: 'active', closedTime: '', incidentEnd: '' });
});

test('an end that was said before resolving stays; an absent time is now', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  opened.now = new Date('2026-09-19T09:35:00Z');
  await call(opened, 'IncidentsService.UpdateIncidentEventTime', { ...address, activityItemKind: 'incidentEnd' });
  opened.now = new Date('2026-09-19T09:45:00Z');
  const { incident } = await call(opened, 'IncidentsService.UpdateStatus', { ...address, status: 'resolved' });
  expect(incident).toMatchObject({ incidentEnd: '2026-09-19T09:35:00Z', closedTime: '2026-09-19T09:45:00Z' });
});

test('title, address and severity change together with what depends on them', async () => {
  await using opened = await openService({
    severities: [
      { label: 'SEV-3', level: 3 },
      { label: 'SEV-1', level: 1 },
    ],
  });
  const { incident } = await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  expect(incident.severity).toBe('SEV-3');
  const renamed = await call(opened, 'IncidentsService.UpdateTitle', { ...address, title: 'Now Known' });
  expect(renamed.incident.overviewURL).toBe('/a/grafana-irm-app/incidents/1/now-known');
  const raised = await call(opened, 'IncidentsService.UpdateSeverity', { ...address, severity: 'severity-sev-1' });
  expect(raised.incident.severity).toBe('SEV-1');
});

test('a label is remembered with what was said of it, and its keys stand apart', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  const said = { key: '', label: 'eu', description: 'Europe', colorHex: '#0000FF' };
  const { incident } = await call(opened, 'IncidentsService.AddLabel', { ...address, label: said });
  expect(incident.labels).toEqual([{ ...said, key: 'tags' }]);
  const both = await call(opened, 'IncidentsService.AddLabel', { ...address, label: { key: 'region', label: 'eu' } });
  expect(both.incident.labels.map(each => each.key)).toEqual(['tags', 'region']);
  const other = await call(opened, 'IncidentsService.CreateIncident', { title: 'y', labels: [{ label: 'eu' }] });
  expect(other.incident.labels).toEqual([{ ...said, key: 'tags' }]);
  const removed = await call(opened, 'IncidentsService.RemoveLabel', { ...address, label: ' eu ' });
  expect(removed.incident.labels).toEqual([]);
});

test('people hold roles, several each, and are counted', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  const assign = (userID: string, role: string) =>
    call(opened, 'IncidentsService.AssignRole', { ...address, userID, role });
  expect((await assign('a', 'commander')).didChange).toBe(true);
  expect((await assign('a', 'commander')).didChange).toBe(false);
  await assign('a', 'observer');
  await assign('b', 'observer');
  const { incident } = await assign('b', 'investigator');
  await assign('c', 'observer');
  expect(incident.incidentMembership.totalParticipants).toBe(0);

  const { assignments } = await call(opened, 'IncidentsService.GetIncidentMembership', address);
  expect(assignments.map(each => `${each.user.userID} ${each.role.name} ${each.roleID}`)).toEqual([
    'a commander 1',
    'a observer 3',
    'b observer 3',
    'b investigator 2',
    'c observer 3',
  ]);
  const { incidentPreviews } = await call(opened, 'IncidentsService.QueryIncidentPreviews', {
    query: {},
    includeMembershipPreview: true,
  });
  expect(incidentPreviews[0]?.incidentMembershipPreview).toEqual({
    importantAssignments: [
      { user: { userID: 'a', name: 'a', photoURL: '' }, roleID: 1 },
      { user: { userID: 'b', name: 'b', photoURL: '' }, roleID: 2 },
    ],
    totalAssignments: 5,
    totalParticipants: 1,
  });
  const taken = await call(opened, 'IncidentsService.UnassignRole', { ...address, userID: 'c', role: 'observer' });
  expect(taken.didChange).toBe(true);
  expect(taken.incident.incidentMembership).toMatchObject({ totalAssignments: 4, totalParticipants: 0 });
});

test('names follow the latest that is known, on old items too', async () => {
  await using opened = await openService({ users: [{ userID: 'u', name: 'Configured' }] });
  await call(
    opened,
    'IncidentsService.CreateIncident',
    { title: 'x' },
    { people: { actor: { userID: 'u', name: '' } } },
  );
  const read = async () => (await call(opened, 'IncidentsService.GetIncident', address)).incident.createdByUser.name;
  expect(await read()).toBe('Configured');
  const { activityItems } = await call(opened, 'ActivityService.QueryActivity', { query: address });
  expect(activityItems[0]?.body).toBe('The incident was created by Configured');
  const people = { actor: { userID: 'v', name: 'V' }, others: [{ userID: 'u', name: 'Renamed' }] };
  await call(opened, 'IncidentsService.UpdateTitle', { ...address, title: 'y' }, { people });
  expect(await read()).toBe('Renamed');
});

test('with system tasks, incidents start with three that complete themselves', async () => {
  await using opened = await openService({ systemTasks: true, assignCreatorAsObserver: true });
  const people = { actor: { userID: 'u', name: 'U' } };
  const { incident } = await call(opened, 'IncidentsService.CreateIncident', { title: 'x' }, { people });
  expect(incident.taskList.tasks.map(each => [each.taskID, each.text, each.status, each.authorUser])).toEqual([
    ['assign-role-investigator', 'Assign INVESTIGATOR role', 'todo', null],
    ['assign-role-commander', 'Assign COMMANDER role', 'todo', null],
    ['must-choose-severity', 'Specify incident severity', 'todo', null],
  ]);
  expect(incident.incidentMembership.assignments.map(each => each.role.name)).toEqual(['observer']);
  const refused = await request(opened, 'TasksService.DeleteTask', { ...address, taskID: 'must-choose-severity' });
  expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining('immutable') } });
  await call(opened, 'IncidentsService.UpdateSeverity', { ...address, severity: 'major' });
  const after = await call(opened, 'IncidentsService.AssignRole', { ...address, userID: 'u', role: 'commander' });
  expect(after.incident.taskList).toMatchObject({ todoCount: 1, doneCount: 2 });
  const { activityItems } = await call(opened, 'ActivityService.QueryActivity', {
    query: { ...address, activityKind: ['taskCompleted'], orderDirection: 'ASC' },
  });
  expect(activityItems.map(each => each.body)).toEqual([
    'Task completed: Specify incident severity',
    'Task completed: Assign COMMANDER role',
  ]);
});

test('what no database can store is left out of texts', async () => {
  await using opened = await openService();
  const { incident } = await call(
    opened,
    'IncidentsService.CreateIncident',
    '{"title":"a\\u0000b\\ud800c 😀 \\ud83d\\ude00"}',
  );
  expect(incident.title).toBe('ab\ufffdc 😀 😀');
});
