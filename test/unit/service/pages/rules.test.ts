import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRows, readVariables, readWindow } from '../../../../src/service/dashboards/model.ts';
import { toCourse } from '../../../../src/service/incidents/course.ts';
import { createCounter, listPeriods } from '../../../../src/service/incidents/figures.ts';
import { richText, toHref, toOneLine, toVisibleText } from '../../../../src/service/pages/escape.ts';
import { drawCourse } from '../../../../src/service/pages/incident-course.ts';
import { toRank } from '../../../../src/service/pages/marks.ts';
import { writeDuration } from '../../../../src/service/pages/moments.ts';
import { expectSteadyGrowth } from '../../../support/growth.ts';

const day = (clock: string) => `2026-09-19T${clock}:00Z`;
const now = new Date(day('12:00'));

function course(clocks: { start?: string; declared?: string; end?: string; status?: string }, detected = '') {
  const { start = '', declared = '09:00', end = '', status = 'resolved' } = clocks;
  const incident = {
    incidentStart: start && day(start),
    incidentEnd: end && day(end),
    closedTime: end && day(end),
    createdTime: day(declared),
    status,
  };
  return toCourse(incident, detected === '' ? undefined : new Date(day(detected)), [], now).phases.map(
    ({ name, from, until }) => `${from.toISOString().slice(11, 16)} ${name} ${until.toISOString().slice(11, 16)}`,
  );
}

test('an incident has the phases that its moments tell', () => {
  expect(course({ start: '08:30', end: '10:00' }, '08:45')).toEqual([
    '08:30 to detection 08:45',
    '08:45 to declaration 09:00',
    '09:00 to resolution 10:00',
  ]);
  expect(course({ start: '09:00', end: '10:00' })).toEqual(['09:00 to resolution 10:00']);
  expect(course({ status: 'active' })).toEqual(['09:00 active 12:00']);
  expect(course({ start: '08:30', end: '10:00' }, '08:30')).toEqual([
    '08:30 to declaration 09:00',
    '09:00 to resolution 10:00',
  ]);
});

test('moments that contradict their order make no phase', () => {
  expect(course({ start: '06:00', end: '07:00' })).toEqual(['06:00 to resolution 07:00']);
  expect(course({ start: '11:00', end: '10:00' })).toEqual([]);
  expect(course({ start: '09:30', end: '10:00' })).toEqual(['09:30 to resolution 10:00']);
  expect(course({ start: '13:00', status: 'active' })).toEqual([]);
});

test('weeks begin on Monday and months on the first, in UTC', () => {
  const weeks = listPeriods('week', new Date('2026-09-20T23:59:59Z'));
  expect(weeks).toHaveLength(26);
  expect(weeks.at(-1)).toEqual(new Date('2026-09-14T00:00:00Z'));
  expect(listPeriods('week', new Date('2026-09-21T00:00:00Z')).at(-1)).toEqual(new Date('2026-09-21T00:00:00Z'));
  const months = listPeriods('month', new Date('2026-03-31T23:59:59Z'));
  expect(months.slice(-2)).toEqual([new Date('2026-02-01T00:00:00Z'), new Date('2026-03-01T00:00:00Z')]);
});

test('figures of nothing are nothing, and no case is lost between periods', () => {
  const starts = listPeriods('week', now);
  expect(createCounter(starts).figures().total).toEqual({ count: 0, open: 0, median: undefined, ninth: undefined });
  const first = starts[0]?.getTime() ?? 0;
  const cases = fc.array(
    fc.record({
      ago: fc.integer({ min: first, max: now.getTime() }),
      seconds: fc.option(fc.nat(1e6), { nil: undefined }),
    }),
  );
  fc.assert(
    fc.property(cases, all => {
      const counter = createCounter(starts);
      for (const [id, { ago, seconds }] of all.entries()) {
        const labels = [{ key: 'tags', label: `l${id % 2}` }];
        counter.add({ severity: `s${id % 3}`, declared: new Date(ago), seconds, labels });
      }
      const figures = counter.figures();
      const sum = (rows: readonly { count: number }[]) => rows.reduce((total, row) => total + row.count, 0);
      expect([sum(figures.periods), sum(figures.severities), sum(figures.labels)]).toEqual(Array(3).fill(all.length));
      for (const { median = 0, ninth = median } of figures.periods) expect(median).toBeLessThanOrEqual(ninth);
    }),
  );
});

