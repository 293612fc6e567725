import { WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';
import { createFakeSlack, type FakeSlackOptions } from '../../../../playground/fake-slack/fake-slack.ts';
import { plain, quiet } from '../../../support/fake-slack-app.ts';

function open(options: FakeSlackOptions = {}) {
  const slack = createFakeSlack(options);
  const client = new WebClient(slack.botToken, {
    slackApiUrl: slack.apiUrl,
    fetch: slack.fetch,
    logger: quiet,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
  });
  const ann = slack.addPerson({ name: 'ann' });
  const bob = slack.addPerson({ name: 'bob' });
  const ops = slack.addChannel({ name: 'ops', botIsMember: true });
  /** What Slack finds wrong with a message of these blocks. */
  const issues = async (...blocks: object[]): Promise<unknown> =>
    client.apiCall('chat.postMessage', { channel: ops.id, text: 'fallback', blocks }).then(
      () => [],
      (error: { data: { error: string; errors?: string[] } }) => error.data.errors ?? error.data.error,
    );
  return { slack, client, ann, bob, ops, issues };
}

const button = (text: string, more = {}) => ({ type: 'button', text: plain(text), ...more });
const table = (length: number) => ({
  type: 'data_table',
  caption: 'Incidents',
  rows: [[{ type: 'raw_text', text: 'a' }], [{ type: 'raw_text', text: 'x'.repeat(length) }]],
});
const option = (index: number) => ({ text: plain(`Option ${index}`), value: String(index) });
const list = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const select = (more: object) => ({ type: 'section', text: plain('x'), accessory: { type: 'static_select', ...more } });

test.each([
  ['50 blocks', list(50, () => ({ type: 'divider' }))],
  [
    'three fields of 2,000 characters, twice',
    list(2, () => ({ type: 'section', fields: list(3, () => plain('x'.repeat(2000))) })),
  ],
  ['a header of 150 characters', [{ type: 'header', text: plain('x'.repeat(150)) }]],
  ['25 buttons', [{ type: 'actions', elements: list(25, index => button(`${index}`)) }]],
  ['100 options', [select({ options: list(100, option) })]],
  ['a table of 10,000 characters', [table(9999)]],
])('Slack takes %s', async (_, blocks) => {
  expect(await open().issues(...blocks)).toEqual([]);
});

test.each([
  ['51 blocks', list(51, () => ({ type: 'divider' })), 'no more than 50 items allowed [json-pointer:/blocks]'],
  [
    'a header of 151 characters',
    [{ type: 'header', text: plain('x'.repeat(151)) }],
    'must be less than 151 characters',
  ],
  ['a field of 2001 characters', [{ type: 'section', fields: [plain('x'.repeat(2001))] }], 'must be less than 2001'],
  ['11 context elements', [{ type: 'context', elements: list(11, () => plain('x')) }], 'no more than 10 items'],
  ['26 buttons', [{ type: 'actions', elements: list(26, index => button(`${index}`)) }], 'no more than 25 items'],
  [
    'a button value of 2001',
    [{ type: 'actions', elements: [button('x', { value: 'x'.repeat(2001) })] }],
    'less than 2001',
  ],
  ['a button url of 3001', [{ type: 'actions', elements: [button('x', { url: 'x'.repeat(3001) })] }], 'less than 3001'],
  ['101 options', [select({ options: list(101, option) })], 'no more than 100 items allowed'],
  ['an option value of 76', [select({ options: [{ text: plain('x'), value: 'x'.repeat(76) }] })], 'less than 76'],
  [
    '11 checkboxes',
    [{ type: 'actions', elements: [{ type: 'checkboxes', options: list(11, option) }] }],
    'no more than 10',
  ],
  [
    '6 overflow entries',
    [{ type: 'actions', elements: [{ type: 'overflow', options: list(6, option) }] }],
    'no more than 5',
  ],
  ['a block id of 256', [{ type: 'divider', block_id: 'x'.repeat(256) }], 'must be less than 256 characters'],
  [
    'an action id of 256',
    [{ type: 'actions', elements: [button('x', { action_id: 'x'.repeat(256) })] }],
    'less than 256',
  ],
  ['two tables of 10,001 characters', [table(5000), table(4999)], 'at most 10000 characters together'],
  ['an accessory that is text', [{ type: 'section', text: plain('x'), accessory: 'x' }], 'should be an object'],
])('Slack refuses %s', async (_, blocks, issue) => {
  expect(await open().issues(...blocks)).toEqual([expect.stringContaining(issue)]);
});

test('the text of a post is cut at 40,000 characters, that of an update refused beyond 4,000', async () => {
  const { client, ann, ops } = open();
  const { ts = '' } = await client.chat.postMessage({ channel: ops.id, text: 'x'.repeat(40_001) });
  expect(ann.sees(ops)[0]?.text).toHaveLength(40_000);
  await client.chat.update({ channel: ops.id, ts, text: 'x'.repeat(4000) });
  await expect(client.chat.update({ channel: ops.id, ts, text: 'x'.repeat(4001) })).rejects.toMatchObject({
    data: { error: 'msg_too_long' },
  });
});

test('a view may have 100 blocks and 250,000 bytes, whatever its characters', async () => {
  const { client, ann } = open();
  const publish = (blocks: object[]) =>
    client.apiCall('views.publish', { user_id: ann.id, view: { type: 'home', blocks } }).then(
      () => 'published',
      (error: { data: { error: string } }) => error.data.error,
    );
  const sections = (count: number, text: string) => list(count, () => ({ type: 'section', text: plain(text) }));

  expect(await publish(sections(100, 'x'))).toBe('published');
  expect(await publish(sections(101, 'x'))).toBe('invalid_arguments');
  expect(await publish(sections(80, 'x'.repeat(3000)))).toBe('published');
  expect(await publish(sections(80, 'é'.repeat(3000)))).toBe('view_too_large');
});

test('every block has an id, and every button one within its block, in messages and in what a press carries', async () => {
  const { slack, client, ann, ops } = open();
  slack.connectApp(async () => ({ status: 200, body: '' }));
  await client.apiCall('chat.postMessage', {
    channel: ops.id,
    text: 'card',
    blocks: [
      { type: 'section', text: plain('one'), accessory: button('Open') },
      { type: 'divider' },
      { type: 'actions', elements: [button('Go'), button('Stop')] },
    ],
    attachments: [{ blocks: [{ type: 'actions', elements: [button('More')] }] }],
  });
  const [card] = ann.sees(ops);
  const blockIds = card?.blocks.map(block => block.block_id);
  expect(new Set(blockIds).size).toBe(3);

  for (const text of ['Open', 'Go', 'Stop', 'More']) await ann.press(card!, text);
  const actions = slack.deliveries
    .filter(delivery => delivery.kind === 'interaction')
    .map(delivery => (delivery.payload.actions as { block_id: string; action_id: string }[])[0]);
  expect(actions).toEqual(
    list(4, () => ({
      type: 'button',
      action_id: expect.stringMatching(/^[0-9a-f]{5}$/),
      block_id: expect.stringMatching(/^[0-9a-f]{5}$/),
      text: expect.any(Object),
      action_ts: expect.any(String),
    })),
  );
  expect(actions.slice(0, 3).map(action => action?.block_id)).toEqual([blockIds?.[0], blockIds?.[2], blockIds?.[2]]);
  expect(actions[1]?.action_id).not.toBe(actions[2]?.action_id);
});

test('ids that the fake draws twice stay unique', async () => {
  let count = 0;
  const { client, ann, ops } = open({
    randomId: () => {
      count += 1;
      return String(Math.floor(count / 3)).padStart(32, '0');
    },
  });
  await client.apiCall('chat.postMessage', {
    channel: ops.id,
    text: 'x',
    blocks: list(9, () => ({ type: 'divider' })),
  });
  expect(new Set(ann.sees(ops)[0]?.blocks.map(block => block.block_id)).size).toBe(9);
});

test('the booleans of a channel are booleans, and say what kind it is', async () => {
  const { slack, client, ann } = open();
  const secret = slack.addChannel({ name: 'secret', isPrivate: true, members: [ann], botIsMember: true });
  const { channel: made } = await client.conversations.create({ name: 'made', is_private: true });
  const info = async (channel: string) => (await client.conversations.info({ channel })).channel;

  expect(await info(slack.channel('ops').id)).toMatchObject({ is_channel: true, is_group: false, is_private: false });
  for (const id of [secret.id, made?.id ?? '']) {
    expect(await info(id)).toMatchObject({ is_channel: false, is_group: true, is_private: true, is_im: false });
  }
  expect(await info(slack.openDm(ann).id)).toMatchObject({ is_im: true, user: ann.id });
  const { channels = [] } = await client.users.conversations({ types: 'public_channel,private_channel' });
  for (const channel of channels) {
    for (const [name, value] of Object.entries(channel))
      if (name.startsWith('is_')) expect(value).toBeTypeOf('boolean');
  }
});

test('only its addressee sees an ephemeral message, and no method gives it back', async () => {
  const { slack, client, ann, bob, ops } = open();
  slack.connectApp(async () => ({ status: 200, body: '' }));
  const root = ann.say(ops, 'root');
  const post = (more: object) =>
    client.apiCall('chat.postEphemeral', { channel: ops.id, user: ann.id, text: 'for ann', ...more });
  const { message_ts: ts } = (await post({})) as { message_ts?: string };
  await post({ thread_ts: root.ts });
  await slack.settled();
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => 'no refusal',
      (error: { data: { error: string } }) => error.data.error,
    );
  const channel = ops.id;

  expect(ann.sees(ops).map(message => message.text)).toEqual(['root', 'for ann', 'for ann']);
  expect(bob.sees(ops).map(message => message.text)).toEqual(['root']);
  expect(() => bob.react(ann.sees(ops)[1]!, ':eyes:')).toThrow('only another person sees it');
  expect((await client.conversations.history({ channel })).messages).toMatchObject([{ text: 'root' }]);
  expect((await client.conversations.history({ channel })).messages?.[0]).not.toHaveProperty('reply_count');
  expect((await client.conversations.replies({ channel, ts: root.ts })).messages).toHaveLength(1);
  const given = String(ts);
  expect(await refusal(client.chat.update({ channel, ts: given, text: 'x' }))).toBe('message_not_found');
  expect(await refusal(client.chat.delete({ channel, ts: given }))).toBe('message_not_found');
  expect(await refusal(client.pins.add({ channel, timestamp: given }))).toBe('message_not_found');
  expect(await refusal(client.reactions.add({ channel, timestamp: given, name: 'eyes' }))).toBe('message_not_found');
  expect(await refusal(client.chat.getPermalink({ channel, message_ts: given }))).toBe('message_not_found');
  expect(slack.deliveries.filter(delivery => JSON.stringify(delivery.payload).includes('for ann'))).toEqual([]);
  expect(await refusal(post({ thread_ts: 'yesterday' }))).toBe('invalid_thread_ts');
});

