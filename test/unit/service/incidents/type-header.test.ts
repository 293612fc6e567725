import { describe, expect, test } from 'vitest';
import { rpc } from '../../../../src/contract/contract.ts';
import type { Method } from '../../../../src/contract/define.ts';
import { incidentTypeHeader } from '../../../../src/contract/incident-type.ts';
import { call, type OpenedService, type Operation, openService, request, tokens } from '../../../support/service.ts';

/*
 * The header that gives an incident its type (docs/api-rules.md A6, Private incidents): honoured, or refused with the reason,
 * whatever is changed and whoever changes it. A 200 never means that it was dropped.
 */

const incidentID = '1';
const changes: Readonly<Record<string, object>> = {
  'ActivityService.AddActivity': { body: 'words' },
  'ActivityService.RemoveActivity': { activityItemID: 'activity-item-2' },
  'ActivityService.UpdateActivityBody': { activityItemID: 'activity-item-2', body: 'other words' },
  'ActivityService.UpdateActivityEventTime': { activityItemID: 'activity-item-2', eventTime: '2026-09-19T09:00:00Z' },
  'IncidentsService.AddLabel': { label: { label: 'eu' } },
  'IncidentsService.AssignRole': { userID: 'u:1', role: 'observer' },
  'IncidentsService.RemoveLabel': { label: 'leak' },
  'IncidentsService.UnassignRole': { userID: 'u:holder', role: 'commander' },
  'IncidentsService.UpdateIncidentEventTime': { activityItemKind: 'incidentStart', eventTime: '2026-09-19T09:00:00Z' },
  'IncidentsService.UpdateIncidentIsDrill': { isDrill: true },
  'IncidentsService.UpdateSeverity': { severity: 'critical' },
  'IncidentsService.UpdateStatus': { status: 'resolved' },
  'IncidentsService.UpdateTitle': { title: 'Other' },
  'TasksService.AddTask': { text: 'look around' },
  'TasksService.DeleteTask': { taskID: 'task-1' },
  'TasksService.UpdateTaskStatus': { taskID: 'task-1', status: 'done' },
  'TasksService.UpdateTaskText': { taskID: 'task-1', text: 'other words' },
  'TasksService.UpdateTaskUser': { taskID: 'task-1', userID: 'u:1' },
};
/** What changes something that is no incident. */
const elsewhere: Readonly<Record<string, object>> = {
  'RolesService.ArchiveRole': { roleID: 3 },
  'RolesService.CreateRole': { role: { name: 'scribe' } },
  'RolesService.DeleteRole': { roleID: 3 },
  'RolesService.UnarchiveRole': { roleID: 3 },
  'RolesService.UpdateRole': { role: { roleID: 3, name: 'watcher' } },
};
const endpoints: readonly (readonly [method: string, path: string, body: object])[] = [
  ['POST', '/api/dashboards/db', { dashboard: { title: 'x' } }],
  ['DELETE', '/api/dashboards/uid/there', {}],
  ['POST', '/api/short-urls', { path: 'd/x' }],
  ['POST', '/api/folders', { title: 'x' }],
];

const asType = (type: string, token?: string) => ({
  headers: { [incidentTypeHeader]: type },
  ...(token === undefined ? {} : { token }),
});

async function openWorld(): Promise<OpenedService> {
  const opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x', labels: [{ label: 'leak' }] });
  await call(opened, 'IncidentsService.AssignRole', { incidentID, userID: 'u:holder', role: 'commander' });
  await call(opened, 'ActivityService.AddActivity', { incidentID, body: 'said' });
  await call(opened, 'TasksService.AddTask', { incidentID, text: 'look' });
  // The note is the item that the rows name.
  await opened.database
    .as<{ activity: { id: string; kind: string } }>()
    .updateTable('activity')
    .set({ id: 'activity-item-x' })
    .where('id', '=', 'activity-item-2')
    .execute();
  await opened.database
    .as<{ activity: { id: string; kind: string } }>()
    .updateTable('activity')
    .set({ id: 'activity-item-2' })
    .where('kind', '=', 'userNote')
    .execute();
  return opened;
}

const stateOf = async (opened: OpenedService) => [
  (await call(opened, 'IncidentsService.GetIncident', { incidentID })).incident,
  (await call(opened, 'ActivityService.QueryActivity', { query: { incidentID } })).activityItems,
  (await call(opened, 'RolesService.GetRoles')).roles,
];
const typeOf = async (opened: OpenedService) =>
  (await call(opened, 'IncidentsService.GetIncident', { incidentID })).incident.incidentType;

/** The user id of the Editor's token. */
async function accountOf(opened: OpenedService): Promise<{ user: string }> {
  const { incident } = await call(opened, 'IncidentsService.CreateIncident', { title: 'y' }, { token: tokens.Editor });
  return { user: incident.createdByUser.userID };
}

