import { expect, test } from 'vitest';
import { verifyWebhook } from '../../../../src/contract/webhook-signature.ts';
import { call, type Operation, request } from '../../../support/service.ts';
import { openReceiver } from '../../../support/webhook-receiver.ts';
import { openDesk } from '../../../support/webhooks.ts';

const address = { incidentID: '1' };
const created = { title: 'Checkout is slow', severity: 'minor' };

const changes: readonly [Operation, object, string[]][] = [
  ['IncidentsService.UpdateTitle', { ...address, title: 'Checkout is down' }, ['updated.title']],
  ['IncidentsService.UpdateTitle', { ...address, title: created.title }, []],
  ['IncidentsService.UpdateSeverity', { ...address, severity: 'critical' }, ['updated.severity']],
  ['IncidentsService.UpdateSeverity', { ...address, severity: 'minor' }, []],
  ['IncidentsService.UpdateStatus', { ...address, status: 'resolved' }, ['closed']],
  ['IncidentsService.UpdateStatus', { ...address, status: 'active' }, []],
  ['IncidentsService.AddLabel', { ...address, label: { label: 'eu' } }, ['added.label']],
  ['IncidentsService.AddLabel', { ...address, label: { label: 'shop' } }, []],
  ['IncidentsService.RemoveLabel', { ...address, label: 'shop' }, ['removed.label']],
  ['IncidentsService.RemoveLabel', { ...address, label: 'none' }, []],
  ['IncidentsService.AssignRole', { ...address, userID: 'u:1', role: 'commander' }, ['updated.role']],
  ['IncidentsService.UnassignRole', { ...address, userID: 'u:2', role: 'observer' }, ['updated.role']],
  ['IncidentsService.UnassignRole', { ...address, userID: 'u:1', role: 'observer' }, []],
  ['IncidentsService.UpdateIncidentIsDrill', { ...address, isDrill: true }, []],
  ['IncidentsService.UpdateIncidentEventTime', { ...address, activityItemKind: 'incidentStart' }, []],
  ['ActivityService.AddActivity', { ...address, body: 'a note' }, []],
  ['TasksService.AddTask', { ...address, text: 'a task' }, []],
];

test.each(changes)('%s with %j tells of %j', async (operation, body, events) => {
  await using receiver = await openReceiver();
  await using desk = await openDesk();
  const replica = await desk.start();
  await call(replica, 'IncidentsService.CreateIncident', { ...created, labels: [{ label: 'shop' }] });
  await call(replica, 'IncidentsService.AssignRole', { ...address, userID: 'u:2', role: 'observer' });
  await desk.add(receiver.url);
  await call(replica, operation, body);
  await call(replica, 'IncidentsService.UpdateTitle', { ...address, title: 'the end' });
  await receiver.first(events.length + 1);
  expect(receiver.events).toEqual([...events, 'updated.title']);
  for (const { payload } of receiver.received) {
    expect(payload.incident.title === 'the end').toBe(payload === receiver.received.at(-1)?.payload);
  }
});

test('an incident that is taken up again tells of its status', async () => {
  await using receiver = await openReceiver();
  await using desk = await openDesk();
  const replica = await desk.start();
  await desk.add(receiver.url);
  await call(replica, 'IncidentsService.CreateIncident', { ...created, status: 'resolved' });
  await call(replica, 'IncidentsService.UpdateStatus', { ...address, status: 'active' });
  await receiver.first(2);
  expect(receiver.events).toEqual(['created', 'updated.status']);
});

test('what is sent is the whole incident as the change left it, signed', async () => {
  await using receiver = await openReceiver();
  await using desk = await openDesk();
  const replica = await desk.start();
  await desk.add(receiver.url);
  const { incident } = await call(replica, 'IncidentsService.CreateIncident', {
    ...created,
    labels: [{ label: 'shop' }],
  });
  await receiver.first(1);
  const label = { key: '', label: 'eü 🚒', description: '', colorHex: '' };
  const labelled = await call(replica, 'IncidentsService.AddLabel', { ...address, label });
  const [first, second] = await receiver.first(2);
  expect(first?.payload).toEqual({
    version: 'v1.0.0',
    id: expect.stringMatching(/^webhook-out-[0-9a-f]{24}$/),
    source: '/grafana/incident',
    time: '2026-09-19T09:30:00Z',
    event: 'grafana.incident.created',
    incident,
  });
  expect(second?.payload.incident).toEqual(labelled.incident);
  expect(second?.payload.id).not.toBe(first?.payload.id);
  for (const each of [first, second]) {
    expect(each?.headers['content-type']).toBe('application/json');
    const header = String(each?.headers['gi-signature']);
    const tolerance = { seconds: 5, now: desk.now };
    expect(verifyWebhook(header, each?.body ?? '', 'secret', tolerance)).toMatchObject({ genuine: true });
    expect(verifyWebhook(header, each?.body ?? '', 'another')).toMatchObject({ genuine: false });
  }
});

test('an endpoint with a query is told of the incidents that answer it after the change', async () => {
  await using choosy = await openReceiver();
  await using desk = await openDesk();
  const replica = await desk.start();
  await desk.add(choosy.url, 'severity:critical isdrill:false');
  await call(replica, 'IncidentsService.CreateIncident', created);
  await call(replica, 'IncidentsService.CreateIncident', { title: 'drill', severity: 'critical', isDrill: true });
  await call(replica, 'IncidentsService.UpdateSeverity', { ...address, severity: 'critical' });
  await call(replica, 'IncidentsService.UpdateTitle', { ...address, title: 'worse' });
  await call(replica, 'IncidentsService.UpdateSeverity', { ...address, severity: 'major' });
  await choosy.first(2);
  expect(choosy.events).toEqual(['updated.severity', 'updated.title']);
  expect(choosy.received.map(each => each.payload.incident.severity)).toEqual(['critical', 'critical']);
  expect(await desk.deliveries()).toHaveLength(2);
});

test('a change and what is told of it are written together or not at all', async () => {
  await using desk = await openDesk();
  const replica = await desk.start();
  await desk.add('http://127.0.0.1:9/');
  await call(replica, 'IncidentsService.CreateIncident', created);
  await desk.database.as<Record<never, never>>().schema.dropTable('webhook_event').execute();
  const refused = await request(replica, 'IncidentsService.UpdateTitle', { ...address, title: 'new' });
  expect(refused.status).toBe(500);
  expect(await call(replica, 'IncidentsService.GetIncident', address)).toMatchObject({
    incident: { title: created.title },
  });
  expect(await call(replica, 'IncidentsService.GetIncidentVersion', address)).toMatchObject({ version: 1 });
});

test('a refused change tells nobody', async () => {
  await using desk = await openDesk();
  const replica = await desk.start();
  await desk.add('http://127.0.0.1:9/');
  expect((await request(replica, 'IncidentsService.UpdateTitle', { incidentID: '9', title: 'x' })).status).toBe(404);
  expect((await request(replica, 'IncidentsService.CreateIncident', { title: ' ' })).status).toBe(400);
  expect(await desk.deliveries()).toEqual([]);
});

test('the creator who becomes an observer is told of after the incident itself', async () => {
  await using desk = await openDesk();
  await using receiver = await openReceiver();
  const replica = await desk.start([{ url: receiver.url, secret: 'x' }], { assignCreatorAsObserver: true });
  await call(replica, 'IncidentsService.CreateIncident', created);
  await receiver.first(2);
  expect(receiver.events).toEqual(['created', 'updated.role']);
});
