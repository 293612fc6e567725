import { request } from 'node:http';
import { expect, test } from 'vitest';
import { signWebhook } from '../../src/contract/webhook-signature.ts';
import { patient } from '../support/deadlines.ts';
import { openElsewhere, secret, sendWebhook } from '../support/elsewhere.ts';
import { openGeneral } from '../support/general.ts';

/** Muster with a hook, and an incident that was changed in the Grafana; no genuine webhook tells of the change. */
async function openHook(deadlines = patient()) {
  const opened = await openElsewhere({ hears: true, deadlines });
  const { grafana, elsewhere, place, slack, room } = opened;
  await place.quiet();
  await grafana.webhooks.remove(1);
  const { incident } = await elsewhere.IncidentsService.UpdateStatus({ incidentID: '1', status: 'resolved' });
  const payload = { event: 'grafana.incident.closed', id: 'webhook-out-1', incident };
  const calls = slack.calls.length;
  const asked = grafana.requests.length;
  return {
    ...{ ...opened, payload, body: JSON.stringify(payload) },
    /** Nothing came of it: the room is as before, Slack and the Grafana were asked nothing. */
    expectNoEffect: async () => {
      await place.quiet();
      expect(room.topic).toContain('Active');
      expect(slack.calls).toHaveLength(calls);
      expect(grafana.requests).toHaveLength(asked);
    },
  };
}

test('a genuine webhook is answered with 200 and brings its incident up to date', async () => {
  const { hook, payload, place, room, lines } = await openHook();
  expect(await sendWebhook(hook, payload)).toEqual({ status: 200, said: '' });
  await place.quiet();
  expect(room.topic).toContain('Resolved');
  expect(lines()).toHaveLength(1);
});

const minutes = (count: number) => new Date(Date.now() + count * 60_000);

test.each([
  ['is not signed', { signature: '' }, 401],
  ['is signed with another secret', { signature: signWebhook('{}', 'another', new Date()) }, 401],
  ['has half a signature', { signature: 't=1' }, 401],
  ['is six minutes old', { at: minutes(-6) }, 401],
  ['is from the future', { at: minutes(6) }, 401],
  ['is no JSON', { body: '{"incident":' }, 400],
  ['names no incident', { body: '{"incident":{"incidentID":""}}' }, 400],
  ['names a list of incidents', { body: '{"incident":{"incidentID":["1"]}}' }, 400],
  ['is too large', { body: 'x'.repeat(1024 * 1024 + 1) }, 413],
])('a webhook that %s is refused, and nothing comes of it', async (_what, how, status) => {
  const { hook, payload, expectNoEffect } = await openHook();
  expect((await sendWebhook(hook, payload, how)).status).toBe(status);
  await expectNoEffect();
});

test('a body that was changed on its way is refused', async () => {
  const { hook, payload, body, expectNoEffect } = await openHook();
  const signature = signWebhook(body, secret, new Date());
  expect((await sendWebhook(hook, payload, { signature, body: `${body} ` })).status).toBe(401);
  await expectNoEffect();
});

test('the same request again is refused; the sender’s own second try, which is signed anew, changes nothing', async () => {
  const { hook, payload, body, place, slack, lines } = await openHook();
  const signature = signWebhook(body, secret, new Date());
  expect((await sendWebhook(hook, payload, { signature })).status).toBe(200);
  await place.quiet();
  const calls = slack.calls.length;
  expect((await sendWebhook(hook, payload, { signature })).status).toBe(401);
  expect((await sendWebhook(hook, payload, { at: minutes(1) })).status).toBe(200);
  await place.quiet();
  expect(slack.calls).toHaveLength(calls);
  expect(lines()).toHaveLength(1);
});

test('a body that does not end is given up', async () => {
  const { hook, body, expectNoEffect } = await openHook(patient({ requestBody: 50 }));
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const headers = { 'gi-signature': signWebhook(body, secret, new Date()), 'content-length': body.length };
  const sending = request(hook, { method: 'POST', headers }, answer => resolve(answer.statusCode));
  sending.on('error', () => {});
  sending.write(body.slice(0, 10));
  expect(await promise).toBe(408);
  sending.destroy();
  await expectNoEffect();
});

test('a webhook about an incident that is not there has no effect', async () => {
  const { hook, place, room } = await openHook();
  expect((await sendWebhook(hook, { incident: { incidentID: '99' } })).status).toBe(200);
  await place.quiet();
  expect(room.topic).toContain('Active');
});

test('without a secret there is no such address', async () => {
  const { place } = await openGeneral();
  expect((await sendWebhook(`${place.muster.url}/hooks/incident`, {})).status).toBe(404);
});
