import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { basic, bearer, openDoor, toBody, tokens } from '../../../support/alerts/open-door.ts';
import { patient } from '../../../support/deadlines.ts';
import { openWire } from '../../../support/wire.ts';

const path = '/hooks/alerts/prod';
/** The head of a request whose body may come later, or never. */
const head = (more: readonly string[] = [], to = path) => {
  const lines = [`POST ${to} HTTP/1.1`, 'Host: muster', ...more];
  return `${lines.join('\r\n')}\r\n\r\n`;
};
const shows = (token: string) => `Authorization: Bearer ${token}`;
const inPath = (token: string) => `${path}/${encodeURIComponent(token)}`;
const statusesOf = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(match => Number(match[1]));

test.each([
  ['as Bearer', { headers: bearer(tokens.prod) }],
  ['as bearer', { headers: { authorization: `bearer  ${tokens.prod}` } }],
  ['as the password of Basic', { headers: basic(tokens.prod) }],
  ['as the password of Basic, with no user', { headers: basic(tokens.prod, '') }],
  ['in the address', { headers: {}, path: inPath(tokens.prod) }],
  ['in the address as it is, with its slash', { headers: {}, path: `${path}/${tokens.prod}?x=1` }],
  ['in the address, with a wrong one of a proxy in the header', { headers: basic('proxy'), path: inPath(tokens.prod) }],
  ['as the old one, while it is changed', { headers: bearer(tokens.old) }],
  ['as the old one in the address', { headers: {}, path: inPath(tokens.old) }],
])('a delivery that shows its token %s is stored and answered with 200', async (_way, sent) => {
  const { send, heard, seen, lines } = await openDoor();
  expect(await send(sent)).toMatchObject({ status: 200, body: '{}' });
  expect(heard).toMatchObject([{ source: 'prod', group: { key: '{}:{alertname="HighErrorRate"}', state: 'firing' } }]);
  expect(seen).toMatchObject([{ source: 'prod', result: 'stored', why: '' }]);
  expect(lines).toEqual([]);
});

const notIn: readonly (readonly [string, readonly string[], string, string])[] = [
  ['no token', [], path, 'prod'],
  ['no token after the slash', [], `${path}/`, 'prod'],
  ['a wrong token', [shows('prod-0123456789abcdeg')], path, 'prod'],
  ['the beginning of its token', [shows(tokens.prod.slice(0, -1))], path, 'prod'],
  ['the token of another source', [shows(tokens.test)], path, 'prod'],
  ['a token of another scheme', [`Authorization: Token ${tokens.prod}`], path, 'prod'],
  ['its token as the user of Basic', [`Authorization: ${basic('', tokens.prod).authorization}`], path, 'prod'],
  ['a broken Basic', ['Authorization: Basic ===='], path, 'prod'],
  ['an empty Bearer', ['Authorization: Bearer '], path, 'prod'],
  ['its token twice', [shows(tokens.prod), shows(tokens.prod)], path, 'prod'],
  ['its token and another', [shows('other'), shows(tokens.prod)], path, 'prod'],
  ['a wrong token in the address', [], `${path}/nope`, 'prod'],
  ['half a percent sign in the address', [], `${path}/%E0%A4%A`, 'prod'],
  ['the name of nobody', [shows(tokens.prod)], '/hooks/alerts/nobody', ''],
  ['no name', [shows(tokens.prod)], '/hooks/alerts/', ''],
  ['its token for the name', [], `/hooks/alerts/${tokens.old}`, ''],
  ['the name in capitals', [shows(tokens.prod)], '/hooks/alerts/PROD', ''],
  ['a name that every object has', [shows(tokens.prod)], '/hooks/alerts/__proto__', ''],
];

test.each(notIn)(
  'a delivery with %s is refused before its body is read, in the same words',
  async (_what, headers, to, source) => {
    const { port, heard, seen, lines } = await openDoor();
    // The body of this one is waited for, until its time is over.
    const held = await openWire(port);
    held.write(head([shows(tokens.prod), 'Content-Length: 100']));
    const refused = await openWire(port);
    refused.write(head([...headers, 'Content-Length: 100'], to));
    // Nothing of the body was ever sent.
    const answer = await refused.closed;
    expect(statusesOf(answer)).toEqual([401]);
    expect(held.received).toBe('');
    held.breakOff();
    const other = await openWire(port);
    other.write(head(['Content-Length: 100'], '/hooks/alerts/who'));
    const withoutDate = (text: string) => text.replace(/^date: .*$/im, '');
    expect(withoutDate(answer)).toBe(withoutDate(await other.closed));
    expect(heard).toEqual([]);
    expect(seen[0]).toMatchObject({ source, result: 'refused_token' });
    for (const token of Object.values(tokens)) expect(lines.join('')).not.toContain(token);
  },
);

