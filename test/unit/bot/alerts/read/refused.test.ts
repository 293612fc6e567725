import { expect, test } from 'vitest';
import { readAlert } from '../../../../../src/bot/alerts/read/read.ts';
import { UnreadableAlert } from '../../../../../src/bot/alerts/read/unreadable.ts';
import type { AlertMapping } from '../../../../../src/config/alert-sources.ts';
import { mappingOf, readBody } from '../../../../support/alerts/bodies.ts';

function why(body: unknown, mapping?: AlertMapping): string {
  try {
    readAlert(mapping, body);
  } catch (error) {
    if (error instanceof UnreadableAlert) return error.message;
    throw error;
  }
  return '';
}

const deep = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
const alert = { labels: { alertname: 'x' }, fingerprint: 'f' };
const topic = { Type: 'SubscriptionConfirmation', Message: 'You have chosen to subscribe …', Token: '2336' };
const host = 'sns.eu-west-1.amazonaws.com';

test.each([
  ['alertmanager', null, 'a JSON object'],
  ['alertmanager', 'firing', 'a JSON object'],
  ['alertmanager', [], 'a JSON object'],
  ['alertmanager', {}, 'alerts is missing'],
  // Grafana’s alerting of before version 9.
  ['alertmanager', { title: '[Alerting] x', ruleId: 1, state: 'alerting', evalMatches: [] }, 'alerts is missing'],
  ['alertmanager', { groupKey: 'k', alerts: {} }, 'alerts is no list'],
  ['alertmanager', { groupKey: 'k', alerts: [] }, 'alerts is empty'],
  ['alertmanager', { groupKey: 'k', alerts: [alert, 'x'] }, 'alerts[1] is no alert'],
  ['alertmanager', { groupKey: 'k', alerts: [[], alert] }, 'alerts[0] is no alert'],
  ['alertmanager', { alerts: [alert, alert] }, 'groupKey is missing'],
  ['alertmanager', { alerts: [{ labels: {} }] }, 'groupKey is missing'],
  ['alertmanager', { groupKey: 'k', alerts: [alert], more: deep(20) }, 'nested more than 20 deep'],
  ['alertmanager', deep(100_000), 'nested more than 20 deep'],
  ['alertmanager', { ...topic, SubscribeURL: `https://${host}/?Action=ConfirmSubscription&Token=2336` }, host],
  ['any', {}, 'key is missing'],
  ['any', [], 'key is missing'],
  ['any', { key: 'k', state: 'firing' }, 'title is missing'],
  ['any', { key: 'k', title: 't' }, 'state is missing'],
  ['any', { key: '', title: 't', state: 's' }, 'key is empty'],
  ['any', { key: 'k', title: ' \u0000 ', state: 's' }, 'title is empty'],
  ['any', { key: { id: 1 }, title: 't', state: 's' }, 'key is no text'],
  ['any', { key: 'k', title: ['t'], state: 's' }, 'title is no text'],
  ['any', { key: 'k', title: 't', state: null }, 'state is missing'],
  ['uptime-kuma', { heartbeat: null, monitor: null, msg: 'Shop Testing' }, 'monitor.id is missing'],
  ['uptime-kuma', { heartbeat: {}, monitor: { id: 1, name: 'Shop' } }, 'heartbeat.status is missing'],
  ['datadog', { id: '1', title: 't', date: '1', event_type: 'x' }, 'key is missing'],
  [
    'sentry',
    { action: 'created', data: { installation: {} } },
    'data.event.issue_id or data.issue.id or data.metric_alert',
  ],
  ['cloudwatch', { Type: 'Notification' }, 'Message is missing'],
  ['cloudwatch', { Type: 'Notification', Message: 'A text of a person' }, 'Message is not JSON'],
  ['cloudwatch', { Message: '[]' }, 'AlarmArn or AlarmName is missing'],
  ['cloudwatch', { Message: JSON.stringify({ AlarmName: 'a' }) }, 'NewStateValue is missing'],
  ['cloudwatch', { Message: JSON.stringify(deep(50)) }, 'nested more than 20 deep'],
  ['cloudwatch', { ...topic, SubscribeURL: `https://${host}/?Action=ConfirmSubscription&Token=2336` }, host],
  ['cloudwatch', { ...topic, SubscribeURL: 'https://evil.example/?x=amazonaws.com' }, 'evil.example: do not open it'],
  ['cloudwatch', { ...topic, SubscribeURL: `http://${host}/` }, 'do not open it'],
  ['cloudwatch', { ...topic, SubscribeURL: 'javascript:alert(1)' }, 'do not open it'],
  ['cloudwatch', { ...topic, SubscribeURL: 5 }, 'do not open it'],
  ['cloudwatch', topic, 'do not open it'],
] as const)('%s: %j is refused: %s', (tool, body, wanted) => {
  expect(why(body, mappingOf(tool))).toContain(wanted);
});

test('a body that is as deep as may be is read', () => {
  expect(why({ groupKey: 'k', alerts: [alert], more: deep(19) })).toBe('');
});

test.each([
  ['grafana-12-firing', 'alerts'],
  ['alertmanager-0.22-firing', 'groupKey'],
  ['gatus-triggered', 'key'],
  ['gatus-triggered', 'title'],
  ['gatus-triggered', 'state'],
  ['datadog-triggered', 'key'],
  ['cloudwatch-alarm', 'Message'],
  ['sentry-issue-alert', 'action'],
  ['uptime-kuma-1-down', 'monitor'],
  ['uptime-kuma-1-down', 'heartbeat'],
])('%s without %s is refused by that name', (name, member) => {
  const { [member]: _left, ...body } = readBody(name) as Record<string, unknown>;
  // A single alert has its fingerprint.
  const without = member === 'groupKey' ? { ...body, alerts: [{}] } : body;
  expect(why(without, mappingOf(name))).toMatch(new RegExp(`^${member}\\b.* is missing`));
});
