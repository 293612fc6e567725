/** Messages as people's clients, alerting products and Slack itself make them, each with words that stand in no other part of it. */
type Shape = { readonly [name: string]: unknown };

const plain = (text: string): Shape => ({ type: 'plain_text', text });
const mrkdwn = (text: string): Shape => ({ type: 'mrkdwn', text });
const text = (words: string, style?: Shape): Shape => ({ type: 'text', text: words, ...(style ? { style } : {}) });
const line = (...elements: readonly Shape[]): Shape => ({ type: 'rich_text_section', elements });
const rich = (...elements: readonly Shape[]): Shape => ({ type: 'rich_text', elements });
const section = (words: string): Shape => ({ type: 'section', text: mrkdwn(words) });
const raw = (words: string): Shape => ({ type: 'raw_text', text: words });
const button = (words: string, url?: string): Shape => ({
  ...{ type: 'button', action_id: words, text: plain(words), value: 'hidden value' },
  ...(url ? { url } : {}),
});
const forward = (more: Shape): Shape => ({
  ...{ is_share: true, is_msg_unfurl: true, author_id: 'U2', author_name: 'Amy Pond', channel_id: 'C0GENERAL' },
  ...{ from_url: 'https://team.example/archives/C0GENERAL/p1795183559000100', ts: '1795183559.000100' },
  ...{ fallback: '[November 20th, 2026] amy: never shown', ...more },
});

