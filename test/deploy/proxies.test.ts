import { readFile } from 'node:fs/promises';
import { Agent, fetch } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { assetPaths } from '../../src/service/pages/style.ts';
import { openCaddy, openNginx } from '../support/deploy/proxies.ts';
import { lacks } from '../support/deploy/tool.ts';
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

/** Muster behind a proxy, and how somebody asks it through the proxy. */
async function openBehind({ program, file, base }: (typeof proxies)[number], from: 'inside' | 'outside') {
  const place = await openWorkplace({ settings: { PAGES: 'open', PUBLIC_URL: base } });
  const muster = `127.0.0.1:${place.muster.port}`;
  const { pathname, protocol, hostname } = new URL(base);
  const prefix = pathname === '/' ? '' : pathname;
  let dispatcher = new Agent();
  let host = '';
  if (program === 'nginx') {
    const { port, certificate } = await openNginx({ file, muster, from });
    const ca = await readFile(certificate, 'utf8');
    dispatcher = new Agent({ connect: { ca, servername: hostname } });
    host = `127.0.0.1:${port}`;
  } else {
    host = `127.0.0.1:${(await openCaddy({ file, muster, from })).port}`;
  }
  onTestFinished(() => dispatcher.destroy());
  const ask: Ask = async (path, init) => {
    const response = await fetch(`${protocol}//${host}${prefix}${path}`, { ...init, dispatcher, redirect: 'manual' });
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
});
