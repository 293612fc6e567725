import { expect, test } from 'vitest';
import { compareModels } from '../../../../src/service/dashboards/changes.ts';
import { readRows, readVariables, withInputs } from '../../../../src/service/dashboards/model.ts';
import { writeWindow } from '../../../../src/service/pages/dashboard-window.ts';
import type { Tables } from '../../../../src/service/store/tables.ts';
import { get, openPages, saveDashboard } from '../../../support/pages.ts';
import { call } from '../../../support/service.ts';

type Opened = Awaited<ReturnType<typeof openPages>>;

async function save(opened: Opened, dashboard: object, more: object = {}): Promise<string> {
  const body = JSON.stringify({ dashboard, overwrite: true, ...more });
  const answer = await opened.service.handle({ method: 'POST', path: '/api/dashboards/db', headers: {}, body });
  return JSON.parse(answer.body).url;
}

const namesOf = (text: string) => [...text.matchAll(/class="name"[^>]*>([^<]*)</g)].map(match => match[1]);
const read = (text: string) => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

test('the bar leads to the dashboards: folders, and what lies in none', async () => {
  await using opened = await openPages();
  await saveDashboard(opened);
  await save(opened, { title: 'Root <one>', uid: 'root', tags: ['slo'] });
  expect((await get(opened, '/incidents')).text).toContain('<a href="/dashboards"');
  const { text } = await get(opened, '/dashboards');
  expect(text).toContain('href="/dashboards" aria-current="page"');
  expect(namesOf(text)).toEqual(['shop', 'Root &lt;one&gt;']);
  expect(read(text)).toMatch(/Folders shop 1 dashboard General .* Root &lt;one&gt; slo/);
});

test.each([
  ['?q=request', ['Request Handling Performance']],
  ['?q=SHOP', ['shop']],
  ['?tag=slo', ['Request Handling Performance', 'Root']],
  ['?tag=slo&q=root', ['Root']],
  ['?tag=none', []],
  ['?q=%22%3Cscript%3E', []],
])('/dashboards%s finds %j', async (query, names) => {
  await using opened = await openPages();
  await saveDashboard(opened);
  await save(opened, { title: 'Root', uid: 'root', tags: ['slo'] });
  const { status, text } = await get(opened, `/dashboards${query}`);
  expect([status, namesOf(text)]).toEqual([200, names]);
  if (names.length === 0) expect(text).toContain('<a href="/dashboards">All dashboards</a>');
});

test('many dashboards are listed a page at a time, with places and both ways', async () => {
  await using opened = await openPages();
  for (let index = 0; index < 205; index += 1) {
    await save(opened, { title: `Board ${String(index).padStart(3, '0')}`, uid: `b${index}` });
  }
  const second = (await get(opened, '/dashboards?page=2')).text;
  expect(namesOf(second)).toHaveLength(100);
  expect(read(second)).toContain('101–200 of 205');
  expect(second).toMatch(/rel="prev" href="\/dashboards\?page=1".*rel="next" href="\/dashboards\?page=3"/s);
  for (const beyond of ['9', '0', '-1', 'x', '99999']) {
    expect((await get(opened, `/dashboards?page=${beyond}`)).status).toBe(200);
  }
  expect(namesOf((await get(opened, '/dashboards?page=9')).text)).toHaveLength(5);
});

