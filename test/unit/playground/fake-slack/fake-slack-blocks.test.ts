import { WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';
import { createFakeSlack, openFakeSlack, renderMessage } from '../../../../playground/fake-slack/fake-slack.ts';
import { plain, quiet } from '../../../support/fake-slack-app.ts';

async function openChannel() {
  const slack = await openFakeSlack();
  const client = new WebClient(slack.botToken, {
    slackApiUrl: slack.apiUrl,
    retryConfig: { retries: 0 },
    logger: quiet,
  });
  const ann = slack.addPerson({ name: 'ann' });
  const ops = slack.addChannel({ name: 'ops', botIsMember: true });
  const post = async (blocks: unknown, text = 'fallback') => {
    await client.apiCall('chat.postMessage', { channel: ops.id, text, blocks });
    return renderMessage(slack, ann.sees(ops).at(-1)!);
  };
  const complaints = async (...blocks: object[]) =>
    post(blocks).then(
      () => [],
      (error: { data: { error: string; errors?: string[] } }) => error.data.errors ?? [error.data.error],
    );
  return { slack, client, ann, ops, post, complaints, [Symbol.asyncDispose]: () => slack[Symbol.asyncDispose]() };
}

const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
const button = (text: string, more = {}) => ({ type: 'button', action_id: text, text: plain(text), ...more });

test('blocks beyond Slack’s limits are refused with Slack’s words and the place', async () => {
  await using world = await openChannel();
  const { complaints } = world;

  expect(await complaints(section('x'.repeat(3001)))).toEqual([
    'must be less than 3001 characters [json-pointer:/blocks/0/text/text]',
  ]);
  expect(await complaints({ type: 'header', text: { type: 'mrkdwn', text: 'x' } })).toEqual([
    'must be one of: plain_text [json-pointer:/blocks/0/text/type]',
  ]);
  expect(await complaints({ type: 'header', text: plain('') })).toEqual([
    'must be more than 0 characters [json-pointer:/blocks/0/text/text]',
  ]);
  expect(await complaints(...Array.from({ length: 51 }, () => ({ type: 'divider' })))).toEqual([
    'no more than 50 items allowed [json-pointer:/blocks]',
  ]);
  expect(await complaints({ type: 'actions', elements: [button('x'.repeat(76))] })).toEqual([
    'must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]',
  ]);
  expect(await complaints({ type: 'actions', elements: [button('Go'), button('Go')] })).toEqual([
    '`action_id` "Go" already exists [json-pointer:/blocks/0/elements/1/action_id]',
  ]);
  expect(await complaints({ type: 'divider', block_id: 'a' }, { type: 'divider', block_id: 'a' })).toEqual([
    '`block_id` "a" already exists [json-pointer:/blocks/1/block_id]',
  ]);
  expect(await complaints({ type: 'section', fields: Array.from({ length: 11 }, () => plain('x')) })).toEqual([
    'no more than 10 items allowed [json-pointer:/blocks/0/fields]',
  ]);
  expect(await complaints({ type: 'divider', colour: 'red' })).toEqual([
    'invalid additional property: colour [json-pointer:/blocks/0]',
  ]);
  expect(
    await complaints({ type: 'actions', elements: [{ type: 'static_select', action_id: 's', options: [] }] }),
  ).toEqual(['no less than 1 items allowed [json-pointer:/blocks/0/elements/0/options]']);
  expect(await complaints({ type: 'nonsense' })).toEqual(['unsupported type: nonsense [json-pointer:/blocks/0/type]']);
  expect(await complaints(...Array.from({ length: 5 }, () => section('x'.repeat(2900))))).toEqual([
    'msg_blocks_too_long',
  ]);
});

test('a message without text or blocks is refused', async () => {
  await using world = await openChannel();
  await expect(world.client.apiCall('chat.postMessage', { channel: world.ops.id })).rejects.toMatchObject({
    data: { error: 'no_text' },
  });
});

test('a message reads as a person sees it', async () => {
  await using world = await openChannel();
  const { ann, ops, post } = world;
  const group = '<!subteam^S1|@oncall>';

  expect(
    await post([
      { type: 'header', text: plain('Tom &amp; Jerry :fire:') },
      section(`*Severity:* _major_, ask <@${ann.id}> in <#${ops.id}> or ${group} — snake_case_name 2*3*4`),
      section('see <https://a.example/x?a=1&amp;b=2|the *dash*> or <https://b.example>, `a_b_c` &lt;now&gt;'),
      section('since <!date^1700000000^{date_short} at {time}|14 Nov>'),
      { type: 'divider' },
      { type: 'section', fields: [plain('Role'), plain('ann')], accessory: button('Assign') },
      { type: 'context', elements: [{ type: 'mrkdwn', text: 'by *ann*' }, plain('now')] },
      {
        type: 'actions',
        elements: [
          button('Resolve'),
          { type: 'users_select', action_id: 'u', placeholder: plain('Who?') },
          { type: 'overflow', action_id: 'o', options: [{ text: plain('Edit'), value: 'e' }] },
        ],
      },
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_list',
            style: 'bullet',
            elements: [
              {
                type: 'rich_text_section',
                elements: [
                  { type: 'text', text: '*raw* ' },
                  { type: 'user', user_id: ann.id },
                ],
              },
            ],
          },
        ],
      },
    ]),
  ).toBe(
    [
      'Tom & Jerry :fire:',
      'Severity: major, ask @ann in #ops or @oncall — snake_case_name 2*3*4',
      'see the *dash* (https://a.example/x?a=1&b=2) or https://b.example, a_b_c <now>',
      'since Nov 14, 2023 at 10:13 PM',
      '---',
      'Role',
      'ann',
      '[Assign]',
      'by ann now',
      '[Resolve] [Who? ▾] [⋯]',
      '• *raw* @ann',
    ].join('\n'),
  );
});

