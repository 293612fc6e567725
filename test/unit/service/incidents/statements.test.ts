import { expect, test } from 'vitest';
import { watchStatements } from '../../../support/databases/statements.ts';
import { call, type OpenedService, type Operation, openService } from '../../../support/service.ts';

const ann = { userID: 'slack:U1', name: 'Ann Lee' };
const people = { actor: ann, others: [{ userID: 'slack:U2', name: 'Bob Ray' }] };
const address = { incidentID: '1' };
const task = { ...address, taskID: 'task-1' };
const item = (number: number) => ({ ...address, activityItemID: `activity-item-${number}` });
const note = { ...address, activityKind: 'userNote', body: 'A', eventTime: '' };

/** How often a call asks the database for rows, or changes some. A call that changes something reads its people first. */
const most: readonly (readonly [operation: Operation, input: object, statements: number])[] = [
  ['ActivityService.AddActivity', note, 5],
  ['ActivityService.AddActivity', { ...note, body: 'See https://example.com' }, 7],
  ['ActivityService.QueryActivity', { query: address }, 3],
  ['ActivityService.UpdateActivityBody', { ...item(2), body: 'B' }, 6],
  ['ActivityService.UpdateActivityEventTime', { ...item(2), eventTime: '2026-09-01T08:00:00Z' }, 6],
  ['ActivityService.RemoveActivity', item(2), 6],
  ['IncidentsService.AddLabel', { ...address, label: { label: 'mail' } }, 13],
  ['IncidentsService.AssignRole', { ...address, userID: ann.userID, role: 'commander' }, 13],
  ['IncidentsService.UnassignRole', { ...address, userID: 'slack:U2', role: 'investigator' }, 11],
  ['IncidentsService.CreateIncident', { title: 'A', severity: 'minor', roomPrefix: 'inc', status: 'active' }, 9],
  ['IncidentsService.GetIncident', address, 5],
  ['IncidentsService.GetIncidentMembership', address, 3],
  ['IncidentsService.GetIncidentVersion', address, 1],
  ['IncidentsService.QueryIncidentPreviews', { query: {}, includeMembershipPreview: true }, 4],
  ['IncidentsService.QueryIncidents', { query: {} }, 5],
  ['IncidentsService.RemoveLabel', { ...address, label: 'cache' }, 10],
  [
    'IncidentsService.UpdateIncidentEventTime',
    { ...address, eventTime: '2026-09-01T08:00:00Z', eventName: 'incidentStart' },
    5,
  ],
  ['IncidentsService.UpdateIncidentIsDrill', { ...address, isDrill: true }, 8],
  ['IncidentsService.UpdateSeverity', { ...address, severity: 'critical' }, 10],
  ['IncidentsService.UpdateStatus', { ...address, status: 'resolved' }, 9],
  ['IncidentsService.UpdateTitle', { ...address, title: 'B' }, 9],
  ['TasksService.AddTask', { ...address, text: 'A', assignToUserID: '' }, 8],
  ['TasksService.DeleteTask', task, 7],
  ['TasksService.UpdateTaskStatus', { ...task, status: 'done' }, 7],
  ['TasksService.UpdateTaskText', { ...task, text: 'B' }, 7],
  ['TasksService.UpdateTaskUser', { ...task, userID: 'slack:U2' }, 7],
];

/** A service with an incident that has somebody in a role, a note, a label and a task. */
async function openIncident(): Promise<OpenedService> {
  const opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'Mail is slow', severity: 'minor' }, { people });
  await call(opened, 'ActivityService.AddActivity', note, { people });
  await call(opened, 'TasksService.AddTask', { ...address, text: 'Look' }, { people });
  await call(opened, 'IncidentsService.AddLabel', { ...address, label: { label: 'cache' } }, { people });
  const role = { ...address, userID: 'slack:U2', role: 'investigator' };
  await call(opened, 'IncidentsService.AssignRole', role, { people });
  return opened;
}

test.each(most)('%s %j asks the database %i times', async (operation, input, statements) => {
  await using opened = await openIncident();
  const asked: string[] = [];
  watchStatements(({ sql }) => asked.push(sql));
  await call(opened, operation, input, { people });
  expect(asked.length, asked.join('\n')).toBe(statements);
});
