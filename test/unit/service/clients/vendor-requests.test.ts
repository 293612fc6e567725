import { describe, expect, test } from 'vitest';
import { rpc } from '../../../../src/contract/contract.ts';
import type { Method } from '../../../../src/contract/define.ts';
import { call, type OpenedService, openService, request } from '../../../support/service.ts';
import { readTable, readValue } from '../../../support/table.ts';

/*
 * What the vendor's newest Go client (v1.92.2) and command line send, member by member (docs/api-rules.md A1, Members of
 * requests). A member is kept, or refused with a sentence that names it: none is dropped with a 200.
 */

type Body = Record<string, unknown>;

const id = '1';

/** What a service holds and says after a request: where the table says that a member is found. */
const places = {
  answer: async (_: OpenedService, answer: Body) => answer,
  incident: async (opened: OpenedService) => await call(opened, 'IncidentsService.GetIncident', { incidentID: id }),
  newest: async (opened: OpenedService) => {
    const query = { orderField: 'incidentID', orderDirection: 'DESC', limit: 1 };
    const { incidentPreviews } = await call(opened, 'IncidentsService.QueryIncidentPreviews', { query });
    return await call(opened, 'IncidentsService.GetIncident', { incidentID: incidentPreviews[0]?.incidentID });
  },
  timeline: async (opened: OpenedService, answer: Body) => {
    const { incidentID } = (answer as { incident: { incidentID: string } }).incident;
    const { activityItems } = await call(opened, 'ActivityService.QueryActivity', { query: { incidentID } });
    return activityItems.map(each => `${each.activityKind} ${each.body} ${each.url}`);
  },
};

const columns = 'member | value | fate | words';

/**
 * Every request of the Go client whose operation is served: a body that succeeds, and its members. `answer`, `incident` (the first one),
 * `newest` (the newest one) and `timeline` hold the value of a member, or the words; `refused`: with such a sentence; `own`: an id or a time
 * that the server gives, and why. Each request for an incident refuses one that is not there.
 */
