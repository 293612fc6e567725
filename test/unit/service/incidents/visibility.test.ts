import { expect, test } from 'vitest';
import { incidentTypeHeader } from '../../../../src/contract/incident-type.ts';
import { openPages } from '../../../support/pages.ts';
import { call, type Manner, type OpenedService, type Operation, request, tokens } from '../../../support/service.ts';
import { openReceiver } from '../../../support/webhook-receiver.ts';
import { openDesk } from '../../../support/webhooks.ts';

/*
 * Who sees a private incident (docs/api-rules.md A6, Private incidents): Admins, the person who declared it, and the people who
 * hold a role in it. For everybody else it is as an incident that does not exist.
 */

const asPrivate: Manner = { headers: { [incidentTypeHeader]: 'private' } };
const asInternal: Manner = { headers: { [incidentTypeHeader]: 'internal' } };
const viewer: Manner = { token: tokens.Viewer };
const editor: Manner = { token: tokens.Editor };
const secret = 'Passwords-of-the-board';

/** Every operation that names an incident, with a body that would succeed. */
const operations: readonly [Operation, (incidentID: string) => object][] = [
  ['IncidentsService.GetIncident', incidentID => ({ incidentID })],
  ['IncidentsService.GetIncidentMembership', incidentID => ({ incidentID })],
  ['IncidentsService.GetIncidentVersion', incidentID => ({ incidentID })],
  ['IncidentsService.AddLabel', incidentID => ({ incidentID, label: { label: 'eu' } })],
  ['IncidentsService.RemoveLabel', incidentID => ({ incidentID, label: 'leak' })],
  ['IncidentsService.AssignRole', incidentID => ({ incidentID, userID: 'u:1', role: 'observer' })],
  ['IncidentsService.UnassignRole', incidentID => ({ incidentID, userID: 'u:holder', role: 'commander' })],
  ['IncidentsService.UpdateIncidentEventTime', incidentID => ({ incidentID, activityItemKind: 'incidentStart' })],
  ['IncidentsService.UpdateIncidentIsDrill', incidentID => ({ incidentID, isDrill: true })],
  ['IncidentsService.UpdateSeverity', incidentID => ({ incidentID, severity: 'critical' })],
  ['IncidentsService.UpdateStatus', incidentID => ({ incidentID, status: 'resolved' })],
  ['IncidentsService.UpdateTitle', incidentID => ({ incidentID, title: 'Mine' })],
  ['ActivityService.AddActivity', incidentID => ({ incidentID, body: 'I was here' })],
  ['ActivityService.QueryActivity', incidentID => ({ query: { incidentID } })],
  ['ActivityService.RemoveActivity', incidentID => ({ incidentID, activityItemID: 'activity-item-1' })],
  [
    'ActivityService.UpdateActivityBody',
    incidentID => ({ incidentID, activityItemID: 'activity-item-1', body: 'other words' }),
  ],
  [
    'ActivityService.UpdateActivityEventTime',
    incidentID => ({ incidentID, activityItemID: 'activity-item-1', eventTime: '2026-09-19T09:00:00Z' }),
  ],
  ['TasksService.AddTask', incidentID => ({ incidentID, text: 'look around' })],
  ['TasksService.DeleteTask', incidentID => ({ incidentID, taskID: 'task-1' })],
  ['TasksService.UpdateTaskStatus', incidentID => ({ incidentID, taskID: 'task-1', status: 'done' })],
  ['TasksService.UpdateTaskText', incidentID => ({ incidentID, taskID: 'task-1', text: 'other words' })],
  ['TasksService.UpdateTaskUser', incidentID => ({ incidentID, taskID: 'task-1', userID: 'u:1' })],
];

/** Incident 1, private, with everything that an incident can have. */
async function declareSecret(opened: Pick<OpenedService, 'service'>): Promise<void> {
  await call(
    opened,
    'IncidentsService.CreateIncident',
    { title: secret, severity: 'major', labels: [{ label: 'leak' }] },
    asPrivate,
  );
  const incidentID = '1';
  await call(opened, 'IncidentsService.AssignRole', { incidentID, userID: 'u:holder', role: 'commander' });
  await call(opened, 'ActivityService.AddActivity', { incidentID, body: secret });
  await call(opened, 'TasksService.AddTask', { incidentID, text: secret });
}

