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

test('a piece of rich text without pieces of its own is read as it stands', () => {
  const bare = { type: 'rich_text', elements: [{ type: 'link', url: 'https://x.example', text: 'graph' }] };
  expect(textOf({ blocks: [bare] })).toBe('<https://x.example|graph>');
});

test('a message without a text is read from its blocks and attachments', () => {
  expect(textOf({ blocks: [rich] })).toBe(
    'ask <@U1> in <#C2> &lt;b&gt; :fire:<https://x.example|graph><!here>\n• one\n&gt; quoted\n```\na &lt; b\n```',
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
  const words = 'CPU &gt; 90 %\n*DB* is <https://x.example|down> &amp; out\n*Zone*\neu &amp; us\nx\nnow\nSilence';
  expect(textOf({ text: '', blocks: alert })).toBe(words);
  expect(textOf({ text: 'This content can’t be displayed.', blocks: alert })).toBe(words);
  expect(textOf({ attachments: [{ title: 'Alert', blocks: [section], fallback: 'fallback' }] })).toBe(
    `Alert\n${section.text.text}`,
  );
  expect(textOf({ attachments: [{ fallback: 'fallback' }] })).toBe('fallback');
});

test('a text stands in for blocks, and blocks of no known shape are passed over', () => {
  expect(textOf({ text: 'words', blocks: [section] })).toBe(section.text.text);
  expect(textOf({ text: 'words', blocks: [{ type: 'divider' }] })).toBe('words');
  expect(textOf({ blocks: [null, 7, { type: 'video' }, { type: 'rich_text', elements: 'x' }] })).toBe('');
});

/** A list in a list, and so on. */
function nested(depth: number): object {
  return depth === 0 ? { type: 'section', text: 'x' } : { type: 'container', child_blocks: [nested(depth - 1)] };
}

test.each([
  ['blocks deep in each other', { blocks: [nested(2000)] }],
  [
    'attachments deep in each other',
    { attachments: [JSON.parse(`${'{"attachments":['.repeat(500)}{}${']}'.repeat(500)}`)] },
  ],
  [
    'blocks that are no list of objects',
    { blocks: ['x', null, [[]], { type: 'rich_text', elements: [null, { elements: 7 }] }] },
  ],
  ['attachments that are no objects', { attachments: [null, 'x', { fields: 'x', ts: {}, actions: [null] }] }],
])('%s are read, and have no words', (_, message) => {
  expect(textOf(message)).toBe('');
});

const quote = { is_share: true, author_id: 'U2', from_url: 'https://t.example/archives/C1/p1', text: 'one\ntwo' };

test('a forward is a quotation below its author and its address', () => {
  expect(textOf({ user: 'U1', text: 'look', attachments: [{ ...quote, author_name: 'Amy' }] })).toBe(
    'look\n\n<https://t.example/archives/C1/p1|Amy>:\n&gt; one\n&gt; two',
  );
  expect(textOf({ user: 'U1', attachments: [quote] })).toContain('&gt; one\n&gt; two');
});

test.each([
  ['a forward without a comment', { user: 'U1', attachments: [quote] }, '<@U2>'],
  ['a forward with Slack’s words for no text', { user: 'U1', text: '', attachments: [quote] }, '<@U2>'],
  ['a forward of an app', { user: 'U1', attachments: [{ ...quote, author_id: 'B1', author_name: 'R&D' }] }, 'R&amp;D'],
  ['a forward with a comment', { user: 'U1', text: 'look', attachments: [quote] }, ''],
  ['an app’s attachment that looks like one', { bot_id: 'B1', attachments: [quote] }, ''],
  ['two forwards', { user: 'U1', attachments: [quote, quote] }, ''],
  ['an author that is no id', { user: 'U1', attachments: [{ ...quote, author_id: 'U1><!here' }] }, ''],
])('who said the words of %s', (_, message, author) => {
  expect(toSourceMessage('C1', { ts: '1.2', ...message }).forwardedFrom).toBe(author);
});

test('files of a forwarded message are files of the message', () => {
  const files = [{ id: 'F1', name: 'a.log', permalink: 'https://t.example/F1', size: 7 }];
  const read = toSourceMessage('C1', { ts: '1.2', user: 'U1', attachments: [{ ...quote, files }] });
  expect(read.files).toMatchObject([{ id: 'F1', name: 'a.log', permalink: 'https://t.example/F1', size: 7 }]);
});

const elements = (...pieces: object[]) => ({
  blocks: [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements: pieces }] }],
});
const step = (status: string) => ({ type: 'task_card', task_id: 't', title: 'Restart the pool', status });
const clip = (status: string, more = {}) => ({
  files: [
    {
      id: 'F1',
      name: 'audio_message.m4a',
      subtype: 'slack_audio',
      transcription: { status, locale: 'en-US', preview: { content: 'the primary is read only', ...more } },
    },
  ],
});

test.each([
  [
    'an e-mail has its subject, sender and words',
    {
      user: 'USLACKBOT',
      text: '',
      files: [
        {
          ...{ id: 'F1', filetype: 'email', mode: 'email', name: 'ALARM', subject: 'ALARM: /data' },
          from: [{ address: 'mon@x.example', name: 'Monitor', original: 'Monitor <mon@x.example>' }],
          plain_text: 'The volume /data is 99 % full',
        },
      ],
    },
    'ALARM: /data\nFrom: Monitor &lt;mon@x.example&gt;\nThe volume /data is 99 % full',
  ],
  ['a clip has its transcript', clip('complete'), 'the primary is read only'],
  ['of a long one the beginning', clip('complete', { has_more: true }), 'the primary is read only …'],
  ['one whose transcript is not ready has none', clip('processing'), ''],
  ['a file that was deleted says nothing', { files: [{ id: 'F1', mode: 'tombstone' }] }, ''],
  ['what Slack does not show is passed over', { text: 'hello', user: 'U1', files: [null] }, 'hello'],
  [
    'a date without words is the moment',
    elements({ type: 'text', text: 'failed over at ' }, { type: 'date', timestamp: 1_772_442_002, format: '{time}' }),
    'failed over at 2026-03-02 09:00 UTC',
  ],
  ['a step that is done says so', { blocks: [step('complete')] }, '✓ Restart the pool'],
  ['and one that failed', { blocks: [step('error')] }, '✗ Restart the pool'],
  ['one that goes on has its words alone', { blocks: [step('in_progress')] }, 'Restart the pool'],
  [
    'buttons of praise are no words',
    {
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: 'All good' } },
        {
          type: 'context_actions',
          elements: [
            {
              type: 'feedback_buttons',
              positive_button: { text: { type: 'plain_text', text: 'Good' } },
              negative_button: { text: { type: 'plain_text', text: 'Bad' } },
            },
            { type: 'icon_button', icon: 'trash', text: { type: 'plain_text', text: 'Delete' } },
          ],
        },
      ],
    },
    'All good',
  ],
])('%s', (_, message, words) => {
  expect(textOf(message)).toBe(words);
});

test('a file that was deleted is none, and that of an e-mail is one, whose words are not read again', () => {
  const files = [
    { id: 'F1', mode: 'tombstone' },
    { id: 'F2', mode: 'email', name: 'ALARM', permalink: 'https://t.example/F2', mimetype: 'text/html', size: 7 },
  ];
  const read = toSourceMessage('C1', { ts: '1.2', files }).files;
  expect(read).toMatchObject([{ name: '', id: '', permalink: 'https://t.example/F2' }]);
});