test('a model of anything at all is read without complaint', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom('panels', 'rows', 'templating', 'time', 'gridPos', 'targets', 'list'),
        fc.jsonValue(),
      ),
      model => {
        for (const { panels } of readRows(model)) {
          for (const { x, width } of panels) expect(x >= 0 && width >= 1 && x + width <= 24).toBe(true);
        }
        readVariables(model);
        readWindow(model);
      },
    ),
  );
});

test('panels stand in rows, those of folded rows and of old models too', () => {
  const panel = (title: string, x: number, y: number) => ({ title, type: 'stat', gridPos: { x, y, w: 12, h: 8 } });
  const model = {
    panels: [
      panel('second', 12, 0),
      panel('first', 0, 0),
      { type: 'row', title: 'Folded', gridPos: { x: 0, y: 9, w: 24, h: 1 }, panels: [panel('inside', 0, 10)] },
      { type: 'row', title: 'Open', gridPos: { x: 0, y: 11, w: 24, h: 1 }, panels: [] },
      panel('beneath', 0, 12),
    ],
  };
  const shape = (rows: ReturnType<typeof readRows>) =>
    rows.map(row => [row.title, ...row.panels.map(each => each.title)]);
  expect(shape(readRows(model))).toEqual([
    ['', 'first', 'second'],
    ['Folded', 'inside'],
    ['Open', 'beneath'],
  ]);
  const old = {
    rows: [
      {
        title: 'Old',
        panels: [
          { title: 'a', span: 8 },
          { title: 'b', span: 8 },
        ],
      },
    ],
  };
  expect(readRows(old)[0]?.panels.map(({ x, width }) => [x, width])).toEqual([
    [0, 16],
    [0, 16],
  ]);
});

test.each([
  ['within a day by their time', '2026-09-19T08:30:00Z', ['Started 08:30', 'Declared 09:00', 'Resolved 10:00']],
  [
    'over days by day and time',
    '2026-09-16T23:10:00Z',
    ['Started 16 Sep 23:10', 'Declared 19 Sep 09:00', 'Resolved 19 Sep 10:00'],
  ],
  ['over months by day', '2026-01-02T00:00:00Z', ['Started 2 Jan', 'Declared 19 Sep', 'Resolved 19 Sep']],
  // Twenty seconds, and another minute of the clock.
  ['that the clock tells apart', '2026-09-19T08:59:40Z', ['Started 08:59', 'Declared 09:00', 'Resolved 10:00']],
])('the picture tells moments %s', async (_, incidentStart, labels) => {
  const [createdTime, closedTime] = [day('09:00'), day('10:00')];
  const incident = { incidentStart, createdTime, closedTime, incidentEnd: closedTime, status: 'resolved' };
  const drawn = String(await drawCourse(toCourse(incident, undefined, [], now), [], []));
  expect([...drawn.matchAll(/<g class="moment">.*?>([^<]+)<\/text>/gs)].map(each => each[1])).toEqual(labels);
  // Each line begins below the words of the moments before it, so it runs through none of them.
  const [tops, baselines] = [/<line [^>]*y1="(\d+)"[^>]*\/><text[^>]* dx/g, /<text [^>]*dx="[^"]*" y="(\d+)"/g].map(
    each => [...drawn.matchAll(each)].map(([, y]) => Number(y)),
  );
  expect(tops).toHaveLength(labels.length);
  for (const [index, top] of (tops ?? []).slice(1).entries())
    expect(top).toBeGreaterThan(baselines?.[index] ?? Number.NaN);
});

test('the picture has a mark at both of its ends, and none beyond them', async () => {
  const incident = { incidentStart: day('09:00'), createdTime: day('09:00'), incidentEnd: '', status: 'active' };
  const course = toCourse({ ...incident, closedTime: '' }, undefined, [], now);
  const tallies = [-1, 0, 2000, 2001].map(place => ({ kind: 'userNote' as const, place, count: 1, keys: 0 }));
  const drawn = (some: typeof tallies) => drawCourse(course, some, []);
  const marks = async (some: typeof tallies) => /<path[^>]*d="([^"]*)"/.exec(String(await drawn(some)))?.[1];
  expect(await marks(tallies)).toBe(await marks(tallies.slice(1, 3)));
  expect(await marks(tallies)).not.toBe(await marks(tallies.slice(1, 2)));
});

