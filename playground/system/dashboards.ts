import { heat, lines, logs, note, number, prometheus, query, type Row, table, targets, toPanels } from './panels.ts';

/** A model as `POST /api/dashboards/db` takes it. */
type Model = Readonly<Record<string, unknown>> & { readonly uid: string; readonly title: string };

/** A variable of a dashboard whose values a query finds. */
const variable = (name: string, label: string, definition: string) => ({
  ...{ name, label, definition, type: 'query', datasource: prometheus, multi: true, includeAll: true },
  ...{ query: { query: definition, refId: name }, refresh: 2, sort: 1, current: { text: 'All', value: '$__all' } },
});

const source = { name: 'source', label: 'Data source', type: 'datasource', query: 'prometheus', hide: 2 };

const step = {
  ...{ name: 'step', label: 'Step', type: 'interval', query: '30s,1m,5m,15m', auto: true, auto_count: 60 },
  current: { text: 'auto', value: '$__auto_interval_step' },
};

const deploys = {
  ...{ name: 'Deploys', enable: true, iconColor: 'blue', datasource: prometheus },
  ...{ expr: 'changes(release_info{app="shop"}[$step]) > 0', titleFormat: 'Release {{version}}' },
};

interface Face {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly from: string;
  readonly variables: readonly object[];
  readonly rows: readonly Row[];
}

function toModel({ uid, title, description, tags, from, variables, rows }: Face): Model {
  return {
    ...{
      uid,
      title,
      description,
      tags,
      id: null,
      editable: true,
      graphTooltip: 1,
      schemaVersion: 39,
      timezone: 'browser',
    },
    ...{ refresh: '30s', time: { from, to: 'now' }, timepicker: { refresh_intervals: ['10s', '30s', '1m', '5m'] } },
    annotations: { list: [deploys] },
    templating: { list: [source, ...variables, step] },
    links: [
      { title: 'The shop', type: 'dashboards', tags: ['shop'], asDropdown: true, includeVars: true, keepTime: true },
    ],
    panels: toPanels(rows),
  };
}

const rate = (metric: string, by: string) => `sum by (${by}) (rate(${metric}[$step]))`;
const share = (part: string, whole: string) => `sum(rate(${part}[$step])) / sum(rate(${whole}[$step]))`;
const quantile = (q: number, metric: string, by: string) =>
  `histogram_quantile(${q}, sum by (le, ${by}) (rate(${metric}_bucket[$step])))`;

const checkout: Face = {
  ...{ uid: 'checkout-overview', title: 'Checkout overview', tags: ['checkout', 'shop'], from: 'now-6h' },
  description: 'Whether people can pay: orders, errors and times of the checkout, by its steps.',
  variables: [variable('step_name', 'Step of the checkout', 'label_values(checkout_requests_total, step_name)')],
  rows: [
    {
      title: 'Can people pay?',
      panels: [
        number('Orders a minute', 'short', '60 * sum(rate(orders_placed_total[$step]))', { amber: 20, red: 60 }),
        number('Failed payments', 'percentunit', share('payments_total{result="failed"}', 'payments_total'), {
          ...{ amber: 0.02, red: 0.1, type: 'gauge' },
        }),
        number('Checkout p95', 's', quantile(0.95, 'checkout_request_duration_seconds', 'app'), { amber: 1, red: 4 }),
      ],
    },
    {
      title: 'Requests',
      panels: [
        lines(
          'Requests by status',
          'reqps',
          targets(query(rate('checkout_requests_total', 'status'), '{{status}}')),
          'A 502 is an answer of the load balancer: the checkout did not answer in time.',
        ),
        lines(
          'Times by step',
          's',
          targets(
            query(quantile(0.5, 'checkout_request_duration_seconds', 'step_name'), 'p50 {{step_name}}'),
            query(quantile(0.95, 'checkout_request_duration_seconds', 'step_name'), 'p95 {{step_name}}'),
          ),
        ),
        heat(
          'Times of POST /orders',
          'sum by (le) (increase(checkout_request_duration_seconds_bucket{route="/orders"}[$step]))',
        ),
      ],
    },
    {
      title: 'Payments',
      panels: [
        lines(
          'Payments by provider',
          'ops',
          targets(query(rate('payments_total', 'provider, result'), '{{provider}} {{result}}')),
        ),
        table(
          'Reasons of failures',
          'topk(10, sum by (provider, reason) (increase(payments_total{result="failed"}[1h])))',
          'Of the last hour, as the provider names them.',
        ),
        logs('Errors of the checkout', '{app="checkout"} |= "level=error"'),
      ],
    },
  ],
};

