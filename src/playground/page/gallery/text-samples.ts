import type { Json } from '../../workspace/protocol.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const said = (text: string, style?: object) => ({ type: 'text', text, ...(style ? { style } : {}) });
const richSection = (...elements: object[]) => ({ type: 'rich_text_section', elements });

/** Half past nine on 23 November 2026, UTC. */
const moment = 1795426200;

/** Blocks of text, by name. */
export const textSamples: Readonly<Record<string, readonly Json[]>> = {
  'Header, section, context, divider': [
    { type: 'header', text: plain(':rotating_light: Checkout answers 500 for card payments') },
    {
      type: 'section',
      text: mrkdwn(
        '*Bold*, _italic_, ~struck~, *_both_*, `code`, <https://example.com/a?b=1&amp;c=2|a link>, https://example.com/bare.\n> A quote\n> of two lines\n```one = 1\ntwo = 2```\nAsk <@U2>, <@U1>, <!subteam^S1> in <#C1>, or <!here>. :white_check_mark: :large_red_circle: :no_such_emoji: &lt;escaped&gt; &amp; done',
      ),
    },
    {
      type: 'section',
      text: mrkdwn(
        `Since <!date^${moment}^{date_short_pretty} at {time}|23 Nov 09:30 UTC>, <!date^${moment}^{ago}|once>, <!date^${moment}^{nonsense}|its fallback>. <javascript:alert(1)|not a link>`,
      ),
    },
    { type: 'divider' },
    {
      type: 'context',
      elements: [
        { type: 'image', image_url: 'https://example.com/face.png', alt_text: 'The face of Ana' },
        mrkdwn('Declared by *ana* · <https://example.com|Open in Grafana>'),
        plain(':clock1: an hour ago'),
      ],
    },
  ],
  'Section with fields and an accessory': [
    {
      type: 'section',
      text: mrkdwn(
        '*Status*\nActive, and the words of this section wrap beside the button at its right on a wide page.',
      ),
      fields: [
        mrkdwn('*Severity*\nCritical'),
        mrkdwn('*Commander*\n<@U2>'),
        mrkdwn('*Duration*\n42 minutes'),
        mrkdwn('*Customers*\nEverybody who pays with a card'),
      ],
      accessory: { type: 'button', action_id: 'open', text: plain('Open incident'), url: 'https://example.com' },
    },
    {
      type: 'section',
      text: mrkdwn('A section with a picture'),
      accessory: { type: 'image', image_url: 'https://example.com/graph.png', alt_text: 'A graph of errors' },
    },
  ],
  'Long section': [{ type: 'section', text: mrkdwn('The database does not answer. '.repeat(60)) }],
  'Rich text': [
    {
      type: 'rich_text',
      elements: [
        richSection(
          said('Bold', { bold: true }),
          said(', '),
          said('italic', { italic: true }),
          said(', '),
          said('struck', { strike: true }),
          said(', '),
          said('underlined', { underline: true }),
          said(', '),
          said('code', { code: true }),
          said(', '),
          { type: 'link', url: 'https://example.com', text: 'link' },
          said(', '),
          { type: 'user', user_id: 'U2' },
          said(', '),
          { type: 'channel', channel_id: 'C1' },
          said(', '),
          { type: 'usergroup', usergroup_id: 'S1' },
          said(', '),
          { type: 'broadcast', range: 'channel' },
          said(', '),
          { type: 'emoji', name: 'fire' },
          said(', '),
          { type: 'color', value: '#c2255c' },
          said(', '),
          { type: 'date', timestamp: moment, format: '{date_long} at {time}', fallback: 'once' },
        ),
        {
          type: 'rich_text_list',
          style: 'bullet',
          elements: [richSection(said('Roll back')), richSection(said('Tell support'))],
        },
        { type: 'rich_text_list', style: 'bullet', indent: 1, elements: [richSection(said('by mail'))] },
        {
          type: 'rich_text_list',
          style: 'ordered',
          elements: [richSection(said('First')), richSection(said('Second'))],
        },
        { type: 'rich_text_quote', elements: [said('Who quotes, reads.')] },
        { type: 'rich_text_preformatted', elements: [said('$ kubectl rollout undo deploy/checkout')] },
      ],
    },
  ],
  Markdown: [
    {
      type: 'markdown',
      text: '# What happened\nThe **deploy** of *checkout* broke `POST /pay`, see [the graph](https://example.com).\n\n- first\n  - nested\n- [x] done\n- [ ] open\n\n1. one\n2. two\n\n> Quoted\n\n```sh\nmake rollback\n```\n\n| Service | Errors |\n|---|---|\n| checkout | 412 |\n| cart | 3 |\n\n---\nThe end.',
    },
  ],
  'Image, video, file': [
    {
      type: 'image',
      title: plain('Errors per second'),
      image_url: 'https://example.com/errors.png',
      alt_text: 'A graph of errors per second',
    },
    {
      type: 'video',
      video_url: 'https://example.com/embed/1',
      title_url: 'https://example.com/watch/1',
      thumbnail_url: 'https://example.com/1.png',
      alt_text: 'A talk about incidents',
      title: plain('How we roll back'),
      author_name: 'Ana',
      provider_name: 'Example Tube',
      description: plain('Five minutes on a bad deploy'),
    },
    { type: 'file', source: 'remote', external_id: 'postmortem-42' },
  ],
  'A block that nobody knows': [{ type: 'hologram', projector: { lens: 3 } }],
};
