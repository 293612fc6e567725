import { expect, test } from 'vitest';
import type { FakeSlackOptions } from '../../../../playground/fake-slack/fake-slack.ts';
import { openBoltApp } from '../../../support/fake-slack-app.ts';

/** What observers of a fake Slack hear, in order. */
function openObservers() {
  const heard: string[] = [];
  const options: FakeSlackOptions = {
    events: [],
    observeDelivery: ({ kind, payload, retries }) => {
      const name = `${kind} ${payload.command} ${retries}`;
      heard.push(`${name} begins`);
      return ({ status, failed }) => heard.push(`${name}: ${failed ?? status}`);
    },
    observeCall: ({ method, args }) => {
      heard.push(`${method} ${String(args.user)} begins`);
      return outcome =>
        heard.push(`${method}: ${'answer' in outcome ? outcome.answer.status : Object.keys(outcome)[0]}`);
    },
  };
  return { heard, options };
}

test('observers hear each delivery and each call begin and end', async () => {
  const { heard, options } = openObservers();
  await using world = await openBoltApp(options);
  const { slack, app, ann, ops } = world;
  app.command('/count', async ({ ack, client }) => {
    await ack();
    await client.users.info({ user: ann.id });
  });
  heard.length = 0;
  await ann.command(ops, '/count');
  await expect.poll(() => heard).toHaveLength(4);
  expect(heard.toSorted()).toEqual([
    'command /count 0 begins',
    'command /count 0: 200',
    `users.info ${ann.id} begins`,
    'users.info: 200',
  ]);
  await slack.redeliver(slack.deliveries[0]!);
  expect(heard.filter(each => each.includes('/count 1'))).toEqual(['command /count 1 begins', 'command /count 1: 200']);
});

test('observers hear of failures', async () => {
  const { heard, options } = openObservers();
  await using world = await openBoltApp(options);
  const { slack, ann, ops } = world;
  slack.connectApp('http://127.0.0.1:9/slack/events');
  await ann.command(ops, '/count');
  expect(heard.at(-1)).toBe('command /count 0: dispatch_failed');
  slack.fail('auth.test', { dropAfterEffect: true });
  await fetch(`${slack.apiUrl}auth.test`, { method: 'POST' }).catch(() => undefined);
  expect(heard.at(-1)).toBe('auth.test: broken');
});

test('one that runs for days remembers the newest deliveries and calls alone', async () => {
  await using world = await openBoltApp({ events: [], remembers: 2 });
  const { slack, app, ann, ops } = world;
  app.command('/count', async ({ ack, client, command }) => {
    await ack();
    await client.chat.postMessage({ channel: command.channel_id, text: command.text });
  });
  for (const text of ['1', '2', '3']) await ann.command(ops, `/count ${text}`);
  await expect.poll(() => slack.calls.map(each => each.args.text)).toEqual(['2', '3']);
  expect(slack.deliveries.map(each => each.payload.text)).toEqual(['2', '3']);
});
