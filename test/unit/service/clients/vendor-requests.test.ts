import { describe, expect, test } from 'vitest';
import { rpc } from '../../../../src/contract/contract.ts';
import type { Method } from '../../../../src/contract/define.ts';
import { call, type OpenedService, openService, request } from '../../../support/service.ts';

/*
 * What the vendor's newest Go client (v1.92.2) and command line send, member by member (docs/api-rules.md A1, Members of
 * requests). A member is kept, or refused with a sentence that names it: none is dropped with a 200.
 */

type Body = Record<string, unknown>;
type Read = (opened: OpenedService, answer: Body) => unknown;
/** `kept` reads the value back where it must stand; `refused` is a piece of the sentence; `same` says the member is an id of the server's own. */
type Fate = { kept: Read; as?: unknown } | { refused: RegExp } | { own: string };
type Row = readonly [member: string, value: unknown, fate: Fate];

const id = '1';
const incidentOf: Read = async opened =>
  (await call(opened, 'IncidentsService.GetIncident', { incidentID: id })).incident;
const newest: Read = async opened => {
  const query = { orderField: 'incidentID', orderDirection: 'DESC', limit: 1 };
  const { incidentPreviews } = await call(opened, 'IncidentsService.QueryIncidentPreviews', { query });
  return await call(opened, 'IncidentsService.GetIncident', { incidentID: incidentPreviews[0]?.incidentID });
};
const timeline = async (opened: OpenedService, incidentID = id) =>
  (await call(opened, 'ActivityService.QueryActivity', { query: { incidentID, orderDirection: 'ASC' } })).activityItems;
const newestTimeline: Read = async (opened, answer) => {
  const { incidentID } = (answer as { incident: { incidentID: string } }).incident;
  return (await timeline(opened, incidentID)).map(each => `${each.activityKind} ${each.body} ${each.url}`);
};
const inAnswer: Read = (_, answer) => answer;
const holds = (text: unknown, as?: unknown, read: Read = inAnswer): Fate => ({ kept: read, as: as ?? text });
const has = (as: unknown): Fate => ({ kept: inAnswer, as });
const at = '2026-09-19T09:00:00Z';
const theItem = 'activity-item-2';
const theTask = 'task-1';
const person = 'grafana-incident:user-1';
const item: Row[] = [
  ['incidentID', '404', { refused: /incident "404" was not found/ }],
  ['activityItemID', 'nothing', { refused: /activity item "nothing" was not found/ }],
];
const task: Row[] = [
  ['incidentID', '404', { refused: /incident "404" was not found/ }],
  ['taskID', 'nothing', { refused: /task "nothing" was not found/ }],
];
const incident: Row = ['incidentID', '404', { refused: /incident "404" was not found/ }];
const assignment: Row[] = [
  incident,
  ['userID', person, has(person)],
  ['role', 'no such role', { refused: /no such role/ }],
];
const roleMembers = (own: string): Row[] => [
  ['role.roleID', 9, own === 'CreateRole' ? { own: 'the server numbers roles' } : { refused: /role 9 was not found/ }],
  ['role.orgID', 'org-9', { own: 'there is one organisation' }],
  ['role.name', 'scribe', has('scribe')],
  ['role.description', 'Writes', has('Writes')],
  ['role.important', true, has({ important: true })],
  ['role.mandatory', true, has({ mandatory: true })],
  ['role.archived', true, has({ archived: true })],
  ['role.createdAt', at, { own: 'the server keeps the time' }],
  ['role.updatedAt', at, { own: 'the server keeps the time' }],
];
const cursor: Row[] = [
  ['cursor.nextValue', 'foreign', { refused: /cursor/ }],
  ['cursor.hasMore', true, { own: 'a cursor begins with nextValue' }],
];

