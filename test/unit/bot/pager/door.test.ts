import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { openPagerDuty, openWebhookPager, type PagerNews } from '../../../../src/bot/pager/pager.ts';
import { createPageDoor } from '../../../../src/bot/pager/paging.ts';
import { signWebhook } from '../../../../src/contract/webhook-signature.ts';
import { serveHttp } from '../../../../src/service/http/server.ts';
import { patient } from '../../../support/deadlines.ts';
import { routingKey, sign, signingSecret } from '../../../support/pagers/pagerduty.ts';
import { openWatchedLog } from '../../../support/watched-log.ts';

const now = new Date('2026-11-26T10:00:00Z');
const clock = () => now;
const deadlines = patient();
const secret = 'secret-of-the-hook-0123456789';
const post = () => Promise.reject(new Error('nothing is sent'));

async function open() {
  const heard: (PagerNews & { readonly pager: string })[] = [];
  const watched = openWatchedLog({ level: 'debug', close: async () => await server[Symbol.asyncDispose]() });
  const pagers = [
    openPagerDuty(
      { name: 'sre', kind: 'pagerduty', url: 'https://events.pagerduty.com', routingKey, secret: signingSecret },
      { post, deadlines },
    ),
    openPagerDuty(
      { name: 'mute', kind: 'pagerduty', url: 'https://events.pagerduty.com', routingKey, secret: '' },
      { post, deadlines },
    ),
    openWebhookPager({ name: 'db', kind: 'webhook', url: 'http://localhost/x', secret }, { post, deadlines, clock }),
  ];
  const door = createPageDoor({
    pagers,
    hear: async (pager, each) => void heard.push({ pager, ...each }),
    observe: () => undefined,
    ...{ deadlines, clock, log: watched.log },
  });
  const server = await serveHttp({ listener: door, port: 0, deadlines, log: watched.log });
  const send = async (path: string, body: string, headers: Record<string, string> = {}, method = 'POST') => {
    const init = method === 'GET' ? { method, headers } : { method, headers, body };
    const response = await fetch(`http://127.0.0.1:${server.port}/hooks/pages/${path}`, init);
    return { status: response.status, body: await response.text() };
  };
  return { send, port: server.port, heard, lines: watched.lines };
}

const answer = JSON.stringify({ key: 'k', state: 'acknowledged', by: 'Dora' });
const duty = JSON.stringify({ event: { event_type: 'incident.acknowledged', data: { incident_key: 'k' } } });
const ofHook = (body: string, at = now, its = secret) => ({ 'gi-signature': signWebhook(body, its, at) });
const ofDuty = (body: string, its = signingSecret) => ({ 'x-pagerduty-signature': sign(body, its) });

test.each<
  readonly [what: string, path: string, body: string, headers: Record<string, string>, status: number, heard: number]
>([
  ['an answer of the tool', 'db', answer, ofHook(answer), 200, 1],
  ['a webhook of PagerDuty', 'sre', duty, ofDuty(duty), 200, 1],
  ['a query behind the name', 'sre?a=b', duty, ofDuty(duty), 200, 1],
  ['no signature', 'db', answer, {}, 401, 0],
  ['another secret', 'db', answer, ofHook(answer, now, 'another-secret-0123456789'), 401, 0],
  ['a signature of another body', 'db', answer, ofHook(`${answer} `), 401, 0],
  ['a signature that is ten minutes old', 'db', answer, ofHook(answer, new Date(now.getTime() - 600_000)), 401, 0],
  ['the signature of the other kind', 'db', answer, ofDuty(answer), 401, 0],
  ['another secret of PagerDuty', 'sre', duty, ofDuty(duty, 'another'), 401, 0],
  ['a pager whose webhooks have no secret', 'mute', duty, ofDuty(duty, ''), 401, 0],
  ['a name that nobody has', 'nobody', answer, ofHook(answer), 401, 0],
  ['no name', '', answer, ofHook(answer), 401, 0],
  ['no JSON', 'db', 'hello', ofHook('hello'), 400, 0],
  ['no key', 'db', '{"state":"resolved"}', ofHook('{"state":"resolved"}'), 400, 0],
  ['another state', 'db', '{"key":"k","state":"sent"}', ofHook('{"key":"k","state":"sent"}'), 400, 0],
  [
    'a kind that Muster does not use',
    'sre',
    '{"event":{"event_type":"x"}}',
    ofDuty('{"event":{"event_type":"x"}}'),
    200,
    0,
  ],
  ['a compressed body', 'db', answer, { ...ofHook(answer), 'content-encoding': 'gzip' }, 415, 0],
])('%s', async (_what, path, body, headers, status, count) => {
  const { send, heard, lines } = await open();
  expect((await send(path, body, headers)).status).toBe(status);
  expect(heard).toHaveLength(count);
  expect(lines.join('\n')).not.toContain(secret);
});

/** Sends the head of a request, and what has arrived of its body; the answer comes while the rest is awaited. */
async function knock(port: number, name: string, headers: Readonly<Record<string, string>>, body = '') {
  const asked = request({ port, path: `/hooks/pages/${name}`, method: 'POST', headers });
  asked.on('error', () => {});
  asked.write(body);
  if (headers['content-length'] === String(body.length)) asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const { statusCode, headers: said } = answer;
  let text = '';
  for await (const chunk of answer) text += chunk;
  asked.destroy();
  return { statusCode, text, connection: said.connection, length: said['content-length'] };
}

const forged = { 'gi-signature': `t=1,v1=${'0'.repeat(64)}`, 'x-pagerduty-signature': `v1=${'0'.repeat(64)}` };

test.each<[what: string, headers: Record<string, string>, body: string, status: number]>([
  ['no signature, and a body that does not come', { 'content-length': '1000000' }, '', 401],
  ['no signature, and a body that begins', { 'transfer-encoding': 'chunked' }, 'x'.repeat(2000), 401],
  ['no signature, and a body', { 'content-length': '2' }, '{}', 401],
  ['words for a signature', { 'content-length': '9000', 'gi-signature': 'v1=please' }, '', 401],
  ['a forged signature', { ...forged, 'content-length': '2' }, '{}', 401],
  ['a forged signature and a large body', { ...forged, 'content-length': '2000000' }, '', 413],
  ['a forged signature and a zipped body', { ...forged, 'content-length': '2', 'content-encoding': 'gzip' }, '{}', 415],
])('with %s a name of a pager is answered as any other', async (_what, headers, body, status) => {
  const { port } = await open();
  const [first, ...others] = await Promise.all(
    ['nobody', 'db', 'sre', 'mute'].map(name => knock(port, name, headers, body)),
  );
  expect(first?.statusCode).toBe(status);
  for (const other of others) expect(other).toEqual(first);
});

test('an unknown name and a wrong signature are answered alike; another method is told the one to use', async () => {
  const { send } = await open();
  expect(await send('db', answer)).toEqual(await send('nobody', answer));
  expect(await send('db', answer, {}, 'GET')).toMatchObject({
    status: 405,
    body: '{"error":"Pages are sent with POST."}',
  });
});
