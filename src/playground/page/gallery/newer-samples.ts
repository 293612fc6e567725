import type { Json } from '../../workspace/protocol.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const raw = (text: string) => ({ type: 'raw_text', text });
const number = (value: number) => ({ type: 'raw_number', value, text: String(value) });
const button = (text: string, more: object = {}) => ({ type: 'button', action_id: text, text: plain(text), ...more });
const rich = (text: string) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
});

const card = (title: string) => ({
  type: 'card',
  icon: { type: 'image', image_url: 'https://example.com/icon.png', alt_text: 'The icon of the service' },
  title: mrkdwn(`*${title}*`),
  subtitle: mrkdwn('Active · 42 minutes'),
  body: mrkdwn('Card payments fail for everybody in Europe.'),
  actions: [button('Open', { style: 'primary' }), button('Mute')],
});

const weeks = ['40', '41', '42', '43', '44', '45'];
const series = (name: string, values: readonly number[]) => ({
  name,
  data: weeks.map((label, index) => ({ label, value: values[index] ?? 0 })),
});
const chart = (type: string, title: string) => ({
  type: 'data_visualization',
  title,
  chart: {
    type,
    series: [series('Critical', [2, 0, 1, 4, 2, 1]), series('Minor', [5, 7, 3, 8, 6, 9])],
    axis_config: { categories: weeks, x_label: 'Week', y_label: 'Incidents' },
  },
});

/** Blocks that came in 2025 and 2026, by name. */
export const newerSamples: Readonly<Record<string, readonly Json[]>> = {
  Table: [
    {
      type: 'table',
      column_settings: [{ is_wrapped: true }, { align: 'right' }],
      rows: [
        [raw('Service'), raw('Errors')],
        [raw('checkout'), raw('412')],
        [rich('cart'), raw('3')],
      ],
    },
  ],
  'Data table': [
    {
      type: 'data_table',
      caption: 'Open incidents',
      page_size: 3,
      rows: [
        [raw('Incident'), raw('Severity'), raw('Minutes')],
        [raw('Checkout answers 500'), raw('Critical'), number(42)],
        [raw('Search is slow'), raw('Minor'), number(210)],
        [raw('Mail is late'), raw('Minor'), number(7)],
        [rich('Login fails for guests'), raw('Major'), number(63)],
      ],
    },
  ],
  Pie: [
    {
      type: 'data_visualization',
      title: 'Incidents by severity',
      chart: {
        type: 'pie',
        segments: [
          { label: 'Critical', value: 4 },
          { label: 'Major', value: 9 },
          { label: 'Minor', value: 17 },
        ],
      },
    },
  ],
  Bars: [chart('bar', 'Incidents a week, as bars')],
  Lines: [chart('line', 'Incidents a week, as lines')],
  Areas: [chart('area', 'Incidents a week, as areas')],
  Container: [
    {
      type: 'container',
      title: plain('Checkout answers 500'),
      subtitle: mrkdwn('*Critical* · commander ana'),
      is_collapsible: true,
      has_header_divider: true,
      child_blocks: [
        { type: 'section', text: mrkdwn('Card payments fail. We roll back.') },
        { type: 'actions', block_id: 'in-container', elements: [button('Resolve', { style: 'danger' })] },
      ],
    },
    {
      type: 'container',
      title: plain('Timeline'),
      width: 'narrow',
      is_collapsible: true,
      default_collapsed: true,
      child_blocks: [{ type: 'section', text: mrkdwn('Nobody sees this at first.') }],
    },
  ],
  Card: [card('Checkout')],
  Carousel: [{ type: 'carousel', elements: [card('Checkout'), card('Search'), card('Mail')] }],
  Alerts: ['default', 'info', 'warning', 'error', 'success'].map(level => ({
    type: 'alert',
    level,
    text: mrkdwn(`An alert of level *${level}*, with <https://example.com|a link>.`),
  })),
  'Plan and task card': [
    {
      type: 'plan',
      title: 'Roll back',
      tasks: [
        { type: 'task_card', task_id: '1', title: 'Stop the deploy', status: 'complete' },
        {
          type: 'task_card',
          task_id: '2',
          title: 'Roll back',
          status: 'in_progress',
          details: rich('Two of five regions'),
        },
        { type: 'task_card', task_id: '3', title: 'Tell support', status: 'pending' },
        { type: 'task_card', task_id: '4', title: 'Page the vendor', status: 'error', output: rich('No answer') },
      ],
    },
  ],
  'Context actions': [
    {
      type: 'context_actions',
      elements: [
        {
          type: 'feedback_buttons',
          action_id: 'feedback',
          positive_button: { text: plain('Good'), value: 'good' },
          negative_button: { text: plain('Bad'), value: 'bad' },
        },
        { type: 'icon_button', action_id: 'delete', icon: 'trash', text: plain('Delete') },
      ],
    },
  ],
};