test('a dashboard is told in words: inputs, All, the window, and the data source once', async () => {
  await using opened = await openPages();
  await saveDashboard(opened);
  const words = read((await get(opened, '/d/requests?from=now-1h&to=now&var-pod=$__all')).text);
  expect(words).toContain('Time window last hour');
  expect(words).toContain('pod All');
  expect(words).not.toMatch(/\$\{DS_|\$__all|now-/);
  expect(words.match(/[Pp]rometheus(?! )/g) ?? []).toEqual([]);
  expect(words.match(/Data source prometheus/gi)).toHaveLength(1);
});

test('short queries stand open, long ones are folded behind their beginning', async () => {
  await using opened = await openPages();
  const long = Array.from({ length: 6 }, (_, index) => `line_${index}`).join('\n');
  const targets = [{ expr: 'up\n== 0' }, { expr: long }];
  await save(opened, { title: 'Q', uid: 'q', panels: [{ title: 'P', type: 'stat', targets }] });
  const { text } = await get(opened, '/d/q');
  expect(text.replace(/<details>[\s\S]*?<\/details>/g, '')).toContain('up\n== 0');
  expect(text).toMatch(/<details><summary><code>line_0 line_1[^<]*<\/code><\/summary><pre[^>]*><code>line_0\n/);
});

test('headings follow one another, below a row and without one', async () => {
  await using opened = await openPages();
  const panel = (title: string, y: number) => ({ title, type: 'stat', gridPos: { x: 0, y, w: 6, h: 2 } });
  const panels = [panel('first', 0), { type: 'row', title: 'Row', gridPos: { y: 3 } }, panel('second', 4)];
  await save(opened, { title: 'H', uid: 'h', panels });
  const levels = [...(await get(opened, '/d/h')).text.matchAll(/<h([1-6])/g)].map(match => Number(match[1]));
  expect(levels.filter((level, index) => index > 0 && level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
});

test('each version says what it is as JSON, and what it changed', async () => {
  await using opened = await openPages();
  const path = await saveDashboard(opened);
  const { text } = await get(opened, path);
  expect(text).toContain(`<a href="${path}/model.json?version=2">Version 2 as JSON</a>`);
  expect(text).toContain(`<a href="${path}?changes=2#changes">what changed</a>`);
  expect(text).not.toContain('changes=1#');
  const words = read((await get(opened, `${path}?changes=2`)).text);
  expect(words).toContain('What version 2 changed');
  expect(words).toMatch(/Settings changed time /);
  for (const none of ['1', '0', 'x', '7']) {
    expect((await get(opened, `${path}?changes=${none}`)).text).not.toContain('id="changes"');
  }
});

test('a dashboard names the incidents that link to it, and no private one', async () => {
  await using opened = await openPages();
  const path = await saveDashboard(opened);
  const short = await opened.service.handle({
    method: 'POST',
    path: '/api/short-urls',
    headers: {},
    body: JSON.stringify({ path: `${path.slice(1)}?from=1` }),
  });
  const declare = async (title: string, attachURL: string, incidentType = 'internal') =>
    await call(opened, 'IncidentsService.CreateIncident', { title, attachURL, incidentType });
  await declare('direct', `http://localhost:3000${path}`);
  await declare('short', JSON.parse(short.body).url);
  await declare('secret', `http://localhost:3000${path}`, 'private');
  await declare('other', 'http://localhost:3000/d/requests-2/x');
  const { text } = await get(opened, path);
  expect(read(text)).toContain('Linked from #2 , #1 ');
  expect(text).toContain('href="/a/grafana-irm-app/incidents/2"');
  expect(text).not.toMatch(/#[34]<|secret/);
});

test('a dashboard says so where older incidents than the newest 500 are not looked at', async () => {
  await using opened = await openPages();
  const path = await saveDashboard(opened);
  const attachURL = `http://localhost:3000${path}`;
  await call(opened, 'IncidentsService.CreateIncident', { title: 'oldest', attachURL });
  expect(read((await get(opened, path)).text)).toMatch(/Linked from #1 (?!.*newest)/);
  const db = opened.database.as<Tables>();
  const oldest = await db.selectFrom('incident').selectAll().executeTakeFirstOrThrow();
  const copies = Array.from({ length: 499 }, (_, index) => ({ ...oldest, id: index + 2 }));
  await db.insertInto('incident').values(copies).execute();
  expect(read((await get(opened, path)).text)).toMatch(/Linked from #1 (?!.*newest)/);
  await db
    .insertInto('incident')
    .values({ ...oldest, id: 501 })
    .execute();
  expect(read((await get(opened, path)).text)).toContain('Linked from none, of the newest 500 incidents');
});

test.each([
  ['now-1h', 'now', 'last hour'],
  ['now-6h', '', 'last 6 hours'],
  ['now-15m', 'now', 'last 15 minutes'],
  ['now-7d', 'now', 'last 7 days'],
  ['now-1M', 'now', 'last month'],
  ['now/d', 'now/d', 'today'],
  ['now/w', 'now', 'this week'],
  ['now-1d/d', 'now-1d/d', 'yesterday'],
  ['now-2h', 'now-1h', '<code>now-2h</code> to <code>now-1h</code>'],
  ['now-1h/h', 'now', '<code>now-1h/h</code> to <code>now</code>'],
  ['<b>', 'now', '<code>&lt;b&gt;</code> to <code>now</code>'],
])('the window from %j to %j is %s', (from, to, words) => {
  expect(String(writeWindow(from, to))).toBe(words);
});

/** A place in a model that its importer fills. */
const mark = (name: string) => `\${${name}}`;

test('inputs are put in wherever they stand, and others are left as they are', () => {
  const model = {
    __inputs: [
      { name: 'DS_A', type: 'datasource', label: 'Main "A"', pluginName: 'Prometheus' },
      { name: 'VAR_B', type: 'constant', label: 'B', value: 'eu' },
      null,
      { name: 7 },
    ],
    panels: [{ title: `${mark('VAR_B')} ${mark('other')}`, datasource: { type: 'prometheus', uid: mark('DS_A') } }],
    templating: { list: [{ name: 'x', current: { value: [mark('VAR_B')] } }] },
  };
  const filled = withInputs(model);
  expect(readRows(filled)[0]?.panels[0]).toMatchObject({
    title: `eu ${mark('other')}`,
    datasource: 'prometheus · Main "A"',
  });
  expect(readVariables(filled)).toEqual([{ name: 'x', value: 'eu' }]);
});

test('versions are compared panel by panel, in every form of a model', () => {
  const panel = (title: string, expr: string, y = 0) => ({ id: y, title, gridPos: { y }, targets: [{ expr }] });
  const before = {
    panels: [panel('same', 'a'), panel('moved', 'a'), panel('gone', 'a'), panel('', 'a'), panel('', 'b')],
    rows: [{ panels: [panel('old', 'a')] }],
    time: { from: 'now-1h' },
    version: 1,
  };
  const after = {
    panels: [
      panel('same', 'a'),
      { type: 'row', title: 'Row', panels: [panel('moved', 'a', 9), panel('new', 'a')] },
      panel('', 'a'),
      panel('', 'c'),
    ],
    rows: [{ panels: [panel('old', 'b')] }],
    time: { from: 'now-2h' },
    version: 2,
  };
  expect(compareModels(before, after)).toEqual({
    added: ['new'],
    removed: ['gone'],
    changed: ['', 'old'],
    settings: ['time'],
  });
  const newer = (title: string) => ({ elements: { a: { kind: 'Panel', spec: { id: 1, title } } } });
  expect(compareModels(newer('x'), newer('y'))).toMatchObject({ added: ['y'], removed: ['x'] });
  expect(compareModels({ panels: 'x' }, {})).toEqual({ added: [], removed: [], changed: [], settings: [] });
});