/** Each with the name of its kind. */
export const messageShapes: readonly (readonly [kind: string, message: Shape])[] = Object.entries<Shape>({
  'plain text': { text: 'the disk of db-3 is full' },
  lines: { text: 'one\ntwo\n\nthree' },
  entities: { text: 'p99 &gt; 2 s &amp; rising &lt;fast&gt;' },
  mentions: { text: '<@U1> asks <@U2> in <#C0GENERAL> and <!subteam^S1>, <!here>' },
  'a link with a label': { text: 'see <https://wiki.example/runbook|the runbook> first' },
  'an address': { text: 'see <https://wiki.example/runbook> first' },
  'a host that Slack made a link of': { text: 'restart <http://db-1.example.com|db-1.example.com> now' },
  'a mail address': { text: 'ask <mailto:ops@example.com|ops@example.com>' },
  code: { text: 'ran `rm -rf tmp` then\n```line one\nline two```' },
  'a quotation': { text: '&gt; quoted words\nmine' },
  marks: { text: '*bold* _italic_ ~struck~ plain' },
  'a date': { text: 'since <!date^1795183559^{date} {time}|2026-11-20 14:05 UTC> exactly' },
  'a person’s rich text with the same words as its text': {
    user: 'U1',
    text: 'look *here* please',
    blocks: [rich(line(text('look '), text('here', { bold: true }), text(' please')))],
  },
  'rich text of every piece': {
    text: 'never shown',
    blocks: [
      rich(
        line(
          text('ask '),
          { type: 'user', user_id: 'U2' },
          text(' in '),
          { type: 'channel', channel_id: 'C0GENERAL' },
          text(' or '),
          { type: 'usergroup', usergroup_id: 'S1' },
          text(' '),
          { type: 'broadcast', range: 'here' },
          text(' '),
          { type: 'emoji', name: 'fire' },
          { type: 'link', url: 'https://a.example/x', text: 'graph' },
          text(' '),
          { type: 'link', url: 'https://b.example/y' },
          text(' '),
          { type: 'color', value: '#ff0000' },
          { type: 'date', timestamp: 1795183559, format: '{date}', fallback: 'November 20th' },
        ),
      ),
    ],
  },
  'lists in lists': {
    blocks: [
      rich(
        { type: 'rich_text_list', style: 'bullet', indent: 0, elements: [line(text('outer')), line(text('second'))] },
        { type: 'rich_text_list', style: 'ordered', indent: 1, elements: [line(text('inner'))] },
        { type: 'rich_text_list', style: 'bullet', indent: 0, elements: [line(text('third'))] },
      ),
    ],
  },
  'quoted and fixed words': {
    blocks: [
      rich(
        { type: 'rich_text_quote', elements: [text('said\nover two lines')] },
        { type: 'rich_text_preformatted', elements: [text('select *\nfrom a < b')] },
        line(text('after')),
      ),
    ],
  },
  'text that is a fallback': { bot_id: 'B1', text: 'New alert', blocks: [section('*CPU* is high')] },
  'header, section with fields, context': {
    ...{ bot_id: 'B1', text: 'never shown' },
    blocks: [
      { type: 'header', text: plain('Firing &gt; 90 %') },
      { type: 'section', text: mrkdwn('body'), fields: [mrkdwn('*Host*\nweb-1'), plain('eu & us')] },
      { type: 'divider' },
      {
        type: 'context',
        elements: [{ type: 'image', image_url: 'https://i.example/a.png', alt_text: 'logo' }, mrkdwn('since noon')],
      },
    ],
  },
  'a section of fields alone': { blocks: [{ type: 'section', fields: [mrkdwn('*Zone*'), plain('north')] }] },
  'buttons, with and without an address': {
    blocks: [{ type: 'actions', elements: [button('Silence'), button('Open panel', 'https://g.example/d/1')] }],
  },
  'a section with a button beside it': {
    blocks: [{ type: 'section', text: mrkdwn('approve it'), accessory: button('Approve') }],
  },
  'a section with a picture beside it': {
    blocks: [
      {
        type: 'section',
        text: mrkdwn('a cat'),
        accessory: { type: 'image', image_url: 'https://i.example/c', alt_text: 'tabby' },
      },
    ],
  },
  'a picture': {
    blocks: [{ type: 'image', title: plain('Latency'), image_url: 'https://i.example/g.png', alt_text: 'rising line' }],
  },
  Markdown: {
    blocks: [{ type: 'markdown', text: '# Summary\n**two** hosts, see [the log](https://l.example/1) a < b' }],
  },
  'a Markdown picture': { blocks: [{ type: 'markdown', text: 'before ![a chart](https://i.example/c.png) after' }] },
  'a table': {
    blocks: [
      {
        type: 'table',
        rows: [
          [raw('Host'), raw('State')],
          [raw('web-1'), rich(line(text('down', { bold: true })))],
        ],
      },
    ],
  },
  'a person’s table behind rich text': {
    user: 'U1',
    text: 'numbers',
    blocks: [rich(line(text('numbers'))), { type: 'table', rows: [[raw('alpha'), raw('beta')]] }],
  },
  'a data table': {
    blocks: [
      {
        ...{ type: 'data_table', caption: 'Errors by host' },
        rows: [
          [raw('Host'), raw('Errors')],
          [raw('web-1'), { type: 'raw_number', value: 41, text: '41' }],
        ],
      },
    ],
  },
  'a film': {
    blocks: [
      {
        ...{
          type: 'video',
          title: plain('Postmortem talk'),
          title_url: 'https://v.example/1',
          author_name: 'Ops channel',
        },
        ...{
          description: plain('how it broke'),
          provider_name: 'Filmhouse',
          alt_text: 'speaker',
          thumbnail_url: 'https://v.example/t',
        },
      },
    ],
  },
  'a card': {
    blocks: [
      {
        ...{ type: 'card', title: mrkdwn('Checkout'), subtitle: mrkdwn('two errors'), body: mrkdwn('payments fail') },
        ...{ icon: { type: 'image', image_url: 'https://i.example/i', alt_text: 'cart' }, actions: [button('View')] },
      },
    ],
  },
  'cards beside each other': {
    blocks: [
      {
        type: 'carousel',
        elements: [
          { type: 'card', title: mrkdwn('first') },
          { type: 'card', body: mrkdwn('second') },
        ],
      },
    ],
  },
  'a container': {
    blocks: [
      {
        type: 'container',
        title: plain('Details'),
        subtitle: plain('of today'),
        child_blocks: [section('inside')],
      },
    ],
  },
  'an alert block': { blocks: [{ type: 'alert', level: 'error', text: mrkdwn('it burns') }] },
  'a plan of steps': {
    text: 'This message contains interactive elements.',
    blocks: [
      {
        ...{ type: 'plan', title: 'Looking into it' },
        tasks: [
          {
            type: 'task_card',
            task_id: 'x',
            title: 'Read logs',
            status: 'complete',
            output: rich(line(text('two errors'))),
          },
          {
            type: 'task_card',
            title: 'Ask',
            sources: [{ type: 'url', url: 'https://s.example/1', text: 'status page' }],
          },
        ],
      },
    ],
  },
  'a chart': {
    blocks: [
      {
        type: 'data_visualization',
        title: 'Traffic',
        chart: {
          type: 'pie',
          segments: [
            { label: 'eu', value: 41 },
            { label: 'us', value: 59 },
          ],
        },
      },
    ],
  },
  'an attachment of everything': {
    ...{ bot_id: 'B1', text: 'heads up' },
    attachments: [
      {
        ...{
          pretext: 'Monitor',
          author_name: 'Pager',
          author_link: 'https://p.example/',
          title: 'CPU high',
          title_link: 'https://p.example/1',
        },
        ...{
          text: 'load is *9*',
          fields: [
            { title: 'Host', value: 'web-1', short: true },
            { title: 'Why', value: 'line\nbreak' },
          ],
        },
        ...{ footer: 'Pager Inc', ts: 1795183559, fallback: 'never shown', color: 'danger' },
      },
    ],
  },
  'an attachment of fields alone': {
    attachments: [{ fields: [{ title: 'Severity', value: 'critical' }], fallback: '[no preview available]' }],
  },
  'an attachment of blocks': {
    attachments: [{ color: '#ff0000', fallback: '[no preview available]', blocks: [section('inside')] }],
  },
  'an attachment of a fallback alone': { attachments: [{ fallback: 'nothing else to show' }] },
  'an attachment of nothing': { text: 'words', attachments: [{ fallback: '[no preview available]', color: 'good' }] },
  'old buttons': {
    text: 'choose',
    attachments: [
      { text: 'a game', callback_id: 'x', actions: [{ type: 'button', name: 'g', text: 'Chess', value: 'chess' }] },
    ],
  },
  'a preview of a link': {
    ...{ user: 'U1', text: 'see <https://news.example/1>' },
    attachments: [
      {
        service_name: 'News',
        title: 'Outage today',
        title_link: 'https://news.example/1',
        from_url: 'https://news.example/1',
        text: 'Many are out.',
      },
    ],
  },
  'a preview of a picture': {
    text: '<https://i.example/p.png>',
    attachments: [
      { from_url: 'https://i.example/p.png', image_url: 'https://i.example/p.png', fallback: '450x300px image' },
    ],
  },
  'a forward': {
    user: 'U1',
    text: '',
    attachments: [forward({ text: 'the pool is full', footer: 'Posted in #general' })],
  },
  'a forward with a comment': {
    user: 'U1',
    text: 'look at this',
    blocks: [rich(line(text('look at this')))],
    attachments: [forward({ text: 'the pool is full' })],
  },
  'a forward with the blocks of its message': {
    ...{ user: 'U1', text: 'fyi' },
    attachments: [
      forward({
        text: 'the pool is full',
        message_blocks: [
          { team: 'T1', channel: 'C2', ts: '1.2', message: { blocks: [rich(line(text('the pool is full')))] } },
        ],
      }),
    ],
  },
  'a forward with blocks of its own': {
    user: 'U1',
    attachments: [forward({ text: 'never shown', blocks: [section('shown once')] })],
  },
  'a forwarded alert': {
    user: 'U1',
    text: 'again',
    attachments: [
      forward({
        text: '',
        attachments: [{ title: 'Disk', text: 'is full', fields: [{ title: 'Host', value: 'db-3' }] }],
      }),
    ],
  },
  'a forwarded alert with Slack’s words for no text': {
    user: 'U1',
    text: '',
    attachments: [forward({ text: '[no preview available]', attachments: [{ title: 'Disk', text: 'is full' }] })],
  },
  'a forward of blocks of several messages': {
    user: 'U1',
    attachments: [
      forward({
        text: 'This message contains interactive elements.',
        message_blocks: [section('blocks without a message')],
      }),
    ],
  },
  'two forwards': {
    user: 'U1',
    attachments: [forward({ text: 'first of two' }), forward({ text: 'second of two', author_name: 'Rory' })],
  },
  'a linked message': {
    user: 'U1',
    text: 'see <https://team.example/archives/C0GENERAL/p1795183559000100>',
    attachments: [forward({ is_share: false, text: 'old words' })],
  },
  'an edited message': { user: 'U1', text: 'the newer words', edited: { user: 'U1', ts: '2.0' } },
  'a reply that the channel reads too': {
    user: 'U1',
    subtype: 'thread_broadcast',
    thread_ts: '0.9',
    text: 'for everybody',
  },
  'what a person does': { user: 'U1', subtype: 'me_message', text: 'is looking into it' },
  'a webhook': {
    subtype: 'bot_message',
    username: 'deploys',
    text: 'v42 is out',
    attachments: [{ title: 'Changes', text: 'three' }],
  },
  'Slack’s words for a message of blocks': { bot_id: 'B1', text: '[no preview available]', blocks: [section('real')] },
  'the same words typed by a person': { user: 'U1', text: 'This message contains interactive elements.' },
});
