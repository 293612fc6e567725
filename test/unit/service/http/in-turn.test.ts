import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { inTurn, serveHttp } from '../../../../src/service/http/server.ts';
import { openWire } from '../../../support/wire.ts';

const log = pino({ level: 'silent' });
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** A server that answers when the test says so, and a connection to it. */
async function openSlowServer() {
  const begun: string[] = [];
  const open: ServerResponse[] = [];
  const listener: RequestListener = (request, response) => {
    begun.push(request.url ?? '');
    open.push(response);
  };
  const server = await serveHttp({ listener, port: 0, log });
  return { begun, server, wire: await openWire(server.port), answer: () => open.shift()?.end('done') };
}

test('of requests that come at once on one connection, each is begun when the one before is answered', async () => {
  const { begun, server, wire, answer } = await openSlowServer();
  await using _ = server;
  wire.write(get('/1') + get('/2') + get('/3'));
  const other = await openWire(server.port);
  other.write(get('/other'));
  await expect.poll(() => begun).toEqual(['/1', '/other']);
  answer();
  await expect.poll(() => begun).toEqual(['/1', '/other', '/2']);
  answer();
  answer();
  await expect.poll(() => begun).toEqual(['/1', '/other', '/2', '/3']);
  answer();
  await expect.poll(() => wire.received.match(/done/g)).toHaveLength(3);
  for (const each of [wire, other]) each.breakOff();
});

test('what waits when the client goes is not begun', async () => {
  const { begun, server, wire, answer } = await openSlowServer();
  await using _ = server;
  wire.write(get('/1') + get('/2') + get('/3'));
  await expect.poll(() => begun).toEqual(['/1']);
  wire.breakOff();
  await wire.closed;
  answer();
  const other = await openWire(server.port);
  other.write(get('/other'));
  await expect.poll(() => begun).toEqual(['/1', '/other']);
  other.breakOff();
});

test('what comes after an answer that closes the connection is not begun (RFC 9112, 9.6)', async () => {
  const begun: string[] = [];
  const listener: RequestListener = (request, response) => {
    begun.push(request.url ?? '');
    response.shouldKeepAlive = false;
    response.end('done');
  };
  await using server = await serveHttp({ listener, port: 0, log });
  const wire = await openWire(server.port);
  // Node reads on when an answer leaves a body unread.
  wire.write(`POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\n\r\n${'x'.repeat(2000)}${get('/2')}${get('/3')}`);
  expect(await wire.closed).toMatch(/^connection: close\r$/im);
  expect(begun).toEqual(['/1']);
});

test('hundreds of requests on one connection are all answered, in order, and bodies come through', async () => {
  const listener: RequestListener = (request, response) => {
    void text(request).then(body => response.end(`<${request.url} ${body}>`));
  };
  await using server = await serveHttp({ listener, port: 0, log });
  const wire = await openWire(server.port);
  const numbers = Array.from({ length: 500 }, (_, index) => index);
  const post = (path: number) => `POST /${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody`;
  wire.write(numbers.map(each => (each % 3 === 0 ? post(each) : get(`/${each}`))).join(''));
  await expect.poll(() => wire.received.match(/<[^>]*>/g)?.length).toBe(numbers.length);
  expect(wire.received.match(/<[^>]*>/g)).toEqual(numbers.map(each => `</${each} ${each % 3 === 0 ? 'body' : ''}>`));
  wire.breakOff();
});

test('a connection on which many requests wait ends when too many wait in all', async () => {
  const open: ServerResponse[] = [];
  const listener = inTurn((_request, response) => void open.push(response), { together: 30, many: 10 });
  const server = createServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const [modest, first, second] = [await openWire(port), await openWire(port), await openWire(port)];
  modest.write(get('/').repeat(5));
  first.write(get('/').repeat(25));
  await expect.poll(() => open).toHaveLength(2);
  second.write(get('/').repeat(25));
  expect(await second.closed).toBe('');
  modest.write(get('/'));
  for (let answered = 0; answered < 6; answered += 1) {
    await expect.poll(() => open.length).toBeGreaterThan(0);
    for (const each of open.splice(0)) each.end('done');
  }
  await expect.poll(() => modest.received.match(/done/g)).toHaveLength(6);
  for (const each of [modest, first]) each.breakOff();
  server.closeAllConnections();
  server.close();
});
