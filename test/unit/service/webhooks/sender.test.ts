import { pino } from 'pino';
import { expect, test } from 'vitest';
import { NewIncident } from '../../../../src/contract/incidents.ts';
import { leaseTime } from '../../../../src/db/leases.ts';
import { CallGate } from '../../../../src/service/call/admit.ts';
import { defaultOptions } from '../../../../src/service/call/options.ts';
import { createToken } from '../../../../src/service/call/tokens.ts';
import { serveService } from '../../../../src/service/http/server.ts';
import { createIncident } from '../../../../src/service/incidents/create.ts';
import type { Tables } from '../../../../src/service/store/tables.ts';
import type { WebhookTables } from '../../../../src/service/store/webhooks.ts';
import { removeEndpoint } from '../../../../src/service/webhooks/endpoints.ts';
import { call } from '../../../support/service.ts';
import { type Behaviour, openReceiver, openReceiverAt } from '../../../support/webhook-receiver.ts';
import { openDesk, type Replica, type WebhookDesk } from '../../../support/webhooks.ts';

const address = { incidentID: '1' };
/** How often a replica looks at the queue without being asked, in milliseconds. */
const lookEvery = 4000;

/** Opens a receiver and a service that tells it, with an incident that it was told of. */
async function openPair(...behaviours: readonly Behaviour[]) {
  const stack = new AsyncDisposableStack();
  const receiver = stack.use(await openReceiver(...behaviours));
  const desk = stack.use(await openDesk());
  const replica = await desk.start();
  await desk.add(receiver.url);
  await call(replica, 'IncidentsService.CreateIncident', { title: 'Checkout is slow' });
  return { receiver, desk, replica, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const retitle = (replica: Replica, title: string) =>
  call(replica, 'IncidentsService.UpdateTitle', { ...address, title });

/** The delivery log once it is as it should be, told by status, attempts and outcome. */
async function expectLog(desk: WebhookDesk, expected: readonly (readonly [string, number, string])[]): Promise<void> {
  await expect
    .poll(async () => (await desk.deliveries()).map(each => [each.status, each.attempts, each.outcome]), {
      interval: 5,
    })
    .toEqual(expected);
}

test('what is accepted is logged so', async () => {
  await using pair = await openPair(204);
  await expectLog(pair.desk, [['success', 1, 'HTTP 204']]);
  const [delivery] = await pair.desk.deliveries();
  expect(delivery).toMatchObject({
    endpointID: 1,
    event: 'grafana.incident.created',
    incidentID: 1,
    id: pair.receiver.received[0]?.payload.id,
    createdTime: '2026-09-19T09:30:00.123Z',
    triedTime: '2026-09-19T09:30:00.123Z',
  });
});

test.each<[Behaviour, string]>([
  [500, 'HTTP 500'],
  [503, 'HTTP 503'],
  [429, 'HTTP 429'],
  [408, 'HTTP 408'],
  [425, 'HTTP 425'],
  ['drop', 'connection failed (UND_ERR_SOCKET)'],
])(
  'after %s it is tried again after 1 s and after 5 s, with the same body and a fresh signature',
  async (fault, said) => {
    await using pair = await openPair(fault, fault, 200);
    await pair.receiver.first(1);
    await expectLog(pair.desk, [['todo', 1, said]]);
    await pair.replica.timers.fire(1000);
    await pair.receiver.first(2);
    await expectLog(pair.desk, [['todo', 2, said]]);
    await pair.replica.timers.fire(5000);
    const [first, second, third] = await pair.receiver.first(3);
    await expectLog(pair.desk, [['success', 3, 'HTTP 200']]);
    expect(second?.body).toBe(first?.body);
    expect(third?.body).toBe(first?.body);
    const times = [first, second, third].map(each => /^t=(\d+),/.exec(String(each?.headers['gi-signature']))?.[1]);
    const start = Math.floor(Date.parse('2026-09-19T09:30:00Z') / 1000);
    expect(times.map(Number)).toEqual([start, start + 1, start + 6]);
  },
);

/** Lets time pass, and the replica look at the queue. */
async function later(replica: Replica, ms: number): Promise<void> {
  replica.timers.pass(ms);
  await lookAgain(replica);
}

/** Lets the first two pauses pass, in which the process waits. */
async function passFirstPauses(pair: { readonly desk: WebhookDesk; readonly replica: Replica }): Promise<void> {
  await pair.replica.timers.fire(1000);
  await pair.replica.timers.fire(5000);
  await untilTried(pair.desk, 3);
}

/** Waits until the first delivery has been tried so many times, and no process serves its endpoint. */
async function untilTried(desk: WebhookDesk, attempts: number): Promise<void> {
  const db = desk.database.as<Tables & WebhookTables>();
  const look = async () => {
    const { lease_owner } = await db.selectFrom('webhook_endpoint').select('lease_owner').executeTakeFirstOrThrow();
    return [(await desk.deliveries())[0]?.attempts, lease_owner];
  };
  await expect.poll(look, { interval: 5 }).toEqual([attempts, '']);
}

test('an endpoint that is away for ten hours gets everything when it is back, in order and once', async () => {
  await using pair = await openPair(...Array.from({ length: 24 }, () => 503), 200);
  await retitle(pair.replica, 'second');
  await passFirstPauses(pair);
  for (const [index, minutes] of [0.5, 2.5, 11, ...Array.from({ length: 19 }, () => 31)].entries()) {
    await later(pair.replica, minutes * 60_000);
    if (index < 21) await untilTried(pair.desk, 4 + index);
  }
  await expectLog(pair.desk, [
    ['success', 25, 'HTTP 200'],
    ['success', 1, 'HTTP 200'],
  ]);
  expect(pair.receiver.events).toEqual([...Array.from({ length: 25 }, () => 'created'), 'updated.title']);
});

test('while an endpoint is away nothing is sent before it is due, and no process holds its lease', async () => {
  await using pair = await openPair(503);
  await passFirstPauses(pair);
  await later(pair.replica, 0);
  expect(pair.receiver.received).toHaveLength(3);
});

test('one line of the log tells that an endpoint fails, and one that it is back, with the cause and without its path', async () => {
  await using pair = await openPair(503, 'drop', 200);
  await pair.replica.timers.fire(1000);
  await pair.replica.timers.fire(5000);
  await expectLog(pair.desk, [['success', 3, 'HTTP 200']]);
  const lines = () => pair.desk.log.map(each => JSON.parse(each)).filter(each => each.msg.startsWith('webhooks: '));
  const origin = new URL(pair.receiver.url).origin;
  // A line follows what is stored.
  await expect.poll(lines).toMatchObject([
    { msg: 'webhooks: the endpoint fails; its deliveries wait and are tried again', origin, outcome: 'HTTP 503' },
    { msg: 'webhooks: the endpoint takes deliveries again', origin, attempts: 3 },
  ]);
  expect(pair.desk.log.join('')).not.toContain(pair.receiver.url);
});

test('what an endpoint refuses for a day is given up, and the next is sent', async () => {
  await using pair = await openPair(500, 500, 500, 500, 500, 200);
  await passFirstPauses(pair);
  await retitle(pair.replica, 'second');
  await later(pair.replica, 23 * 3_600_000);
  await expectLog(pair.desk, [
    ['todo', 4, 'HTTP 500'],
    ['todo', 0, ''],
  ]);
  await later(pair.replica, 3_600_000);
  await expectLog(pair.desk, [
    ['failed', 5, 'HTTP 500'],
    ['success', 1, 'HTTP 200'],
  ]);
  expect(pair.receiver.events).toEqual([...Array.from({ length: 5 }, () => 'created'), 'updated.title']);
  await expect.poll(() => pair.desk.log.join('')).toContain('webhooks: delivery failed for good');
});

test('what waited for a Muster that was stopped for days is tried some times all the same', async () => {
  await using pair = await openPair(500, 500, 200);
  await expectLog(pair.desk, [['todo', 1, 'HTTP 500']]);
  await pair.replica[Symbol.asyncDispose]();
  pair.desk.now = new Date(pair.desk.now.getTime() + 3 * 86_400_000);
  const replica = await pair.desk.start();
  await expectLog(pair.desk, [['todo', 2, 'HTTP 500']]);
  await replica.timers.fire(5000);
  await expectLog(pair.desk, [['success', 3, 'HTTP 200']]);
});

test.each([
  [400, 'HTTP 400'],
  [401, 'HTTP 401'],
  [410, 'HTTP 410'],
  [302, 'HTTP 302, and redirects are not followed'],
])('%i is not tried again', async (status, outcome) => {
  await using pair = await openPair(status);
  await expectLog(pair.desk, [['failed', 1, outcome]]);
  expect(pair.receiver.received.map(each => each.path)).toEqual(['/hook']);
});

test('an endpoint that does not answer is left after 10 s', async () => {
  await using pair = await openPair('hang', 200);
  await pair.receiver.first(1);
  await pair.replica.timers.fire(10_000);
  await expectLog(pair.desk, [['todo', 1, 'no answer within 10 s']]);
  await pair.replica.timers.fire(1000);
  await expectLog(pair.desk, [['success', 2, 'HTTP 200']]);
});

test('for an endpoint where nobody listens, events wait until it is there', async () => {
  await using desk = await openDesk();
  const gone = await openReceiver();
  await gone[Symbol.asyncDispose]();
  const replica = await desk.start([{ url: gone.url, secret: 'x' }]);
  await call(replica, 'IncidentsService.CreateIncident', { title: 'x' });
  await replica.timers.fire(1000);
  await replica.timers.fire(5000);
  await expectLog(desk, [['todo', 3, 'connection failed (ECONNREFUSED)']]);
  await using back = await openReceiverAt(Number(new URL(gone.url).port));
  await later(replica, 25_000);
  await expectLog(desk, [['success', 4, 'HTTP 200']]);
  expect(back.events).toEqual(['created']);
});

test('an answer that trickles in is cut off after 10 s; the next attempt is another one', async () => {
  await using pair = await openPair('trickle', 200);
  await pair.receiver.first(1);
  await pair.replica.timers.fire(10_000);
  await expectLog(pair.desk, [['todo', 1, 'no answer within 10 s']]);
  await pair.replica.timers.fire(1000);
  await expectLog(pair.desk, [['success', 2, 'HTTP 200']]);
});

test('an endpoint that is away for hours delays no other one', async () => {
  await using pair = await openPair(503);
  await using quick = await openReceiver();
  await pair.desk.add(quick.url);
  await passFirstPauses(pair);
  await later(pair.replica, 3_600_000);
  for (const title of ['a', 'b', 'c']) await retitle(pair.replica, title);
  await quick.first(3);
  expect(quick.received.map(each => each.payload.incident.title)).toEqual(['a', 'b', 'c']);
});

test('everything reaches an endpoint in the order it happened, however it answers', async () => {
  await using pair = await openPair(500, 200, 429, 200, 'drop', 200);
  for (const title of ['a', 'b', 'c', 'd']) await retitle(pair.replica, title);
  for (let retries = 0; retries < 3; retries += 1) await pair.replica.timers.fire(1000);
  await pair.receiver.first(8);
  await expectLog(pair.desk, [
    ['success', 2, 'HTTP 200'],
    ['success', 2, 'HTTP 200'],
    ['success', 2, 'HTTP 200'],
    ['success', 1, 'HTTP 200'],
    ['success', 1, 'HTTP 200'],
  ]);
  const titles = pair.receiver.received.map(each => each.payload.incident.title);
  expect(titles).toEqual(['Checkout is slow', 'Checkout is slow', 'a', 'a', 'b', 'b', 'c', 'd']);
});

test('an endpoint that hangs delays neither a call nor another endpoint', async () => {
  await using pair = await openPair('hang');
  await using quick = await openReceiver();
  await using flaky = await openReceiver(500, 200);
  await pair.desk.add(quick.url);
  await pair.desk.add(flaky.url);
  await pair.receiver.first(1);
  for (let index = 0; index < 20; index += 1) await retitle(pair.replica, `title ${index}`);
  await quick.first(20);
  await pair.replica.timers.fire(1000);
  await flaky.first(21);
  expect(quick.received.map(each => each.payload.incident.title)).toEqual(
    Array.from({ length: 20 }, (_, index) => `title ${index}`),
  );
  expect(pair.receiver.received).toHaveLength(1);
  await pair.replica.timers.fire(10_000);
});

test('what was not delivered before a stop is delivered after the next start, under the same id', async () => {
  await using pair = await openPair(500, 200);
  await retitle(pair.replica, 'second');
  await expectLog(pair.desk, [
    ['todo', 1, 'HTTP 500'],
    ['todo', 0, ''],
  ]);
  await pair.replica[Symbol.asyncDispose]();
  expect(pair.replica.timers.set).toEqual([]);
  pair.desk.now = new Date(pair.desk.now.getTime() + 60_000);
  await pair.desk.start();
  await pair.receiver.first(3);
  await expectLog(pair.desk, [
    ['success', 2, 'HTTP 200'],
    ['success', 1, 'HTTP 200'],
  ]);
  expect(pair.receiver.received[1]?.body).toBe(pair.receiver.received[0]?.body);
});

test('what a process committed and did not live to send is sent by the next', async () => {
  await using receiver = await openReceiver();
  await using desk = await openDesk();
  const first = await desk.start();
  await desk.add(receiver.url);
  await first[Symbol.asyncDispose]();
  const log = pino({ level: 'silent' });
  const dead = new CallGate({
    database: desk.database,
    clock: () => desk.now,
    options: defaultOptions,
    log,
    tokens: [],
    announce: () => {},
  });
  const origin = { trusted: true, pluginID: 'grafana-irm-app', header: () => undefined };
  const admission = await dead.admit(origin, { access: 'Editor', effect: 'create' });
  await admission.run(context => createIncident(context, NewIncident.parse({ title: 'x' })));
  await expectLog(desk, [['todo', 0, '']]);
  await desk.start();
  await expectLog(desk, [['success', 1, 'HTTP 200']]);
  expect(receiver.events).toEqual(['created']);
});

/** Lets a replica look at the queue once more, and waits until it has looked. */
async function lookAgain(replica: Replica): Promise<void> {
  await replica.timers.fire(lookEvery);
  await expect.poll(() => replica.timers.set.includes(lookEvery), { interval: 5 }).toBe(true);
}

test('the work of a process that died while it sent is taken over when its lease has run out', async () => {
  await using pair = await openPair('hang', 200);
  await pair.receiver.first(1);
  const next = await pair.desk.start();
  for (let passed = lookEvery; passed < leaseTime; passed += lookEvery) await lookAgain(next);
  expect(pair.receiver.received).toHaveLength(1);
  await lookAgain(next);
  await pair.receiver.first(2);
  await expectLog(pair.desk, [['success', 1, 'HTTP 200']]);
  expect(pair.receiver.received[1]?.body).toBe(pair.receiver.received[0]?.body);
  await pair.replica.timers.fire(10_000);
});

test.each([
  ['fast', 86_400_000],
  ['slow', -86_400_000],
])('a process whose clock is a day %s takes nothing from one that is alive', async (_, ms) => {
  await using pair = await openPair('hang', 200);
  await pair.receiver.first(1);
  const next = await pair.desk.start();
  pair.desk.now = new Date(pair.desk.now.getTime() + ms);
  for (let passed = 0; passed < 2 * leaseTime; passed += lookEvery) {
    await lookAgain(pair.replica);
    await lookAgain(next);
  }
  expect(pair.receiver.received).toHaveLength(1);
  expect((await pair.desk.deliveries()).map(each => each.attempts)).toEqual([0]);
  await pair.replica.timers.fire(10_000);
});

test('a process that stood still while another took over sends no more', async () => {
  await using pair = await openPair('hang', 200, 200, 200);
  await pair.receiver.first(1);
  await retitle(pair.replica, 'second');
  const next = await pair.desk.start();
  for (let passed = 0; passed < leaseTime; passed += lookEvery) await lookAgain(next);
  await expectLog(pair.desk, [
    ['success', 1, 'HTTP 200'],
    ['success', 1, 'HTTP 200'],
  ]);
  await pair.replica.timers.fire(10_000);
  await lookAgain(pair.replica);
  expect(pair.receiver.events).toEqual(['created', 'created', 'updated.title']);
  expect((await pair.desk.deliveries()).map(each => [each.status, each.attempts])).toEqual([
    ['success', 1],
    ['success', 1],
  ]);
});

test('of several replicas one sends each delivery, in order', async () => {
  await using receiver = await openReceiver();
  await using desk = await openDesk();
  const one = await desk.start();
  const two = await desk.start();
  await desk.add(receiver.url);
  await call(one, 'IncidentsService.CreateIncident', { title: 'x' });
  for (let index = 0; index < 20; index += 1) {
    await Promise.all([retitle(one, `one ${index}`), retitle(two, `two ${index}`)]);
  }
  const done = async () => (await desk.deliveries()).every(each => each.status === 'success');
  // What one replica left while the other had the lease, the other may have missed: the next look around finds it.
  await expect
    .poll(
      async () => {
        if (!(await done())) await Promise.all([one.timers.fire(lookEvery), two.timers.fire(lookEvery)]);
        return await done();
      },
      { interval: 20 },
    )
    .toBe(true);
  const ids = receiver.received.map(each => each.payload.id);
  expect(ids).toEqual((await desk.deliveries()).map(each => each.id));
  expect(new Set(ids).size).toBe(41);
});

test('stopping waits for an attempt that runs', async () => {
  const answer = Promise.withResolvers<number>();
  await using pair = await openPair(answer.promise);
  await pair.receiver.first(1);
  const stopping = pair.replica[Symbol.asyncDispose]();
  answer.resolve(200);
  await stopping;
  await expectLog(pair.desk, [['success', 1, 'HTTP 200']]);
  expect(pair.replica.timers.set).toEqual([]);
});

test('stopping does not wait for long, and what was broken off is sent after the next start', async () => {
  await using pair = await openPair('hang', 200);
  await pair.receiver.first(1);
  const stopping = pair.replica[Symbol.asyncDispose]();
  await pair.replica.timers.fire(3000);
  await stopping;
  await expectLog(pair.desk, [['todo', 0, '']]);
  expect(pair.replica.timers.set).toEqual([]);
  await pair.desk.start();
  await expectLog(pair.desk, [['success', 1, 'HTTP 200']]);
});

test('a stop between two attempts is not held up', async () => {
  await using pair = await openPair(500);
  await expectLog(pair.desk, [['todo', 1, 'HTTP 500']]);
  await pair.replica[Symbol.asyncDispose]();
  expect(pair.replica.timers.set).toEqual([]);
});

test('nothing is sent to an endpoint that was removed', async () => {
  await using pair = await openPair(500);
  await expectLog(pair.desk, [['todo', 1, 'HTTP 500']]);
  await pair.replica.timers.until(1000);
  await pair.desk.change(db => removeEndpoint(db, 1, pair.desk.now));
  await pair.replica.timers.fire(1000);
  await retitle(pair.replica, 'second');
  await expectLog(pair.desk, [['failed', 1, 'the endpoint was removed']]);
  expect(pair.receiver.received).toHaveLength(1);
});

test('a clock that is put back an hour holds up nothing', async () => {
  await using pair = await openPair(500, 200);
  await expectLog(pair.desk, [['todo', 1, 'HTTP 500']]);
  await pair.replica[Symbol.asyncDispose]();
  pair.desk.now = new Date(pair.desk.now.getTime() - 3_600_000);
  await pair.desk.start();
  await expectLog(pair.desk, [['success', 2, 'HTTP 200']]);
});

test('what ended is forgotten after 30 days, with its event', async () => {
  await using pair = await openPair(200);
  await expectLog(pair.desk, [['success', 1, 'HTTP 200']]);
  pair.desk.now = new Date(pair.desk.now.getTime() + 29 * 86_400_000);
  await pair.replica.timers.fire(lookEvery);
  await retitle(pair.replica, 'second');
  await pair.receiver.first(2);
  expect(await pair.desk.deliveries()).toHaveLength(2);
  pair.desk.now = new Date(pair.desk.now.getTime() + 2 * 86_400_000);
  await pair.replica.timers.fire(lookEvery);
  await expect
    .poll(async () => (await pair.desk.deliveries()).map(each => each.event), { interval: 5 })
    .toEqual(['grafana.incident.updated.title']);
  const webhooks = pair.desk.database.as<{ webhook_event: { id: string } }>();
  const countEvents = async () => (await webhooks.selectFrom('webhook_event').select('id').execute()).length;
  await expect.poll(countEvents, { interval: 5 }).toBe(1);
});

test('operators are told how many wait for each endpoint, and since when', async () => {
  const { promise: answer, resolve } = Promise.withResolvers<number>();
  await using pair = await openPair(answer);
  await pair.receiver.first(1);
  pair.desk.now = new Date('2026-09-19T09:31:00Z');
  await retitle(pair.replica, 'second');
  const idle = await pair.desk.add('http://127.0.0.1:1/', 'title:nothing-like-it');
  const gone = await pair.desk.add('http://127.0.0.1:2/');
  await pair.desk.change(db => removeEndpoint(db, gone, pair.desk.now));
  expect(await pair.replica.service.webhookQueues()).toEqual([
    { endpoint: 1, waiting: 2, since: '2026-09-19T09:30:00.123Z' },
    { endpoint: idle, waiting: 0, since: '' },
  ]);
  resolve(200);
  await expectLog(pair.desk, [
    ['success', 1, 'HTTP 200'],
    ['success', 1, 'HTTP 200'],
  ]);
});

test('two Musters whose webhooks declare incidents at each other declare none', async () => {
  await using stack = new AsyncDisposableStack();
  const open = async () => {
    const desk = stack.use(await openDesk());
    const replica = await desk.start();
    const server = stack.use(await serveService({ service: replica.service, port: 0, log: pino({ level: 'silent' }) }));
    const { token } = await desk.change(db => createToken(db, { name: 'echo', role: 'Editor' }, desk.now));
    const path = '/api/experimental/incoming-webhook/grafana.incident.create';
    return { desk, replica, hook: `http://127.0.0.1:${server.port}${path}?title=echo&token=${token}` };
  };
  const one = await open();
  const other = await open();
  await one.desk.add(other.hook);
  await other.desk.add(one.hook);
  await call(one.replica, 'IncidentsService.CreateIncident', { title: 'Checkout is slow' });
  await expectLog(one.desk, [['failed', 1, 'HTTP 400']]);
  const { incidentPreviews } = await call(other.replica, 'IncidentsService.QueryIncidentPreviews', { query: {} });
  expect(incidentPreviews).toEqual([]);
  expect(other.desk.log.join()).toContain(
    'service: refused to declare an incident for the outgoing webhook of a Muster',
  );
});
