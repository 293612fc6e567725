import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withWindow } from '../../../../../src/bot/alerts/read/window.ts';
import type { AlertLink } from '../../../../../src/bot/incident/state/alert-group.ts';

const start = '2024-06-20T11:00:00.000Z';
const from = Date.parse(start) - 3_600_000;
const to = Date.parse(start) + 3_600_000;
const grafana = 'https://g.example';
const prometheus = 'http://p.example:9090';

test.each<[AlertLink['what'], string, string]>([
  ['dashboard', `${grafana}/d/abc`, `${grafana}/d/abc?from=${from}&to=${to}`],
  ['panel', `${grafana}/d/abc?viewPanel=4`, `${grafana}/d/abc?viewPanel=4&from=${from}&to=${to}`],
  [
    'panel',
    `${grafana}/sub/d/abc/name?from=now-1h&to=now&var-x=a%20b+c&orgId=1`,
    `${grafana}/sub/d/abc/name?var-x=a%20b+c&orgId=1&from=${from}&to=${to}`,
  ],
  ['panel', `${grafana}/d-solo/abc/name?from=now-6h`, `${grafana}/d-solo/abc/name?from=${from}&to=${to}`],
  ['dashboard', `${grafana}/d/abc?%66rom=now-1h#top`, `${grafana}/d/abc?from=${from}&to=${to}#top`],
  [
    'rule',
    `${prometheus}/graph?g0.expr=up+%3D%3D+0&g0.tab=1`,
    `${prometheus}/graph?g0.expr=up+%3D%3D+0&g0.tab=0&g0.range_input=2h&g0.end_input=2024-06-20%2012:00:00`,
  ],
  [
    'rule',
    `${prometheus}/pre/query?g0.expr=up&g0.range_input=1h`,
    `${prometheus}/pre/query?g0.expr=up&g0.tab=0&g0.range_input=2h&g0.end_input=2024-06-20%2012:00:00`,
  ],
])('%s %s', (what, url, wanted) => {
  expect(withWindow({ what, url }, start)).toBe(wanted);
});

test.each<[AlertLink['what'], string]>([
  ['dashboard', `${grafana}/d/abc?from=1718877600000&to=1718881323000`],
  ['panel', `${grafana}/d/abc?from=2024-06-20T10:00:00Z&to=2024-06-20T12:00:00Z`],
  ['dashboard', `${grafana}/goto/abc`],
  ['dashboard', `${grafana}/dashboards`],
  ['rule', `${grafana}/alerting/grafana/1/view?orgId=1`],
  ['rule', `${prometheus}/graph?g0.expr=up&g0.end_input=2020-01-01%2000:00:00`],
  ['rule', `${prometheus}/graph`],
  ['rule', `${prometheus}/alerts?g0.expr=up`],
  ['runbook', `${grafana}/d/abc`],
  ['tool', `${prometheus}/graph?g0.expr=up`],
  ['silence', `${grafana}/d/abc`],
  ['dashboard', 'https://'],
  ['dashboard', `${grafana}/d/${'x'.repeat(1970)}`],
])('%s %s stays as it is', (what, url) => {
  expect(withWindow({ what, url }, start)).toBe(url);
});

test.each([
  '',
  'soon',
  '0001-01-01T00:00:00Z',
  '1970-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '+275760-09-13T00:00:00Z',
])('with %j as the start every address stays as it is', startedAt => {
  for (const url of [`${grafana}/d/abc`, `${prometheus}/graph?g0.expr=up`])
    for (const what of ['dashboard', 'rule'] as const) expect(withWindow({ what, url }, startedAt)).toBe(url);
});

test('an address stays an address, at most as long as one may be, and a second time changes nothing', () => {
  const what = fc.constantFrom('dashboard' as const, 'panel' as const, 'rule' as const);
  const path = fc.constantFrom('/d/abc', '/graph', '/query', '/x');
  const name = fc.constantFrom('from', 'to', 'g0.expr', 'g0.tab', 'constructor', '__proto__', 'x');
  const query = fc.array(fc.tuple(name, fc.webQueryParameters()).map(each => each.join('=')));
  fc.assert(
    fc.property(what, path, query, fc.date({ noInvalidDate: true }), (kind, at, parameters, date) => {
      const url = `https://a.example${at}?${parameters.join('&')}`;
      const once = withWindow({ what: kind, url }, date.toISOString());
      expect(URL.canParse(once) && once.length <= 2000).toBe(true);
      expect(withWindow({ what: kind, url: once }, date.toISOString())).toBe(once);
    }),
  );
});
