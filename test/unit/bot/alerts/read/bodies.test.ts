import { expect, test } from 'vitest';
import { readAlert } from '../../../../../src/bot/alerts/read/read.ts';
import { toSeverity } from '../../../../../src/bot/alerts/read/severity.ts';
import { bodyNames, mappingOf, readBody } from '../../../../support/alerts/bodies.ts';
import { readTable } from '../../../../support/table.ts';

/** The facts in each body: its group, the counts of alerts that fire and that ended, the team’s severity, beginning, end, labels, links. */
const rows = readTable(
  'name | group | count | title | severity | began | ended | labels | links',
  `
  alertmanager-0.22-firing       | A | 1/0  | InstanceDown | critical | 2021-07-27T10:05:13 |                     | instance=web-1:9100 job=node severity=page | rule silence tool
  alertmanager-0.22-resolved     | A | 0/1  | InstanceDown | critical | 2021-07-27T10:05:13 | 2021-07-27T10:31:13 | instance=web-1:9100 job=node severity=page | rule silence tool
  alertmanager-0.25-group-ends   | B | 0/2  | DiskWillFill | minor    | 2023-02-01T03:00:00 | 2023-02-01T04:02:00 | cluster=eu-1 job=node mountpoint=/var/lib/postgresql severity=warning team=storage | runbook rule silence tool
  alertmanager-0.25-group-grows  | B | 2/1  | DiskWillFill | minor    | 2023-02-01T02:50:00 |                     | cluster=eu-1 job=node mountpoint=/var/lib/postgresql severity=warning team=storage | runbook rule silence tool
  alertmanager-0.25-truncated    | B | 40/0 | DiskWillFill | minor    | 2023-02-01T03:00:00 |                     | cluster=eu-1 job=node mountpoint=/var/lib/postgresql severity=warning team=storage | runbook rule silence tool
  alertmanager-0.27-by-namespace | C | 2/0  | shop: KubePodCrashLooping, KubeDeploymentReplicasMismatch | critical | 2024-05-01T08:00:00 |                     | namespace=shop | rule silence tool
  alertmanager-0.27-utf8-labels  | D | 1/0  | HighLatency | major    | 2024-03-05T13:00:00 |                     | service.name=checkout Überwachung=öffentlich severity=P2 p99 «ms»=1250 | rule silence tool
  alertmanager-0.28-watchdog     | E | 1/0  | Watchdog | pending  | 2025-01-15T00:00:00 |                     | severity=none prometheus=monitoring/k8s | rule tool
  any-firing                     | F | 1/0  | The backup of db-1 failed | major    |                     |                     | team=storage attempt=3 | tool
  any-ended                      | F | 0/1  | The backup of db-1 failed | pending  | 2026-01-01T00:00:00 | 2026-01-01T00:30:00
  any-least                      | G | 1/0  | The backup failed | pending
  cloudwatch-alarm               | H | 1/0  | orders-queue-is-old | pending  | 2024-04-02T10:00:00 |                     | QueueName=orders
  cloudwatch-ok                  | H | 0/1  | orders-queue-is-old | pending  |                     | 2024-04-02T10:20:00 | QueueName=orders
  cloudwatch-composite           | I | 1/0  | shop-is-down | pending  | 2024-04-02T10:00:01
  datadog-triggered              | J | 1/0  | [Triggered on {host:web-1}] CPU is high | major    | 2014-07-29T19:37:52 |                     | env=prod host=web-1 service=shop | rule
  datadog-re-triggered           | J | 1/0  | [Re-Triggered on {host:web-1}] CPU is high | major    | 2014-07-29T20:37:52 |                     | env=prod host=web-1 service=shop | rule
  datadog-no-data                | J | 1/0  | [No Data on {host:web-1}] CPU is high | major    | 2014-07-29T19:37:52 |                     | env=prod host=web-1 service=shop | rule
  datadog-warn                   | J | 1/0  | [Warn on {host:web-1}] CPU is high | minor    | 2014-07-29T19:37:52 |                     | env=prod host=web-1 service=shop | rule
  datadog-recovered              | J | 0/1  | [Recovered on {host:web-1}] CPU is high | major    |                     | 2014-07-29T21:06:40 | env=prod host=web-1 service=shop | rule
  gatus-triggered                | K | 1/0  | front-end of core | critical |                     |                     |  | tool
  gatus-resolved                 | K | 0/1  | front-end of core | critical |                     |                     |  | tool
  grafana-9-firing               | L | 1/0  | High CPU | critical | 2023-01-10T07:51:03 |                     | grafana_folder=Shop host=web-1 severity=critical | runbook panel dashboard rule silence tool
  grafana-9-resolved             | L | 0/1  | High CPU | critical | 2023-01-10T07:51:03 | 2023-01-10T08:01:03 | grafana_folder=Shop host=web-1 severity=critical | panel dashboard rule silence tool
  grafana-10-two-alerts          | E | 2/0  | High memory usage, High CPU usage | pending  | 2023-10-12T07:51:03 |                     | team=blue | runbook rule silence tool
  grafana-10-no-data             | M | 1/0  | Orders per minute: no data | minor    | 2023-11-02T04:00:00 |                     | datasource_uid=P1809F7CD0C75ACF3 grafana_folder=Shop ref_id=A rulename=Orders per minute severity=warning | rule silence tool
  grafana-11-error               | N | 1/0  | Orders per minute: the query failed | pending  | 2024-06-20T11:22:30 |                     | datasource_uid=P1809F7CD0C75ACF3 grafana_folder=Shop ref_id=A rulename=Orders per minute | rule silence tool
  grafana-11-panel               | O | 1/0  | Queue grows | major    | 2024-06-20T11:00:00 |                     | grafana_folder=Shop queue=mail severity=high | panel dashboard rule silence tool
  grafana-12-firing              | P | 1/0  | Checkout fails | critical | 2025-07-01T09:30:00 |                     | grafana_folder=Shop service=checkout severity=critical team=shop | runbook panel dashboard rule silence tool
  grafana-12-partly-ended        | P | 2/1  | Checkout fails | critical | 2025-07-01T09:30:00 |                     | grafana_folder=Shop service=checkout severity=critical team=shop | runbook rule silence tool
  grafana-12-resolved            | P | 0/1  | Checkout fails | critical | 2025-07-01T09:30:00 | 2025-07-01T09:52:00 | grafana_folder=Shop service=checkout severity=critical team=shop | runbook panel dashboard rule silence tool
  grafana-12-test                | Q | 1/0  | TestAlert | pending  | 2025-07-01T12:00:00 |                     | instance=Grafana | rule silence tool
  sentry-issue-alert             | R | 1/0  | ReferenceError: heck is not defined | major    | 2024-08-19T21:06:17 |                     | browser=Chrome 75.0.3770 environment=production level=error url=https://shop.example.com/pay | tool
  sentry-issue-resolved          | R | 0/1  | ReferenceError: heck is not defined | major    | 2024-08-19T21:40:00 |                     |  | tool
  sentry-metric-critical         | S | 1/0  | Too many errors | critical | 2024-09-13T12:26:00 |                     |  | tool
  sentry-metric-resolved         | S | 0/1  | Too many errors | pending  | 2024-09-13T12:26:00 | 2024-09-13T13:00:00 |  | tool
  uptime-kuma-1-down             | T | 1/0  | Shop | pending  | 2022-01-21T14:06:38
  uptime-kuma-1-up               | T | 0/1  | Shop | pending  |                     | 2022-01-21T14:36:38
  uptime-kuma-2-down             | T | 1/0  | Shop | pending  | 2025-10-21T14:06:38 |                     | team=shop
`,
);

