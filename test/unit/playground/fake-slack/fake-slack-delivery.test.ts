import { App, SocketModeReceiver } from '@slack/bolt';
import { expect, test } from 'vitest';
import {
  createFakeSlack,
  type FakeSlack,
  type FakeSlackOptions,
  openFakeSlack,
  renderMessage,
} from '../../../../playground/fake-slack/fake-slack.ts';
import { patientSlack } from '../../../support/deadlines.ts';
import { openBoltApp, plain, quiet } from '../../../support/fake-slack-app.ts';

test('what happens in the bot’s channels arrives as events, in order and once', async () => {
  await using world = await openBoltApp({ events: ['message.channels', 'app_mention', 'reaction_added'] });
  const { slack, app, ann, bob, ops } = world;
  const heard: string[] = [];
  app.event('message', async ({ event }) => void heard.push(`${event.subtype ?? 'message'}`));
  app.event('app_mention', async ({ event }) => void heard.push(`mention ${event.text} ${event.thread_ts ?? ''}`));
  app.event('reaction_added', async ({ event }) => void heard.push(`:${event.reaction}: ${event.item_user}`));
  const elsewhere = slack.addChannel({ name: 'elsewhere' });

  const root = ann.say(ops, 'hello');
  ann.mention(ops, 'help', { threadTs: root.ts });
  bob.react(root, ':eyes:');
  ann.editMessage(root, 'goodbye');
  ann.deleteMessage(root);
  ann.say(elsewhere, 'private talk');
  await slack.settled();

  expect(heard).toEqual([
    'message',
    'message',
    `mention <@${slack.botUserId}> help ${root.ts}`,
    `:eyes: ${ann.id}`,
    'message_changed',
    'message_changed',
  ]);
  const ids = slack.deliveries.map(delivery => delivery.payload.event_id);
  expect(new Set(ids).size).toBe(6);
  await slack.redeliver(slack.deliveries[0]!, 'http_timeout');
  expect(slack.deliveries.at(-1)).toMatchObject({
    headers: { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' },
    payload: { event_id: ids[0] },
  });
});

/** An app as a function that answers the next requests with these statuses, then with 200; 0 breaks the connection. */
function openDeafApp(statuses: number[], options: FakeSlackOptions = {}) {
  const slack = createFakeSlack({ deadlines: patientSlack, ...options });
  slack.connectApp(async () => {
    const status = statuses.shift() ?? 200;
    if (status === 0) throw new Error('ECONNREFUSED');
    return { status, headers: {}, body: '' };
  });
  const ann = slack.addPerson({ name: 'ann' });
  const ops = slack.addChannel({ name: 'ops', botIsMember: true });
  const tries = () =>
    slack.deliveries.map(({ headers, payload }) => ({
      id: payload.event_id,
      number: headers['x-slack-retry-num'],
      reason: headers['x-slack-retry-reason'],
    }));
  return { slack, ann, ops, tries };
}

test('an event that the app does not take is sent again, three times more, with the reason', async () => {
  const { ann, ops, slack, tries } = openDeafApp([0, 500, 401, 500], { eventRetryHaste: 10_000 });
  ann.say(ops, 'hello');
  await expect.poll(tries).toHaveLength(4);
  const id = slack.deliveries[0]?.payload.event_id;
  expect(tries()).toEqual([
    { id, number: undefined, reason: undefined },
    { id, number: '1', reason: 'connection_failed' },
    { id, number: '2', reason: 'http_error' },
    { id, number: '3', reason: 'http_error' },
  ]);
});

test('an event that was taken is not sent again, and later events do not wait for one that was not', async () => {
  const { ann, ops, tries, slack } = openDeafApp([0], { eventRetryHaste: 10_000 });
  ann.say(ops, 'one');
  ann.say(ops, 'two');
  await expect.poll(tries).toHaveLength(3);
  const words = slack.deliveries.map(({ payload }) => Reflect.get(Object(payload.event), 'text'));
  expect(words).toEqual(['one', 'two', 'one']);
  await new Promise(resolve => setTimeout(resolve, 60));
  expect(tries()).toHaveLength(3);
});

test('a command is not sent again', async () => {
  const { ann, ops, tries } = openDeafApp([0], { eventRetryHaste: 10_000 });
  expect((await ann.command(ops, '/incident list')).failed).toBe('dispatch_failed');
  await new Promise(resolve => setTimeout(resolve, 30));
  expect(tries()).toHaveLength(1);
});

test('an edited mention arrives again, as an event of its own', async () => {
  await using world = await openBoltApp({ events: ['app_mention'] });
  const { slack, app, ann, ops } = world;
  const heard: object[] = [];
  app.event('app_mention', async ({ event, body }) => {
    heard.push({ id: body.event_id, ts: event.ts, text: event.text, edited: event.edited?.user });
  });
  const mention = ann.mention(ops, 'hlep');
  const plain = ann.say(ops, 'hello');
  await slack.settled();
  ann.editMention(mention, 'help');
  ann.editMention(plain, 'hello');
  ann.editMessage(mention, 'nothing');
  await slack.settled();
  const ids = slack.deliveries.map(delivery => delivery.payload.event_id);
  expect(new Set(ids).size).toBe(3);
  const to = `<@${slack.botUserId}>`;
  expect(heard).toEqual([
    { id: ids[0], ts: mention.ts, text: `${to} hlep`, edited: undefined },
    { id: ids[1], ts: mention.ts, text: `${to} help`, edited: ann.id },
    { id: ids[2], ts: plain.ts, text: `${to} hello`, edited: ann.id },
  ]);
});

test('an event is not sent to an app that lacks its scope', async () => {
  await using world = await openBoltApp({ scopes: ['channels:history'] });
  const { slack, ann, bob, ops } = world;
  bob.react(ann.mention(ops, 'help'), ':eyes:');
  slack.addChannel({ name: 'other' });
  await slack.settled();
  const types = slack.deliveries.map(({ payload }) => payload.event).map(event => Reflect.get(Object(event), 'type'));
  expect(types).toEqual(['message']);
});

test('a response_url works five times, for half an hour', async () => {
  let clock = Date.parse('2026-11-20T10:00:00Z');
  await using world = await openBoltApp({ now: () => new Date(clock) });
  const { app, ann, bob, ops } = world;
  const urls: string[] = [];
  app.command('/x', async ({ ack, command }) => {
    urls.push(command.response_url);
    await ack({ text: 'working' });
  });
  const respond = async (url: string, body: object) => {
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    return `${response.status} ${await response.text()}`;
  };
  await ann.command(ops, '/x');
  await ann.command(ops, '/x');
  const [first = '', second = ''] = urls;

  expect(await respond(first, { text: 'done', replace_original: true })).toBe('200 ok');
  expect(await respond(first, { text: 'for all', response_type: 'in_channel' })).toBe('200 ok');
  expect(await respond(first, { blocks: [{ type: 'nonsense' }] })).toContain(
    '400 {"ok":false,"error":"invalid_blocks"',
  );
  for (const text of ['3', '4', '5']) expect(await respond(first, { text })).toBe('200 ok');
  expect(await respond(first, { text: '6' })).toBe('404 {"ok":false,"error":"used_url"}');
  clock += 30 * 60 * 1000 + 1;
  expect(await respond(second, { text: 'late' })).toBe('404 {"ok":false,"error":"expired_url"}');

  expect(bob.sees(ops).map(message => message.text)).toEqual(['for all']);
  expect(ann.sees(ops).map(message => message.text)).toEqual(['done', 'working', 'for all', '3', '4', '5']);
});

test('an app that does not answer in time is called out', async () => {
  await using world = await openBoltApp({ deadlines: { acknowledge: 50 } });
  const { app, ann, ops } = world;
  app.command('/x', async () => {});

  expect(await ann.command(ops, '/x')).toMatchObject({
    status: 0,
    failed: 'operation_timeout',
    text: '/x failed with the error "operation_timeout"',
  });
});

async function openSocketApp(slack: FakeSlack) {
  const receiver = new SocketModeReceiver({
    appToken: slack.appToken,
    logger: quiet,
    installerOptions: { clientOptions: { slackApiUrl: slack.apiUrl } },
  });
  const app = new App({
    token: slack.botToken,
    receiver,
    botId: slack.botId,
    botUserId: slack.botUserId,
    logger: quiet,
    clientOptions: { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 } },
  });
  await app.start();
  return { app, [Symbol.asyncDispose]: async () => void (await receiver.client.disconnect()) };
}