test('a panel that does not say where it is stands as Grafana has it: first, over a quarter of the width', () => {
  const model = {
    panels: [{ title: 'second', gridPos: { x: 6, y: 0, w: 18, h: 3 } }, { title: 'first' }],
  };
  expect(readRows(model)[0]?.panels.map(({ title, x, width }) => [title, x, width])).toEqual([
    ['first', 0, 6],
    ['second', 6, 18],
  ]);
});

test('a variable without a choice has the one value it can have, and none when that comes out of a query', () => {
  const list = [
    { name: 'chosen', type: 'query', query: 'label_values(pod)', current: { value: ['a', 'b'] } },
    { name: 'open', type: 'query', query: 'label_values(pod)', current: {} },
    { name: 'fixed', type: 'constant', query: 'eu' },
  ];
  expect(readVariables({ templating: { list } })).toEqual([
    { name: 'chosen', value: 'a, b' },
    { name: 'open', value: '' },
    { name: 'fixed', value: 'eu' },
  ]);
});

test('a severity’s rank follows its level, whatever the levels are', () => {
  const severities = [
    ['?', -1],
    ['low', 50],
    ['mid', 7],
    ['high', 3],
    ['higher', 2],
    ['top', 1],
  ].map(([label, level]) => ({ label: String(label), level: Number(level) }));
  expect(['top', 'HIGHER', 'high', 'mid', 'low', '?', 'gone'].map(each => toRank(each, severities))).toEqual([
    1, 2, 3, 4, 4, 0, 0,
  ]);
});

test('durations are said by their two largest units', () => {
  expect([0, 59, 61, 600, 3599, 3600, 90_061, 172_800, -5].map(writeDuration)).toEqual([
    '0 s',
    '59 s',
    '1 min 1 s',
    '10 min',
    '59 min',
    '1 h',
    '1 d 1 h',
    '2 d',
    '0 s',
  ]);
});

test('only whole web addresses become links', () => {
  for (const address of [
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,x',
    '//example.com',
    'https:',
    '/d/x',
    'vbscript:x',
    '\tjavascript:x',
    'ftp://example.com',
    '',
  ]) {
    expect(toHref(address)).toBeUndefined();
  }
  expect(toHref('https://example.com/a"b<c>')).toBe('https://example.com/a%22b%3Cc%3E');
  expect(toHref('https://exa\u202emple.com/')).toBe('https://example.com/');
});

test('what is shown has no control characters and turns no text', () => {
  expect(toVisibleText('a\0b\u202ec\u2066d\r\ne\tf\ud800')).toBe('abcd\ne\tf\ufffd');
  expect(toOneLine(` many \n lines ${'x'.repeat(600)}`)).toHaveLength(500);
  expect(String(richText('see https://example.com/a?b=1&c=2.\n```sh\n<b>\n```\nend'))).toBe(
    '<p class="prose" dir="auto">see <a href="https://example.com/a?b=1&amp;c=2" rel="noopener noreferrer nofollow" dir="auto">https://example.com/a?b=1&amp;c=2</a>.</p><pre class="code" tabindex="0" role="group" aria-label="Code"><code>&lt;b&gt;</code></pre><p class="prose" dir="auto">end</p>',
  );
});

test.each(['\n', '\n\n ', '```sh\n', '```\n', '> ', '> q\n', '`', '*a ', '_', 'https://', '(', ' '])(
  'a long note of %j is read in time that grows with its length',
  part => expectSteadyGrowth(16_000, length => richText(`a${part.repeat(length / part.length)}a`)),
);

test.each([
  ['```\na\n```', ['', 'a', '']],
  ['a\n```sh\nb\n\nc\n``` \nd', ['a', 'b\n\nc', 'd']],
  ['```\n```\na\n```\nb', ['', '```\na', 'b']],
  ['```\na\n```b\nc', ['```\na\n```b\nc']],
  ['```\na\n```\n```\nb\n```', ['', 'a', '', 'b', '']],
  [' ```\nb\n```', [' ```\nb\n```']],
])('%j has the parts %j', (text, parts) => {
  const shown = String(richText(text));
  expect(shown.split(/<pre[^>]*><code>|<\/code><\/pre>/).map(part => part.replace(/<[^>]*>/g, ''))).toEqual(parts);
});

test('a description of nine million characters costs a page no more than its first words', () => {
  const long = `CPU\u0007 ${'\u202e x'.repeat(3_000_000)}`;
  const before = process.cpuUsage();
  expect(toOneLine(long, 400)).toMatch(/^CPU x x .*…$/);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(50);
});