const requests = new Map(
  `
  ActivityService.AddActivity {incidentID: "1", activityKind: userNote, body: x}
    activityKind             | roleAssigned               | refused  | activityKind
    body                     | words of the note          | answer
    fieldValues              | {source: ci}               | answer
    eventTime                | 2026-09-19T09:00:00Z       | answer
  ActivityService.QueryActivity {query: {incidentID: "1"}}
    query.incidentID         | "404"                      | refused  | incident "404" was not found
    query.limit              | 1                          | answer   | {limit: 1}
    query.tag                | important                  | answer
    query.orderDirection     | ASC                        | answer
    query.activityKind       | [userNote]                 | answer
    cursor.nextValue         | foreign                    | refused  | cursor
    cursor.hasMore           | true                       | own      | a cursor begins with nextValue
  ActivityService.RemoveActivity {incidentID: "1", activityItemID: activity-item-2}
    activityItemID           | nothing                    | refused  | activity item "nothing" was not found
  ActivityService.UpdateActivityBody {incidentID: "1", activityItemID: activity-item-2, body: x}
    activityItemID           | nothing                    | refused  | activity item "nothing" was not found
    body                     | new words                  | answer
  ActivityService.UpdateActivityEventTime {incidentID: "1", activityItemID: activity-item-2}
    activityItemID           | nothing                    | refused  | activity item "nothing" was not found
    eventTime                | 2026-09-19T09:00:00Z       | answer
  IncidentsService.AddLabel {incidentID: "1", label: {label: x}}
    label.key                | team                       | answer   | {key: team}
    label.label              | db                         | answer   | {label: db}
    label.description        | The database               | answer
    label.colorHex           | "#ff8800"                  | answer
  IncidentsService.AssignRole {incidentID: "1", userID: u:1, role: commander}
    userID                   | grafana-incident:user-1    | answer
    role                     | no such role               | refused  | no such role
  IncidentsService.CreateIncident {title: x}
    title                    | Checkout is down           | newest
    severity                 | major                      | newest
    labels.0.key             | team                       | newest   | {key: team}
    labels.0.label           | db                         | newest
    labels.0.description     | The database               | newest
    labels.0.colorHex        | "#ff8800"                  | newest
    roomPrefix               | p×81                       | refused  | roomPrefix must be at most
    isDrill                  | true                       | newest   | {isDrill: true}
    status                   | resolved                   | newest
    attachCaption            | The graph                  | timeline
    attachURL                | https://graph.example/1    | timeline
    initialStatusUpdate      | Half of the payments fail. | timeline
    alertGroupID             | I4ZK                       | timeline
  IncidentsService.GetIncident {incidentID: "1"}
  IncidentsService.GetIncidentMembership {incidentID: "1"}
  IncidentsService.GetIncidentVersion {incidentID: "1"}
  IncidentsService.GetHomescreenVersion {}
  IncidentsService.QueryIncidentPreviews {query: {}}
    query.limit              | 1                          | answer   | {limit: 1}
    query.orderDirection     | ASC                        | answer
    query.orderField         | title                      | answer
    query.queryString        | nothing-like-it            | answer   | {incidentPreviews: []}
    cursor.nextValue         | foreign                    | refused  | cursor
    cursor.hasMore           | true                       | own      | a cursor begins with nextValue
    includeCustomFieldValues | true                       | answer   | {fieldValues: []}
    includeMembershipPreview | true                       | answer   | {totalParticipants: 0}
    includeIncidentChannels  | true                       | answer   | {incidentChannels: []}
  IncidentsService.QueryIncidents {query: {}}
    query.limit              | 1                          | answer   | {limit: 1}
    query.includeStatuses    | [resolved]                 | answer   | {incidents: []}
    query.excludeStatuses    | [active]                   | answer   | {incidents: []}
    query.incidentLabels     | [nothing-like-it]          | answer   | {incidents: []}
    query.dateFrom           | 2099-01-01T00:00:00Z       | answer   | {incidents: []}
    query.dateTo             | 2001-01-01T00:00:00Z       | answer   | {incidents: []}
    query.onlyDrills         | true                       | answer   | {incidents: []}
    query.orderDirection     | ASC                        | answer
    query.severity           | critical                   | answer   | {incidents: []}
    query.queryString        | nothing-like-it            | answer   | {incidents: []}
    cursor.nextValue         | foreign                    | refused  | cursor
    cursor.hasMore           | true                       | own      | a cursor begins with nextValue
  IncidentsService.RemoveLabel {incidentID: "1", label: there}
    label                    | there                      | answer   | {labels: []}
  IncidentsService.UnassignRole {incidentID: "1", userID: u:1, role: commander}
    role                     | no such role               | refused  | no such role
    userID                   | u:holder                   | answer   | {didChange: true}
  IncidentsService.UpdateIncidentEventTime {incidentID: "1", eventName: incidentStart, eventTime: 2026-09-19T09:00:00Z}
    eventTime                | 2026-09-19T08:00:00Z       | incident
    activityItemKind         | incidentEnd                | refused  | activityItemKind and eventName
    eventName                | incidentEnd                | refused  | after its start
  IncidentsService.UpdateIncidentIsDrill {incidentID: "1"}
    isDrill                  | true                       | answer   | {isDrill: true}
  IncidentsService.UpdateSeverity {incidentID: "1", severity: minor}
    severity                 | severity-critical          | answer   | critical
  IncidentsService.UpdateStatus {incidentID: "1", status: active}
    status                   | resolved                   | answer
  IncidentsService.UpdateTitle {incidentID: "1", title: x}
    title                    | Other title                | answer
  RolesService.ArchiveRole {roleID: 3}
    roleID                   | 9                          | refused  | role 9
  RolesService.CreateRole {role: {name: x}}
    role.roleID              | 9                          | own      | the server numbers roles
    role.orgID               | org-9                      | own      | there is one organisation
    role.name                | scribe                     | answer
    role.description         | Writes                     | answer
    role.important           | true                       | answer   | {important: true}
    role.mandatory           | true                       | answer   | {mandatory: true}
    role.archived            | true                       | answer   | {archived: true}
    role.createdAt           | 2026-09-19T09:00:00Z       | own      | the server keeps the time
    role.updatedAt           | 2026-09-19T09:00:00Z       | own      | the server keeps the time
  RolesService.DeleteRole {roleID: 3}
    roleID                   | 9                          | refused  | role 9
  RolesService.GetRoles {}
  RolesService.UnarchiveRole {roleID: 3}
    roleID                   | 9                          | refused  | role 9
  RolesService.UpdateRole {role: {roleID: 3, name: x}}
    role.roleID              | 9                          | refused  | role 9 was not found
    role.orgID               | org-9                      | own      | there is one organisation
    role.name                | scribe                     | answer
    role.description         | Writes                     | answer
    role.important           | true                       | answer   | {important: true}
    role.mandatory           | true                       | answer   | {mandatory: true}
    role.archived            | true                       | answer   | {archived: true}
    role.createdAt           | 2026-09-19T09:00:00Z       | own      | the server keeps the time
    role.updatedAt           | 2026-09-19T09:00:00Z       | own      | the server keeps the time
  TasksService.AddTask {incidentID: "1", text: x}
    text                     | call Bob                   | answer
    assignToUserID           | grafana-incident:user-1    | answer
  TasksService.DeleteTask {incidentID: "1", taskID: task-1}
    taskID                   | nothing                    | refused  | task "nothing" was not found
  TasksService.UpdateTaskStatus {incidentID: "1", taskID: task-1, status: todo}
    taskID                   | nothing                    | refused  | task "nothing" was not found
    status                   | progress                   | answer
  TasksService.UpdateTaskText {incidentID: "1", taskID: task-1, text: x}
    taskID                   | nothing                    | refused  | task "nothing" was not found
    text                     | call Ann                   | answer
  TasksService.UpdateTaskUser {incidentID: "1", taskID: task-1}
    taskID                   | nothing                    | refused  | task "nothing" was not found
    userID                   | grafana-incident:user-1    | answer
  UsersService.GetUser {userID: u:holder}
    userID                   | u:nobody                   | refused  | u:nobody
  UsersService.QueryUsers {query: {}}
    query.limit              | 1                          | answer   | {limit: 1}
    cursor.nextValue         | foreign                    | refused  | cursor
    cursor.hasMore           | true                       | own      | a cursor begins with nextValue
`
    .split(/\n {2}(?! )/)
    .slice(1)
    .map(text => {
      const [operation = '', body = ''] = text.split(/ (.*)/, 2);
      return [operation, { body: readValue(body) as Body, members: readTable(columns, text.replace(/.*/, '')) }];
    }),
);