test('Socket Mode carries commands, modals and events with their answers', async () => {
  await using slack = await openFakeSlack();
  await using world = await openSocketApp(slack);
  const { app } = world;
  const ann = slack.addPerson({ name: 'ann' });
  const ops = slack.addChannel({ name: 'ops', botIsMember: true });
  const retries: unknown[] = [];
  app.command('/incident', async ({ ack, client, command }) => {
    await client.views.open({
      trigger_id: command.trigger_id,
      view: {
        type: 'modal',
        callback_id: 'declare',
        title: plain('Declare'),
        submit: plain('Go'),
        blocks: [
          {
            type: 'input',
            block_id: 'title',
            label: plain('Title'),
            element: { type: 'plain_text_input', action_id: 'title' },
          },
        ],
      },
    });
    await ack(`opened for ${command.user_name}`);
  });
  app.view('declare', async ({ ack, view, client }) => {
    if (view.state.values.title?.title?.value === 'bad')
      return ack({ response_action: 'errors', errors: { title: 'no' } });
    await ack();
    await client.chat.postMessage({ channel: ops.id, text: 'declared' });
  });
  app.message('hello', async ({ context }) => void retries.push(context.retryNum));

  expect((await ann.command(ops, '/incident declare')).text).toBe('opened for ann');
  await ann.submit({ title: 'bad' });
  expect(ann.view?.errors).toEqual({ title: 'no' });
  await ann.submit({ title: 'good' });
  expect(ann.view).toBeUndefined();
  await slack.until(() => ann.sees(ops).some(message => renderMessage(slack, message) === 'declared'));

  ann.say(ops, 'hello');
  await slack.settled();
  const event = slack.deliveries.find(delivery => delivery.payload.event !== undefined && delivery.retries === 0);
  const hello = slack.deliveries.filter(delivery => JSON.stringify(delivery.payload).includes('hello'));
  await slack.redeliver(hello[0]!, 'timeout');
  expect(event).toBeDefined();
  expect(retries).toEqual([0, 1]);
  expect(slack.socketCount).toBe(1);
});