/** A body as text, without the number that each refusal gets for itself. */
const comparable = (body: object) => JSON.stringify(body).replace(/ACE\d+/, 'ACE');

const state = async (opened: Pick<OpenedService, 'service'>) => ({
  incident: (await call(opened, 'IncidentsService.GetIncident', { incidentID: '1' })).incident,
  timeline: (await call(opened, 'ActivityService.QueryActivity', { query: { incidentID: '1' } })).activityItems,
});

test.each(operations)('%s on a private incident is answered as on one that does not exist', async (operation, body) => {
  await using opened = await openPages();
  await declareSecret(opened);
  const before = await state(opened);
  for (const manner of [viewer, editor]) {
    const hidden = await request(opened, operation, body('1'), manner);
    const absent = await request(opened, operation, body('999'), manner);
    expect(comparable(hidden.body).replaceAll('\\"1\\"', '\\"999\\"')).toBe(comparable(absent.body));
    expect(hidden.status).toBe(absent.status);
    expect([403, 404]).toContain(hidden.status);
  }
  expect(await state(opened)).toEqual(before);
});

test('no list, search or figure tells of a private incident', async () => {
  await using opened = await openPages();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'Open to all' });
  const before = await figuresOf(opened);
  await call(opened, 'IncidentsService.CreateIncident', { title: secret, labels: [{ label: 'leak' }] }, asPrivate);
  for (const manner of [viewer, editor]) {
    for (const queryString of ['', 'leak', secret, 'or(label:leak, status:active)', '-label:none']) {
      const previews = await call(opened, 'IncidentsService.QueryIncidentPreviews', { query: { queryString } }, manner);
      expect(JSON.stringify(previews.incidentPreviews)).not.toContain(secret);
      const all = await call(opened, 'IncidentsService.QueryIncidents', { query: { queryString } }, manner);
      expect(JSON.stringify(all.incidents)).not.toContain(secret);
    }
  }
  expect(await figuresOf(opened)).toEqual(before);
});

async function figuresOf({ service }: OpenedService): Promise<string[]> {
  const pages = ['/incidents/figures', '/incidents.csv'].map(async part =>
    // Each picture numbers its elements from the beginning.
    (await (await service.fetch(new Request(`http://test${part}`))).text()).replaceAll(/zr\d+-cls-\d+/g, ''),
  );
  return await Promise.all(pages);
}

test('the pages of a private incident are as those of one that does not exist', async () => {
  await using opened = await openPages();
  await declareSecret(opened);
  const get = async (path: string) => {
    const response = await opened.service.fetch(new Request(`http://test${path}`));
    return { status: response.status, text: await response.text() };
  };
  for (const rest of ['', '/passwords']) {
    const hidden = await get(`/a/grafana-irm-app/incidents/1${rest}`);
    const absent = await get(`/a/grafana-irm-app/incidents/999${rest}`);
    expect(hidden.status).toBe(404);
    // Both repeat the number that the reader asked for.
    const asked = /(?<=incident |\/incidents\/)(?:1|999)\b/g;
    expect(hidden.text.replaceAll(asked, 'N')).toBe(absent.text.replaceAll(asked, 'N'));
  }
  for (const path of ['/incidents', '/incidents?q=leak', '/incidents/figures', '/incidents/figures?q=leak']) {
    const { text } = await get(path);
    expect(text).not.toContain(secret);
    expect(text).not.toContain('>leak<');
  }
  expect((await get(`/incidents?q=${secret}`)).text).toContain('No incident matches.');
});

test('its people and Admins see it, and an answer to them is no one else’s', async () => {
  await using opened = await openPages();
  await declareSecret(opened);
  const ask = (manner: Manner) => request(opened, 'IncidentsService.GetIncident', { incidentID: '1' }, manner);
  const admin: Manner = { token: tokens.Admin };
  for (let again = 0; again < 2; again += 1) {
    expect((await ask(admin)).body.incident).toMatchObject({ title: secret, incidentType: 'private' });
    expect((await ask(viewer)).status).toBe(404);
  }
  const { timeline } = await state(opened);
  const { incidentMembership } = (await state(opened)).incident;
  expect([timeline.length > 3, incidentMembership.assignments.length]).toEqual([true, 1]);

  await call(opened, 'IncidentsService.CreateIncident', { title: 'By the editor' }, { ...editor, ...asPrivate });
  const own = await call(opened, 'IncidentsService.QueryIncidentPreviews', { query: {} }, editor);
  expect(own.incidentPreviews.map(each => [each.title, each.incidentType])).toEqual([['By the editor', 'private']]);
  const others = await call(opened, 'IncidentsService.QueryIncidentPreviews', { query: {} }, viewer);
  expect(others.incidentPreviews).toEqual([]);
});