const team = ['pending', 'minor', 'major', 'critical'];
const read = (name: string) => readAlert(mappingOf(name), readBody(name));
const toSecond = (moment: string) => moment.slice(0, 19);

test('every body has a row', () => {
  expect(rows.map(({ name }) => name).toSorted()).toEqual(bodyNames.toSorted());
});

test.each(rows)('$name', ({ name, count, title, severity, began, ended, labels, links }) => {
  const group = read(name);
  const told = Object.entries(group.labels).map(each => each.join('='));
  expect({ ...group, labels: told.join(' '), links: group.links.map(each => each.what).join(' ') }).toMatchObject({
    ...{ title, labels, links, state: count.startsWith('0/') ? 'resolved' : 'firing' },
  });
  expect(`${group.firing}/${group.resolved}`).toBe(count);
  expect([toSecond(group.startedAt), toSecond(group.endedAt)]).toEqual([began, ended]);
  expect(toSeverity(team, new Map(), group.severity)).toBe(severity);
  expect(group.alerts.length).toBeLessThanOrEqual(10);
});

test('bodies are of one group exactly where the tools mean the same one', () => {
  for (const { name, group } of rows)
    for (const { name: other, group: otherGroup } of rows) {
      const source = (each: string) => (mappingOf(each) === undefined ? 'alertmanager' : each.split('-')[0]);
      if (source(name) === source(other))
        expect(read(name).key === read(other).key, `${name}, ${other}`).toBe(group === otherGroup);
    }
});