/** The members that the command line sends beyond the Go client: `gcx irm incidents create`, in its older and newer releases. */
const commandLine = readTable(
  columns,
  String.raw`
  incidentType       | private                            | newest  | {incidentType: private}
  incidentType       | internal                           | newest  | {incidentType: internal}
  severityID         | severity-critical                  | newest  | critical
  labels.0.value     | mimir                              | newest  | {label: mimir}
  fieldGroupUUID     | 0b6e                               | refused | fieldGroupUUID .*leave it out
  labels.0.keyUUID   | 0b6e                               | refused | labels\.0\.keyUUID .*leave it out
  labels.0.labelUUID | 0b6e                               | refused | labels\.0\.labelUUID .*leave it out
  summary            | Half of the payments fail.         | refused | summary .*initialStatusUpdate
  description        | Half of the payments fail.         | refused | description .*initialStatusUpdate
  incidentStart      | 2026-09-19T09:00:00Z               | refused | incidentStart .*UpdateIncidentEventTime
  incidentEnd        | 2026-09-19T09:00:00Z               | refused | incidentEnd .*UpdateIncidentEventTime
  createdTime        | 2026-09-19T09:00:00Z               | refused | createdTime
  fieldValues        | [{fieldUUID: x, value: '"y"'}]     | refused | fieldValues .*labels
  statusID           | status-1                           | refused | statusID.*status
  refs               | [{key: jira, ref: OPS-1, url: ""}] | refused | refs
`,
);

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

async function expectFate(opened: OpenedService, operation: string, body: Body, row: (typeof commandLine)[number]) {
  const value = readValue(row.value);
  const { status, body: answer } = await request(opened, operation, withMember(body, row.member, value));
  if (row.fate === 'refused') {
    expect([status, answer.error]).toEqual([expect.toBeOneOf([400, 404]), expect.stringMatching(row.words)]);
    return;
  }
  expect([status, answer.error]).toEqual([200, '']);
  if (row.fate === 'own') return;
  const text = JSON.stringify(await places[row.fate as keyof typeof places](opened, answer));
  const wanted = row.words === '' ? value : readValue(row.words);
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
    expect([...requests.keys()].toSorted()).toEqual(served.toSorted());
  });

  for (const [operation, { body, members }] of requests) {
    const absent = readTable(
      columns,
      'incidentID' in body ? 'incidentID | "404" | refused | incident "404" was not found' : '',
    );
    test(operation, async () => {
      for (const row of [...absent, ...members]) {
        await using opened = await openWorld();
        await expectFate(opened, operation, body, row);
      }
    });
  }
});

describe('the command line', () => {
  test.each(commandLine)('CreateIncident with $member', async row => {
    await using opened = await openWorld();
    await expectFate(opened, 'IncidentsService.CreateIncident', { title: 'x' }, row);
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
