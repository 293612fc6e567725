import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { openHttpTransport } from '../../../src/client/transport.ts';
import { deadlines } from '../../../src/deadlines.ts';
import { failureOf, openTestClient, token } from '../../support/client.ts';
import { freePort } from '../../support/free-port.ts';
import { answer, cutBody, cutChunks, hangUp, openRoughServer, stall, trickle } from '../../support/rough-server.ts';

const incident = { incident: { incidentID: '7', title: 'Down' }, error: '' };
const request = {
  method: 'POST',
  path: '/x',
  headers: {},
  body: '{}',
  signal: undefined,
  timeout: 5000,
} as const;

describe('over real HTTP', () => {
  test('one connection serves calls one after another', async () => {
    await using server = await openRoughServer(answer(200, incident));
    await using transport = openHttpTransport({ baseUrl: server.baseUrl, connections: 1 });
    for (let call = 0; call < 3; call += 1) expect((await transport(request)).status).toBe(200);
    expect(server.received.every(each => each.headers.connection === 'keep-alive')).toBe(true);
  });

  test('text that is cut between the bytes of a letter arrives whole', async () => {
    const bytes = Buffer.from(JSON.stringify({ ...incident, incident: { title: 'Zoë 🚒' } }));
    await using server = await openRoughServer(response => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const cut = bytes.indexOf(0xf0) + 2;
      response.write(bytes.subarray(0, cut), () => setImmediate(() => response.end(bytes.subarray(cut))));
    });
    await using open = openTestClient(server.baseUrl);
    const { incident: read } = await open.client.IncidentsService.GetIncident({ incidentID: '7' });
    expect(read.title).toBe('Zoë 🚒');
  });

  test('nothing listens: unavailable, and certainly nothing happened', async () => {
    const port = await freePort();
    await using transport = openHttpTransport({ baseUrl: `http://127.0.0.1:${port}` });
    expect(await failureOf(transport(request))).toMatchObject({
      code: 'unavailable',
      message: `The API at 127.0.0.1:${port} refused the connection.`,
      maybeApplied: false,
    });
  });

  test('a name that does not resolve: unavailable, and certainly nothing happened', async () => {
    await using transport = openHttpTransport({ baseUrl: 'http://muster.invalid' });
    expect(await failureOf(transport(request))).toMatchObject({ code: 'unavailable', maybeApplied: false });
  });

  test('the connection is dropped before a request can be written: certainly nothing happened', async () => {
    const server = createServer(socket => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // TLS to something that hangs up: the handshake fails, so the request is never written.
    await using transport = openHttpTransport({ baseUrl: `https://127.0.0.1:${port}` });
    expect(await failureOf(transport(request))).toMatchObject({ code: 'unavailable', maybeApplied: false });
    server.close();
  });

  test('the connection is dropped after the request: it may have been done', async () => {
    await using server = await openRoughServer(hangUp);
    await using transport = openHttpTransport({ baseUrl: server.baseUrl });
    expect(await failureOf(transport(request))).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('closed the connection before the answer was complete'),
      maybeApplied: true,
    });
  });

  test.each([
    ['with its length announced', cutBody],
    ['sent in chunks', cutChunks],
  ])('a body %s is cut', async (_, treatment) => {
    await using server = await openRoughServer(treatment);
    await using transport = openHttpTransport({ baseUrl: server.baseUrl });
    expect(await failureOf(transport(request))).toMatchObject({ code: 'unavailable', maybeApplied: true });
  });

  test.each([
    ['says nothing', stall],
    ['trickles', trickle],
  ])('a server that %s is given up in time', async (_, treatment) => {
    await using server = await openRoughServer(treatment);
    await using transport = openHttpTransport({ baseUrl: server.baseUrl });
    expect(await failureOf(transport({ ...request, timeout: 60 }))).toMatchObject({
      code: 'deadline_exceeded',
      message: expect.stringContaining('did not answer within 60 ms'),
      maybeApplied: true,
    });
  });

  test('a request that waits for a connection and runs out of time was certainly not sent', async () => {
    await using server = await openRoughServer(stall);
    await using transport = openHttpTransport({ baseUrl: server.baseUrl, connections: 1 });
    const arrival = server.arrival();
    const first = failureOf(transport({ ...request, timeout: 1000 }));
    await arrival;
    expect(await failureOf(transport({ ...request, timeout: 20 }))).toMatchObject({
      code: 'deadline_exceeded',
      maybeApplied: false,
    });
    await transport[Symbol.asyncDispose]();
    expect((await first).code).toBe('unavailable');
    expect(server.received).toHaveLength(1);
  });

  test('an answer without end is refused', async () => {
    await using server = await openRoughServer(answer(200, 'x'.repeat(200_000)));
    await using transport = openHttpTransport({ baseUrl: server.baseUrl, maxResponseBytes: 100_000 });
    expect(await failureOf(transport(request))).toMatchObject({ code: 'invalid_response', maybeApplied: true });
  });

  test('something that is not HTTP', async () => {
    const server = createServer(socket => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await using transport = openHttpTransport({ baseUrl: `http://127.0.0.1:${port}` });
    expect(await failureOf(transport(request))).toMatchObject({
      code: 'invalid_response',
      message: expect.stringContaining('something that is not HTTP'),
    });
    server.close();
  });

  test('redirects are not followed, so the token goes nowhere else', async () => {
    await using elsewhere = await openRoughServer(answer(200, incident));
    await using server = await openRoughServer(answer(307, '', { location: elsewhere.baseUrl }));
    await using open = openTestClient(server.baseUrl);
    const error = await failureOf(open.client.IncidentsService.GetIncident({ incidentID: '7' }));
    expect(error.code).toBe('invalid_response');
    expect(elsewhere.received).toEqual([]);
  });

  test.each(['ftp://x', 'grafana.test', 'http://me:secret@grafana.test'])('%s is no address', baseUrl => {
    const open = () => openHttpTransport({ baseUrl });
    expect(open).toThrow(TypeError);
    expect(open).not.toThrow(/secret/);
  });
});

