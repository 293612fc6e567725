import { expect, test } from 'vitest';
import { openGeneral } from '../support/general.ts';
import { holdNext } from '../support/held-call.ts';
import { strangePayloads } from '../support/strange-payloads.ts';

async function openAcme() {
  const team = await openGeneral({ socketMode: true });
  const ask = () => fetch(`${team.place.muster.url}/readyz`);
  const readiness = async () => (await ask()).status;
  const status = async () => (await ask()).json();
  return { ...team, readiness, status };
}

test('over a socket the same story is told: help, form, problems, incident, mention', async () => {
  const { place, slack, alice, general, readiness, act } = await openAcme();
  expect(await readiness()).toBe(200);
  expect((await alice.command(general, '/muster help')).text).toContain('/incident declare');
  await act(() => alice.command(general, '/incident help'));
  expect(place.lastRead(alice, 'general')).toContain('/incident declare');
  await act(() => alice.command(general, '/incident declare Disk is full --severity major'));
  await alice.submit({ title: ' ' });
  expect(alice.view?.errors).toEqual({ title: 'Say in a few words what is happening.' });
  await act(() => alice.submit({ title: 'Disk is full' }));
  expect(place.lastRead(alice, 'general')).toContain('You declared incident 1: ');
  expect(slack.channel('inc-1-disk-is-full').members.has(alice.id)).toBe(true);
  await act(() => alice.mention(general, 'declare Disk is fuller --now'));
  expect(place.lastRead(alice, 'general')).toContain('You declared incident 2');
});

test('a delivery that comes again over the socket has one effect', async () => {
  const { place, slack, alice, general, act } = await openAcme();
  await act(() => alice.mention(general, 'declare Disk is full --now'));
  const event = slack.deliveries.findLast(each => each.kind === 'event' && each.body.includes('app_mention'));
  if (!event) throw new Error('There was no mention');
  await slack.redeliver(event, 'timeout');
  await place.quiet();
  const { incidentPreviews } = await place.api.IncidentsService.QueryIncidentPreviews({ query: {} });
  expect(incidentPreviews).toHaveLength(1);
});

test('when Slack renews the connection, the bot comes back at once, and goes on', async () => {
  const { place, slack, alice, general, readiness, act } = await openAcme();
  slack.disconnectSockets('refresh_requested');
  await expect.poll(() => slack.callsOf('apps.connections.open').length).toBe(2);
  await expect.poll(() => slack.socketCount).toBe(1);
  await expect.poll(readiness).toBe(200);
  await act(() => alice.command(general, '/incident declare Disk is full --now'));
  expect(place.lastRead(alice, 'general')).toContain('You declared incident 1');
});

test('a connection that breaks off comes back, also when Slack does not answer at first', async () => {
  const { slack, alice, general, readiness, status } = await openAcme();
  slack.fail('apps.connections.open', { dropBefore: true }, { times: 2 });
  const third = holdNext(slack, 'apps.connections.open');
  slack.disconnectSockets('terminate');
  await third.begun;
  expect([slack.socketCount, await readiness()]).toEqual([0, 503]);
  const standing = await status();
  expect(standing).toMatchObject({ slack: 'not connected', slackSince: expect.stringMatching(/^\d{4}-/) });
  // Nobody is to install the app again because Slack is away.
  expect(standing).not.toHaveProperty('slackRefusal');
  third.go();
  await expect.poll(() => slack.socketCount).toBe(1);
  await expect.poll(readiness).toBe(200);
  expect((await alice.command(general, '/muster help')).text).toContain('/incident declare');
});

test('a token that is revoked between two connections stops nothing: the bot says why it is not ready, and comes back', async () => {
  const { place, slack, alice, general, readiness, status } = await openAcme();
  slack.fail('apps.connections.open', { error: 'invalid_auth' }, { times: 2 });
  const third = holdNext(slack, 'apps.connections.open');
  slack.disconnectSockets('terminate');
  await third.begun;
  expect(await status()).toMatchObject({ ready: false, slackRefusal: 'invalid_auth' });
  third.go();
  await expect.poll(readiness).toBe(200);
  expect(slack.callsOf('apps.connections.open')).toHaveLength(4);
  expect(place.troubles.filter(each => each.msg.includes('could not connect'))).toHaveLength(1);
  expect((await alice.command(general, '/muster help')).text).toContain('/incident declare');
});

test('that Slack holds back events is acknowledged, said in the log, and ends nothing', async () => {
  const { place, slack, alice, general } = await openAcme();
  expect(await slack.limitEvents()).toMatchObject({ status: 200, failed: undefined });
  expect(place.troubles).toEqual([expect.objectContaining({ level: 'warn', kind: 'app_rate_limited' })]);
  expect((await alice.command(general, '/muster help')).text).toContain('/incident declare');
  expect(slack.socketCount).toBe(1);
});

test('in Socket Mode nobody is served at the HTTP endpoint', async () => {
  const { place } = await openAcme();
  const response = await fetch(`${place.muster.url}/slack/events`, { method: 'POST', body: 'x' });
  expect(response.status).toBe(404);
});

test('payloads that Muster does not know are acknowledged over the socket, each with one warning', async () => {
  const { place, slack, alice, general } = await openAcme();
  await alice.command(general, '/incident help');
  const delivery = slack.deliveries.at(-1);
  if (!delivery) throw new Error('The command was not delivered');
  for (const [what, payload] of strangePayloads) {
    const reply = await slack.redeliver({ ...delivery, kind: 'interaction', payload, body: '' });
    expect([what, reply.status, reply.failed]).toEqual([what, 200, undefined]);
  }
  expect(place.troubles.map(each => each.msg)).toEqual(
    strangePayloads.map(() => 'delivery: passed over a payload that Muster does not know'),
  );
  expect((await alice.command(general, '/muster help')).text).toContain('/incident declare');
});
