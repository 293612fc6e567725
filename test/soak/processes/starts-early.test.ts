import { expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { openGate } from '../../support/gate.ts';
import { openSettings, runMuster } from '../../support/run-muster.ts';
import { startMessages, untilListening } from '../../support/waiting.ts';

/*
 * Muster starts before what it needs is there.
 */

/** Settings of a Slack that is not there until its gate opens. */
async function openLateSlack() {
  const { slack, settings } = await openSettings();
  const address = new URL(slack.apiUrl);
  const gate = await openGate({ port: Number(address.port) });
  address.port = String(gate.port);
  return { slack, gate, settings: { ...settings, SLACK_API_URL: address.href } };
}

test('it waits for Slack, says so once, serves what needs no Slack, and is ready when Slack comes', async () => {
  const { slack, gate, settings } = await openLateSlack();
  const { child, printed, ended } = runMuster(['start'], settings);
  const { url, ready, metrics } = await untilListening(child);
  await expect.poll(async () => (await ready()).waitsFor).toHaveLength(1);
  const since = (await ready()).waitsFor[0].since;
  // The third attempt comes after the pauses of two, so that a line for each would show.
  await expect.poll(async () => Date.now() - Date.parse(since)).toBeGreaterThan(1500);
  const waiting = await ready();
  expect(waiting).toMatchObject({
    status: 503,
    ready: false,
    slack: 'not connected',
    database: { state: 'ok' },
    waitsFor: [{ name: 'Slack', since }],
    problems: [expect.stringMatching(/^Slack cannot be reached since .* Check the network, and SLACK_API_URL/)],
  });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
  expect(await metrics()).toMatch(/\nmuster_slack_connected 0\n/);
  for (const path of ['/slack/events', '/hooks/incident']) {
    const early = await fetch(url + path, { method: 'POST', body: 'payload={}' });
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await early.text()).toContain('Send the request again');
  }
  await gate.open();
  await expect.poll(async () => (await ready()).status).toBe(200);
  slack.connectApp(`${url}/slack/events`);
  const alice = slack.addPerson({ name: 'alice' });
  const general = slack.addChannel({ name: 'general', botIsMember: true, members: [alice] });
  await alice.command(general, '/muster help');
  await expect.poll(() => alice.sees(general)).toHaveLength(1);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
  expect(startMessages(printed.stdout)).toEqual([
    'start: Slack cannot be reached, so Muster waits for it',
    'start: Slack answers',
  ]);
  expect(printed.stdout, 'Slack’s client does not log each attempt').not.toContain('slack-sdk');
});

test('in Socket Mode it waits for a connection that Slack does not open, and says so', async () => {
  const { slack, settings } = await openSettings();
  const { SLACK_SIGNING_SECRET: _, ...others } = settings;
  slack.fail('apps.connections.open', { status: 503, body: 'Service Unavailable' }, { times: 1000 });
  const { child, printed, ended } = runMuster(['start'], { ...others, SLACK_APP_TOKEN: slack.appToken });
  const { ready } = await untilListening(child);
  await expect.poll(ready).toMatchObject({ status: 503, waitsFor: [{ name: 'Slack' }], slack: 'not connected' });
  await expect.poll(() => slack.callsOf('apps.connections.open').length).toBeGreaterThan(2);
  slack.heal('apps.connections.open');
  await expect.poll(async () => (await ready()).status).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
  expect(startMessages(printed.stdout)).toEqual([
    'start: Slack cannot be reached, so Muster waits for it',
    'start: Slack answers',
  ]);
  expect(printed.stdout, 'Slack’s client does not log each attempt').not.toContain('slack-sdk');
});

test('in Socket Mode a refused app token ends it with a sentence', async () => {
  const { slack, settings } = await openSettings();
  const { SLACK_SIGNING_SECRET: _, ...others } = settings;
  slack.fail('apps.connections.open', { error: 'invalid_auth' }, { times: 1000 });
  const { code, stderr } = await runMuster(['start'], { ...others, SLACK_APP_TOKEN: slack.appToken }).ended;
  expect(code).toBe(1);
  expect(stderr).toBe('Slack does not let Muster in: it says invalid_auth. Check SLACK_APP_TOKEN.\n');
});

test('it waits for the database, and says of the database alone that it is missing', async () => {
  const { settings } = await openSettings();
  const database = `postgres://muster:SECRET@127.0.0.1:${await freePort()}/muster`;
  const { child, printed, ended } = runMuster(['start'], { ...settings, DATABASE_URL: database });
  const { url, ready, metrics } = await untilListening(child);
  await expect
    .poll(ready)
    .toMatchObject({ status: 503, database: { state: 'does not answer' }, waitsFor: [{ name: 'database' }] });
  expect((await ready()).problems).toEqual([expect.stringContaining('DATABASE_URL')]);
  expect(await metrics()).toContain('\nmuster_database_up 0\n');
  expect((await fetch(`${url}/openapi.json`)).status).toBe(503);
  expect((await fetch(`${url}/slack/events`, { method: 'POST', body: 'x' })).status).toBe(503);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
  expect(startMessages(printed.stdout)).toEqual(['start: the database cannot be reached, so Muster waits for it']);
  expect(printed.stdout).not.toContain('SECRET');
});

test.for(['SIGTERM', 'SIGINT'] as const)('%s ends it while Slack takes a connection and says nothing', async signal => {
  const { gate, settings } = await openLateSlack();
  await gate.stall();
  const { child, ended } = runMuster(['start'], settings);
  await expect.poll(gate.connected).toBeGreaterThan(0);
  child.kill(signal);
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

test('what waiting cannot fix ends it with a sentence, though it has waited before', async () => {
  const { gate, settings } = await openLateSlack();
  const { child, ended } = runMuster(['start'], { ...settings, SLACK_BOT_TOKEN: 'xoxb-of-somebody-else' });
  const { ready } = await untilListening(child);
  await expect.poll(async () => (await ready()).waitsFor).toHaveLength(1);
  await gate.open();
  const { code, stderr } = await ended;
  expect(code).toBe(1);
  expect(stderr).toBe('Slack does not let Muster in: it says invalid_auth. Check SLACK_BOT_TOKEN.\n');
});
