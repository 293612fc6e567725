import { expect, test } from 'vitest';
import { call, type Operation, openService, request } from '../../../support/service.ts';
import { readTable, readValue } from '../../../support/table.ts';

const address = { incidentID: '1' };

const refusals = readTable(
  'operation | input | status | words',
  String.raw`
  IncidentsService.CreateIncident          | {} | 400 | title is required
  IncidentsService.CreateIncident          | {title: null} | 400 | title is required
  IncidentsService.CreateIncident          | {title: " \t "} | 400 | title is required
  IncidentsService.CreateIncident          | {title: 7} | 400 | title must be a string
  IncidentsService.CreateIncident          | {title: x×501} | 400 | title must be at most 500 characters
  IncidentsService.CreateIncident          | {title: x, severity: sev-99} | 400 | Severity.FindOne: not found
  IncidentsService.CreateIncident          | {title: x, status: closed} | 400 | status must be one of active, resolved
  IncidentsService.CreateIncident          | {title: x, labels: eu} | 400 | labels must be a list
  IncidentsService.CreateIncident          | {title: x, labels: [{label: 1}]} | 400 | labels.0.label must be a string
  IncidentsService.CreateIncident          | {isDrill: yes} | 400 | title is required; isDrill must be a boolean
  IncidentsService.GetIncident             | {} | 400 | incidentID is required
  IncidentsService.GetIncident             | {incidentID: ""} | 400 | incidentID is required
  IncidentsService.GetIncident             | {incidentID: "99"} | 404 | incident "99" was not found
  IncidentsService.GetIncident             | {incidentID: "01"} | 404 | incident "01" was not found
  IncidentsService.GetIncident             | {incidentID: "99999999999999999999999999999999999999999"} | 404 | was not found
  IncidentsService.GetIncidentMembership   | {incidentID: x} | 404 | incident "x" was not found
  IncidentsService.GetIncidentVersion      | {incidentID: "99"} | 404 | incident "99" was not found
  IncidentsService.QueryIncidentPreviews   | {} | 400 | query is required
  IncidentsService.QueryIncidentPreviews   | {query: {orderField: x}} | 400 | query.orderField must be one of
  IncidentsService.QueryIncidents          | {query: {limit: 1.5}} | 400 | query.limit must be a whole number
  IncidentsService.AddLabel                | {incidentID: "1"} | 400 | label is required
  IncidentsService.AddLabel                | {incidentID: "1", label: {}} | 400 | label.label is required
  IncidentsService.AddLabel                | {incidentID: "1", label: {label: "  "}} | 400 | label.label is required
  IncidentsService.AddLabel                | {incidentID: "1", label: {label: a, colorHex: red}} | 400 | label.colorHex must be #
  IncidentsService.AddLabel                | {incidentID: "9", label: {label: a}} | 404 | incident "9" was not found
  IncidentsService.AddLabel                | {incidentID: "1", label: {label: x×301}} | 400 | label.label must be at most 300
  IncidentsService.AddLabel                | {incidentID: "1", label: {label: a, key: x×301}} | 400 | label.key must be at most 300
  IncidentsService.CreateIncident          | {title: x, roomPrefix: x×81} | 400 | roomPrefix must be at most 80
  IncidentsService.RemoveLabel             | {incidentID: "1"} | 400 | label is required
  IncidentsService.RemoveLabel             | {incidentID: "9", label: a} | 404 | incident "9" was not found
  IncidentsService.AssignRole              | {incidentID: "1", userID: u, role: ""} | 400 | role is required
  IncidentsService.AssignRole              | {incidentID: "1", userID: " ", role: observer} | 400 | userID is required
  IncidentsService.AssignRole              | {incidentID: "1", userID: u, role: king} | 404 | role "king" was not found
  IncidentsService.AssignRole              | {incidentID: "9", userID: u, role: observer} | 404 | incident "9" was not found
  IncidentsService.UnassignRole            | {incidentID: "1", userID: u, role: king} | 404 | role "king" was not found
  IncidentsService.UpdateTitle             | {incidentID: "1", title: ""} | 400 | title is required
  IncidentsService.UpdateTitle             | {incidentID: "1", title: x×501} | 400 | title must be at most 500 characters
  IncidentsService.UpdateTitle             | {incidentID: "9", title: x} | 404 | incident "9" was not found
  IncidentsService.UpdateSeverity          | {incidentID: "1", severity: ""} | 400 | severity is required
  IncidentsService.UpdateSeverity          | {incidentID: "1", severity: bad} | 400 | Severity.FindOne: not found
  IncidentsService.UpdateStatus            | {incidentID: "1"} | 400 | status is required
  IncidentsService.UpdateStatus            | {incidentID: "1", status: closed} | 400 | status must be one of active, resolved
  IncidentsService.UpdateIncidentIsDrill   | {incidentID: "9"} | 404 | incident "9" was not found
  IncidentsService.UpdateIncidentEventTime | {incidentID: "1"} | 400 | activityItemKind is required
  IncidentsService.UpdateIncidentEventTime | {incidentID: "1", activityItemKind: incidentEnd, eventTime: yesterday} | 400 | eventTime must be a time like
  IncidentsService.UpdateIncidentEventTime | {incidentID: "1", activityItemKind: incidentEnd, eventTime: 2026-09-19T09:29:59Z} | 400 | eventTime must leave the end of the incident (2026-09-19T09:29:59Z) after its start (2026-09-19T09:30:00Z)
  ActivityService.AddActivity              | {incidentID: "1", body: "\ \n"} | 400 | body is required
  ActivityService.AddActivity              | {incidentID: "1", body: x×65537} | 400 | body must be at most 65536 characters
  ActivityService.AddActivity              | {incidentID: "1", body: x, activityKind: taskAdded} | 400 | activityKind must be one of
  ActivityService.AddActivity              | {incidentID: "1", body: x, eventTime: 2026-02-30T00:00:00Z} | 400 | eventTime must be
  ActivityService.AddActivity              | {incidentID: "1", body: x, fieldValues: []} | 400 | fieldValues must be an object
  ActivityService.AddActivity              | {incidentID: "9", body: x} | 404 | incident "9" was not found
  ActivityService.QueryActivity            | {query: {incidentID: "9"}} | 404 | incident "9" was not found
  ActivityService.QueryActivity            | {query: {}} | 400 | query.incidentID is required
  ActivityService.QueryActivity            | {query: {incidentID: "1", activityKind: [x]}} | 400 | query.activityKind.0 must be a known activity kind
  ActivityService.RemoveActivity           | {incidentID: "1", activityItemID: activity-item-1} | 400 | activity item is immutable
  ActivityService.RemoveActivity           | {incidentID: "1", activityItemID: x} | 404 | activity item "x" was not found
  ActivityService.UpdateActivityBody       | {incidentID: "1", activityItemID: activity-item-1, body: x} | 400 | activity item is immutable
  ActivityService.UpdateActivityBody       | {incidentID: "1", activityItemID: x, body: y} | 404 | activity item "x" was not found
  ActivityService.UpdateActivityEventTime  | {incidentID: "1", activityItemID: activity-item-1} | 400 | activity item is immutable
  ActivityService.UpdateActivityEventTime  | {incidentID: "1"} | 400 | activityItemID is required
  TasksService.AddTask                     | {incidentID: "1", text: "  "} | 400 | text is required
  TasksService.AddTask                     | {incidentID: "1", text: x×2001} | 400 | text must be at most 2000 characters
  TasksService.AddTask                     | {incidentID: "9", text: x} | 404 | incident "9" was not found
  TasksService.DeleteTask                  | {incidentID: "1", taskID: task-9} | 404 | task "task-9" was not found
  TasksService.UpdateTaskStatus            | {incidentID: "1", taskID: task-9, status: done} | 404 | task "task-9" was not found
  TasksService.UpdateTaskStatus            | {incidentID: "1", taskID: x, status: open} | 400 | status must be one of todo, progress
  TasksService.UpdateTaskText              | {incidentID: "1", taskID: x, text: ""} | 400 | text is required
  TasksService.UpdateTaskUser              | {incidentID: "1"} | 400 | taskID is required
  UsersService.GetUser                     | {} | 400 | userID is required
`,
);