test('who holds a role in it sees it, until the role is taken away', async () => {
  await using opened = await openPages();
  await declareSecret(opened);
  const ask = () => request(opened, 'IncidentsService.GetIncident', { incidentID: '1' }, editor);
  const account = (await call(opened, 'IncidentsService.CreateIncident', { title: 'Who am I?' }, editor)).incident
    .createdByUser;
  const role = { incidentID: '1', userID: account.userID, role: 'observer' };
  expect((await ask()).status).toBe(404);
  await call(opened, 'IncidentsService.AssignRole', role);
  expect((await ask()).body.incident).toMatchObject({ title: secret });
  const answer = await call(opened, 'IncidentsService.UnassignRole', role, editor);
  expect([answer.didChange, answer.incident.title]).toEqual([true, secret]);
  expect((await ask()).status).toBe(404);
});

test('an Admin changes the type of an incident, and an Editor makes its own private', async () => {
  await using opened = await openPages();
  const { incident } = await call(opened, 'IncidentsService.CreateIncident', { title: 'Checkout is down' });
  const rename = (manner: Manner) =>
    call(opened, 'IncidentsService.UpdateTitle', { incidentID: '1', title: incident.title }, manner);
  const version = async () => (await call(opened, 'IncidentsService.GetIncidentVersion', { incidentID: '1' })).version;
  const first = await version();
  await rename({ ...editor, ...asInternal });
  expect(await version()).toBe(first);
  expect((await rename(asPrivate)).incident.incidentType).toBe('private');
  expect(await version()).toBe(first + 1);
  await rename(asPrivate);
  expect(await version()).toBe(first + 1);
  expect((await request(opened, 'IncidentsService.GetIncident', { incidentID: '1' }, viewer)).status).toBe(404);
  await rename(asInternal);
  expect((await request(opened, 'IncidentsService.GetIncident', { incidentID: '1' }, viewer)).status).toBe(200);
  await call(opened, 'IncidentsService.CreateIncident', { title: 'Mine' }, editor);
  const own = { incidentID: '2', title: 'Mine' };
  const made = await call(opened, 'IncidentsService.UpdateTitle', own, { ...editor, ...asPrivate });
  expect(made.incident.incidentType).toBe('private');
  expect((await request(opened, 'IncidentsService.GetIncident', { incidentID: '2' }, viewer)).status).toBe(404);
});

test('webhooks tell of private incidents only where that was asked for', async () => {
  await using receiver = await openReceiver();
  await using insider = await openReceiver();
  await using desk = await openDesk();
  const replica = await desk.start();
  await desk.add(receiver.url);
  await desk.add(insider.url, '', { includePrivate: true });
  await call(replica, 'IncidentsService.CreateIncident', { title: secret }, asPrivate);
  await call(replica, 'IncidentsService.CreateIncident', { title: 'Open to all' });
  await insider.first(2);
  await receiver.first(1);
  expect(insider.received.map(each => each.payload.incident.title)).toEqual([secret, 'Open to all']);
  expect(receiver.received.map(each => each.payload.incident.title)).toEqual(['Open to all']);
});

test('events that wait when an incident becomes private are withheld', async () => {
  await using receiver = await openReceiver(500, 200);
  await using desk = await openDesk();
  const replica = await desk.start();
  await desk.add(receiver.url);
  await call(replica, 'IncidentsService.CreateIncident', { title: secret });
  await expect.poll(() => replica.timers.set, { interval: 5 }).toContain(1000);
  await call(replica, 'IncidentsService.UpdateTitle', { incidentID: '1', title: secret }, asPrivate);
  await call(replica, 'IncidentsService.CreateIncident', { title: 'Open to all' });
  await replica.timers.fire(1000);
  await receiver.first(2);
  expect(receiver.received.map(each => each.payload.incident.title)).toEqual([secret, 'Open to all']);
  expect((await desk.deliveries())[0]).toMatchObject({ status: 'failed', outcome: 'the incident became private' });
});
