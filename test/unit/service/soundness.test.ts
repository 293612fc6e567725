import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { serviceLock } from '../../../src/service/store/tables.ts';
import { addEndpoint } from '../../../src/service/webhooks/endpoints.ts';
import { call, type OpenedService, openService, request } from '../../support/service.ts';
import { findViolations, rules, toViolations } from '../../support/soundness/rules.ts';
import { type AllTables, type Snapshot, takeSnapshot } from '../../support/soundness/snapshot.ts';
import { readTable } from '../../support/table.ts';

/** What a fault would leave behind; each breaks the rule of its name, on a database where nothing is broken. */
const damages = readTable(
  'rule | statement',
  `
  an incident was declared once, and first | delete from activity where kind = 'incidentCreated' and incident_id = 2
  an incident was declared once, and first | update activity set kind = 'incidentCreated' where kind = 'userNote'
  a version counts the changes | update incident set version = version + 1 where id = 1
  a version counts the changes | update incident set version = version - 1 where id = 1
  a version counts the changes | delete from activity where kind = 'labelAdded'
  an incident is what its timeline says | update incident set title = 'lost' where id = 1
  an incident is what its timeline says | update incident set severity = 'minor' where id = 1
  an incident is what its timeline says | update incident set status = 'active' where id = 1
  an incident is what its timeline says | update incident set is_drill = 1 - is_drill where id = 1
  an incident is what its timeline says | update incident set started_at = started_at - 1 where id = 1
  an incident is what its timeline says | update incident set ended_at = null where id = 1
  an incident is what its timeline says | update incident set closed_at = null where id = 1
  what is derived from a title follows it | update incident set slug = 'x'
  what is derived from a title follows it | update incident set title_folded = 'x'
  incidents are numbered without a gap | update counter set value = value + 1 where name = 'incident'
  incidents are numbered without a gap | update counter set value = value - 1 where name = 'incident'
  incidents are numbered without a gap | delete from incident where id = 1
  timeline items are numbered by their counter | update counter set value = value - 1 where name = 'activity'
  timeline items are numbered by their counter | update counter set value = value + 1 where name = 'activity'
  timeline items are numbered by their counter | update activity set id = 'activity-item-99' where kind = 'userNote'
  nothing is without its incident | update activity set incident_id = 9 where incident_id = 2
  nothing is without its incident | update task set incident_id = 9
  nothing is without its incident | update incident_label set incident_id = 9
  nothing is without its incident | update assignment set incident_id = 9
  tasks are what the timeline says | delete from task where id = 'task-1'
  tasks are what the timeline says | delete from activity where kind = 'taskAdded'
  tasks are what the timeline says | delete from activity where kind = 'taskCompleted'
  tasks are what the timeline says | update task set status = 'progress'
  tasks are what the timeline says | update task set text = 'x'
  tasks are what the timeline says | update task set assigned_user_id = 'x'
  tasks are what the timeline says | update counter set value = 0 where name = 'task'
  labels are what the timeline says | delete from incident_label
  labels are what the timeline says | update activity set kind = 'labelRemoved' where kind = 'labelAdded'
  labels are what the timeline says | delete from activity where kind = 'labelAdded'
  people hold the roles that the timeline says | delete from assignment
  people hold the roles that the timeline says | delete from activity where kind = 'roleAssigned'
  people hold the roles that the timeline says | delete from role where id = 3
  every link of a note is attached | delete from activity where kind = 'contextAttached'
  every link of a note is attached | update activity set body = 'x' where kind = 'userNote'
  places in lists are given once, by their counter | update counter set value = 0 where name = 'position'
  places in lists are given once, by their counter | update task set position = 1
  the home screen counts every change | update counter set value = value - 1 where name = 'homescreen'
  the home screen counts every change | update counter set value = value + 1 where name = 'homescreen'
  every change that webhooks tell of is told | delete from webhook_event where event = 'grafana.incident.added.label'
  every change that webhooks tell of is told | update webhook_event set event = 'grafana.incident.closed'
  an event says what it is | update webhook_event set incident_id = 1
  an event goes to every endpoint once | delete from webhook_delivery where seq = 1
  an event goes to every endpoint once | update webhook_delivery set endpoint_id = 9
  deliveries are numbered without a gap | delete from webhook_delivery where seq = 1
  deliveries are numbered without a gap | update counter set value = value + 1 where name = 'webhook_delivery'
  every version of a dashboard is kept | delete from dashboard_version where version = 1
  every version of a dashboard is kept | delete from dashboard_version where version = 2
  every version of a dashboard is kept | update dashboard set version = version + 1
  every version of a dashboard is kept | update dashboard set model = '{}'
  a dashboard names itself as it is stored | update dashboard set title = 'x'
  a dashboard names itself as it is stored | update dashboard set uid = 'x' where uid = 'one'
  a dashboard is found by its tags | delete from dashboard_tag
  a dashboard is found by its tags | update dashboard_tag set term = 'x'
  nothing is without its dashboard | delete from dashboard where uid = 'one'
  a live dashboard is in a folder that is there | delete from folder
  ids and uids of dashboards and folders are given once | update folder set uid = 'one'
  ids and uids of dashboards and folders are given once | update folder set id = (select id from dashboard where uid = 'one')
  ids and uids of dashboards and folders are given once | update counter set value = 0 where name = 'dashboard'
  live dashboards of a folder have titles of their own | update dashboard set title = 'x', folder_id = 0
  a short address leads somewhere | update short_url set path = ''
`,
);