test('no line of the log has a token, or an address in which one may stand', async () => {
  const { send, lines } = await openDoor();
  for (const token of [...Object.values(tokens), 'a-wrong-token-0123456789']) {
    for (const sent of [
      { headers: bearer(token), body: '{' },
      { headers: basic(token), body: '{' },
      { headers: {}, path: inPath(token), body: '{' },
      { headers: {}, path: `/hooks/alerts/${encodeURIComponent(token)}` },
      { headers: {}, path: `/hooks/alerts/nobody/${encodeURIComponent(token)}` },
    ]) {
      expect((await send(sent)).status).toBeGreaterThanOrEqual(400);
    }
    const text = lines.join('');
    for (const secret of [token, encodeURIComponent(token), basic(token).authorization?.slice('Basic '.length) ?? '']) {
      expect(text).not.toContain(secret);
    }
  }
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.join('')).not.toContain('/hooks/alerts');
});

test.each([
  ['is empty', ''],
  ['breaks off', '{"alerts":['],
  ['is a form', 'payload=%7B%7D'],
  ['has a word after its end', '{} and'],
  ['has single quotes', "{'alerts':[]}"],
  ['is in Latin-1', Buffer.from('{"groupKey":"\xe9"}', 'latin1')],
  ['is in UTF-16', Buffer.from(toBody(), 'utf16le')],
  ['is null', 'null'],
  ['is a number', '12'],
  ['is a list', `[${toBody()}]`],
  ['has no alerts', toBody({ alerts: [] })],
  ['has no list of alerts', '{}'],
])('a body that %s is refused with 400, which says why, and the connection goes on', async (_what, body) => {
  const { send, heard, seen } = await openDoor();
  using agent = keepOne();
  const { status, body: said, headers } = await send({ body, agent });
  expect(status).toBe(400);
  const { error } = JSON.parse(said);
  expect(error).toMatch(/^\S.{10,}\.$/);
  expect(headers.connection).toBe('keep-alive');
  expect(await send({ agent })).toMatchObject({ status: 200 });
  expect(seen.map(each => [each.result, each.why])).toEqual([
    ['refused_body', error],
    ['stored', ''],
  ]);
  expect(heard).toHaveLength(1);
});

test('a body may have a byte order mark, any type, and no length', async () => {
  const { send } = await openDoor();
  const types = ['text/plain; charset=UTF-8', 'application/x-www-form-urlencoded', ''];
  for (const type of types) {
    const headers = { ...bearer(tokens.prod), ...(type ? { 'content-type': type } : {}) };
    expect((await send({ headers, body: `\ufeff${toBody()}` })).status).toBe(200);
    expect((await send({ headers: { ...headers, 'transfer-encoding': 'chunked' } })).status).toBe(200);
  }
});

test('a body that is zipped is refused by name', async () => {
  const { send, seen } = await openDoor();
  const answer = await send({ headers: { ...bearer(tokens.prod), 'content-encoding': 'gzip' } });
  expect(answer.status).toBe(415);
  expect(answer.body).toContain('content-encoding');
  expect(seen).toMatchObject([{ source: 'prod', result: 'refused_body' }]);
});

test('10 MB are refused, whether the length is told or not, and whether or not somebody may send', async () => {
  const { send, heard } = await openDoor();
  const body = Buffer.alloc(10_000_000, 'x');
  const chunked = { 'transfer-encoding': 'chunked' };
  expect((await send({ body })).status).toBe(413);
  expect((await send({ body, headers: { ...bearer(tokens.prod), ...chunked } })).status).toBe(413);
  expect((await send({ body, headers: bearer('nope') })).status).toBe(401);
  expect((await send({ body, headers: { ...bearer('nope'), ...chunked } })).status).toBe(401);
  expect((await send()).status).toBe(200);
  expect(heard).toHaveLength(1);
});

test('a body that does not end is given up, so that the tool sends it again', async () => {
  const { port, seen } = await openDoor({ deadlines: patient({ requestBody: 50 }) });
  const wire = await openWire(port);
  wire.write(`${head([shows(tokens.prod), 'Content-Length: 1000'])}{"alerts":`);
  const answer = await wire.closed;
  expect(statusesOf(answer)).toEqual([503]);
  expect(answer).toMatch(/^retry-after: 1\r$/im);
  expect(seen).toMatchObject([{ source: 'prod', result: 'unavailable' }]);
});

test('a delivery that breaks off is not stored, and the next one is', async () => {
  const { port, send, heard, seen, records } = await openDoor();
  const wire = await openWire(port);
  wire.write(`${head([shows(tokens.prod), 'Content-Length: 1000'])}${toBody().slice(0, 500)}`);
  wire.breakOff();
  await expect.poll(() => records).toMatchObject([{ level: 'info', source: 'prod', why: 'broken off' }]);
  expect((await send()).status).toBe(200);
  expect(heard).toHaveLength(1);
  expect(seen).toHaveLength(1);
});

