import { expect, test } from 'vitest';
import { readModel } from '../../../../src/bot/features/dash/save.ts';
import { readRows, readVariables, readWindow } from '../../../../src/service/dashboards/model.ts';
import { openDesk } from '../../../support/dashboards.ts';
import { call } from '../../../support/service.ts';

const panel = (title: string, more: object = {}) => ({
  kind: 'Panel',
  spec: {
    id: 1,
    title,
    description: `about ${title}`,
    links: [],
    data: {
      kind: 'QueryGroup',
      spec: {
        queries: [
          {
            kind: 'PanelQuery',
            spec: {
              refId: 'A',
              hidden: false,
              query: {
                kind: 'DataQuery',
                group: 'prometheus',
                version: 'v0',
                datasource: { name: 'main' },
                spec: { expr: `rate(${title}[5m])` },
              },
            },
          },
        ],
        transformations: [],
        queryOptions: {},
      },
    },
    vizConfig: { kind: 'VizConfig', group: 'timeseries', version: '', spec: { options: {} } },
    ...more,
  },
});

const elements = { 'panel-1': panel('one'), 'panel-2': panel('two'), 'panel-3': panel('three') };
const named = (name: string) => ({ element: { kind: 'ElementReference', name } });
const item = (name: string, x: number, y: number, width = 12) => ({
  kind: 'GridLayoutItem',
  spec: { x, y, width, height: 8, ...named(name) },
});
const grid = (...items: object[]) => ({ kind: 'GridLayout', spec: { items } });
const auto = (names: string[], more: object = {}) => ({
  kind: 'AutoGridLayout',
  spec: { ...more, items: names.map(name => ({ kind: 'AutoGridLayoutItem', spec: named(name) })) },
});
const rows = (...each: [string, object][]) => ({
  kind: 'RowsLayout',
  spec: { rows: each.map(([title, layout]) => ({ kind: 'RowsLayoutRow', spec: { title, layout } })) },
});
const tabs = (...each: [string, object][]) => ({
  kind: 'TabsLayout',
  spec: { tabs: each.map(([title, layout]) => ({ kind: 'TabsLayoutTab', spec: { title, layout } })) },
});

/** Rows as `title: panel@x+width …`. */
const shapes = (model: object) =>
  readRows({ ...model }).map(
    row => `${row.title}: ${row.panels.map(({ title, x, width }) => `${title}@${x}+${width}`).join(' ')}`,
  );

test.each<[string, unknown, string[]]>([
  [
    'a grid',
    grid(item('panel-1', 0, 0), item('panel-2', 12, 0), item('panel-3', 0, 8, 24)),
    [': one@0+12 two@12+12 three@0+24'],
  ],
  [
    'a grid out of order',
    grid(item('panel-3', 0, 8), item('panel-2', 12, 0), item('panel-1', 0, 0)),
    [': one@0+12 two@12+12 three@0+12'],
  ],
  ['an auto grid', auto(['panel-3', 'panel-1', 'panel-2']), [': three@0+8 one@0+8 two@0+8']],
  [
    'an auto grid of two columns',
    auto(['panel-1', 'panel-2', 'panel-3'], { maxColumnCount: 2 }),
    [': one@0+12 two@0+12 three@0+12'],
  ],
  [
    'the auto grid’s older name',
    { ...auto(['panel-1', 'panel-2', 'panel-3']), kind: 'ResponsiveGridLayout' },
    [': one@0+8 two@0+8 three@0+8'],
  ],
  [
    'rows',
    rows(['First', grid(item('panel-1', 0, 0))], ['Second', auto(['panel-2', 'panel-3'])]),
    ['First: one@0+12', 'Second: two@0+8 three@0+8'],
  ],
  [
    'tabs',
    tabs(['CPU', auto(['panel-1'])], ['Disks', auto(['panel-2', 'panel-3'])]),
    ['CPU: one@0+8', 'Disks: two@0+8 three@0+8'],
  ],
  [
    'rows in tabs',
    tabs(['CPU', rows(['Load', auto(['panel-1'])], ['', auto(['panel-2'])])], ['Disks', auto(['panel-3'])]),
    ['CPU › Load: one@0+8', 'CPU: two@0+8', 'Disks: three@0+8'],
  ],
  [
    'rows in rows in tabs',
    tabs(['A', rows(['B', rows(['C', auto(['panel-1', 'panel-2', 'panel-3'])])])]),
    ['A › B › C: one@0+8 two@0+8 three@0+8'],
  ],
  [
    'rows of a grid',
    grid(item('panel-1', 0, 0), {
      kind: 'GridLayoutRow',
      spec: { y: 8, title: 'More', collapsed: true, elements: [item('panel-3', 12, 0), item('panel-2', 0, 0)] },
    }),
    [': one@0+12', 'More: two@0+12 three@12+12'],
  ],
  [
    'a panel that stands twice',
    grid(item('panel-1', 0, 0), item('panel-1', 12, 0)),
    [': one@0+12 one@12+12', ': two@0+6 three@0+6'],
  ],
  ['a name of nothing', grid(item('panel-1', 0, 0), item('panel-9', 12, 0)), [': one@0+12', ': two@0+6 three@0+6']],
  [
    'nonsense for places',
    grid(
      { spec: { x: 'a', y: null, width: -4, ...named('panel-1') } },
      { spec: { x: 99, width: 99, ...named('panel-2') } },
    ),
    [': one@0+1 two@23+1', ': three@0+6'],
  ],
  ['no layout', undefined, [': one@0+6 two@0+6 three@0+6']],
  ['a layout that is a list', [], [': one@0+6 two@0+6 three@0+6']],
  [
    'a layout of a kind that nobody knows',
    { kind: 'SpiralLayout', spec: { arms: [] } },
    [': one@0+6 two@0+6 three@0+6'],
  ],
])('the panels of %s are read', (_, layout, found) => {
  expect(shapes({ elements, layout })).toEqual(found);
});

