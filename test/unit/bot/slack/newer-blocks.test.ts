import { WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';
import { createFakeSlack, renderMessage } from '../../../../playground/fake-slack/fake-slack.ts';
import { slackLimits } from '../../../../src/bot/slack/limits.ts';
import { NewerBlocks, withClassicBlocks } from '../../../../src/bot/slack/newer-blocks.ts';
import { section } from '../../../../src/bot/text/blocks.ts';
import { alert, dataTable } from '../../../../src/bot/text/newer-blocks.ts';
import { toMessage } from '../../../../src/bot/text/spoken.ts';
import { quiet } from '../../../support/fake-slack-app.ts';
import { openWatchedLog } from '../../../support/watched-log.ts';

const { block: table } = dataTable(
  'Incidents',
  ['Number', 'Title'],
  [{ cells: [{ value: 7, text: '7' }, 'Checkout'], line: '*7* Checkout' }],
);
const words = { text: 'Incidents', blocks: [section('*Incidents*'), table] };

test('a table is full when its cells have the most characters that they may have together', () => {
  const columns = Array.from({ length: 8 }, () => 'x');
  const rowOf = (length: number) => ({ cells: columns.map(() => 'x'.repeat(length)), line: 'x' });
  const most = slackLimits.tableText - 500;
  const left = most - columns.length - 3 * 8 * 300;
  const last = (length: number) => ({ cells: columns.map((_, at) => 'x'.repeat(at < 7 ? 290 : length)), line: 'x' });
  const shown = (length: number) =>
    dataTable('Full', columns, [rowOf(300), rowOf(300), rowOf(300), last(length)]).shown;
  expect(shown(left - 7 * 290)).toBe(4);
  expect(shown(left - 7 * 290 + 1)).toBe(3);
});

/** A client that falls back, of a workspace that takes newer blocks or not. */
function openClient(mode: 'auto' | 'classic' = 'auto') {
  let takesNewBlocks = true;
  let steady = 0;
  const slack = createFakeSlack({ newBlocks: () => takesNewBlocks });
  const ann = slack.addPerson({ name: 'ann' });
  const ops = slack.addChannel({ name: 'ops', members: [ann], botIsMember: true });
  const { log, records } = openWatchedLog({ close: async () => undefined });
  const newer = new NewerBlocks({ mode, steady: () => steady, log });
  const fetch = withClassicBlocks(slack.fetch, newer);
  const web = new WebClient(slack.botToken, {
    slackApiUrl: slack.apiUrl,
    retryConfig: { retries: 0 },
    logger: quiet,
    fetch,
  });
  return {
    slack,
    ann,
    ops,
    web,
    fetch,
    records,
    setNewBlocks: (isTaken: boolean) => {
      takesNewBlocks = isTaken;
    },
    wait: (ms: number) => {
      steady += ms;
    },
    post: () => web.chat.postMessage({ channel: ops.id, ...toMessage(words) }),
    reads: () => ann.sees(ops).map(message => renderMessage(slack, message)),
  };
}

test('a message shows the newer blocks, and never those in their place too', async () => {
  const { post, reads, ops, slack } = openClient();
  await post();
  expect(reads()).toEqual(['Incidents\nIncidents\nNumber | Title\n7 | Checkout']);
  expect(ops.messages[0]?.text).toBe('Incidents\n7 Checkout');
  expect(JSON.stringify(slack.calls)).not.toContain('"classic"');
});

test.each(['chat.postMessage', 'chat.update', 'chat.postEphemeral', 'response_url'] as const)(
  'refused newer blocks are replaced at once, and the refusal is remembered for a day: %s',
  async method => {
    const { slack, ann, ops, web, fetch, reads, records, wait, setNewBlocks } = openClient();
    const { ts = '' } = await web.chat.postMessage({ channel: ops.id, text: 'before' });
    let address = '';
    slack.connectApp(async request => {
      address = new URLSearchParams(request.body).get('response_url') ?? '';
      return { status: 200, body: '' };
    });
    await ann.command(ops, '/incident list');
    const send = async () => {
      const message = toMessage(words);
      const place = { channel: ops.id };
      if (method === 'chat.update') await web.chat.update({ ...place, ts, ...message });
      else if (method === 'chat.postEphemeral') await web.chat.postEphemeral({ ...place, user: ann.id, ...message });
      else if (method === 'chat.postMessage') await web.chat.postMessage({ ...place, ...message });
      else {
        const body = JSON.stringify({ response_type: 'ephemeral', ...message });
        const answer = await fetch(address, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
        expect(answer.status).toBe(200);
      }
    };
    const tried = () => slack.callsOf(method).map(({ args }) => JSON.stringify(args).includes('data_table'));
    const from = tried().length;
    setNewBlocks(false);
    await send();
    expect(reads().filter(text => text.includes('Checkout'))).toEqual(['Incidents\n7 Checkout']);
    expect(tried().slice(from)).toEqual([true, false]);
    expect(records.map(({ msg, types }) => [msg, types])).toEqual([
      ['slack: the workspace refuses newer blocks, so it gets classic ones for a day', ['data_table']],
    ]);
    wait(86_399_999);
    await send();
    expect(tried().slice(from)).toEqual([true, false, false]);
    wait(1);
    setNewBlocks(true);
    await send();
    expect(tried().slice(from)).toEqual([true, false, false, true]);
  },
);

test('what is refused for another reason is not laid to the newer blocks', async () => {
  const { slack, web, ops, records, post, reads } = openClient();
  const broken = [...words.blocks, section('x'.repeat(10)), { type: 'no_such_block' }];
  await expect(web.apiCall('chat.postMessage', { channel: ops.id, text: 'x', blocks: broken })).rejects.toMatchObject({
    data: { error: 'invalid_blocks' },
  });
  slack.fail('chat.postMessage', { error: 'channel_not_found' });
  await expect(post()).rejects.toMatchObject({ data: { error: 'channel_not_found' } });
  expect(reads()).toEqual([]);
  expect(records).toEqual([]);
  await post();
  expect(reads()[0]).toContain('Number | Title');
});

test('a type of block is refused alone', async () => {
  const { slack, web, ann, ops, post, reads, setNewBlocks } = openClient();
  setNewBlocks(false);
  await post();
  setNewBlocks(true);
  const view = (block: ReturnType<typeof alert>) => ({
    type: 'modal' as const,
    title: { type: 'plain_text' as const, text: 'Form' },
    blocks: [block],
  });
  let trigger = '';
  slack.connectApp(async request => {
    trigger = new URLSearchParams(request.body).get('trigger_id') ?? '';
    return { status: 200, body: '' };
  });
  await ann.command(ops, '/incident resolve');
  await web.views.open({ trigger_id: trigger, view: view(alert('warning', 'Careful')) });
  expect(ann.view?.blocks[0]).toMatchObject({ type: 'alert', level: 'warning' });
  setNewBlocks(false);
  await web.views.update({ view_id: ann.view?.id ?? '', view: view(alert('error', 'Broken')) });
  expect(ann.view?.blocks[0]).toMatchObject({ type: 'section', text: { text: ':x: Broken' } });
  expect(reads()).toEqual(['Incidents\n7 Checkout']);
});

test('a long notice is classic, since an alert has little room', () => {
  expect(alert('info', 'x'.repeat(200)).type).toBe('alert');
  expect(alert('info', 'x'.repeat(201)).type).toBe('section');
});