const past = { plain: true };

async function post(opened: OpenedService, path: string, body: object) {
  const answer = await opened.service.handle({ method: 'POST', path, headers: {}, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
  return JSON.parse(answer.body);
}

/** A little of everything. */
async function fill(opened: OpenedService): Promise<void> {
  const at = { incidentID: '1' };
  const endpoint = { url: 'http://127.0.0.1:9/', secret: 's' };
  await opened.database.withLock<AllTables, number>(serviceLock, db =>
    addEndpoint(db.withTables(), endpoint, opened.now),
  );
  await call(opened, 'IncidentsService.CreateIncident', { title: 'One' });
  await call(opened, 'IncidentsService.CreateIncident', { title: 'Two', status: 'resolved' });
  await call(opened, 'IncidentsService.UpdateTitle', { ...at, title: 'One more' });
  await call(opened, 'IncidentsService.UpdateSeverity', { ...at, severity: 'major' });
  await call(opened, 'IncidentsService.UpdateIncidentIsDrill', { ...at, isDrill: true });
  await call(opened, 'IncidentsService.UpdateIncidentEventTime', {
    ...at,
    activityItemKind: 'incidentStart',
    eventTime: '2026-09-19T08:00:00Z',
  });
  await call(opened, 'IncidentsService.UpdateStatus', { ...at, status: 'resolved' });
  await call(opened, 'IncidentsService.UpdateStatus', { ...at, status: 'active' });
  await call(opened, 'IncidentsService.UpdateStatus', { ...at, status: 'resolved' });
  await call(opened, 'IncidentsService.AddLabel', { ...at, label: { label: 'db' } });
  await call(opened, 'IncidentsService.AssignRole', { ...at, userID: 'u', role: 'observer' });
  await call(opened, 'TasksService.AddTask', { ...at, text: 'fix', assignToUserID: 'u' });
  await call(opened, 'TasksService.UpdateTaskStatus', { ...at, taskID: 'task-1', status: 'done' });
  await call(opened, 'TasksService.AddTask', { ...at, text: 'drop' });
  await call(opened, 'TasksService.DeleteTask', { ...at, taskID: 'task-2' });
  await call(opened, 'ActivityService.AddActivity', { ...at, body: 'see https://example.com/a' });
  const dashboard = { uid: 'one', title: 'CPU', tags: ['a', 'b'] };
  await post(opened, '/api/dashboards/db', { dashboard, folderUid: 'team' });
  await post(opened, '/api/dashboards/db', { dashboard: { ...dashboard, version: 1 }, folderUid: 'team' });
  await post(opened, '/api/dashboards/db', { dashboard: { title: 'Memory' } });
  await post(opened, '/api/short-urls', { path: 'd/one/cpu' });
}

test('whatever a fault would leave behind is found, and nothing else', async () => {
  await using opened = await openService();
  await fill(opened);
  expect(await findViolations(opened.database, past)).toEqual([]);
  expect(await findViolations(opened.database, { plain: false })).toEqual([]);
  expect([...new Set(damages.map(each => each.rule))]).toEqual(Object.keys(rules));
  for (const { rule, statement } of damages) {
    const found = toViolations(await takeDamaged(opened, statement), past);
    const broken = found.filter(each => each.startsWith(`${rule}: `));
    expect(broken, statement).not.toEqual([]);
  }
});

/** What the database would hold after a statement; it is undone. */
async function takeDamaged({ database }: OpenedService, statement: string): Promise<Snapshot> {
  let snapshot: Snapshot | undefined;
  const undone = new Error('undone');
  const damage = async (db: Kysely<AllTables>) => {
    await sql.raw(statement).execute(db);
    snapshot = await takeSnapshot(db);
    throw undone;
  };
  await expect(database.withLock<AllTables, never>(serviceLock, damage)).rejects.toBe(undone);
  if (!snapshot) throw new Error('nothing was read');
  return snapshot;
}

test('what was edited, removed or declared with labels is no fault', async () => {
  await using opened = await openService();
  await fill(opened);
  await call(opened, 'IncidentsService.CreateIncident', { title: 'Three', labels: [{ label: 'a' }] });
  await call(opened, 'IncidentsService.RemoveLabel', { incidentID: '3', label: 'a' });
  const { activityItem } = await call(opened, 'ActivityService.AddActivity', { incidentID: '3', body: 'x' });
  const item = { incidentID: '3', activityItemID: activityItem.activityItemID };
  await call(opened, 'ActivityService.UpdateActivityBody', { ...item, body: 'y' });
  await call(opened, 'ActivityService.RemoveActivity', item);
  await call(opened, 'RolesService.CreateRole', { role: { name: 'scribe' } });
  expect((await request(opened, 'RolesService.DeleteRole', { roleID: 3 })).status).toBe(200);
  expect(await findViolations(opened.database, { plain: false })).toEqual([]);
});