describe('giving up', () => {
  test('before it begins: nothing is sent', async () => {
    await using server = await openRoughServer(answer(200, incident));
    await using open = openTestClient(server.baseUrl);
    const signal = AbortSignal.abort();
    const error = await failureOf(open.client.IncidentsService.GetIncident({ incidentID: '7' }, { signal }));
    expect(error).toMatchObject({ code: 'canceled', maybeApplied: false, method: 'IncidentsService.GetIncident' });
    expect(server.received).toEqual([]);
  });

  test('while the answer is awaited: it may have been done', async () => {
    await using server = await openRoughServer(stall);
    await using open = openTestClient(server.baseUrl);
    const controller = new AbortController();
    const arrival = server.arrival();
    const call = failureOf(
      open.client.TasksService.AddTask({ incidentID: '7', text: 'x' }, { signal: controller.signal }),
    );
    await arrival;
    controller.abort();
    expect(await call).toMatchObject({ code: 'canceled', maybeApplied: true });
    expect(open.recorder.calls).toMatchObject([{ method: 'TasksService.AddTask', outcome: 'canceled', attempts: 1 }]);
  });

  test('while it waits to try again', async () => {
    await using server = await openRoughServer(hangUp);
    const controller = new AbortController();
    await using open = openTestClient(server.baseUrl, {
      sleep: async (_, signal) => {
        controller.abort();
        signal?.throwIfAborted();
      },
    });
    const error = await failureOf(
      open.client.IncidentsService.GetIncident({ incidentID: '7' }, { signal: controller.signal }),
    );
    expect(error).toMatchObject({ code: 'canceled', maybeApplied: false });
    expect(server.received).toHaveLength(1);
  });

  test('the real wait ends with the signal too', async () => {
    await using server = await openRoughServer(answer(429, { error: 'slow down' }, { 'retry-after': '30' }));
    await using transport = openHttpTransport({ baseUrl: server.baseUrl });
    const controller = new AbortController();
    const client = createClient({
      ...deadlines.apiTools,
      transport,
      token,
      log: { warn() {}, debug: () => controller.abort() },
    });
    const call = client.RolesService.GetRoles({}, { signal: controller.signal });
    expect((await failureOf(call)).code).toBe('canceled');
  });
});

describe('trying again over real HTTP', () => {
  test('a read survives a dropped connection, a 429 and a 503', async () => {
    await using server = await openRoughServer(
      hangUp,
      answer(429, { error: 'slow down' }, { 'retry-after': '2' }),
      answer(503, 'upstream connect error'),
      answer(200, incident),
    );
    await using open = openTestClient(server.baseUrl);
    const { incident: read } = await open.client.IncidentsService.GetIncident({ incidentID: '7' });
    expect(read.title).toBe('Down');
    expect(open.recorder.waits).toEqual([100, 2200, 400]);
    expect(open.recorder.calls).toEqual([
      { method: 'IncidentsService.GetIncident', outcome: 'ok', ms: 2700, attempts: 4 },
    ]);
  });

  test('a create whose answer was lost is sent once', async () => {
    await using server = await openRoughServer(hangUp);
    await using open = openTestClient(server.baseUrl);
    const error = await failureOf(open.client.IncidentsService.CreateIncident({ title: 'Down' }));
    expect(error).toMatchObject({ code: 'unavailable', maybeApplied: true, retryable: true });
    expect(server.received).toHaveLength(1);
  });

  test('a create that was refused by 429 is sent again', async () => {
    await using server = await openRoughServer(
      answer(429, { error: 'slow down' }, { 'retry-after': '1' }),
      answer(200, incident),
    );
    await using open = openTestClient(server.baseUrl);
    const { incident: made } = await open.client.IncidentsService.CreateIncident({ title: 'Down' });
    expect(made.incidentID).toBe('7');
    expect(server.received).toHaveLength(2);
  });
});
