import { expect, test } from 'vitest';
import { toSourceMessage } from '../../../../src/bot/slack/source-message.ts';

const textOf = (message: object) => toSourceMessage('C1', { ts: '1.2', ...message }).text;

const section = { type: 'section', text: { type: 'mrkdwn', text: '*DB* is <https://x.example|down> &amp; out' } };
const rich = {
  type: 'rich_text',
  elements: [
    {
      type: 'rich_text_section',
      elements: [
        { type: 'text', text: 'ask ' },
        { type: 'user', user_id: 'U1' },
        { type: 'text', text: ' in ' },
        { type: 'channel', channel_id: 'C2' },
        { type: 'text', text: ' <b> ' },
        { type: 'emoji', name: 'fire' },
        { type: 'link', url: 'https://x.example', text: 'graph' },
        { type: 'broadcast', range: 'here' },
      ],
    },
    { type: 'rich_text_list', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'one' }] }] },
    { type: 'rich_text_quote', elements: [{ type: 'text', text: 'quoted' }] },
    { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'a < b' }] },
  ],
};

test('a message without a text is read from its blocks and attachments', () => {
  expect(textOf({ blocks: [rich] })).toBe(
    'ask <@U1> in <#C2> &lt;b&gt; :fire:<https://x.example|graph><!here>\n• one\n&gt; quoted\na &lt; b',
  );
  const alert = [
    { type: 'header', text: { type: 'plain_text', text: 'CPU > 90 %' } },
    section,
    {
      type: 'section',
      fields: [
        { type: 'mrkdwn', text: '*Zone*' },
        { type: 'plain_text', text: 'eu & us' },
      ],
    },
    {
      type: 'context',
      elements: [
        { type: 'image', image_url: 'x', alt_text: 'x' },
        { type: 'mrkdwn', text: 'now' },
      ],
    },
    { type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Silence' } }] },
    { type: 'divider' },
  ];
  const words = 'CPU &gt; 90 %\n*DB* is <https://x.example|down> &amp; out\n*Zone*\neu &amp; us\nnow';
  expect(textOf({ text: '', blocks: alert })).toBe(words);
  expect(textOf({ text: 'This content can’t be displayed.', blocks: alert })).toBe(words);
  expect(textOf({ attachments: [{ title: 'Alert', blocks: [section], fallback: 'fallback' }] })).toBe(
    `Alert\n${section.text.text}`,
  );
  expect(textOf({ attachments: [{ fallback: 'fallback' }] })).toBe('fallback');
});

test('a message with a text keeps it, and blocks of no known shape are passed over', () => {
  expect(textOf({ text: 'words', blocks: [section] })).toBe('words');
  expect(textOf({ blocks: [null, 7, { type: 'video' }, { type: 'rich_text', elements: 'x' }] })).toBe('');
});