/** Every request of the Go client whose operation is served: a body that succeeds, and its members. */
const requests: Record<string, { body: Body; rows: Row[] }> = {
  'ActivityService.AddActivity': {
    body: { incidentID: id, activityKind: 'userNote', body: 'x' },
    rows: [
      incident,
      ['activityKind', 'roleAssigned', { refused: /activityKind/ }],
      ['body', 'words of the note', has('words of the note')],
      ['fieldValues', { source: 'ci' }, has({ source: 'ci' })],
      ['eventTime', at, has(at)],
    ],
  },
  'ActivityService.QueryActivity': {
    body: { query: { incidentID: id } },
    rows: [
      ['query.incidentID', '404', { refused: /incident "404" was not found/ }],
      ['query.limit', 1, has({ limit: 1 })],
      ['query.tag', 'important', has('important')],
      ['query.orderDirection', 'ASC', has('ASC')],
      ['query.activityKind', ['userNote'], has(['userNote'])],
      ...cursor,
    ],
  },
  'ActivityService.RemoveActivity': { body: { incidentID: id, activityItemID: theItem }, rows: item },
  'ActivityService.UpdateActivityBody': {
    body: { incidentID: id, activityItemID: theItem, body: 'x' },
    rows: [...item, ['body', 'new words', has('new words')]],
  },
  'ActivityService.UpdateActivityEventTime': {
    body: { incidentID: id, activityItemID: theItem },
    rows: [...item, ['eventTime', at, has(at)]],
  },
  'IncidentsService.AddLabel': {
    body: { incidentID: id, label: { label: 'x' } },
    rows: [
      incident,
      ['label.key', 'team', has({ key: 'team' })],
      ['label.label', 'db', has({ label: 'db' })],
      ['label.description', 'The database', has('The database')],
      ['label.colorHex', '#ff8800', has('#ff8800')],
    ],
  },
  'IncidentsService.AssignRole': {
    body: { incidentID: id, userID: 'u:1', role: 'commander' },
    rows: assignment,
  },
  'IncidentsService.CreateIncident': {
    body: { title: 'x' },
    rows: [
      ['title', 'Checkout is down', holds('Checkout is down', undefined, newest)],
      ['severity', 'major', holds('major', undefined, newest)],
      ['labels.0.key', 'team', holds({ key: 'team' }, undefined, newest)],
      ['labels.0.label', 'db', holds('db', undefined, newest)],
      ['labels.0.description', 'The database', holds('The database', undefined, newest)],
      ['labels.0.colorHex', '#ff8800', holds('#ff8800', undefined, newest)],
      ['roomPrefix', 'p'.repeat(81), { refused: /roomPrefix must be at most/ }],
      ['isDrill', true, holds({ isDrill: true }, undefined, newest)],
      ['status', 'resolved', holds('resolved', undefined, newest)],
      ['attachCaption', 'The graph', { kept: newestTimeline, as: 'The graph' }],
      ['attachURL', 'https://graph.example/1', { kept: newestTimeline, as: 'https://graph.example/1' }],
      ['initialStatusUpdate', 'Half of the payments fail.', { kept: newestTimeline, as: 'Half of the payments fail.' }],
      ['alertGroupID', 'I4ZK', { kept: newestTimeline, as: 'I4ZK' }],
    ],
  },
  'IncidentsService.GetIncident': { body: { incidentID: id }, rows: [incident] },
  'IncidentsService.GetIncidentMembership': { body: { incidentID: id }, rows: [incident] },
  'IncidentsService.GetIncidentVersion': { body: { incidentID: id }, rows: [incident] },
  'IncidentsService.GetHomescreenVersion': { body: {}, rows: [] },
  'IncidentsService.QueryIncidentPreviews': {
    body: { query: {} },
    rows: [
      ['query.limit', 1, has({ limit: 1 })],
      ['query.orderDirection', 'ASC', has('ASC')],
      ['query.orderField', 'title', has('title')],
      ['query.queryString', 'nothing-like-it', has({ incidentPreviews: [] })],
      ...cursor,
      ['includeCustomFieldValues', true, has({ fieldValues: [] })],
      ['includeMembershipPreview', true, has({ totalParticipants: 0 })],
      ['includeIncidentChannels', true, has({ incidentChannels: [] })],
    ],
  },
  'IncidentsService.QueryIncidents': {
    body: { query: {} },
    rows: [
      ['query.limit', 1, has({ limit: 1 })],
      ['query.includeStatuses', ['resolved'], has({ incidents: [] })],
      ['query.excludeStatuses', ['active'], has({ incidents: [] })],
      ['query.incidentLabels', ['nothing-like-it'], has({ incidents: [] })],
      ['query.dateFrom', '2099-01-01T00:00:00Z', has({ incidents: [] })],
      ['query.dateTo', '2001-01-01T00:00:00Z', has({ incidents: [] })],
      ['query.onlyDrills', true, has({ incidents: [] })],
      ['query.orderDirection', 'ASC', has('ASC')],
      ['query.severity', 'critical', has({ incidents: [] })],
      ['query.queryString', 'nothing-like-it', has({ incidents: [] })],
      ...cursor,
    ],
  },
  'IncidentsService.RemoveLabel': {
    body: { incidentID: id, label: 'there' },
    rows: [incident, ['label', 'there', has({ labels: [] })]],
  },
  'IncidentsService.UnassignRole': {
    body: { incidentID: id, userID: 'u:1', role: 'commander' },
    rows: [incident, ...assignment.slice(2), ['userID', 'u:holder', has({ didChange: true })]],
  },
  'IncidentsService.UpdateIncidentEventTime': {
    body: { incidentID: id, eventName: 'incidentStart', eventTime: at },
    rows: [
      incident,
      ['eventTime', '2026-09-19T08:00:00Z', holds('2026-09-19T08:00:00Z', undefined, incidentOf)],
      ['activityItemKind', 'incidentEnd', { refused: /activityItemKind and eventName/ }],
      ['eventName', 'incidentEnd', { refused: /after its start/ }],
    ],
  },
  'IncidentsService.UpdateIncidentIsDrill': {
    body: { incidentID: id },
    rows: [incident, ['isDrill', true, has({ isDrill: true })]],
  },
  'IncidentsService.UpdateSeverity': {
    body: { incidentID: id, severity: 'minor' },
    rows: [incident, ['severity', 'severity-critical', has('critical')]],
  },
  'IncidentsService.UpdateStatus': {
    body: { incidentID: id, status: 'active' },
    rows: [incident, ['status', 'resolved', has('resolved')]],
  },
  'IncidentsService.UpdateTitle': {
    body: { incidentID: id, title: 'x' },
    rows: [incident, ['title', 'Other title', has('Other title')]],
  },
  'RolesService.ArchiveRole': { body: { roleID: 3 }, rows: [['roleID', 9, { refused: /role 9/ }]] },
  'RolesService.CreateRole': { body: { role: { name: 'x' } }, rows: roleMembers('CreateRole') },
  'RolesService.DeleteRole': { body: { roleID: 3 }, rows: [['roleID', 9, { refused: /role 9/ }]] },
  'RolesService.GetRoles': { body: {}, rows: [] },
  'RolesService.UnarchiveRole': { body: { roleID: 3 }, rows: [['roleID', 9, { refused: /role 9/ }]] },
  'RolesService.UpdateRole': { body: { role: { roleID: 3, name: 'x' } }, rows: roleMembers('UpdateRole') },
  'TasksService.AddTask': {
    body: { incidentID: id, text: 'x' },
    rows: [incident, ['text', 'call Bob', has('call Bob')], ['assignToUserID', person, has(person)]],
  },
  'TasksService.DeleteTask': { body: { incidentID: id, taskID: theTask }, rows: task },
  'TasksService.UpdateTaskStatus': {
    body: { incidentID: id, taskID: theTask, status: 'todo' },
    rows: [...task, ['status', 'progress', has('progress')]],
  },
  'TasksService.UpdateTaskText': {
    body: { incidentID: id, taskID: theTask, text: 'x' },
    rows: [...task, ['text', 'call Ann', has('call Ann')]],
  },
  'TasksService.UpdateTaskUser': {
    body: { incidentID: id, taskID: theTask },
    rows: [...task, ['userID', person, has(person)]],
  },
  'UsersService.GetUser': { body: { userID: 'u:holder' }, rows: [['userID', 'u:nobody', { refused: /u:nobody/ }]] },
  'UsersService.QueryUsers': { body: { query: {} }, rows: [['query.limit', 1, has({ limit: 1 })], ...cursor] },
};