test('a trigger id lives exactly three seconds', async () => {
  let clock = Date.parse('2026-11-20T10:00:00Z');
  const { slack, client, ann, ops } = open({ now: () => new Date(clock) });
  const triggers: string[] = [];
  slack.connectApp(async ({ body }) => {
    triggers.push(new URLSearchParams(body).get('trigger_id') ?? '');
    return { status: 200, body: '' };
  });
  await ann.command(ops, '/x');
  await ann.command(ops, '/x');
  const view = { type: 'modal' as const, title: plain('Form'), blocks: [{ type: 'divider' as const }] };
  const openWith = (trigger = '') =>
    client.views.open({ trigger_id: trigger, view }).then(
      () => 'open',
      (error: { data: { error: string } }) => error.data.error,
    );

  clock += 3000;
  expect(await openWith(triggers[0])).toBe('open');
  clock += 1;
  expect(await openWith(triggers[1])).toBe('expired_trigger_id');
  expect(await openWith('1.2.3')).toBe('invalid_trigger_id');
});

test('with rate limits, a method is refused beyond its tier and told when to come again', async () => {
  let clock = Date.parse('2026-11-20T10:00:00Z');
  const { client, ops } = open({ now: () => new Date(clock), rateLimits: true });
  const setTopic = (topic: string) => client.conversations.setTopic({ channel: ops.id, topic });
  for (const index of list(20, each => each)) {
    clock += 1000;
    await setTopic(`topic ${index}`);
  }

  await expect(setTopic('one more')).rejects.toMatchObject({ retryAfter: 41 });
  await client.chat.postMessage({ channel: ops.id, text: 'another method is not refused' });
  clock += 41_000;
  await setTopic('one more');
  expect(ops.topic).toBe('one more');
});

test('with rate limits, a channel takes one post a second on average, and bursts', async () => {
  let clock = Date.parse('2026-11-20T10:00:00Z');
  const { slack, client, ops } = open({ now: () => new Date(clock), rateLimits: true });
  const other = slack.addChannel({ name: 'other', botIsMember: true });
  const post = (channel: string) => client.chat.postMessage({ channel, text: 'hi' });
  for (const _ of list(10, each => each)) await post(ops.id);

  await expect(post(ops.id)).rejects.toMatchObject({ retryAfter: 10 });
  await post(other.id);
  clock += 10_000;
  await post(ops.id);
  expect(ops.messages).toHaveLength(11);
});

test('without rate limits, nothing is refused for its rate', async () => {
  const { client, ops } = open();
  for (const index of list(60, each => each)) await client.chat.postMessage({ channel: ops.id, text: `${index}` });
  expect(ops.messages).toHaveLength(60);
});