test('the tables have every operation that changes something, but for the declaration', () => {
  const all = Object.entries(rpc as Record<string, Record<string, Method>>).flatMap(([service, methods]) =>
    Object.entries(methods).flatMap(([name, { effect }]) => (effect === 'read' ? [] : [`${service}.${name}`])),
  );
  const known = [...Object.keys(changes), ...Object.keys(elsewhere), 'IncidentsService.CreateIncident'];
  expect(known.toSorted()).toEqual(all.toSorted());
});

describe.each(Object.entries(changes))('%s', (operation, rest) => {
  const body = { incidentID, ...rest };

  test('an Admin gives the incident the type', async () => {
    await using opened = await openWorld();
    for (const type of ['private', 'internal', ' Private ']) {
      const { status } = await request(opened, operation, body, asType(type, tokens.Admin));
      // Some cannot be done twice, and then nothing is done.
      if (status === 200) expect(await typeOf(opened)).toBe(type.trim().toLowerCase());
      if (type === 'private') expect(status).toBe(200);
    }
  });

  test('an Editor makes it private who then still sees it, and opens it to nobody', async () => {
    await using opened = await openWorld();
    const stranger = await stateOf(opened);
    const hidden = await request(opened, operation, body, asType('private', tokens.Editor));
    expect([hidden.status, hidden.body.error]).toEqual([403, expect.stringMatching(/role.*Nothing was done/)]);
    expect(await stateOf(opened)).toEqual(stranger);

    const { user } = await accountOf(opened);
    await call(opened, 'IncidentsService.AssignRole', { incidentID, userID: user, role: 'investigator' });
    const done = await request(opened, operation, body, asType('private', tokens.Editor));
    expect([done.status, await typeOf(opened)]).toEqual([200, 'private']);
    const seen = await request(opened, 'IncidentsService.GetIncident', { incidentID }, { token: tokens.Viewer });
    expect(seen.status).toBe(404);

    const before = await stateOf(opened);
    const { status, body: answer } = await request(opened, operation, body, asType('internal', tokens.Editor));
    expect([status, answer.error]).toEqual([403, expect.stringMatching(/Admin.*Nothing was done/)]);
    expect(await stateOf(opened)).toEqual(before);
  });

  test('an Editor who names the type that it has already changes the rest', async () => {
    await using opened = await openWorld();
    expect((await request(opened, operation, body, asType('internal', tokens.Editor))).status).toBe(200);
  });

  test('a type that nobody can read is refused, and nothing is done', async () => {
    await using opened = await openWorld();
    const before = await stateOf(opened);
    for (const token of [tokens.Editor, tokens.Admin, undefined]) {
      const { status, body: answer } = await request(opened, operation, body, asType('galactic', token));
      expect([status, answer.error]).toEqual([400, expect.stringContaining('internal, private')]);
    }
    expect(await stateOf(opened)).toEqual(before);
  });
});

test.each(Object.entries(elsewhere))('%s changes no incident, so the header is refused', async (operation, body) => {
  await using opened = await openWorld();
  const before = await stateOf(opened);
  for (const type of ['private', 'internal', 'galactic']) {
    const { status, body: answer } = await request(opened, operation, body, asType(type, tokens.Admin));
    expect([status, answer.error]).toEqual([400, expect.stringContaining(incidentTypeHeader)]);
  }
  expect(await stateOf(opened)).toEqual(before);
});

test.each(endpoints)('%s %s changes no incident, so the header is refused', async (method, path, body) => {
  await using opened = await openService();
  const headers = { authorization: `Bearer ${tokens.Admin}`, [incidentTypeHeader]: 'private' };
  const init = { method, headers, body: JSON.stringify(body) };
  const answer = await opened.service.fetch(new Request(`http://test${path}`, init));
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(incidentTypeHeader)]);
});

test('reads change nothing, so the header is no matter there', async () => {
  await using opened = await openWorld();
  const reads: Operation[] = ['IncidentsService.GetIncident', 'IncidentsService.GetIncidentVersion'];
  for (const operation of reads) {
    for (const type of ['private', 'galactic']) {
      expect((await request(opened, operation, { incidentID }, asType(type, tokens.Viewer))).status).toBe(200);
    }
  }
  expect(await typeOf(opened)).toBe('internal');
});

test('whoever may declare declares a private incident, also by the incoming webhook', async () => {
  await using opened = await openService();
  const declared = await request(
    opened,
    'IncidentsService.CreateIncident',
    { title: 'x' },
    asType('private', tokens.Editor),
  );
  expect(declared.body.incident).toMatchObject({ incidentType: 'private' });
  const headers = { authorization: `Bearer ${tokens.Editor}`, [incidentTypeHeader]: 'private' };
  const address =
    'http://test/api/plugins/grafana-irm-app/resources/api/v1/incoming-webhooks/grafana.incident.create?title=y&include=incident';
  const hooked = await opened.service.fetch(new Request(address, { method: 'POST', headers }));
  expect(await hooked.json()).toMatchObject({ incident: { incidentType: 'private' } });
});