const pool: Face = {
  ...{
    uid: 'database-pool',
    title: 'Database and connection pool',
    tags: ['database', 'capacity', 'shop'],
    from: 'now-3h',
  },
  description: 'The primary, its replicas, and the pool of connections in front of them.',
  variables: [
    variable('instance', 'Instance', 'label_values(pg_up, instance)'),
    {
      name: 'db',
      label: 'Database',
      type: 'custom',
      query: 'shop,sessions,reporting',
      current: { text: 'shop', value: 'shop' },
    },
  ],
  rows: [
    {
      title: 'Connections',
      panels: [
        number('Connections in use', 'percentunit', 'sum(pool_in_use{db="$db"}) / sum(pool_size{db="$db"})', {
          amber: 0.8,
          red: 0.95,
          type: 'gauge',
        }),
        number('Waiting clients', 'short', 'sum(pool_waiting{db="$db"})', { amber: 5, red: 40 }),
        lines(
          'Wait for a connection',
          's',
          targets(query(quantile(0.95, 'pool_wait_seconds', 'app'), '{{app}}')),
          'Requests time out after 5 s of waiting.',
        ),
      ],
    },
    {
      title: 'Replication and load',
      panels: [
        lines(
          'Replica lag',
          's',
          targets(query('max by (instance) (pg_replication_lag_seconds{instance=~"$instance"})', '{{instance}}')),
        ),
        number('Cache hits', 'percentunit', 'avg(pg_cache_hit_ratio{db="$db"})', {
          amber: 0.9,
          red: 0.99,
          type: 'bargauge',
        }),
        table('Longest queries', 'topk(10, pg_query_seconds{db="$db"})', 'Queries that run at this moment.'),
      ],
    },
  ],
};

const edge: Face = {
  ...{
    uid: 'edge-traffic',
    title: 'Edge: traffic, certificates and cache',
    tags: ['cdn', 'tls', 'api', 'shop'],
    from: 'now-24h',
  },
  description: 'What reaches us from outside, by region and host.',
  variables: [
    variable('region', 'Region', 'label_values(edge_requests_total, region)'),
    variable('host', 'Host', 'label_values(edge_requests_total{region=~"$region"}, host)'),
  ],
  rows: [
    {
      title: 'Traffic',
      panels: [
        lines(
          'Requests by region',
          'reqps',
          targets(query(rate('edge_requests_total{host=~"$host"}', 'region'), '{{region}}')),
        ),
        lines(
          'Errors by host',
          'percentunit',
          targets(
            query(
              'sum by (host) (rate(edge_requests_total{status=~"5.."}[$step])) / sum by (host) (rate(edge_requests_total[$step]))',
              '{{host}}',
            ),
          ),
        ),
      ],
    },
    {
      title: 'Cache and certificates',
      panels: [
        number('Cache hits', 'percentunit', share('edge_cache_total{result="hit"}', 'edge_cache_total'), {
          amber: 0.7,
          red: 0.9,
          type: 'bargauge',
        }),
        table(
          'Days until certificates expire',
          'sort((tls_certificate_expiry_seconds - time()) / 86400)',
          'Renewed at 30 days. Below 14 somebody should look.',
        ),
        note('Runbooks: **purge the cache** · **renew a certificate** · **move a region away**'),
      ],
    },
  ],
};

/** The dashboards of the web shop. The first is its home page. */
export const dashboards: readonly [Model, ...Model[]] = [toModel(checkout), toModel(pool), toModel(edge)];