test('a mention that would alarm everybody is loud wherever it hides', async () => {
  await using world = await openChannel();
  const { post } = world;

  expect(await post([section('title: <!channel>')])).toBe('title: @channel !!!');
  expect(await post([section('title: &lt;!channel&gt;')])).toBe('title: <!channel>');
  expect(await post([{ type: 'header', text: plain('<!channel>') }])).toBe('<!channel>');
  expect(await post([section('quiet')], 'loud <!here|here>')).toBe('quiet\n(notification) loud @here !!!');
  expect(
    await post([
      {
        type: 'rich_text',
        elements: [{ type: 'rich_text_section', elements: [{ type: 'broadcast', range: 'everyone' }] }],
      },
    ]),
  ).toBe('@everyone !!!');
});

test('typed text is encoded as Slack’s composer does', async () => {
  await using world = await openChannel();
  const { slack, ann, ops } = world;
  const said = ann.say(ops, 'hi @ann, see #ops <b> & https://a.example/x?a=1&b=2. mail me@ann #nowhere @channel');

  expect(said.text).toBe(
    `hi <@${ann.id}>, see <#${ops.id}|> &lt;b&gt; &amp; <https://a.example/x?a=1&amp;b=2>. mail me@ann #nowhere <!channel>`,
  );
  expect(renderMessage(slack, said)).toBe(
    'hi @ann, see #ops <b> & https://a.example/x?a=1&b=2. mail me@ann #nowhere @channel !!!',
  );
});

test('an emoji in typed text is one in the message, and a time of day is none', () => {
  const slack = createFakeSlack();
  const ann = slack.addPerson({ name: 'ann' });
  const channel = slack.addChannel({ name: 'general', members: [ann] });

  const [block] = ann.say(channel, 'at 12:30:45 :fire:').blocks;

  const elements = [
    { type: 'text', text: 'at 12:30:45 ' },
    { type: 'emoji', name: 'fire' },
  ];
  expect(block).toMatchObject({ elements: [{ type: 'rich_text_section', elements }] });
});
