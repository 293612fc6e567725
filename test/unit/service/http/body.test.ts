import { deflateSync, gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { rpcBase } from '../../../../src/contract/contract.ts';
import { serveService } from '../../../../src/service/http/server.ts';
import { openService, tokens } from '../../../support/service.ts';

const rpc = `${rpcBase('grafana-irm-app')}/ActivityService.AddActivity`;
const headers = { authorization: `Bearer ${tokens.Editor}` };

/** A served service with one incident. */
async function open() {
  const opened = await openService();
  const server = await serveService({ service: opened.service, port: 0, log: pino({ level: 'silent' }) });
  const send = async (path: string, body: string | Buffer, encoding?: string) => {
    const more = encoding === undefined ? {} : { 'content-encoding': encoding };
    const given = typeof body === 'string' ? body : new Uint8Array(body);
    const url = `http://127.0.0.1:${server.port}${path}`;
    const answer = await fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: given });
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as { message?: string; error?: string },
    };
  };
  await send(rpc.replace('ActivityService.AddActivity', 'IncidentsService.CreateIncident'), '{"title":"x"}');
  return {
    send,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}

const doors = [rpc, `${rpc}?x=1`, '/api/dashboards/db'];

test.each(doors)('a body in an encoding that cannot be read is refused with 415: %s', async path => {
  await using place = await open();
  for (const [encoding, body] of [
    ['deflate', deflateSync('{}')],
    ['br', Buffer.from('{}')],
    ['gzip, gzip', gzipSync(gzipSync('{}'))],
  ] as const) {
    const { status, body: answer } = await place.send(path, body, encoding);
    const message = 'the body must be sent as it is or with content-encoding: gzip';
    expect([encoding, status, answer.message]).toEqual([encoding, 415, message]);
  }
  expect((await place.send(path, '{}', 'identity')).status).not.toBe(415);
});

test('a small body that unzips to ten megabytes is refused for its ratio, a real dashboard is not', async () => {
  await using place = await open();
  const bomb = gzipSync(`{"dashboard":{"title":"x","a":[${'{},'.repeat(3_400_000)}{}]}}`);
  const refused = await place.send('/api/dashboards/db', bomb, 'gzip');
  expect([refused.status, refused.body.message]).toEqual([413, 'the body unzips to more than 50 times its size']);
  const panels = Array.from({ length: 20_000 }, (_, id) => ({
    id,
    title: `Requests of ${id * 7919}`,
    expr: `rate(a_${id}[5m])`,
  }));
  const real = gzipSync(JSON.stringify({ dashboard: { title: 'real', panels } }));
  expect((await place.send('/api/dashboards/db', real, 'gzip')).status).toBe(200);
});

test('a body of more values than any real one is refused before it is parsed', async () => {
  await using place = await open();
  const many = (count: number) => `[${'{},'.repeat(count)}{}]`;
  const note = await place.send(rpc, `{"incidentID":"1","body":"x","fieldValues":{"a":${many(20_000)}}}`);
  expect([note.status, note.body.error]).toEqual([413, 'the body must have at most 20000 values']);
  const saved = await place.send('/api/dashboards/db', `{"dashboard":{"title":"x","a":${many(100_000)}}}`);
  expect([saved.status, saved.body.message]).toEqual([413, 'the body must have at most 100000 values']);
});

test('zipped bodies of ten megabytes that come at once are all answered: taken, or told when to try again', async () => {
  await using place = await open();
  const noise = (seed: number) =>
    Array.from({ length: 30_000 }, (_, index) => Math.sin(seed + index).toString(36)).join('');
  // There is room for three at a time.
  const bodies = Array.from({ length: 5 }, (_, index) =>
    gzipSync(JSON.stringify({ dashboard: { title: `d${index}`, text: noise(index).repeat(17) } }), { level: 1 }),
  );
  const answers = await Promise.all(bodies.map(each => place.send('/api/dashboards/db', each, 'gzip')));
  for (const { status, headers } of answers) {
    expect([200, 503]).toContain(status);
    if (status === 503) expect(headers.get('retry-after')).toBe('1');
  }
  expect((await place.send('/api/dashboards/db', bodies[0] ?? '', 'gzip')).status).not.toBe(503);
});
