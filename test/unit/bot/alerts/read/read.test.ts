import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAlert } from '../../../../../src/bot/alerts/read/read.ts';
import { UnreadableAlert } from '../../../../../src/bot/alerts/read/unreadable.ts';
import {
  AlertGroup,
  alertLengths,
  maxAlertLabels,
  maxNamedAlerts,
} from '../../../../../src/bot/incident/state/alert-group.ts';
import { bodyNames, mappedTools, mappingOf, readBody } from '../../../../support/alerts/bodies.ts';

/** What no stored text has: control characters but line ends, and half surrogate pairs. */
const isClean = (text: string) => !/[^\n\P{Cc}]|[\u202a-\u202e]/u.test(text) && text.isWellFormed();

function expectWithin(group: AlertGroup): void {
  expect(AlertGroup.parse(group)).toEqual(group);
  const { key, title, severity, summary, url, name, label, value } = alertLengths;
  const texts: readonly (readonly [text: string, most: number])[] = [
    ...([
      [group.key, key],
      [group.title, title],
      [group.severity, severity],
      [group.summary, summary],
    ] as const),
    ...Object.entries(group.labels).flatMap(
      ([of, text]) =>
        [
          [of, label],
          [text, label],
        ] as const,
    ),
    ...group.links.map(each => [each.url, url] as const),
    ...group.alerts.flatMap(
      each =>
        [
          [each.name, name],
          [each.value, value],
          [each.startedAt, 24],
        ] as const,
    ),
    ...[group.startedAt, group.newestStartAt, group.endedAt].map(each => [each, 24] as const),
  ];
  for (const [text, most] of texts) expect(text.length <= most && isClean(text), JSON.stringify(text)).toBe(true);
  for (const each of group.links) expect(each.url).toMatch(/^https?:\/\/[^\s\p{C}]+$/iu);
  for (const moment of [
    group.startedAt,
    group.newestStartAt,
    group.endedAt,
    ...group.alerts.map(each => each.startedAt),
  ])
    expect(moment).toMatch(/^$|^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(group.key).not.toBe('');
  expect(group.title).not.toBe('');
  expect(group.alerts.length).toBeLessThanOrEqual(maxNamedAlerts);
  expect(Object.keys(group.labels).length).toBeLessThanOrEqual(maxAlertLabels);
  if (group.firing === 0 || group.endedAt !== '') expect(group.state).toBe('resolved');
}

function tryRead(tool: string, body: unknown): AlertGroup | undefined {
  try {
    return readAlert(mappingOf(tool), body);
  } catch (error) {
    if (!(error instanceof UnreadableAlert)) throw error;
    expect(error.message).not.toBe('');
    return undefined;
  }
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 2500 }),
  fc.constantFrom('firing', 'resolved', 'ok', '1', '', '0001-01-01T00:00:00Z', '+275760-01-01T00:00:00Z', '\u0000'),
  fc.constantFrom(
    'javascript:alert(1)',
    'https://a.example/\u202e',
    'http://a.example/?q',
    'data:text/html,x',
    '<!channel>',
  ),
  fc.double().map(String),
);
const hostile = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  text,
  fc.constant({ toString: 1, valueOf: 1 }),
  fc.double(),
  fc.constant(null),
);

/** A body with some of its members, at any depth, replaced by something else. */
function spoil(body: unknown, pick: () => boolean, put: () => unknown): unknown {
  if (pick()) return put();
  if (Array.isArray(body)) return body.map(each => spoil(each, pick, put));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, spoil(value, pick, put)]));
}

test('any JSON is a group of alerts within its bounds, or refused with a sentence', () => {
  const tools = fc.constantFrom('alertmanager', ...mappedTools);
  const members = fc.record({
    groupKey: text,
    key: text,
    title: text,
    state: text,
    link: text,
    alerts: hostile,
    labels: hostile,
  });
  fc.assert(
    fc.property(tools, fc.oneof(hostile, members), (tool, body) => {
      const group = tryRead(tool, JSON.parse(JSON.stringify(body) ?? 'null'));
      if (group) expectWithin(group);
    }),
    { numRuns: 300 },
  );
});

