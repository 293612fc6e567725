import { Agent, get } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startMuster } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { openLog } from '../../src/operations/log.ts';
import { patient } from '../support/deadlines.ts';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { openGeneral } from '../support/general.ts';
import { holdNext } from '../support/held-call.ts';
import { openReceiver } from '../support/webhook-receiver.ts';
import { openInstalledSlack, openWorkplace, type WorkplaceOptions } from '../support/workplace.ts';

async function openAcme(options: WorkplaceOptions = {}) {
  const team = await openGeneral(options);
  const read = async (path: string) => {
    const response = await fetch(team.place.muster.url + path);
    const text = await response.text();
    return { status: response.status, text, json: () => JSON.parse(text) };
  };
  return { ...team, read };
}

test('health, readiness and what is not there', async () => {
  const { read } = await openAcme();
  expect(await read('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  const ready = await read('/readyz');
  expect(ready.status).toBe(200);
  expect(ready.json()).toMatchObject({
    ready: true,
    slack: 'connected',
    api: { state: 'ok' },
    database: { state: 'ok' },
    journal: [],
  });
  expect((await read('/nowhere')).status).toBe(404);
  expect((await read('/slack/events')).status).toBe(404);
});

test('with METRICS_PORT, health and metrics are there and nowhere else', async () => {
  const { place, read } = await openAcme({ settings: { METRICS_PORT: '0' } });
  const { port, metricsPort } = place.muster;
  expect(metricsPort).not.toBe(port);
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    expect((await read(path)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${metricsPort}${path}`)).status).toBe(200);
  }
  expect((await fetch(`http://127.0.0.1:${metricsPort}/openapi.json`)).status).toBe(404);
  expect((await read('/openapi.json')).status).toBe(200);
});

test('metrics after a story tell of deliveries, Slack’s API, ours, and intents', async () => {
  const { slack, alice, general, read, act } = await openAcme();
  await act(() => alice.command(general, '/incident declare Disk is full --now'));
  slack.fail('views.open', { error: 'expired_trigger_id' });
  await act(() => alice.command(general, '/incident declare Disk is fuller'));
  await slack.deliver({ body: 'x', signature: 'v0=1' });
  const { status, text } = await read('/metrics');
  expect(status).toBe(200);
  const has = (line: RegExp) => expect(text).toMatch(line);
  has(/muster_slack_delivery_ack_seconds_count\{kind="command",status="200"\} 2/);
  has(/muster_slack_delivery_ack_seconds_count\{kind="refused",status="401"\} 1/);
  has(/muster_slack_api_seconds_count\{method="chat.postMessage",outcome="ok"\} 2/);
  has(/muster_slack_api_seconds_count\{method="views.open",outcome="expired_trigger_id"\} 1/);
  has(/muster_slack_api_seconds_count\{method="response_url",outcome="ok"\} 2/);
  has(/muster_api_seconds_count\{method="IncidentsService.CreateIncident",outcome="ok"\} 1/);
  has(/muster_intents\{state="done"\} 3/);
  has(/muster_intents_oldest_seconds\{state="done"\} \d/);
  expect(text).not.toContain('Disk');
});

test('metrics tell what webhooks were delivered, given up, and wait, by the number of the endpoint', async () => {
  await using taking = await openReceiver(200);
  await using refusing = await openReceiver(404);
  await using silent = await openReceiver('hang');
  const urls = [taking.url, refusing.url, silent.url];
  const place = await openWorkplace({ settings: { WEBHOOK_URLS: urls.join(','), WEBHOOK_SECRET: 'secret' } });
  const read = async () => (await fetch(`${place.muster.url}/metrics`)).text();
  const before = await read();
  for (const endpoint of [1, 2, 3]) expect(before).toContain(`muster_webhooks_waiting{endpoint="${endpoint}"} 0`);
  await place.api.IncidentsService.CreateIncident({ title: 'Disk is full' });
  await place.api.IncidentsService.CreateIncident({ title: 'Disk is fuller' });
  await silent.first(1);
  await expect.poll(read).toMatch(/muster_webhook_seconds_count\{endpoint="1",outcome="success"\} 2/);
  await expect.poll(read).toMatch(/muster_webhook_seconds_count\{endpoint="2",outcome="failed"\} 2/);
  // An attempt is counted before its outcome is stored.
  await expect.poll(read).toContain('muster_webhooks_waiting{endpoint="1"} 0');
  const text = await read();
  expect(text).toContain('muster_webhooks_oldest_seconds{endpoint="1"} 0');
  expect(text).toContain('muster_webhooks_waiting{endpoint="3"} 2');
  expect(text).toMatch(/muster_webhooks_oldest_seconds\{endpoint="3"\} 0\.?\d*/);
  expect(text).not.toContain('http://');
});

test('stopping finishes what was begun, answers it, and ends connections at once', async () => {
  const { place, slack, alice, general } = await openAcme();
  const agent = new Agent({ keepAlive: true });
  const kept = await new Promise<Socket>(resolve => {
    get(`${place.muster.url}/healthz`, { agent }, response => {
      const { socket } = response;
      response.resume().on('end', () => resolve(socket));
    });
  });
  const closed = new Promise(resolve => kept.once('close', resolve));
  const creation = holdNext(slack, 'conversations.create');
  await alice.command(general, '/incident declare Disk is full --now');
  const stopping = place.muster[Symbol.asyncDispose]();
  await closed;
  expect(place.reads(alice, 'general').join('\n'), 'what was begun goes on').not.toContain('is its channel');
  creation.go();
  await stopping;
  agent.destroy();
  expect(place.lastRead(alice, 'general')).toContain('You declared incident 1');
  expect(place.lastRead(alice, 'general')).toContain('Head to');
  await expect(fetch(`${place.muster.url}/healthz`)).rejects.toThrow();
});

test('a start with a token that Slack does not know ends with one sentence, and leaves nothing open', async () => {
  const slack = await openInstalledSlack();
  const base = { SLACK_API_URL: slack.apiUrl, DATABASE_URL: 'sqlite::memory:', PORT: '0' };
  const start = (settings: Record<string, string>) =>
    startMuster(readConfig({ ...base, ...settings }), openLog('silent'), { deadlines: patient() });
  await expect(start({ SLACK_BOT_TOKEN: 'xoxb-wrong', SLACK_SIGNING_SECRET: 's' })).rejects.toThrow(
    /^Slack does not let Muster in: it says invalid_auth\. Check SLACK_BOT_TOKEN\.$/,
  );
  await expect(start({ SLACK_BOT_TOKEN: slack.botToken, SLACK_APP_TOKEN: 'xapp-wrong' })).rejects.toThrow(
    /^Slack does not let Muster in: it says invalid_auth\. Check SLACK_APP_TOKEN\.$/,
  );
});

test('the page of a proxy is no answer of Slack: the start waits', async () => {
  const slack = await openInstalledSlack();
  slack.fail('auth.test', { status: 200, body: '<html>a proxy</html>' }, { times: 2 });
  const place = await openWorkplace({ slack });
  expect(place.troubles.map(each => each.msg)).toEqual(['start: Slack cannot be reached, so Muster waits for it']);
  expect(slack.callsOf('auth.test')).toHaveLength(3);
});

test('a token that Grafana refuses and a channel that is not there are told at the start, with what to do', async () => {
  const { url } = await openFakeGrafana();
  const settings = { GRAFANA_URL: url, GRAFANA_TOKEN: 'glsa_of_somebody_else', ANNOUNCE_CHANNEL: 'C0NOWHERE' };
  const { place, read } = await openAcme({ settings });
  expect(place.troubles.map(each => each.msg)).toEqual([
    expect.stringContaining('start: API token: The API refuses it'),
    expect.stringContaining('start: announcement channel: Slack does not show C0NOWHERE'),
  ]);
  const { status, text, json } = await read('/readyz');
  expect(status, 'people are answered').toBe(200);
  expect(json()).toMatchObject({
    api: { state: 'failing', since: expect.any(String), lastFailure: expect.stringContaining('refuses it') },
    problems: [expect.stringContaining('GRAFANA_TOKEN'), expect.stringContaining('ANNOUNCE_CHANNEL')],
  });
  expect(text).not.toContain('somebody_else');
});

test('a signal takes traffic away at once, while what has begun is finished', async () => {
  const { place } = await openAcme();
  const settings = {
    SLACK_BOT_TOKEN: place.slack.botToken,
    SLACK_SIGNING_SECRET: 'x',
    SLACK_API_URL: place.slack.apiUrl,
  };
  const config = readConfig({ ...settings, DATABASE_URL: 'sqlite::memory:', PORT: '0', METRICS_PORT: '0' });
  const stopping = new AbortController();
  await using muster = await startMuster(config, openLog('silent'), { deadlines: patient() }, stopping.signal);
  const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${muster.metricsPort}${path}`)).status;
  expect(await statusOf('/readyz?for=traffic')).toBe(200);
  stopping.abort(new Error('SIGTERM'));
  expect(await statusOf('/readyz?for=traffic')).toBe(503);
  expect(await statusOf('/readyz')).toBe(503);
  expect(await statusOf('/healthz'), 'what stops is not killed').toBe(200);
});

test('a port that is taken ends the start', async () => {
  const { place } = await openAcme();
  const { slack } = place;
  const settings = {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: 's',
    SLACK_API_URL: slack.apiUrl,
    DATABASE_URL: 'sqlite::memory:',
    PORT: String(place.muster.port),
  };
  await expect(startMuster(readConfig(settings), openLog('silent'), { deadlines: patient() })).rejects.toThrow(
    /^Muster cannot listen at port \d+ \(PORT\): another program/,
  );
});
