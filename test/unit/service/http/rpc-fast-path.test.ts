import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { serveService } from '../../../../src/service/http/server.ts';
import { openService, tokens } from '../../../support/service.ts';

/*
 * The short way from Node's request to its response; what the app answers to the same requests is held by door.test.ts.
 */

const base = '/api/plugins/grafana-irm-app/resources/api/v1';

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A service behind a real server, to which one connection is kept. */
async function open() {
  const opened = await openService();
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const server = await serveService({ service: opened.service, port: 0, log: pino({ level: 'silent' }) });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const send = (path: string, chunks: readonly (string | Buffer)[], extra: OutgoingHttpHeaders = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = { authorization: `Bearer ${tokens.Admin}`, ...extra };
      const sent = request({ port: server.port, path, method: 'POST', agent, headers }, async response => {
        const body: Buffer[] = [];
        for await (const chunk of response) body.push(chunk);
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(body) });
      });
      sent.once('error', reject);
      for (const chunk of chunks) sent.write(chunk);
      sent.end();
    });
  return { opened, send };
}

test('a call is answered as the app answers it', async () => {
  const { opened, send } = await open();
  const calls: [operation: string, body: string, headers: Record<string, string>][] = [
    ['IncidentsService.CreateIncident', '{"title":"Größe 💥"}', {}],
    ['IncidentsService.GetIncident', '{"incidentID":"1"}', {}],
    ['IncidentsService.GetIncident', '{"incidentID":"1"}', {}],
    ['IncidentsService.GetIncident', '{"incidentID":"2"}', { accept: 'application/problem+json' }],
    ['IncidentsService.GetIncident', '{', {}],
    ['IncidentsService.GetIncident', '', {}],
    ['IncidentsService.Nothing', '{}', {}],
    ['RolesService.GetRoles', '{}', { authorization: '' }],
  ];
  for (const [operation, body, extra] of calls) {
    const path = `${base}/${operation}`;
    const headers = { authorization: `Bearer ${tokens.Admin}`, ...extra };
    const short = await send(path, [body], extra);
    if (operation.includes('Create')) continue;
    const long = await opened.service.fetch(new Request(`http://test${path}`, { method: 'POST', headers, body }));
    expect([operation, short.status, short.body.toString()]).toEqual([operation, long.status, await long.text()]);
    for (const name of ['content-type', 'www-authenticate', 'vary']) {
      expect([name, short.headers[name] ?? null]).toEqual([name, long.headers.get(name)]);
    }
    expect(short.headers['content-length']).toBe(String(short.body.byteLength));
  }
});

test.each([
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['*', true],
  ['gzip;q=0', false],
  ['gzip;q=0, *', false],
  ['br', false],
  ['', false],
])('to whom accepts %j, an answer is zipped: %j', async (accepted, zipped) => {
  const { send } = await open();
  const title = 'x'.repeat(500);
  const path = `${base}/IncidentsService.CreateIncident`;
  const { headers, body } = await send(path, [JSON.stringify({ title })], { 'accept-encoding': accepted });
  expect(headers['content-encoding']).toBe(zipped ? 'gzip' : undefined);
  expect(JSON.parse(String(zipped ? gunzipSync(body) : body)).incident.title).toBe(title);
});

test('a short answer is not zipped', async () => {
  const { send } = await open();
  const path = `${base}/IncidentsService.GetHomescreenVersion`;
  const { headers, body } = await send(path, ['{}'], { 'accept-encoding': 'gzip' });
  expect(headers['content-encoding']).toBeUndefined();
  expect(JSON.parse(String(body)).error).toBe('');
});

test('a body may come in pieces and zipped; one above 1 MiB is refused, announced or not, and the connection goes on', async () => {
  const { send } = await open();
  const path = `${base}/IncidentsService.CreateIncident`;
  const whole = Buffer.from('{"title":"Größe"}');
  const cut = whole.indexOf(0xc3) + 1;
  const pieces = await send(path, [whole.subarray(0, cut), whole.subarray(cut)]);
  expect(JSON.parse(String(pieces.body)).incident.title).toBe('Größe');
  const zipped = await send(path, [gzipSync(whole)], { 'content-encoding': 'gzip' });
  expect(JSON.parse(String(zipped.body)).incident.title).toBe('Größe');
  const mebibyte = 'x'.repeat(1024 * 1024);
  const tooLarge: [chunks: readonly (string | Buffer)[], headers: OutgoingHttpHeaders][] = [
    [[mebibyte, 'x', mebibyte], {}],
    [[mebibyte, 'x'], { 'content-length': mebibyte.length + 1 }],
    [[gzipSync(Buffer.alloc(8 * mebibyte.length))], { 'content-encoding': 'gzip' }],
  ];
  for (const [chunks, headers] of tooLarge) {
    const answer = await send(path, chunks, headers);
    expect(answer.status).toBe(413);
    expect(JSON.parse(String(answer.body))).toMatchObject({ error: 'the body must be at most 1024 KiB' });
  }
  expect((await send(path, [whole])).status).toBe(200);
});
