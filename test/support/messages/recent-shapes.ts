/** A message as Slack delivers it, without its time. */
type Shape = { readonly [name: string]: unknown };

/** A message, and what a person reads of it; a mark for how a step ended counts as a word. */
export interface RecentShape {
  readonly kind: string;
  readonly message: Shape;
  readonly shown: string;
}

const text = (words: string): Shape => ({ type: 'text', text: words });
const line = (...elements: readonly Shape[]): Shape => ({ type: 'rich_text_section', elements });
const rich = (...elements: readonly Shape[]): Shape => ({ type: 'rich_text', elements });
const plain = (words: string): Shape => ({ type: 'plain_text', text: words });
const section = (words: string): Shape => ({ type: 'section', text: { type: 'mrkdwn', text: words } });
/** 2 March 2026, 09:00:02 UTC. */
const at = 1_772_442_002;
const date = (format: string, more: Shape = {}): Shape => ({ type: 'date', timestamp: at, format, ...more });
const step = (title: string, status: string, more: Shape = {}): Shape => ({
  ...{ type: 'task_card', task_id: title, title, status },
  ...more,
});
const plan = (title: string, ...tasks: readonly Shape[]): Shape => ({ type: 'plan', title, tasks });
const source = (words: string, url: string): Shape => ({ type: 'url', url, text: words });
const praise: Shape = {
  ...{ type: 'feedback_buttons', action_id: 'praise' },
  positive_button: { text: plain('Good'), value: 'good' },
  negative_button: { text: plain('Bad'), value: 'bad' },
};
const bin: Shape = {
  type: 'icon_button',
  action_id: 'bin',
  icon: 'trash',
  text: plain('Delete'),
  value: 'hidden value',
};
const offered = (...elements: readonly Shape[]): Shape => ({ type: 'context_actions', elements });

/** Messages of blocks, by their kind. */
const blocks: Readonly<Record<string, readonly Shape[]>> = {
  'a date with a fallback': [
    rich(line(text('failed over at '), date('{date_num} {time}', { fallback: '2026-03-02 09:00 UTC' }))),
  ],
  'a date without a fallback': [rich(line(text('failed over at '), date('{date_num} {time}')))],
  'a date among the words of its format': [rich(line(date('Posted {date_num} at {time} by cron')))],
  'a date that is a link': [rich(line(text('see '), date('{date_num} {time}', { url: 'https://log.example/1' })))],
  'dates in a list': [
    rich({
      ...{ type: 'rich_text_list', style: 'bullet', indent: 0 },
      elements: [line(text('down '), date('{date_num} {time}')), line(text('up '), date('{date_num} {time}'))],
    }),
  ],
  'a date in a quotation': [rich({ type: 'rich_text_quote', elements: [text('since '), date('{date_num} {time}')] })],
  'a date in bold': [rich(line(text('due '), date('{date_num} {time}', { style: { bold: true } })))],
  'a plan of steps of each status': [
    plan(
      'Restore the primary',
      step('Stop writes', 'complete'),
      step('Copy the log', 'in_progress'),
      step('Promote', 'error'),
      step('Resume', 'pending'),
    ),
  ],
  'a plan without steps yet': [plan('Looking into it')],
  'a step alone that is done': [step('Read the logs', 'complete')],
  'a step alone that failed': [step('Restart the pool', 'error')],
  'a step with what it looks for and what it found': [
    step('Count errors', 'complete', {
      details: rich(line(text('in the last hour'))),
      output: rich(line(text('41 of them'))),
    }),
  ],
  'a step that failed, and why': [step('Drain the node', 'error', { output: rich(line(text('permission denied'))) })],
  'a step with its sources': [
    step('Search the runbooks', 'complete', {
      sources: [source('Failover', 'https://wiki.example/failover'), source('Pool', 'https://wiki.example/pool')],
    }),
  ],
  'a step with a date in its output': [
    step('Find the last backup', 'complete', { output: rich(line(text('from '), date('{date_num} {time}'))) }),
  ],
  'an answer with buttons of praise': [section('The pool is full'), offered(praise)],
  'an answer with a button to delete it': [section('The pool is empty'), offered(bin)],
  'an answer with both': [rich(line(text('The disk is full'))), offered(praise, bin)],
  'an answer in Markdown with both': [
    { type: 'markdown', text: '**Cause**: a full disk on db-3' },
    offered(praise, bin),
  ],
  'a plan, an answer and buttons of praise': [
    plan('Find the cause', step('Read metrics', 'complete')),
    section('It is the disk'),
    offered(praise),
  ],
};

