import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { Hono } from 'hono';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { serveService } from '../../../../src/service/http/server.ts';
import { openService, tokens } from '../../../support/service.ts';

const log = pino({ level: 'silent' });
const path = '/api/plugins/grafana-irm-app/resources/api/v1/IncidentsService.CreateIncident';
const headers = { authorization: `Bearer ${tokens.Admin}` };

test('the API is served over HTTP', async () => {
  await using opened = await openService();
  await using server = await serveService({ service: opened.service, port: 0, log });
  const url = `http://127.0.0.1:${server.port}${path}`;
  const answer = await fetch(url, { method: 'POST', headers, body: '{"title":"x"}' });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ incident: { incidentID: '1' }, error: '' });
  const refused = await fetch(url, { method: 'POST', body: '{}' });
  expect(refused.status).toBe(401);
});

test('a base address that ends in a slash leads to the same', async () => {
  await using opened = await openService();
  await using server = await serveService({ service: opened.service, port: 0, log });
  const url = `http://127.0.0.1:${server.port}/`;
  const rpc = await fetch(`${url}${path}`, { method: 'POST', headers, body: '{"title":"x"}' });
  expect(await rpc.json()).toMatchObject({ incident: { incidentID: '1' } });
  const body = '{"dashboard":{"title":"CPU","uid":"cpu"}}';
  const saved = await fetch(`${url}/api/dashboards/db`, { method: 'POST', headers, body });
  expect(await saved.json()).toMatchObject({ status: 'success', url: '/d/cpu/cpu' });
  const got = await fetch(`${url}/api//dashboards/uid/cpu`, { headers });
  expect(await got.json()).toMatchObject({ dashboard: { title: 'CPU' } });
  const hook = path.replace('IncidentsService.CreateIncident', 'incoming-webhooks/grafana.incident.create');
  const declared = await fetch(`${url}${hook}?title=y&includes=incident`, { method: 'POST', headers });
  expect(await declared.json()).toMatchObject({ incident: { title: 'y' } });
});

test('a 2 MB body is refused, and the server goes on', async () => {
  await using opened = await openService();
  await using server = await serveService({ service: opened.service, port: 0, log });
  const url = `http://127.0.0.1:${server.port}${path}`;
  const answer = await fetch(url, { method: 'POST', headers, body: 'x'.repeat(2_000_000) });
  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ error: 'the body must be at most 1024 KiB' });
  expect((await fetch(url, { method: 'POST', headers, body: '{"title":"x"}' })).status).toBe(200);
});

test('half a body changes nothing', async () => {
  await using opened = await openService();
  await using server = await serveService({ service: opened.service, port: 0, log });
  const socket = connect(server.port, '127.0.0.1');
  const closed = new Promise(resolve => socket.once('close', resolve));
  const head = [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: ${headers.authorization}`, 'Content-Length: 100'];
  socket.end(`${head.join('\r\n')}\r\n\r\n{"title":"half`);
  socket.resume();
  await closed;
  const url = `http://127.0.0.1:${server.port}${path}`;
  const answer = await fetch(url, { method: 'POST', headers, body: '{"title":"whole"}' });
  expect(await answer.json()).toMatchObject({ incident: { incidentID: '1', title: 'whole' } });
});

test('stopping answers what runs, and closes connections that are kept alive', async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const app = new Hono().get('/', async c => {
    started.resolve();
    await finish.promise;
    return c.text('done');
  });
  const server = await serveService({ service: { fetch: async request => await app.fetch(request) }, port: 0, log });
  const agent = new Agent({ keepAlive: true });
  const body = new Promise<string>((resolve, reject) => {
    httpRequest({ port: server.port, agent }, response => {
      response.setEncoding('utf8').once('data', resolve);
    })
      .once('error', reject)
      .end();
  });
  await started.promise;
  const stopping = server[Symbol.asyncDispose]();
  await expect(fetch(`http://127.0.0.1:${server.port}/`)).rejects.toThrow();
  finish.resolve();
  expect(await body).toBe('done');
  await stopping;
  agent.destroy();
});

test('a port that is taken is said', async () => {
  await using opened = await openService();
  await using server = await serveService({ service: opened.service, port: 0, log });
  await expect(serveService({ service: opened.service, port: server.port, log })).rejects.toThrow(
    /^Muster cannot listen at port \d+ \(PORT\): another program listens there\. Stop that program, or set PORT to another port\.$/,
  );
});

test('at one address it listens there and nowhere else', async () => {
  await using opened = await openService();
  await using server = await serveService({ service: opened.service, port: 0, host: '127.0.0.1', log });
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  expect((await fetch(`${server.url}${path}`, { method: 'POST', headers, body: '{"title":"x"}' })).status).toBe(200);
  await expect(fetch(`http://127.0.0.2:${server.port}${path}`)).rejects.toThrow('fetch failed');
});

test('an address that this machine does not have is said', async () => {
  await using opened = await openService();
  await expect(serveService({ service: opened.service, port: 0, host: '192.0.2.1', log })).rejects.toThrow(
    /^Muster cannot listen at 192\.0\.2\.1, port 0 \(PORT\): this machine has no such address\. Set HOST to an address of this machine, or leave it empty for all of them\.$/,
  );
});

test('at all addresses its URL is that of the loopback', async () => {
  await using opened = await openService();
  await using server = await serveService({ service: opened.service, port: 0, host: '', log });
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
});
