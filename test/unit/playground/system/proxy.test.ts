import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Disturbance, openProxy, type ProxyOptions } from '../../../../playground/system/proxy.ts';

/** A server that counts, and a proxy before it whose watched requests are written down. */
async function openWorld(options: Partial<ProxyOptions> = {}) {
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push(`${request.method} ${request.url} ${body}`);
    response.writeHead(request.url === '/missing' ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ count: seen.length }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const now: { -readonly [Name in keyof Disturbance]: Disturbance[Name] } = {
    isDown: false,
    delay: 0,
    losesAnswers: false,
  };
  const lines: string[] = [];
  const proxy = await openProxy({
    target: () => url,
    watches: ({ headers }) => headers.authorization !== undefined,
    disturbance: () => now,
    begin: ({ method, path, body }) => {
      return ({ outcome, isFailure, response }) =>
        lines.push(`${method} ${path} ${body} → ${outcome}${isFailure ? '!' : ''} ${JSON.stringify(response)}`);
    },
    ...options,
  });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const call = (path: string, headers: Record<string, string> = { authorization: 'Bearer of the bot' }) =>
    fetch(`${proxy.url}${path}`, { method: 'POST', headers, body: 'hello' });
  return { seen, now, lines, proxy, call };
}

test('a request passes, and its body and answer are told without its token', async () => {
  const { seen, lines, call } = await openWorld();
  expect(await (await call('/x')).json()).toEqual({ count: 1 });
  expect((await call('/missing')).status).toBe(404);
  expect(seen).toEqual(['POST /x hello', 'POST /missing hello']);
  expect(lines).toEqual(['POST /x hello → ok {"count":1}', 'POST /missing hello → 404! {"count":2}']);
});

test('while it is down, nothing of the bot arrives, and people’s pages open', async () => {
  const { seen, now, lines, call } = await openWorld();
  now.isDown = true;
  await expect(call('/x')).rejects.toThrow();
  expect(seen).toEqual([]);
  expect(lines).toEqual(['POST /x hello → not reached! undefined']);
  expect((await call('/page', {})).status).toBe(200);
  now.isDown = false;
  expect((await call('/x')).status).toBe(200);
});

test('when answers are lost, the call takes effect', async () => {
  const { seen, now, lines, call } = await openWorld();
  now.losesAnswers = true;
  await expect(call('/x')).rejects.toThrow();
  expect(seen).toEqual(['POST /x hello']);
  expect(lines).toEqual(['POST /x hello → answer lost! {"count":1}']);
});

test('a slow one holds requests back, and breaks them off when it is disposed', async () => {
  const { seen, now, proxy, call } = await openWorld();
  now.delay = 20;
  expect((await call('/x')).status).toBe(200);
  now.delay = 3_600_000;
  const broken = expect(call('/y')).rejects.toThrow();
  await proxy[Symbol.asyncDispose]();
  await broken;
  expect(seen).toEqual(['POST /x hello']);
});

test('a request that a slow one holds back does not arrive once its caller is gone', async () => {
  const held = Promise.withResolvers<void>();
  const disturbance = () => {
    held.resolve();
    return { isDown: false, delay: 1000, losesAnswers: false };
  };
  const { seen, lines, proxy } = await openWorld({ disturbance });
  const caller = new AbortController();
  const { signal } = caller;
  const headers = { authorization: 'Bearer of the bot' };
  const gone = expect(fetch(`${proxy.url}/x`, { method: 'POST', headers, body: 'hello', signal })).rejects.toThrow();
  await held.promise;
  caller.abort();
  await gone;
  await expect.poll(() => lines).toEqual(['POST /x hello → not reached! undefined']);
  expect(seen).toEqual([]);
});

test('it listens on the port that it had, or on another one when that is taken', async () => {
  const { proxy } = await openWorld();
  const taken = await openWorld({ port: proxy.port });
  expect(taken.proxy.port).not.toBe(proxy.port);
  await proxy[Symbol.asyncDispose]();
  const again = await openWorld({ port: proxy.port });
  expect(again.proxy.port).toBe(proxy.port);
});

test('people’s pages may be framed by the sources that it names, and by no other', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, {
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    });
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { call } = await openWorld({ target: () => url, framedBy: 'http://localhost:*' });
  const policyFor = async (headers: Record<string, string>) =>
    (await call('/', headers)).headers.get('content-security-policy');

  expect(await policyFor({})).toBe("default-src 'none'; frame-ancestors http://localhost:*; base-uri 'none'");
  expect(await policyFor({ authorization: 'Bearer of the bot' })).toContain("frame-ancestors 'none'");
});
