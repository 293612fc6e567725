import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { readAlertmanager } from '../../../src/bot/alerts/read/alertmanager.ts';
import { openDoor, tokens } from '../../support/alerts/open-door.ts';
import { openFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { openProgram, outcomeOf } from '../../support/program.ts';

const [older, newer] = ['older-token-of-twenty-characters', 'newer-token-of-twenty-characters'];
const prometheus = `prometheus=${older},prometheus=${newer}`;
const ended = ['--ended', '2026-11-26T09:47:03.123Z'];

interface Asked {
  readonly path: string | undefined;
  readonly method: string | undefined;
  readonly token: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

/** A server that keeps what it is asked, and answers one thing. */
async function openServer(status = 200, answer = '{}') {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void text(request).then(body => {
      const { url, method, headers } = request;
      asked.push({ path: url, method, token: headers.authorization, type: headers['content-type'], body });
      response.writeHead(status, { location: 'https://login.example.com/' }).end(answer);
    });
  });
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Sends to a server, and keeps all that is printed or refused. `ALERTS`: absent for the usual source. */
async function send(url: string, words: readonly string[] = [], ALERTS = prometheus) {
  const said = await outcomeOf(await toEnvironment(ALERTS), 'alerts', 'test', '--url', url, ...words);
  const all = Object.values(said).join('');
  expect(all).not.toContain(older);
  expect(all).not.toContain(newer);
  return said;
}

/** The settings of some sources. The bodies of one that is called `gatus` are read by paths of its own. */
async function toEnvironment(ALERTS: string) {
  const file = join(await openFolder(), 'sources.json');
  const paths = { key: 'id', title: 'name', state: 'state', ended: ['up'] };
  await writeFile(file, JSON.stringify(/^gatus=/.test(ALERTS) ? { gatus: { paths } } : {}));
  return { ALERTS, ANNOUNCE_CHANNEL: 'C1', ALERTS_SOURCES: ALERTS === '' ? '' : file };
}

test('an alert is sent as Alertmanager sends it, with the newest token of its source', async () => {
  const { asked, url } = await openServer();
  const said = await send(url);
  expect(said.refused).toBe('');
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({
    path: '/hooks/alerts/prometheus',
    method: 'POST',
    token: `Bearer ${newer}`,
    type: 'application/json',
  });
  expect(readAlertmanager(JSON.parse(asked[0]?.body ?? ''))).toMatchObject({
    title: 'Test alert from muster alerts test',
    state: 'firing',
    severity: 'info',
    startedAt: /--ended (\S+)/.exec(said.note)?.[1],
    endedAt: '',
    firing: 1,
  });
  expect(said.out).toContain('prometheus');
  expect(said.out).toContain('200');
  expect(said.note).toContain('Slack');
  expect(said.note).toContain('--source prometheus --ended ');
});

test('each alert is a group of its own, and the printed line sends the end of the same one', async () => {
  const { asked, url } = await openServer();
  const said = await send(url);
  const startedAt = /--ended (\S+)/.exec(said.note)?.[1] ?? '';
  await send(url, ['--ended', startedAt]);
  await expect.poll(() => new Date().toISOString()).not.toBe(startedAt);
  await send(url);
  const [first, end, second] = asked.map(each => readAlertmanager(JSON.parse(each.body)));
  expect(end?.key).toBe(first?.key);
  expect(end).toMatchObject({
    state: 'resolved',
    startedAt,
    resolved: 1,
  });
  expect(end?.endedAt).not.toBe('');
  expect(second?.key).not.toBe(first?.key);
});

test('a file is sent as it stands', async () => {
  const { asked, url } = await openServer();
  const file = join(await openFolder(), 'body.json');
  const body = '{ "any": "thing",\n  "in": [1.0] }\n';
  await writeFile(file, body);
  const said = await send(url, ['--file', file], `gatus=${older}`);
  expect(said.refused).toBe('');
  expect(asked[0]?.body).toBe(body);
  expect(said.note).not.toContain('--ended');
});

test('an address may have a path and a slash behind it, as behind a proxy', async () => {
  const { asked, url } = await openServer();
  await send(`${url}/muster/`);
  expect(asked[0]?.path).toBe('/muster/hooks/alerts/prometheus');
});

/** The words of the command, what the sentence about them names, and the sources that are set. */
const wrong: readonly (readonly [string, readonly string[], readonly RegExp[], string])[] = [
  ['no source is set', [], [/ALERTS/, /openssl rand/, /docs\/alerts\.md/], ''],
  ['several are set', [], [/prometheus, grafana/, /--source/], `${prometheus},grafana=${older}`],
  ['another is named', ['--source', 'zabbix'], [/zabbix/, /prometheus/], prometheus],
  ['a source has a mapping, and no body is given', [], [/gatus/, /ALERTS_SOURCES/, /--file/], `gatus=${older}`],
  ['the end of a file is asked for', ['--file', 'body.json', ...ended], [/--ended/, /--file/], prometheus],
  ['the end of something else is asked for', ['--ended', 'yesterday'], [/--ended/, /printed/], prometheus],
  ['the file is not there', ['--file', '/no/such/body.json'], [/\/no\/such\/body\.json/, /cannot be read/], prometheus],
  ['the address is none', ['--url', 'muster.example.com'], [/--url/, /https:\/\//], prometheus],
  ['the address is of another kind', ['--url', 'ftp://muster.example.com'], [/--url/, /https:\/\//], prometheus],
  ['the address has a password', ['--url', 'http://me:secret@muster.example.com'], [/--url/, /password/], prometheus],
];

test.each(wrong)('where %s, a sentence says so, and nothing is sent', async (_, words, names, alerts) => {
  const { asked, url } = await openServer();
  const said = await send(url, words, alerts);
  expect(said.out).toBe('');
  for (const name of names) expect(said.refused).toMatch(name);
  expect(said.refused).not.toContain('secret@');
  expect(asked).toEqual([]);
});

/** A status and an answer, and what the sentence names. */
const answers: readonly (readonly [number, string, readonly RegExp[]])[] = [
  [401, '{"error":"The token is not its token."}', [/401/, /The token is not its token\./, /ALERTS/, /start/]],
  [400, '{"error":"alerts is missing."}', [/400/, /alerts is missing\./]],
  [413, '{"error":"The body is too large."}', [/413/, /The body is too large\./]],
  [503, '{"error":"The database is away."}', [/503/, /The database is away\./, /again/]],
  [500, '{"error":"Muster could not take the alert."}', [/500/, /could not take/, /log/]],
  [404, '{"error":"Not found"}', [/404/, /ALERTS/, /--url/]],
  [404, '<html>nginx</html>', [/404/, /--url/]],
  [302, '', [/302/, /proxy/]],
  [200, '<html>Sign in</html>', [/200/, /not a Muster|no Muster/, /--url/]],
  [502, '<html>Bad gateway</html>', [/502/]],
];

test.each(answers)('status %i with %s is told with the way out', async (status, answer, names) => {
  const { url } = await openServer(status, answer);
  const said = await send(url);
  expect(said.out).toBe('');
  for (const name of names) expect(said.refused).toMatch(name);
  expect(said.refused).not.toContain('<html>');
});

test('without --url, Muster is on this machine, at HOST and PORT', async () => {
  const PORT = String(await freePort());
  const refusedAt = async (HOST: string, port = PORT) =>
    (await outcomeOf({ ...(await toEnvironment(prometheus)), HOST, PORT: port }, 'alerts', 'test')).refused;
  expect(await refusedAt('')).toContain(`http://localhost:${PORT}.`);
  expect(await refusedAt('127.0.0.7')).toContain(`http://127.0.0.7:${PORT}.`);
  expect(await refusedAt('::1')).toContain(`http://[::1]:${PORT}.`);
  expect(await refusedAt('', '0')).toMatch(/PORT.*--url/);
});

test('where nothing listens, a sentence says so', async () => {
  const said = await send(`http://127.0.0.1:${await freePort()}`);
  expect(said.refused).toMatch(/Nothing answers at http:\/\/127\.0\.0\.1:\d+/);
  expect(said.refused).toMatch(/--url/);
});

test('what Muster says holds no control characters, and is cut', async () => {
  const { url } = await openServer(400, JSON.stringify({ error: `\u001b[31m${'x'.repeat(10_000)}` }));
  const said = await send(url);
  expect(said.refused).not.toContain('\u001b');
  expect(said.refused.length).toBeLessThan(1500);
});

test('the sources come from the environment, and what is wrong with them is told by name', async () => {
  const { asked, url } = await openServer();
  const { port } = new URL(url);
  const own = {
    ALERTS: prometheus,
    ANNOUNCE_CHANNEL: 'C1',
    HOST: '127.0.0.1',
    PORT: port,
  };
  const { said, run } = openProgram(own);
  await run('alerts', 'test');
  expect(said.printed).toContain('prometheus');
  expect(said.exitCode).toBe(0);
  expect(asked[0]?.token).toBe(`Bearer ${newer}`);
  const wrong = openProgram({ ...own, ALERTS: 'prometheus=short' });
  await expect(wrong.run('alerts', 'test')).rejects.toThrow(/ALERTS source 1 /);
  await expect(openProgram({}).run('alerts', 'test')).rejects.toThrow(/No source of alerts is set/);
  expect(asked).toHaveLength(1);
});

test('the door of a Muster takes the alert and its end, and refuses what it cannot read in its own words', async () => {
  const { port, heard } = await openDoor();
  const url = `http://127.0.0.1:${port}`;
  const prod = `prod=${tokens.old},prod=${tokens.prod}`;
  const said = await send(url, [], prod);
  await send(url, ['--ended', /--ended (\S+)/.exec(said.note)?.[1] ?? ''], prod);
  expect(heard.map(({ source, group }) => [source, group.state, group.title])).toEqual([
    ['prod', 'firing', 'Test alert from muster alerts test'],
    ['prod', 'resolved', 'Test alert from muster alerts test'],
  ]);
  expect(new Set(heard.map(({ group }) => group.key)).size).toBe(1);
  expect((await send(url, [], 'prod=a-token-of-nobody-at-all')).refused).toMatch(/401.*ALERTS/s);
  const file = join(await openFolder(), 'body.json');
  await writeFile(file, '{"status": "firing"}');
  expect((await send(url, ['--file', file], prod)).refused).toMatch(/400.*alerts is missing/s);
  await writeFile(file, 'not JSON');
  expect((await send(url, ['--file', file], prod)).refused).toMatch(/400.*JSON/s);
});
