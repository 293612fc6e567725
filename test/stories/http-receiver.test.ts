import { expect, onTestFinished, test, vi } from 'vitest';
import { patient } from '../support/deadlines.ts';
import { openGeneral } from '../support/general.ts';
import { strangePayloads } from '../support/strange-payloads.ts';
import { openWire } from '../support/wire.ts';
import type { Workplace, WorkplaceOptions } from '../support/workplace.ts';

/** A workplace in which alice has typed a command, so that there is a real delivery to bend. */
async function withCommand(options: WorkplaceOptions = {}) {
  const { place, alice, general } = await openGeneral(options);
  const answer = await alice.command(general, '/incident declare help');
  const delivery = place.slack.deliveries.at(-1);
  if (!delivery) throw new Error('The command was not delivered');
  return { place, alice, general, answer, delivery, body: delivery.body };
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

function refusals(place: Workplace): string[] {
  return place.troubles.filter(each => each.msg.includes('refused')).map(each => String(each.why));
}

test('a request signed with another secret is turned away, and the log says where to look', async () => {
  const { place, body } = await withCommand();
  const reply = await place.slack.deliver({ body, signature: `v0=${'0'.repeat(64)}` });
  expect(reply.status).toBe(401);
  expect(refusals(place)).toEqual(['The signature does not fit. Is SLACK_SIGNING_SECRET the app’s own?']);
});

test.each([
  ['no signature', { 'x-slack-signature': '' }],
  ['a timestamp that is none', { 'x-slack-request-timestamp': 'soon' }],
  ['a signature of another length', { 'x-slack-signature': 'v0=1' }],
  ['a signature that is no ASCII', { 'x-slack-signature': `v0=${'é'.repeat(32)}` }],
])('a request with %s is turned away', async (_what, headers) => {
  const { place, body } = await withCommand();
  expect((await place.slack.deliver({ body, headers })).status).toBe(401);
});

test.each([
  ['five minutes and a bit old', -310, 'too old'],
  ['five minutes and a bit early', 310, 'from the future'],
  ['an hour early', 3600, 'from the future'],
])('a request %s is turned away, rightly signed as it is', async (_what, offset, why) => {
  const { place, body } = await withCommand();
  expect((await place.slack.deliver({ body, timestamp: nowSeconds() + offset })).status).toBe(401);
  expect(refusals(place).join()).toContain(why);
});

test.each([-290, 290])('a request %i s off is taken', async offset => {
  const { place, body } = await withCommand();
  expect((await place.slack.deliver({ body, timestamp: nowSeconds() + offset })).status).toBe(200);
});

test('identical bytes sent again are turned away', async () => {
  const { place, answer, delivery } = await withCommand();
  expect(answer.text).toContain('/incident declare');
  const replayed = await place.slack.replay(delivery);
  expect(replayed.status).toBe(401);
  expect(replayed.body).toEqual({ error: 'The request has been seen before.' });
});

test('two megabytes are refused before they are all read, and the next request is answered', async () => {
  const { place, alice, general } = await withCommand();
  const reply = await place.slack.deliver({ body: `text=${'x'.repeat(2_000_000)}` });
  expect([413, 0]).toContain(reply.status);
  expect(refusals(place)).toEqual(['The body has more than 1000000 bytes.']);
  expect((await alice.command(general, '/incident declare help')).status).toBe(200);
});

test.each([
  ['neither a form nor JSON', 'hello', 'text/plain'],
  ['JSON that breaks off', '{"type":"event_cal', 'application/json'],
  ['a list', '[1]', 'application/json'],
  ['a form whose payload is not JSON', 'payload=%7B', 'application/x-www-form-urlencoded'],
  ['a form of too many members', `${'a&'.repeat(300)}command=/incident`, 'application/x-www-form-urlencoded'],
])('a signed body that is %s is acknowledged at once, with a warning', async (_what, body, contentType) => {
  const { place } = await withCommand();
  const reply = await place.slack.deliver({ body, contentType });
  expect([reply.status, reply.body]).toEqual([200, undefined]);
  expect(place.troubles.map(each => each.msg)).toEqual([
    'receiver: passed over a body that is neither a form nor JSON',
  ]);
});

test('a gateway that adds a charset to the content type changes nothing', async () => {
  const { place, body } = await withCommand();
  const fresh = body.replace(/trigger_id=[^&]+/, 'trigger_id=another');
  const reply = await place.slack.deliver({
    body: fresh,
    contentType: 'application/x-www-form-urlencoded; charset=utf-8',
  });
  expect(reply.status).toBe(200);
  expect(JSON.stringify(reply.body)).toContain('/incident declare');
});

test('an unsigned request is refused before its body has come', async () => {
  const { place } = await withCommand();
  const head = ['POST /slack/events HTTP/1.1', 'Host: x', 'Content-Type: application/x-www-form-urlencoded'];
  const wire = await openWire(place.muster.port);
  wire.write(`${[...head, 'Content-Length: 998000'].join('\r\n')}\r\n\r\n`);
  expect(await wire.closed).toMatch(/^HTTP\/1.1 401 /);
  expect(refusals(place)).toEqual(['The request is not signed.']);
});

test('a megabyte that is not rightly signed is not parsed, not even for a look at the certificate', async () => {
  const { place } = await withCommand();
  const body = `ssl_check=1&${'a&'.repeat(499_000)}`;
  expect((await place.slack.deliver({ body, signature: `v0=${'0'.repeat(64)}` })).status).toBe(401);
});

test('a body that does not arrive is given up, and the connection with it', async () => {
  const { place } = await openGeneral({ deadlines: patient({ requestBody: 50 }) });
  const head = ['POST /slack/events HTTP/1.1', 'Host: x', `X-Slack-Request-Timestamp: ${nowSeconds()}`];
  const wire = await openWire(place.muster.port);
  wire.write([...head, `X-Slack-Signature: v0=${'0'.repeat(64)}`, 'Content-Length: 9000', '', 'text='].join('\r\n'));
  const answer = await wire.closed;
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
  expect(answer).toContain('The body did not arrive within 0.05 s.');
});

test('Slack’s look at the certificate is answered, signed or not, and does nothing else', async () => {
  const { place } = await withCommand();
  expect((await place.slack.deliver({ body: 'ssl_check=1&token=x' })).status).toBe(200);
  const unsigned = { 'x-slack-signature': 'v0=0' };
  expect((await place.slack.deliver({ body: 'ssl_check=1&token=x', headers: unsigned })).status).toBe(200);
  const smuggled = 'ssl_check=1&command=/incident&text=declare+x+--now&trigger_id=1';
  expect((await place.slack.deliver({ body: smuggled, headers: unsigned })).status).toBe(401);
});

test('the address is verified with the challenge that was sent', async () => {
  const { place } = await withCommand();
  const body = JSON.stringify({ type: 'url_verification', challenge: 'c0ffee' });
  const reply = await place.slack.deliver({ body, contentType: 'application/json' });
  expect(reply.body).toEqual({ challenge: 'c0ffee' });
});

test('an event without a listener is acknowledged', async () => {
  const { place } = await withCommand();
  const body = JSON.stringify({
    type: 'event_callback',
    event_id: 'Ev1',
    team_id: place.slack.teamId,
    event: { type: 'emoji_changed' },
  });
  expect((await place.slack.deliver({ body, contentType: 'application/json' })).status).toBe(200);
});

test.each(strangePayloads)('a signed payload is acknowledged at once, with one warning: %s', async (_what, payload) => {
  const { place } = await withCommand();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  expect(await place.slack.deliver({ body })).toMatchObject({ status: 200, body: undefined });
  expect(place.troubles.map(each => each.msg)).toEqual(['delivery: passed over a payload that Muster does not know']);
});

test('Slack’s word that it holds back events is acknowledged at once', async () => {
  const { place } = await withCommand();
  const body = JSON.stringify({ type: 'app_rate_limited', team_id: place.slack.teamId, minute_rate_limited: 1 });
  const calls = place.slack.calls.length;
  expect((await place.slack.deliver({ body, contentType: 'application/json' })).status).toBe(200);
  expect(place.slack.calls).toHaveLength(calls);
  expect(place.troubles.map(each => each.msg)).toContain('receiver: Slack is holding back events, there are too many');
});

test('a form of another version is answered in words', async () => {
  const { place, alice } = await withCommand();
  const payload = {
    type: 'view_submission',
    team: { id: place.slack.teamId },
    user: { id: alice.id, team_id: place.slack.teamId },
    view: { id: 'V1', type: 'modal', callback_id: 'gone', private_metadata: 'not JSON', state: { values: {} } },
  };
  const reply = await place.slack.deliver({
    body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString(),
  });
  expect(reply.status).toBe(200);
  await place.quiet();
  expect(place.lastRead(alice, place.slack.openDm(alice).id)).toContain('from another version of Muster');
});

test('nothing secret and nothing that people wrote is in the log of a whole story', async () => {
  const { place, alice, general, body } = await withCommand({ logLevel: 'debug' });
  const { slack } = place;
  await slack.deliver({ body, signature: 'v0=0' });
  await alice.command(
    general,
    '/incident declare Zebra escaped --severity major --link https://graphs.example.com/okapi',
  );
  await place.quiet();
  await alice.submit({});
  await place.quiet();
  slack.fail('chat.postMessage', { error: 'restricted_action' });
  await alice.command(general, '/incident declare Zebra returned --now');
  await place.quiet();
  alice.mention(general, 'frobnicate the zebra');
  await place.quiet();

  const log = place.logged.join('\n');
  expect(log).toContain('intent done');
  const secrets = [slack.botToken, slack.appToken, slack.signingSecret, 'response_url', '/respond/', 'trigger_id'];
  const triggers = slack.deliveries.flatMap(each =>
    typeof each.payload.trigger_id === 'string' ? [each.payload.trigger_id] : [],
  );
  expect(triggers.length).toBeGreaterThan(2);
  for (const secret of [...secrets, ...triggers]) expect(log).not.toContain(secret);
  for (const words of [/zebra/i, /okapi/i, /frobnicate/i]) expect(log).not.toMatch(words);
});

test('a hundred unsigned requests are five lines, each with the address they came from, and are counted', async () => {
  const { place, body } = await withCommand();
  const headers = { 'x-slack-signature': '', 'x-forwarded-for': '203.0.113.7, 198.51.100.2' };
  for (let sent = 0; sent < 100; sent += 1) await place.slack.deliver({ body, headers });
  const lines = place.troubles.filter(each => each.msg === 'receiver: a request was refused');
  expect(lines).toHaveLength(5);
  for (const line of lines) {
    expect(line).toMatchObject({
      status: 401,
      why: 'The signature does not fit. Is SLACK_SIGNING_SECRET the app’s own?',
      forwardedFor: '203.0.113.7, 198.51.100.2',
    });
    expect(line.from).toMatch(/127\.0\.0\.1$/);
  }
  const page = await (await fetch(`${place.muster.url}/metrics`)).text();
  expect(page).toMatch(/^muster_slack_delivery_ack_seconds_count\{kind="refused",status="401"\} 100$/m);
});