test.each([
  [
    'alertmanager-0.25-group-grows',
    [
      'The disk of db-1 fills within four hours',
      'The disk of db-2 fills within four hours',
      'The disk of db-3 fills within four hours',
    ],
  ],
  [
    'alertmanager-0.27-by-namespace',
    ['Pod is crash looping.', 'Deployment has not matched the expected number of replicas.'],
  ],
  ['grafana-12-partly-ended', ['us', 'ap', 'eu']],
  ['grafana-12-firing', ['One in five checkouts fails']],
  ['cloudwatch-alarm', ['orders-queue-is-old']],
])('%s names its alerts, those that fire first', (name, names) => {
  expect(read(name).alerts.map(each => each.name)).toEqual(names);
});

test.each(
  readTable(
    'name | summary',
    String.raw`
  alertmanager-0.22-firing    | Instance web-1:9100 down\nweb-1:9100 of job node has been down for more than 5 minutes.
  alertmanager-0.25-truncated
  cloudwatch-alarm            | Orders wait for more than five minutes.
  cloudwatch-composite        | arn:aws:cloudwatch:eu-west-1:123456789012:alarm:orders-queue-is-old transitioned to ALARM at Tuesday 02 April, 2024 10:00:00 UTC
  gatus-triggered             | Get "https://shop.example.com/": context deadline exceeded
  gatus-resolved              | health check failed
  grafana-10-two-alerts
  grafana-11-error            | [sse.dataQueryError] failed to execute query [A]: dial tcp 10.0.0.7:9090: connect: connection refused
  grafana-12-partly-ended     | One in five checkouts fails\nErrors of the payment gateway.
  sentry-metric-critical      | 1000 events in the last 10 minutes\nFilter: level:error
  uptime-kuma-1-down          | connect ECONNREFUSED 10.13.13.13:443
`,
  ),
)('$name says $summary', ({ name, summary }) => {
  expect(read(name).summary).toBe(summary);
});

test.each(
  readTable(
    'name | value',
    `
  grafana-9-firing      | [ var='B0' metric='cpu' labels={host=web-1} value=97.25 ]
  grafana-10-two-alerts | B=44.23943737541908, C=1
  grafana-10-no-data
  grafana-12-firing     | A=0.21, C=1
`,
  ),
)('$name measured $value', ({ name, value }) => {
  expect(read(name).alerts[0]?.value).toBe(value);
});

test('a group that grew tells when its newest alert began; a moment of a change is the beginning or the end', () => {
  expect(read('alertmanager-0.25-group-grows').newestStartAt).toBe('2023-02-01T03:20:30.500Z');
  expect(read('grafana-12-partly-ended').newestStartAt).toBe('2025-07-01T09:36:00.000Z');
  expect(read('uptime-kuma-1-up').newestStartAt).toBe('');
});