test.each<[string, unknown, object]>([
  ['Grafana 12', panel('one'), { type: 'timeseries', datasource: 'prometheus · main', queries: ['rate(one[5m])'] }],
  [
    'its first form',
    panel('one', {
      vizConfig: { kind: 'gauge', spec: {} },
      data: {
        spec: {
          queries: [
            { spec: { datasource: { type: 'loki', uid: 'l1' }, query: { kind: 'loki', spec: { expr: '{a="b"}' } } } },
          ],
        },
      },
    }),
    { type: 'gauge', datasource: 'loki · l1', queries: ['{a="b"}'] },
  ],
  ['no query', panel('one', { data: {} }), { type: 'timeseries', datasource: '', queries: [] }],
  [
    'a library',
    { kind: 'LibraryPanel', spec: { id: 2, title: '', libraryPanel: { uid: 'lib', name: 'Shared' } } },
    { title: 'Shared', type: 'library panel' },
  ],
  ['nothing', null, { title: '', type: '', queries: [] }],
  ['a word', 'panel', { title: '', type: '', queries: [] }],
])('an element of %s is shown', (_, element, shown) => {
  expect(readRows({ elements: { e: element }, layout: auto(['e']) })[0]?.panels[0]).toMatchObject(shown);
});

test('window and variables of the newer format are read', () => {
  const model = {
    timeSettings: { from: 'now-2h', to: 'now', timezone: 'utc' },
    variables: [
      {
        kind: 'QueryVariable',
        spec: { name: 'job', current: { text: 'api', value: ['api', 'web'] }, query: { kind: 'DataQuery', spec: {} } },
      },
      { kind: 'ConstantVariable', spec: { name: 'env', query: 'prod' } },
      { kind: 'SwitchVariable', spec: { name: 'debug', current: 'true' } },
      { kind: 'QueryVariable', spec: { name: 'empty', query: { kind: 'DataQuery', spec: {} } } },
      null,
      { kind: 'QueryVariable' },
    ],
  };
  expect(readWindow(model)).toEqual({ from: 'now-2h', to: 'now' });
  expect(readVariables(model)).toEqual([
    { name: 'job', value: 'api, web' },
    { name: 'env', value: 'prod' },
    { name: 'debug', value: 'true' },
    { name: 'empty', value: '' },
  ]);
});

test('the page of such a dashboard shows its panels', async () => {
  await using desk = await openDesk({ pages: 'open' });
  const layout = tabs(['CPU <b>', rows(['Load', grid(item('panel-1', 0, 0), item('panel-2', 12, 0))])]);
  expect((await desk.save({ uid: 'new', title: 'Newer', elements, layout })).status).toBe(200);
  const page = await (await desk.service.fetch(new Request('http://test/d/new/newer'))).text();
  expect(page).not.toContain('It has no panels.');
  for (const words of ['one', 'two', 'three', 'rate(two[5m])', 'CPU &lt;b&gt; › Load']) expect(page).toContain(words);
  expect((await call(desk, 'RolesService.GetRoles', {})).roles).toHaveLength(3);
});

const spec = { title: 'Exported', elements, layout: auto(['panel-1']) };
const whole = { apiVersion: 'dashboard.grafana.app/v2beta1', kind: 'Dashboard', metadata: { name: 'exp' }, spec };

test.each<[string, object]>([
  ['version 2', whole],
  ['version 2 alpha', { ...whole, apiVersion: 'dashboard.grafana.app/v2alpha1' }],
  ['version 2', { ...whole, apiVersion: 'dashboard.grafana.app/v2' }],
  [
    'version 1, with panels',
    { ...whole, apiVersion: 'dashboard.grafana.app/v1beta1', spec: { title: 'T', panels: [] } },
  ],
  ['version 0', { ...whole, apiVersion: 'dashboard.grafana.app/v0alpha1', spec: { title: 'T' } }],
  ['access', { ...whole, kind: 'DashboardWithAccessInfo', access: { canSave: true } }],
  ['a status', { ...whole, status: {} }],
  ['no apiVersion', { kind: 'Dashboard', metadata: {}, spec }],
  ['no metadata', { apiVersion: 'dashboard.grafana.app/v2beta1', kind: 'Dashboard', spec }],
  ['a title beside it', { ...whole, title: 'Exported', uid: 'exp' }],
])('a whole exported file of %s is refused with the reason, by service and bot', async (_, file) => {
  await using desk = await openDesk();
  const words = expect.stringContaining('Give what is in its “spec”');
  for (const body of [{ dashboard: file }, { dashboard: file, overwrite: true }, file]) {
    const refused = await desk.call('POST', '/api/dashboards/db', body);
    expect([refused.status, refused.body.message]).toEqual([400, words]);
  }
  expect(readModel(JSON.stringify(file))).toEqual({ problem: words });
  expect(readModel(JSON.stringify({ dashboard: file }))).toEqual({ problem: words });
  expect(await desk.tables.selectFrom('dashboard').selectAll().execute()).toEqual([]);
});

test.each([
  { title: 'T', spec: {} },
  { title: 'T', kind: 'Dashboard', spec: 'x' },
  { title: 'T', apiVersion: 'v1' },
  { title: 'T', metadata: {}, kind: 'Dashboard' },
  spec,
])('%j is a dashboard and is saved', async model => {
  await using desk = await openDesk();
  expect((await desk.save(model)).status).toBe(200);
});
