import { expect, onTestFinished, test } from 'vitest';
import { openPagerDuty, openWebhookPager } from '../../../../src/bot/pager/pager.ts';
import { openPoster } from '../../../../src/client/post.ts';
import { isTransient, RpcError } from '../../../../src/contract/errors.ts';
import type { Deadlines } from '../../../../src/deadlines.ts';
import { patient } from '../../../support/deadlines.ts';
import {
  type FakePagerDuty,
  type Fault,
  openFakePagerDuty,
  routingKey,
  sign,
  signingSecret,
} from '../../../support/pagers/pagerduty.ts';

const { signal } = new AbortController();
const usual = {
  ...{ key: '0198c2f1-0000-7000-8000-000000000001', title: 'Checkout answers 500', why: 'pool is full', by: 'alice' },
  ...{ incidentID: '7', links: [], askedAt: new Date('2026-11-26T10:00:00Z') },
};

async function open(options: { readonly key?: string; readonly now?: () => number } = {}) {
  const fake = await openFakePagerDuty(options.now);
  const post = openPoster();
  onTestFinished(async () => {
    await post[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });
  const setting = {
    name: 'sre',
    kind: 'pagerduty',
    url: fake.url,
    routingKey: options.key ?? routingKey,
    secret: signingSecret,
  } as const;
  const pagerOf = (deadlines: Deadlines) => openPagerDuty(setting, { post, deadlines });
  const trySend = async (call: Partial<typeof usual> = {}, deadlines = patient()) => {
    try {
      await pagerOf(deadlines).send({ ...usual, ...call }, signal);
      return undefined;
    } catch (error) {
      if (error instanceof RpcError) return error;
      throw error;
    }
  };
  return { fake, pager: pagerOf(patient()), trySend };
}

test.each<readonly [fault: Fault, code: string, isRetried: boolean, wakes: number]>([
  ['ok', '', false, 1],
  ['error', 'unavailable', true, 0],
  ['throttle', 'resource_exhausted', true, 0],
  ['cut', 'unavailable', true, 1],
  ['swallow', 'deadline_exceeded', true, 1],
  ['hang', 'deadline_exceeded', true, 0],
  ['not found', 'failed_precondition', false, 0],
])('a service that answers with “%s” gives %s', async (fault, code, isRetried, wakes) => {
  const { fake, trySend } = await open();
  fake.fail(fault);
  const error = await trySend({}, code === 'deadline_exceeded' ? patient({ pager: 100 }) : patient());
  expect(error?.code ?? '').toBe(code);
  expect(isTransient(error)).toBe(isRetried);
  expect(fake.woken).toHaveLength(wakes);
  fake.fail('ok');
  if (isRetried) expect(await trySend()).toBeUndefined();
  expect(fake.woken, 'the same key wakes once').toHaveLength(fault === 'not found' ? 0 : 1);
});

test('a 429 asks to wait as PagerDuty recommends, and 120 calls a minute are all it takes', async () => {
  let now = 0;
  const { fake, trySend } = await open({ now: () => now });
  for (let count = 0; count < 120; count += 1) expect(await trySend()).toBeUndefined();
  expect(await trySend()).toMatchObject({ code: 'resource_exhausted', retryAfter: 30 });
  now += 61_000;
  expect(await trySend()).toBeUndefined();
  expect(fake.events).toHaveLength(121);
});

test('what is refused says why in the tool’s words, and never the key', async () => {
  const { trySend } = await open({ key: '00000000000000000000000000000000' });
  const error = await trySend();
  expect(error?.code).toBe('failed_precondition');
  expect(error?.message).toContain('Event object is invalid; Invalid routing key');
  expect(error?.message).not.toContain('0000');
});

test.each([
  ['words of 1,000 characters', { title: 'x'.repeat(900), why: 'y'.repeat(900) }],
  ['signs that format', { title: '*bold* _it_ `code` <!channel>', why: '"quoted" \\ back' }],
  ['no reason', { why: '' }],
  ['nobody', { by: '' }],
  ['no number', { incidentID: '' }],
  ['emoji', { title: '🔥'.repeat(600), why: '👩‍👩‍👧‍👧'.repeat(200) }],
  ['half a pair', { title: 'a\ud83d', why: '\udd25b' }],
  ['lines', { why: 'one\ntwo\tthree' }],
  ['links', { links: [{ what: 'Its channel in Slack', url: 'https://slack.com/app_redirect?channel=C1&team=T1' }] }],
  ['right to left', { title: 'الدفع معطل', why: 'תשלום נכשל' }],
] as const)('an event with %s is one that the schema takes', async (_what, call) => {
  const { fake, trySend } = await open();
  expect(await trySend(call as Partial<typeof usual>)).toBeUndefined();
  expect(fake.woken).toEqual([usual.key]);
});

test('a page that is over is resolved there under the same key', async () => {
  const { fake, pager, trySend } = await open();
  await trySend();
  await pager.close(usual.key, signal);
  expect(fake.stateOf(usual.key)).toBe('resolved');
});

test('a webhook is genuine by any of its signatures, and by no other', async () => {
  const { fake, pager } = await open();
  const { body, headers } = fake.act('k', 'acknowledged');
  const is = (given: string | undefined, bytes = body) =>
    pager.isGenuine(given === undefined ? {} : { 'x-pagerduty-signature': given }, Buffer.from(bytes));
  const signature = headers['x-pagerduty-signature'] ?? '';
  expect(is(signature)).toBe(true);
  for (const wrong of [
    undefined,
    '',
    'v1=',
    'v1=00',
    sign(body, 'x'),
    signature.replaceAll('v1=', 'v2='),
    `${signature}0`,
  ])
    expect(is(wrong), String(wrong)).toBe(false);
  expect(is(signature, `${body} `)).toBe(false);
});

test('a webhook tells of a page, or of nothing that Muster uses', async () => {
  const { fake, pager } = await open({ now: () => 1000 });
  const heard = (...[type, who]: Parameters<FakePagerDuty['act']> extends [string, ...infer Rest] ? Rest : never) =>
    pager.hear(JSON.parse(fake.act('k', type, who).body));
  const ann = { key: 'k', who: 'Ann Engineer' };
  expect(heard('acknowledged')).toEqual({ ...ann, state: 'acknowledged', isPerson: true, at: 1001 });
  expect(heard('resolved', 'Bo\nB')).toMatchObject({ state: 'resolved', who: 'Bo B', isPerson: true });
  expect(heard('acknowledged', { service: 'Checkout' })).toMatchObject({ who: 'Checkout', isPerson: false });
  expect(heard('acknowledged', null)).toMatchObject({ who: '', isPerson: false });
  expect(heard('unacknowledged', null)).toMatchObject({ state: 'unacknowledged', isPerson: false });
  expect(heard('escalated')).toMatchObject({ ...ann, state: 'escalated', isPerson: false });
  for (const type of ['reassigned', 'delegated'] as const)
    expect(heard(type)).toMatchObject({ ...ann, state: 'reassigned' });
  expect(heard('reopened')).toMatchObject({ ...ann, state: 'reopened' });
  const others = [
    ...[{}, [], null, 7, { event: null }, { event: { event_type: 'pagey.ping', data: { message: 'Hello' } } }],
    JSON.parse(fake.act('k', 'annotated').body),
    { event: { event_type: 'incident.triggered', data: { incident_key: 'k' } } },
    { event: { event_type: 'incident.acknowledged', data: {} } },
    { event: { event_type: 'incident.acknowledged', data: { incident_key: null } } },
  ];
  for (const other of others) expect(pager.hear(other), JSON.stringify(other)).toBeUndefined();
  const least = {
    event_type: 'incident.acknowledged',
    occurred_at: 'soon',
    agent: 7,
    data: { incident_key: 'k', assignees: 7 },
  };
  expect(pager.hear({ event: least })).toEqual({ state: 'acknowledged', key: 'k', who: '', isPerson: false });
});

test('a tool with webhooks says the same things, and whether a person did it', async () => {
  const setting = { name: 'db', kind: 'webhook', url: 'https://pager.invalid', secret: 's'.repeat(20) } as const;
  const post = () => Promise.reject(new Error('nothing is sent'));
  const pager = openWebhookPager(setting, { post, deadlines: patient(), clock: () => new Date() });
  expect(pager.hear({ key: 'k', state: 'acknowledged', by: 'Ann' })).toEqual({
    key: 'k',
    state: 'acknowledged',
    who: 'Ann',
    isPerson: true,
  });
  expect(pager.hear({ key: 'k', state: 'acknowledged', by: 'Rule 7', person: false })).toMatchObject({
    isPerson: false,
  });
  const at = '1970-01-01T00:00:01Z';
  for (const state of ['escalated', 'reassigned'] as const)
    expect(pager.hear({ key: 'k', state, by: 'Ann', to: 'Bo', at })).toMatchObject({ state, who: 'Bo', at: 1000 });
  for (const state of ['unacknowledged', 'reopened', 'resolved'] as const)
    expect(pager.hear({ key: 'k', state })).toMatchObject({ state, who: '' });
  for (const wrong of [{ state: 'paused' }, { state: 'resolved', at: 'soon' }, { state: 'resolved', person: 'no' }])
    expect(() => pager.hear({ key: 'k', ...wrong })).toThrow();
});