test.each(refusals)('$operation of $input is refused', async ({ operation, input, status, words }) => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  const before = await call(opened, 'IncidentsService.GetHomescreenVersion');
  const answer = await request(opened, operation as Operation, readValue(input));
  expect(answer).toMatchObject({ status: Number(status), body: { error: expect.stringContaining(words) } });
  expect(await call(opened, 'IncidentsService.GetHomescreenVersion')).toEqual(before);
});

test('an item belongs to one incident and is removed once', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  await call(opened, 'IncidentsService.CreateIncident', { title: 'y' });
  const { activityItem } = await call(opened, 'ActivityService.AddActivity', { ...address, body: 'note' });
  const item = { activityItemID: activityItem.activityItemID };
  expect(await request(opened, 'ActivityService.RemoveActivity', { incidentID: '2', ...item })).toMatchObject({
    status: 404,
  });
  await call(opened, 'ActivityService.RemoveActivity', { ...address, ...item });
  expect(await request(opened, 'ActivityService.RemoveActivity', { ...address, ...item })).toMatchObject({
    status: 404,
    body: { code: 'activity.not_found' },
  });
});

test('a refused change leaves nothing behind, not even numbers', async () => {
  await using opened = await openService();
  const people = { actor: { userID: 'slack:U1', name: 'Ann' } };
  await request(opened, 'IncidentsService.CreateIncident', { title: 'x', severity: 'bad' }, { people });
  expect(await request(opened, 'UsersService.GetUser', { userID: 'slack:U1' })).toMatchObject({ status: 404 });
  const { incident } = await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  expect(incident.incidentID).toBe('1');
});
