import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebClient } from '@slack/web-api';
import { expect, onTestFinished, test } from 'vitest';
import {
  type FakeSlackOptions,
  openFakeSlack,
  renderMessage,
  renderView,
} from '../../../../playground/fake-slack/fake-slack.ts';
import { plain, quiet } from '../../../support/fake-slack-app.ts';

/** Posts blocks as an app does: what a person reads, or Slack's complaints. */
async function openChannel(options: FakeSlackOptions = {}) {
  const slack = await openFakeSlack(options);
  const client = new WebClient(slack.botToken, {
    slackApiUrl: slack.apiUrl,
    retryConfig: { retries: 0 },
    logger: quiet,
  });
  const ann = slack.addPerson({ name: 'ann' });
  const ops = slack.addChannel({ name: 'ops', botIsMember: true });
  const post = async (...blocks: object[]) => {
    await client.apiCall('chat.postMessage', { channel: ops.id, text: 'fallback', blocks });
    return renderMessage(slack, ann.sees(ops).at(-1)!);
  };
  const complaints = (...blocks: object[]) =>
    post(...blocks).then(
      () => [],
      (error: { data: { error: string; errors?: string[] } }) => error.data.errors ?? [error.data.error],
    );
  return { slack, client, ann, ops, post, complaints, [Symbol.asyncDispose]: () => slack[Symbol.asyncDispose]() };
}

const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const raw = (text: string) => ({ type: 'raw_text', text });
const number = (value: number) => ({ type: 'raw_number', value, text: String(value) });
const rich = (text: string) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
});
const table = (more: object = {}) => ({
  type: 'data_table',
  caption: 'Incidents',
  rows: [
    [raw('Name'), raw('Minutes')],
    [rich('Checkout'), number(42)],
  ],
  ...more,
});
test('a table reads as a person sees it', async () => {
  await using world = await openChannel();
  expect(await world.post(table())).toBe('Incidents\nName | Minutes\nCheckout | 42');
});

test('blocks where Slack does not take them are refused', async () => {
  await using world = await openChannel();
  const { complaints, slack, client } = world;
  expect(await complaints({ type: 'alert', text: plain('Careful') })).toEqual([
    'unsupported type: alert [json-pointer:/blocks/0/type]',
  ]);
  const home = { user_id: slack.person('ann').id, view: { type: 'home', blocks: [table()] } };
  await expect(client.apiCall('views.publish', home)).rejects.toMatchObject({
    data: { errors: expect.arrayContaining(['unsupported type: data_table [json-pointer:/view/blocks/0/type]']) },
  });
});

test('the limits of newer blocks hold', async () => {
  await using world = await openChannel();
  const { complaints } = world;
  const at = (pointer: string, ...issues: string[]) => issues.map(issue => `${issue} [json-pointer:${pointer}]`);

  expect(await complaints(table({ caption: undefined }))).toEqual(at('/blocks/0', 'missing required field: caption'));
  expect(await complaints(table({ page_size: 101 }))).toEqual(at('/blocks/0/page_size', 'must be between 1 and 100'));
  expect(await complaints(table({ rows: [[raw('a')], [raw('b'), raw('c')]] }))).toEqual(
    at('/blocks/0/rows/1', 'must have as many cells as the header'),
  );
  expect(await complaints(table({ rows: [[rich('a')], [raw('b')]] }))).toEqual(
    at('/blocks/0/rows/0/0/type', 'must be one of: raw_text, raw_number'),
  );
  expect(await complaints(table({ rows: [[raw('a')], [raw('')]] }))).toEqual(
    at('/blocks/0/rows/1/0/text', 'must be more than 0 characters'),
  );
  expect(await complaints(table({ rows: [[raw('a')]] }))).toEqual(
    at('/blocks/0/rows', 'must be an array of 2 to 101 rows'),
  );
  expect(await complaints(table({ rows: Array.from({ length: 102 }, () => [raw('a')]) }))).toEqual(
    at('/blocks/0/rows', 'must be an array of 2 to 101 rows'),
  );
  expect(await complaints(table({ rows: [[raw('a')], [raw('b'.repeat(10_000))]] }))).toEqual(
    at('/blocks', 'tables must have at most 10000 characters together'),
  );
});

test('a form takes alerts by their limits, and no table', async () => {
  await using world = await openChannel();
  const { slack, ann, ops, client } = world;
  const triggers: string[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', piece => {
      body += String(piece);
    });
    request.on('end', () => {
      triggers.push(new URLSearchParams(body).get('trigger_id') ?? '');
      response.end();
    });
  });
  await new Promise<void>(resolve => {
    receiver.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void receiver.close());
  slack.connectApp(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}`);
  await ann.command(ops, '/form');
  const open = (...blocks: object[]) =>
    client
      .apiCall('views.open', { trigger_id: triggers[0], view: { type: 'modal', title: plain('Form'), blocks } })
      .then(
        () => 'ok',
        (error: { data: { error: string; errors?: string[] } }) => error.data.errors?.at(-1) ?? error.data.error,
      );
  const alert = (more: object = {}) => ({ type: 'alert', level: 'warning', text: mrkdwn('Careful'), ...more });

  expect(await open(table())).toBe('unsupported type: data_table [json-pointer:/view/blocks/0/type]');
  expect(await open(alert({ level: 'grave' }))).toBe(
    'value must be one of the allowed enum values [json-pointer:/view/blocks/0/level]',
  );
  expect(await open(alert({ text: mrkdwn('x'.repeat(201)) }))).toBe(
    'must be less than 201 characters [json-pointer:/view/blocks/0/text/text]',
  );
  expect(await open(alert({ text: undefined }))).toBe('missing required field: text [json-pointer:/view/blocks/0]');
  // A view that was refused has not used up its trigger.
  expect(await open(alert())).toBe('ok');
  expect(ann.view && renderView(slack, ann.view)).toContain('(warning) Careful');
  expect(await open(alert())).toBe('exchanged_trigger_id');
});
