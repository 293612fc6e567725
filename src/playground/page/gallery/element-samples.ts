import type { Json } from '../../workspace/protocol.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const option = (text: string, description?: string) => ({
  text: plain(text),
  value: text.toLowerCase(),
  ...(description === undefined ? {} : { description: plain(description) }),
});
const severities = [
  option('Critical', 'Customers cannot pay'),
  option('Major', 'Some customers cannot pay'),
  option('Minor', 'Nobody notices'),
];
const groups = [
  { label: plain('Shop'), options: [option('Checkout'), option('Cart')] },
  { label: plain('Office'), options: [option('Mail')] },
];
const button = (text: string, more: object = {}) => ({ type: 'button', action_id: text, text: plain(text), ...more });
const confirm = {
  title: plain('Resolve the incident?'),
  text: { type: 'mrkdwn', text: 'It is *active* and has two open tasks.' },
  confirm: plain('Resolve'),
  deny: plain('Keep it'),
  style: 'danger',
};

/** Blocks of a message that one can use, by name. */
export const elementSamples: Readonly<Record<string, readonly Json[]>> = {
  'Buttons in rows that wrap': [
    {
      type: 'actions',
      block_id: 'buttons',
      elements: [
        button('Acknowledge', { style: 'primary' }),
        button('Assign me'),
        button('Add a task'),
        button('Severity'),
        button('Open in Grafana', { url: 'https://example.com' }),
        button('Resolve', { style: 'danger', confirm, value: 'incident-1' }),
        button('A label that is much too long to be read at once on a button of Slack'),
        {
          type: 'overflow',
          action_id: 'more',
          options: [option('Rename'), option('Archive', 'The room stays readable')],
        },
      ],
    },
  ],
  'Menus and pickers': [
    {
      type: 'actions',
      block_id: 'menus',
      elements: [
        { type: 'static_select', action_id: 'severity', placeholder: plain('Severity'), options: severities },
        { type: 'static_select', action_id: 'service', placeholder: plain('Service'), option_groups: groups },
        { type: 'users_select', action_id: 'who', placeholder: plain('Who?'), initial_user: 'U2' },
        { type: 'datepicker', action_id: 'date', placeholder: plain('Date'), initial_date: '2026-11-23' },
        { type: 'timepicker', action_id: 'time', placeholder: plain('Time'), initial_time: '09:30' },
      ],
    },
    {
      type: 'section',
      block_id: 'picked',
      text: { type: 'mrkdwn', text: 'A section with a menu' },
      accessory: {
        type: 'static_select',
        action_id: 'severity',
        placeholder: plain('Choose'),
        options: severities,
        initial_option: severities[1],
      },
    },
    {
      type: 'section',
      block_id: 'todo',
      text: { type: 'mrkdwn', text: 'Tasks' },
      accessory: {
        type: 'checkboxes',
        action_id: 'tasks',
        options: [option('Roll back'), option('Tell support')],
        initial_options: [option('Roll back')],
      },
    },
  ],
};

const input = (label: string, element: object, more: object = {}) => ({
  type: 'input',
  block_id: label,
  label: plain(label),
  element: { action_id: 'value', ...element },
  ...more,
});

/** The blocks of a modal with every kind of input. */
export const inputSamples: readonly Json[] = [
  { type: 'alert', level: 'info', text: plain('Every kind of input stands here.') },
  input('Title', { type: 'plain_text_input', max_length: 60, placeholder: plain('What is broken?') }),
  input(
    'Summary',
    { type: 'plain_text_input', multiline: true },
    { optional: true, hint: plain('In a sentence or two') },
  ),
  input('Severity', { type: 'static_select', options: severities, initial_option: severities[0] }),
  input('Service', { type: 'static_select', option_groups: groups }, { optional: true }),
  input('Labels', { type: 'multi_static_select', options: severities }, { optional: true }),
  input('Runbook', { type: 'external_select', min_query_length: 1 }, { optional: true }),
  input('Commander', { type: 'users_select' }, { optional: true }),
  input('Responders', { type: 'multi_users_select', initial_users: ['U1', 'U2'] }, { optional: true }),
  input('Room', { type: 'conversations_select' }, { optional: true }),
  input('Started on', { type: 'datepicker', initial_date: '2026-11-23' }, { optional: true }),
  input('Started at', { type: 'timepicker' }, { optional: true }),
  input('Moment', { type: 'datetimepicker', initial_date_time: 1795426200 }, { optional: true }),
  input('Tell', { type: 'checkboxes', options: [option('Support', 'By phone'), option('Sales')] }, { optional: true }),
  input('Kind', { type: 'radio_buttons', options: [option('Incident'), option('Drill')] }),
  input('Mail', { type: 'email_text_input' }, { optional: true }),
  input('Address', { type: 'url_text_input' }, { optional: true }),
  input('Customers', { type: 'number_input', is_decimal_allowed: false, min_value: '0' }, { optional: true }),
  input('Notes', { type: 'rich_text_input' }, { optional: true }),
  input('Search', { type: 'plain_text_input' }, { optional: true, dispatch_action: true }),
  input('Files', { type: 'file_input', filetypes: ['png', 'txt'], max_files: 2 }, { optional: true }),
];

/** Attachments of a message. */
export const attachmentSamples: readonly Json[] = [
  {
    color: 'danger',
    pretext: 'An alert fired',
    title: 'High error rate',
    title_link: 'https://example.com/alert',
    text: 'Errors of *checkout* are above 5 %.',
    fields: [
      { title: 'Service', value: 'checkout', short: true },
      { title: 'Region', value: 'eu-1', short: true },
      { title: 'Summary', value: 'It began with the deploy of `a1b2c3`.', short: false },
    ],
    footer: 'Grafana · <https://example.com|Silence>',
  },
  {
    color: '#2563b8',
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: 'Blocks in an *attachment*' } },
      { type: 'actions', block_id: 'attached', elements: [button('Silence')] },
    ],
  },
  {
    service_name: 'Example',
    from_url: 'https://example.com/post',
    title: 'How we roll back',
    text: 'A preview of a link that somebody wrote.',
  },
];