/**
 * Their words as `slack-blocks-to-jsx` 1.1.1 draws them in UTC, a program that has nothing of this one. It was run once, and is no part of the
 * project. Times stand here on 24 hours, and an address behind each link, which it gives to no date.
 */
const drawn: Readonly<Record<keyof typeof blocks, string>> = {
  'a date with a fallback': 'failed over at 2026-03-02 09:00 UTC',
  'a date without a fallback': 'failed over at 2026-03-02 09:00 UTC',
  'a date among the words of its format': 'Posted 2026-03-02 at 09:00 UTC by cron',
  'a date that is a link': 'see 2026-03-02 09:00 UTC https://log.example/1',
  'dates in a list': 'down 2026-03-02 09:00 UTC up 2026-03-02 09:00 UTC',
  'a date in a quotation': 'since 2026-03-02 09:00 UTC',
  'a date in bold': 'due 2026-03-02 09:00 UTC',
  'a plan of steps of each status': 'Restore the primary ✓ Stop writes Copy the log ✗ Promote Resume',
  'a plan without steps yet': 'Looking into it',
  'a step alone that is done': '✓ Read the logs',
  'a step alone that failed': '✗ Restart the pool',
  'a step with what it looks for and what it found': '✓ Count errors in the last hour 41 of them',
  'a step that failed, and why': '✗ Drain the node permission denied',
  'a step with its sources':
    '✓ Search the runbooks Failover https://wiki.example/failover Pool https://wiki.example/pool',
  'a step with a date in its output': '✓ Find the last backup from 2026-03-02 09:00 UTC',
  'an answer with buttons of praise': 'The pool is full',
  'an answer with a button to delete it': 'The pool is empty',
  'an answer with both': 'The disk is full',
  'an answer in Markdown with both': 'Cause: a full disk on db-3',
  'a plan, an answer and buttons of praise': 'Find the cause ✓ Read metrics It is the disk',
};

const file = (more: Shape): Shape => ({
  ...{ id: 'F1', mode: 'hosted', permalink: 'https://t.example/F1' },
  ...more,
});
const mail = (more: Shape = {}): Shape =>
  file({
    ...{
      mode: 'email',
      filetype: 'email',
      mimetype: 'text/html',
      name: 'ALARM /data',
      title: 'ALARM /data',
      size: 900,
    },
    ...{ subject: 'ALARM /data', from: [{ address: 'mon@x.example', name: 'Monitor', original: 'never shown' }] },
    ...{
      to: [{ address: 'never@shown.example' }],
      preview: '<p>never shown</p>',
      simplified_html: '<p>never shown</p>',
    },
    ...{ plain_text: 'The volume is 99 % full', headers: { subject: 'never shown' }, ...more },
  });
const clip = (status: string, preview?: Shape, more: Shape = {}): Shape =>
  file({
    ...{ name: 'audio_message.m4a', subtype: 'slack_audio', mimetype: 'audio/mp4', size: 40_000 },
    ...{ transcription: { status, locale: 'en-US', ...(preview ? { preview } : {}) }, ...more },
  });
const heard = { content: 'the primary is read only', has_more: false };
const slackbot = (...files: readonly Shape[]): Shape => ({ user: 'USLACKBOT', text: '', upload: false, files });
const forward = (more: Shape): Shape => ({
  ...{ is_share: true, is_msg_unfurl: true, author_id: 'U2', author_name: 'Amy', channel_id: 'C0GENERAL' },
  ...{ from_url: 'https://t.example/p1', ts: String(at), fallback: 'never shown', text: '', ...more },
});
const forwarded = (more: Shape): Shape => ({ user: 'U1', text: '', attachments: [forward(more)] });
const said = (words: string): Shape => ({ user: 'U1', text: words, blocks: [rich(line(text(words)))] });
const desk: Shape = { bot_id: 'B77', app_id: 'A77', bot_profile: { id: 'B77', name: 'never shown' } };
const workflow: Shape = { ...desk, subtype: 'bot_message', username: 'Intake' };
const byAmy = (words: string) => `Amy https://t.example/p1 ${words} 2026-03-02 09:00 UTC`;
const inFile = 'https://t.example/F1';

/**
 * Messages that no program which we found draws, with the words that Slack shows of them by its documentation and by the payloads that
 * people report (docs/slack.md 4).
 */
