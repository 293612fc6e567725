import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Agent, fetch } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { assetPaths } from '../../src/service/pages/style.ts';
import { openCaddy, openNginx } from '../support/deploy/proxies.ts';
import { lacks } from '../support/deploy/tool.ts';
import { openRoughServer } from '../support/rough-server.ts';
import { signAsSlack } from '../support/slack-signature.ts';
import { openWorkplace, type Workplace } from '../support/workplace.ts';

type Ask = (path: string, init?: { method: 'POST'; body: string; headers: Record<string, string> }) => Promise<Answer>;
interface Answer {
  readonly status: number;
  readonly text: string;
}

const proxies = [
  { name: 'nginx', program: 'nginx', file: 'nginx.conf', base: 'https://muster.example.com' },
  { name: 'nginx under a path', program: 'nginx', file: 'nginx-prefix.conf', base: 'https://tools.example.com/muster' },
  { name: 'Caddy', program: 'caddy', file: 'Caddyfile', base: 'http://muster.example.com' },
];

/** Headers with which somebody would put the blame on another address. */
const claims: readonly OutgoingHttpHeaders[] = [
  {},
  { 'X-Forwarded-For': '6.6.6.6' },
  { 'x-forwarded-for': '6.6.6.6, 7.7.7.7' },
  { 'x-forwarded-for': ['6.6.6.6', '7.7.7.7'] },
  { 'x-forwarded-for': '10.0.0.1' },
  { 'x-forwarded-for': '127.0.0.1, 6.6.6.6' },
  { 'x-forwarded-for': '' },
  { 'x-forwarded-for': 'nobody" status="200' },
  { 'x-forwarded-for': '::1, [6::6]:66' },
  { x_forwarded_for: '6.6.6.6' },
  { 'x-real-ip': '6.6.6.6', 'true-client-ip': '6.6.6.6' },
  { forwarded: 'for=6.6.6.6;proto=https' },
  // A proxy leaves out what this names, and the header that it sets itself too if it does so last.
  { connection: 'close, x-forwarded-for', 'x-forwarded-for': '6.6.6.6' },
];

type Proxy = (typeof proxies)[number];

/** A proxy that runs, and how a client of it connects. */
interface Door {
  readonly base: URL;
  readonly port: number;
  /** The certificate; none where the proxy has none. */
  readonly ca?: string;
}

async function openDoor(
  { program, file, base }: Proxy,
  to: { muster: string; from: 'inside' | 'outside' },
): Promise<Door> {
  if (program !== 'nginx') return { base: new URL(base), ...(await openCaddy({ file, ...to })) };
  const { port, certificate } = await openNginx({ file, ...to });
  return { base: new URL(base), port, ca: await readFile(certificate, 'utf8') };
}

/** Sends a request that no browser would send. Returns its status. */
async function post({ base, port, ca }: Door, path: string, headers: OutgoingHttpHeaders): Promise<number | undefined> {
  const client = ca === undefined ? httpRequest : httpsRequest;
  const to = { method: 'POST', host: '127.0.0.1', port, path: `${base.pathname.replace(/\/$/, '')}${path}` };
  const host = ca === undefined ? {} : { host: base.hostname };
  const request = client({ ...to, ca, servername: base.hostname, headers: { ...headers, ...host } }).end('{}');
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

/** Muster behind a proxy, and how somebody asks it through the proxy. */
async function openBehind(proxy: Proxy, from: 'inside' | 'outside') {
  const place = await openWorkplace({ settings: { PAGES: 'open', PUBLIC_URL: proxy.base } });
  const { base, port, ca } = await openDoor(proxy, { muster: `127.0.0.1:${place.muster.port}`, from });
  const dispatcher = new Agent(ca === undefined ? {} : { connect: { ca, servername: base.hostname } });
  onTestFinished(() => dispatcher.destroy());
  const prefix = base.pathname === '/' ? '' : base.pathname;
  const ask: Ask = async (path, init) => {
    const url = `${base.protocol}//127.0.0.1:${port}${prefix}${path}`;
    const response = await fetch(url, { ...init, dispatcher, redirect: 'manual' });
    return { status: response.status, text: await response.text() };
  };
  return { place, ask };
}

/** A slash command as Slack sends it over HTTP. */
async function sendCommand(ask: Ask, place: Workplace): Promise<Answer> {
  const alice = place.slack.addPerson({ name: 'alice' });
  const general = place.slack.addChannel({ name: 'general', members: [alice] });
  const body = new URLSearchParams({
    command: '/incident',
    text: 'help',
    user_id: alice.id,
    channel_id: general.id,
    team_id: place.slack.teamId,
    api_app_id: place.slack.appId,
    trigger_id: '1.2.3',
    response_url: `${place.slack.apiUrl}/nowhere`,
  }).toString();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': signAsSlack(place.slack.signingSecret, timestamp, body),
  };
  return ask('/slack/events', { method: 'POST', body, headers });
}

describe.each(proxies)('behind $name', proxy => {
  const absent = lacks(proxy.program) || lacks('openssl');

  test.skipIf(absent)('Slack and everybody inside reach Muster, and its health stays inside', async () => {
    const { place, ask } = await openBehind(proxy, 'inside');
    expect(await sendCommand(ask, place)).toMatchObject({ status: 200 });
    for (const path of ['/incidents', '/reference', '/openapi.json', assetPaths.style, '/incidents/figures']) {
      expect(await ask(path), path).toMatchObject({ status: 200 });
    }
    expect((await ask('/incidents')).text).toContain(`${new URL(proxy.base).pathname.replace(/\/$/, '')}/reference`);
    expect(await ask('/')).toMatchObject({ status: 302 });
    // Muster itself answers these: without a token, without a signature, with an unknown short link.
    expect(await ask('/api/dashboards/uid/unknown')).toMatchObject({ status: 401 });
    expect((await ask('/goto/unknown')).text).toContain('Not found');
    for (const path of ['/healthz', '/readyz', '/metrics', '/slack', '/unknown']) {
      const answer = await ask(path);
      expect(answer, path).toMatchObject({ status: 404 });
      expect(answer.text, path).not.toContain('Not found');
    }
    await place.quiet();
  });

  test.skipIf(absent)('a stranger reaches nothing but what is signed', async () => {
    const { place, ask } = await openBehind(proxy, 'outside');
    expect(await sendCommand(ask, place)).toMatchObject({ status: 200 });
    const unsigned = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } } as const;
    expect(await ask('/slack/events', unsigned)).toMatchObject({ status: 401 });
    for (const path of ['/', '/incidents', '/api/dashboards/tags', '/goto/unknown', '/reference', '/openapi.json']) {
      expect(await ask(path), path).toMatchObject({ status: 403 });
    }
    await place.quiet();
  });

  test.skipIf(absent)('Muster gets the address of the peer, whatever senders say of themselves', async () => {
    await using muster = await openRoughServer(response => response.end());
    const door = await openDoor(proxy, { muster: new URL(muster.baseUrl).host, from: 'outside' });
    for (const claimed of claims) expect(await post(door, '/slack/events', claimed)).toBe(200);
    expect(muster.received.map(each => each.headers['x-forwarded-for'])).toEqual(claims.map(() => '127.0.0.1'));
  });
});