const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code });

test.each([
  ['is not there', coded('ECONNREFUSED')],
  ['broke the connection', new Error('Connection terminated unexpectedly')],
  ['shuts down', coded('57P01')],
  ['is full', coded('53100')],
  ['holds a lock', coded('55P03')],
  ['is a file that is busy', Object.assign(coded('ERR_SQLITE_ERROR'), { errcode: 5 })],
  ['is a file on a full disk', Object.assign(coded('ERR_SQLITE_ERROR'), { errcode: 13 })],
])('while the database %s, the answer is 503 and the tool sends it again', async (_what, error) => {
  let isAway = true;
  const { send, heard, seen } = await openDoor({ hear: async () => (isAway ? Promise.reject(error) : undefined) });
  using agent = keepOne();
  const answer = await send({ agent });
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5', connection: 'keep-alive' } });
  expect(heard).toEqual([]);
  isAway = false;
  expect((await send({ agent })).status).toBe(200);
  expect(seen.map(each => each.result)).toEqual(['unavailable', 'stored']);
});

test('any other failure is answered with 500 and is an error of the log', async () => {
  const { send, seen, records } = await openDoor({
    hear: async () => Promise.reject(new TypeError('group.title is not a function')),
    expectErrors: record => record.msg === 'alerts: a delivery could not be taken',
  });
  const { status, body } = await send();
  expect(status).toBe(500);
  expect(body).not.toContain('group.title');
  expect(records).toMatchObject([{ level: 'error', source: 'prod' }]);
  expect(seen).toMatchObject([{ source: 'prod', result: 'failed' }]);
});

test('nothing is answered before it is stored', async () => {
  const stored = Promise.withResolvers<void>();
  const { port, heard } = await openDoor({ hear: () => stored.promise });
  const wire = await openWire(port);
  const ask = () => wire.write(`${head([shows(tokens.prod), `Content-Length: ${toBody().length}`])}${toBody()}`);
  ask();
  const other = await openWire(port);
  other.write(head(['Content-Length: 2']));
  expect(statusesOf(await other.closed)).toEqual([401]);
  expect(wire.received).toBe('');
  stored.resolve();
  await expect.poll(() => statusesOf(wire.received)).toEqual([200]);
  expect(heard).toHaveLength(1);
  wire.breakOff();
});

test('the same delivery again is taken again', async () => {
  const { send, heard } = await openDoor();
  const body = toBody();
  for (const _ of [1, 2, 3]) expect((await send({ body })).status).toBe(200);
  expect(new Set(heard.map(each => JSON.stringify(each))).size).toBe(1);
  expect(heard).toHaveLength(3);
});

test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is answered with 405', async method => {
  const { send, heard, seen } = await openDoor();
  const { status, headers, body } = await send({ method, body: '' });
  expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'POST' });
  if (method !== 'HEAD') expect(body).toContain('POST');
  expect([heard, seen]).toEqual([[], []]);
});

test('requests that come one after another on a connection are each answered, in their order', async () => {
  const { port, heard } = await openDoor();
  const wire = await openWire(port);
  const ask = (body: string) => `${head([shows(tokens.prod), `Content-Length: ${body.length}`])}${body}`;
  const keys = ['a', 'b', 'c', 'd', 'e'];
  wire.write([...keys.map(key => toBody({ groupKey: key })), '{', toBody({ groupKey: 'f' })].map(ask).join(''));
  await expect.poll(() => statusesOf(wire.received)).toEqual([200, 200, 200, 200, 200, 400, 200]);
  expect(heard.map(each => each.group.key)).toEqual([...keys, 'f']);
  wire.breakOff();
});

test('after a refusal before the body was read, nothing more is taken of the connection', async () => {
  const { port, heard } = await openDoor();
  const wire = await openWire(port);
  const body = toBody();
  // The body of the refused request looks like a request too.
  const whole = `${head([shows(tokens.prod), `Content-Length: ${body.length}`])}${body}`;
  wire.write(`${head([shows('nope'), `Content-Length: ${whole.length}`])}${whole}${whole}`);
  const answer = await wire.closed;
  expect(statusesOf(answer)).toEqual([401]);
  expect(answer).toMatch(/^connection: close\r$/im);
  expect(heard).toEqual([]);
});

test('200 deliveries at once are each taken once', async () => {
  const { send, heard, seen } = await openDoor();
  const keys = Array.from({ length: 200 }, (_, index) => `group ${index}`);
  const answers = await Promise.all(keys.map(groupKey => send({ body: toBody({ groupKey }) })));
  expect(answers.filter(each => each.status !== 200)).toEqual([]);
  expect(heard.map(each => each.group.key).toSorted()).toEqual(keys.toSorted());
  expect(seen).toHaveLength(200);
});

/** Keeps one connection, and uses it again. */
function keepOne(): Agent & Disposable {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() });
}