/** What the command line sends beyond the Go client: `gcx irm incidents create`, in its older and newer releases. */
const commandLine: Row[] = [
  ['incidentType', 'private', { kept: newest, as: { incidentType: 'private' } }],
  ['incidentType', 'internal', { kept: newest, as: { incidentType: 'internal' } }],
  ['severityID', 'severity-critical', { kept: newest, as: 'critical' }],
  ['labels.0.value', 'mimir', { kept: newest, as: { label: 'mimir' } }],
  ['fieldGroupUUID', '0b6e', { refused: /fieldGroupUUID .*leave it out/ }],
  ['labels.0.keyUUID', '0b6e', { refused: /labels\.0\.keyUUID .*leave it out/ }],
  ['labels.0.labelUUID', '0b6e', { refused: /labels\.0\.labelUUID .*leave it out/ }],
  ['summary', 'Half of the payments fail.', { refused: /summary .*initialStatusUpdate/ }],
  ['description', 'Half of the payments fail.', { refused: /description .*initialStatusUpdate/ }],
  ['incidentStart', at, { refused: /incidentStart .*UpdateIncidentEventTime/ }],
  ['incidentEnd', at, { refused: /incidentEnd .*UpdateIncidentEventTime/ }],
  ['createdTime', at, { refused: /createdTime/ }],
  ['fieldValues', [{ fieldUUID: 'x', value: '"y"' }], { refused: /fieldValues .*labels/ }],
  ['statusID', 'status-1', { refused: /statusID.*status/ }],
  ['refs', [{ key: 'jira', ref: 'OPS-1', url: '' }], { refused: /refs/ }],
];

