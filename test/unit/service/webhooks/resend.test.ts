import { expect, test } from 'vitest';
import type { Tables } from '../../../../src/service/store/tables.ts';
import { removeEndpoint } from '../../../../src/service/webhooks/endpoints.ts';
import { discardDelivery, retryDeliveries, whyNotRetried } from '../../../../src/service/webhooks/resend.ts';
import { call } from '../../../support/service.ts';
import { type Behaviour, openReceiver } from '../../../support/webhook-receiver.ts';
import { openDesk, type WebhookDesk } from '../../../support/webhooks.ts';

/** How often a replica looks at the queue without being asked, in milliseconds. */
const lookEvery = 4000;

/** Opens a receiver and a service, with as many events of one incident as there are titles. */
async function openEvents(behaviours: readonly Behaviour[], ...titles: readonly string[]) {
  const stack = new AsyncDisposableStack();
  const receiver = stack.use(await openReceiver(...behaviours));
  const desk = stack.use(await openDesk());
  const replica = await desk.start();
  await desk.add(receiver.url);
  await call(replica, 'IncidentsService.CreateIncident', { title: titles[0] ?? '' });
  for (const title of titles.slice(1)) {
    await call(replica, 'IncidentsService.UpdateTitle', { incidentID: '1', title });
  }
  return { receiver, desk, replica, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const expectStatuses = (desk: WebhookDesk, ...expected: readonly string[]) =>
  expect.poll(async () => (await desk.deliveries()).map(each => each.status), { interval: 5 }).toEqual(expected);

const titles = (receiver: Awaited<ReturnType<typeof openReceiver>>) =>
  receiver.received.map(each => each.payload.incident.title);

test('what was given up is sent again in its order, with the same id and body', async () => {
  await using events = await openEvents([401, 401, 401, 200], 'a', 'b', 'c');
  await expectStatuses(events.desk, 'failed', 'failed', 'failed');
  expect(await events.desk.change(db => retryDeliveries(db, {}, events.desk.now))).toBe(3);
  await events.replica.timers.fire(lookEvery);
  await expectStatuses(events.desk, 'success', 'success', 'success');
  expect(titles(events.receiver)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  expect(events.receiver.received[3]?.body).toBe(events.receiver.received[0]?.body);
});

test('one of them is sent again by its number, and what was delivered never is', async () => {
  await using events = await openEvents([401, 200], 'a', 'b');
  await expectStatuses(events.desk, 'failed', 'success');
  expect(await events.desk.change(db => retryDeliveries(db, { seq: 2 }, events.desk.now))).toBe(0);
  expect(await events.desk.change(db => retryDeliveries(db, { seq: 1 }, events.desk.now))).toBe(1);
  await events.replica.timers.fire(lookEvery);
  await expectStatuses(events.desk, 'success', 'success');
  expect(titles(events.receiver)).toEqual(['a', 'b', 'a']);
});

test('a retry that fails too is tried for its own day', async () => {
  await using events = await openEvents([401, 503, 503, 503, 503, 503, 200], 'a');
  await expectStatuses(events.desk, 'failed');
  events.replica.timers.pass(3 * 86_400_000);
  await events.desk.change(db => retryDeliveries(db, { seq: 1 }, events.desk.now));
  await events.replica.timers.fire(lookEvery);
  await events.replica.timers.fire(1000);
  await events.replica.timers.fire(5000);
  for (const attempts of [3, 4, 5]) {
    await expect.poll(async () => (await events.desk.deliveries())[0]?.attempts, { interval: 5 }).toBe(attempts);
    events.replica.timers.pass(3_600_000);
    await events.replica.timers.fire(lookEvery);
  }
  await expectStatuses(events.desk, 'success');
});

test('a removed endpoint, and one that hears of no private incidents, gets nothing again', async () => {
  await using events = await openEvents([401], 'a');
  const { desk } = events;
  await expectStatuses(desk, 'failed');
  const isPrivate = (is_private: number) => desk.change(db => db.updateTable('incident').set({ is_private }).execute());
  const retry = () => desk.change(db => retryDeliveries(db, {}, desk.now));
  const why = () => whyNotRetried(desk.database.as<Tables>(), 1);
  await isPrivate(1);
  expect([await retry(), await why()]).toEqual([
    0,
    'its incident is private, and the endpoint hears of no private ones',
  ]);
  await isPrivate(0);
  await desk.change(db => removeEndpoint(db, 1, desk.now));
  expect([await retry(), await why()]).toEqual([0, 'its endpoint was removed']);
  expect(await whyNotRetried(desk.database.as<Tables>(), 7)).toBe('the log has no such delivery');
});

test('only the deliveries of one endpoint are retried when it is named', async () => {
  await using other = await openReceiver(401);
  await using events = await openEvents([401], 'a');
  await expectStatuses(events.desk, 'failed');
  await events.desk.add(other.url);
  await call(events.replica, 'IncidentsService.UpdateTitle', { incidentID: '1', title: 'b' });
  await expectStatuses(events.desk, 'failed', 'failed', 'failed');
  expect(await events.desk.change(db => retryDeliveries(db, { endpointID: 2 }, events.desk.now))).toBe(1);
  await events.replica.timers.fire(lookEvery);
  await other.first(2);
  expect(events.receiver.received).toHaveLength(2);
});

test('a delivery that holds up the others is discarded, and they are sent', async () => {
  await using events = await openEvents([500, 500, 500, 200], 'a', 'b');
  await events.replica.timers.fire(1000);
  await events.replica.timers.fire(5000);
  await expect.poll(async () => (await events.desk.deliveries())[0]?.attempts, { interval: 5 }).toBe(3);
  await events.desk.change(db => discardDelivery(db, 1, events.desk.now));
  await events.replica.timers.fire(lookEvery);
  await expectStatuses(events.desk, 'failed', 'success');
  expect((await events.desk.deliveries())[0]?.outcome).toBe('discarded');
  await expect(events.desk.change(db => discardDelivery(db, 1, events.desk.now))).rejects.toThrow(
    'no delivery 1 waits',
  );
});