const documented: readonly RecentShape[] = [
  {
    kind: 'an e-mail',
    message: slackbot(mail()),
    shown: `ALARM /data From: Monitor mon@x.example The volume is 99 % full ${inFile}`,
  },
  {
    kind: 'an e-mail of a sender without a name',
    message: slackbot(mail({ from: [{ address: 'mon@x.example' }] })),
    shown: `ALARM /data From: mon@x.example The volume is 99 % full ${inFile}`,
  },
  {
    kind: 'an e-mail of two senders',
    message: slackbot(mail({ from: [{ address: 'a@x.example', name: 'Ann' }, { address: 'b@x.example' }] })),
    shown: `ALARM /data From: Ann a@x.example b@x.example The volume is 99 % full ${inFile}`,
  },
  {
    kind: 'an e-mail without a subject',
    message: slackbot(mail({ subject: '', name: 'untitled', title: '(no subject)' })),
    shown: `(no subject) From: Monitor mon@x.example The volume is 99 % full ${inFile}`,
  },
  {
    kind: 'an e-mail whose text is a preview alone',
    message: slackbot(mail({ plain_text: undefined, preview_plain_text: 'The volume is nearly full' })),
    shown: `ALARM /data From: Monitor mon@x.example The volume is nearly full ${inFile}`,
  },
  {
    kind: 'an e-mail with files of its own',
    message: slackbot(
      mail({ original_attachment_count: 2, attachments: [{ filename: 'df.txt', size: 7 }, { filename: 'graph.png' }] }),
    ),
    shown: `ALARM /data From: Monitor mon@x.example The volume is 99 % full df.txt graph.png ${inFile}`,
  },
  {
    kind: 'an e-mail of signs that Slack encodes',
    message: slackbot(mail({ subject: 'p99 > 2 s & rising', plain_text: 'see <b> & co' })),
    shown: `p99 > 2 s & rising From: Monitor mon@x.example see <b> & co ${inFile}`,
  },
  {
    kind: 'an e-mail with words of the person who sent it on',
    message: { ...said('look at this'), files: [mail()] },
    shown: `look at this ALARM /data From: Monitor mon@x.example The volume is 99 % full ${inFile}`,
  },
  {
    kind: 'an e-mail in a thread',
    message: { ...slackbot(mail()), thread_ts: '0.9' },
    shown: `ALARM /data From: Monitor mon@x.example The volume is 99 % full ${inFile}`,
  },
  {
    kind: 'a forward of an e-mail',
    message: forwarded({ files: [mail()] }),
    shown: `${byAmy('')} ALARM /data From: Monitor mon@x.example The volume is 99 % full ${inFile}`,
  },
  {
    kind: 'a clip with its transcript',
    message: { user: 'U1', text: '', files: [clip('complete', heard)] },
    shown: `the primary is read only audio_message.m4a ${inFile}`,
  },
  {
    kind: 'a clip with the beginning of its transcript',
    message: { user: 'U1', text: '', files: [clip('complete', { ...heard, has_more: true })] },
    shown: `the primary is read only … audio_message.m4a ${inFile}`,
  },
  {
    kind: 'a clip that Slack is still writing down',
    message: { user: 'U1', text: '', files: [clip('processing')] },
    shown: `audio_message.m4a ${inFile}`,
  },
  {
    kind: 'a clip that Slack could not write down',
    message: { user: 'U1', text: '', files: [clip('failed', { content: 'never shown' })] },
    shown: `audio_message.m4a ${inFile}`,
  },
  {
    kind: 'a film with its transcript and a comment',
    message: {
      ...said('my screen'),
      files: [clip('complete', heard, { subtype: 'slack_video', name: 'screen.mp4', mimetype: 'video/mp4' })],
    },
    shown: `my screen the primary is read only screen.mp4 ${inFile}`,
  },
  {
    kind: 'a clip in a thread that the channel reads too',
    message: {
      ...{ user: 'U1', subtype: 'thread_broadcast', thread_ts: '0.9', text: 'for all' },
      files: [clip('complete', heard)],
    },
    shown: `for all the primary is read only audio_message.m4a ${inFile}`,
  },
  {
    kind: 'a forward of a clip, with a comment',
    message: { ...said('hear her'), attachments: [forward({ files: [clip('complete', heard)] })] },
    shown: `hear her ${byAmy('')} the primary is read only audio_message.m4a ${inFile}`,
  },
  {
    kind: 'a file that was deleted',
    message: { user: 'U1', text: '', files: [{ id: 'F1', mode: 'tombstone' }] },
    shown: '',
  },
  {
    kind: 'words beside a file that was deleted, and one that was not',
    message: { ...said('both graphs'), files: [{ id: 'F2', mode: 'tombstone' }, file({ name: 'b.png' })] },
    shown: `both graphs b.png ${inFile}`,
  },
  {
    kind: 'a file that a plan of Slack hides',
    message: { ...said('the old log'), files: [{ id: 'F1', mode: 'hidden_by_limit' }] },
    shown: 'the old log',
  },
  {
    kind: 'a message that was deleted and whose thread stands',
    message: {
      ...{ user: 'USLACKBOT', subtype: 'tombstone', hidden: true, text: 'This message was deleted.' },
      ...{ thread_ts: '1.000001', reply_count: 2 },
    },
    shown: '',
  },
  {
    kind: 'what an app posts with the token of a person',
    message: { ...desk, ...said('the pool is full') },
    shown: 'the pool is full',
  },
  {
    kind: 'a plan that an app posts with the token of a person, in a thread',
    message: {
      ...{ ...desk, user: 'U1', text: 'never shown', thread_ts: '0.9' },
      blocks: [plan('Drain it', step('Cordon', 'complete'))],
    },
    shown: 'Drain it ✓ Cordon',
  },
  {
    kind: 'an attachment that an app posts with the token of a person',
    message: {
      ...desk,
      user: 'U1',
      text: 'filed',
      attachments: [{ title: 'OPS-7', title_link: 'https://o.example/7' }],
    },
    shown: 'filed OPS-7 https://o.example/7',
  },
  {
    kind: 'a forward by an app with the token of a person',
    message: { ...desk, ...forwarded({ text: 'the pool is full' }) },
    shown: byAmy('the pool is full'),
  },
  {
    kind: 'a message of a workflow',
    message: {
      ...workflow,
      text: 'never shown',
      blocks: [rich(line(text('New request from '), { type: 'user', user_id: 'U2' }))],
    },
    shown: 'New request from @amy',
  },
  {
    kind: 'a message of a workflow with a button',
    message: {
      ...workflow,
      blocks: [
        section('Approve the failover?'),
        {
          type: 'actions',
          elements: [{ type: 'workflow_button', text: plain('Start'), workflow: { trigger: { url: 'x:never' } } }],
        },
      ],
    },
    shown: 'Approve the failover? Start',
  },
  {
    kind: 'a date that a workflow filled in',
    message: { ...workflow, blocks: [rich(line(text('Due '), date('{date_num} {time}')))] },
    shown: 'Due 2026-03-02 09:00 UTC',
  },
  {
    kind: 'a forward of a message of a workflow',
    message: forwarded({
      ...{ author_id: 'B77', author_name: 'Intake', author_subname: 'Intake', text: 'never shown' },
      message_blocks: [{ message: { blocks: [rich(line(text('New request')))] } }],
    }),
    shown: byAmy('New request').replace('Amy', 'Intake'),
  },
  {
    kind: 'a forward of a plan',
    message: forwarded({
      text: 'This message contains interactive elements.',
      message_blocks: [{ message: { blocks: [plan('Drain it', step('Cordon', 'error')), offered(praise)] } }],
    }),
    shown: byAmy('Drain it ✗ Cordon'),
  },
  {
    kind: 'a forward of a date, in a thread',
    message: {
      ...{ ...said('when'), thread_ts: '0.9' },
      attachments: [
        forward({ text: 'never shown', blocks: [rich(line(text('it broke '), date('{date_num} {time}')))] }),
      ],
    },
    shown: `when ${byAmy('it broke 2026-03-02 09:00 UTC')}`,
  },
  {
    kind: 'a forward of a file that was deleted',
    message: forwarded({ text: 'the log', files: [{ id: 'F1', mode: 'tombstone' }] }),
    shown: byAmy('the log'),
  },
];

/** Shapes that Slack and its apps added lately, and what is deleted. */
export const recentShapes: readonly RecentShape[] = [
  ...Object.entries(blocks).map(([kind, list]) => ({
    kind,
    message: { bot_id: 'B1', text: 'never shown', blocks: list },
    shown: drawn[kind] ?? '',
  })),
  ...documented,
];