/** A service with an incident that has everything the requests name. */
async function openWorld(): Promise<OpenedService> {
  const opened = await openService();
  const labels = [{ label: 'there' }];
  await call(opened, 'IncidentsService.CreateIncident', { title: 'Seed', severity: 'minor', labels });
  await call(opened, 'ActivityService.AddActivity', { incidentID: id, body: 'a note' });
  await call(opened, 'TasksService.AddTask', { incidentID: id, text: 'a task' });
  await call(
    opened,
    'IncidentsService.AssignRole',
    { incidentID: id, userID: 'u:holder', role: 'commander' },
    { people: { others: [{ userID: 'u:holder', name: 'Holder' }] } },
  );
  return opened;
}

/** The body with the member set; a number in the path is an item of a list. */
function withMember(body: Body, path: string, value: unknown): Body {
  const copy = structuredClone(body);
  const names = path.split('.');
  let place: Body = copy;
  for (const [index, name] of names.slice(0, -1).entries()) {
    place[name] ??= /^\d+$/.test(names[index + 1] ?? '') ? [] : {};
    place = place[name] as Body;
  }
  const last = names.at(-1) ?? '';
  place[last] = value;
  if (path.startsWith('labels.0.') && !('label' in place) && last !== 'value') place.label = 'text';
  return copy;
}

async function meets(opened: OpenedService, operation: string, body: Body, [member, value, fate]: Row): Promise<void> {
  const { status, body: answer } = await request(opened, operation, withMember(body, member, value));
  if ('refused' in fate) {
    expect([status, answer.error]).toEqual([expect.toBeOneOf([400, 404]), expect.stringMatching(fate.refused)]);
    return;
  }
  expect([status, answer.error]).toEqual([200, '']);
  if ('own' in fate) return;
  const text = JSON.stringify(await fate.kept(opened, answer));
  const wanted = fate.as ?? value;
  expect(text).toContain(
    typeof wanted === 'object' && !Array.isArray(wanted)
      ? JSON.stringify(wanted).slice(1, -1)
      : JSON.stringify(wanted).replaceAll(/^"|"$/g, ''),
  );
}

describe('the Go client', () => {
  test('the table has every operation that is served', () => {
    const served = Object.entries(rpc as Record<string, Record<string, Method>>).flatMap(([service, methods]) =>
      Object.keys(methods).map(name => `${service}.${name}`),
    );
    expect(Object.keys(requests).toSorted()).toEqual(served.toSorted());
  });

  for (const [operation, { body, rows }] of Object.entries(requests)) {
    test(operation, async () => {
      for (const row of rows) {
        await using opened = await openWorld();
        await meets(opened, operation, body, row);
      }
    });
  }
});

describe('the command line', () => {
  test.each(commandLine)('CreateIncident with %s', async (...row) => {
    await using opened = await openWorld();
    await meets(opened, 'IncidentsService.CreateIncident', { title: 'x' }, row);
  });

  test('members that say nothing are no matter', async () => {
    await using opened = await openService();
    const nothing = {
      summary: '',
      description: null,
      refs: [],
      fieldValues: {},
      incidentStart: '',
      durationSeconds: 0,
    };
    const body = { title: 'x', ...nothing, alertGroupID: null, incidentType: '', isPrivate: false };
    expect((await call(opened, 'IncidentsService.CreateIncident', body)).incident.incidentType).toBe('internal');
  });
});