test.each(['\t', '\n', '\r', '\u0000', '\u0085', '\ufeff', '\u202e', '\ud800'])(
  'the character %j stands in no text',
  odd => {
    const [text, plain] = [`!${odd}`, { status: 'firing', startsAt: '2026-11-20T12:15:00Z' }];
    const body = { groupKey: text, alerts: [{ ...plain, labels: { alertname: text, [text]: text } }] };
    const group = readAlert(undefined, body);
    expectWithin(group);
    expect(readAlert(undefined, { ...body, groupKey: '!' }).key).not.toBe(group.key);
  },
);

test('so is every body of a tool with some of its members replaced', () => {
  const { count, read } = { count: { of: 0 }, read: { of: 0 } };
  fc.assert(
    fc.property(fc.constantFrom(...bodyNames), fc.gen(), (name, gen) => {
      const spoilt = spoil(
        readBody(name),
        () => gen(fc.nat, { max: 9 }) === 0,
        () => gen(() => hostile),
      );
      const group = tryRead(name, spoilt);
      count.of += 1;
      if (!group) return;
      read.of += 1;
      expectWithin(group);
    }),
    { numRuns: 300 },
  );
  // The property means something only where many are read in spite of it.
  expect(read.of).toBeGreaterThan(count.of / 10);
});

test('members of other names, and of objects’ own machinery, change nothing', () => {
  for (const name of bodyNames) {
    const body = readBody(name) as object;
    const added = JSON.parse(
      `${JSON.stringify(body).slice(0, -1)},"__proto__":{"groupKey":"x","key":"x"},"constructor":{"a":1}}`,
    );
    expect(readAlert(mappingOf(name), added)).toEqual(readAlert(mappingOf(name), body));
  }
});

test('a hostile body is bounded and formats nothing new', () => {
  const labels = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`l${at}`, '<!channel> '.repeat(100)]));
  const body = {
    key: 'k',
    title: 'x'.repeat(1_000_000),
    state: 'firing',
    summary: 'y\n'.repeat(500_000),
    labels,
    link: 'javascript:alert(1)',
  };
  const group = readAlert(mappingOf('any'), body);
  expectWithin(group);
  expect(group.links).toEqual([]);
});

test.each([
  [1767225600, '2026-01-01T00:00:00.000Z'],
  [1767225600.5, '2026-01-01T00:00:00.500Z'],
  [1767225600000, '2026-01-01T00:00:00.000Z'],
  ['1767225600000', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01 01:00:00.123', '2026-01-01T01:00:00.123Z'],
  ['2026-01-01T01:00', '2026-01-01T01:00:00.000Z'],
  ['2026-01-01T01:00:00+0100', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01t01:00:00z', '2026-01-01T01:00:00.000Z'],
  ['2026-13-01T01:00:00Z', ''],
  ['yesterday', ''],
  ['1', '1970-01-01T00:00:01.000Z'],
  [-1, ''],
  [1e300, ''],
  [{}, ''],
  [true, ''],
] as const)('the moment %j is %s', (startedAt, wanted) => {
  const group = readAlert(mappingOf('any'), { key: 'k', title: 't', state: 'firing', startedAt });
  expect(group.startedAt).toBe(wanted);
});

test.each([
  [
    { env: 'prod', n: 3, on: true, no: null, deep: {} },
    { env: 'prod', n: '3', on: 'true' },
  ],
  [[['env', 'prod'], ['x'], [1, 2]], { env: 'prod' }],
  [[{ name: 'env', value: 'prod' }, { key: 'team', value: 'a' }, { value: 'x' }], { env: 'prod', team: 'a' }],
  ['env:prod, team:a:b,lonely,:x', { env: 'prod', team: 'a:b' }],
  [['env:prod', 'lonely', 5, null], { env: 'prod' }],
  [5, {}],
  [null, {}],
])('the labels %j are %j', (labels, wanted) => {
  const group = readAlert(mappingOf('any'), { key: 'k', title: 't', state: 'firing', labels });
  expect(group.labels).toEqual(wanted);
});
