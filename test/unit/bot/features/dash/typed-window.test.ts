import { expect, test } from 'vitest';
import { readWindow, spanOf, takeWindow, vagueWindow } from '../../../../../src/bot/features/dash/typed-window.ts';

const now = new Date('2026-11-20T23:30:00Z');
const incident = { start: new Date('2026-11-20T23:24:00Z'), end: undefined };

/** What a caption is read as: the window in UTC, and what is left of it. */
function read(line: string) {
  const { window, rest } = takeWindow(line.split(' '));
  if (window === undefined || window.kind === 'pasted') return [window?.kind ?? 'none', rest.join(' ')];
  const span = spanOf(window, { now, timeZone: 'UTC', incident });
  if ('problem' in span) return [span.problem, rest.join(' ')];
  const clock = (at: number) => new Date(at).toISOString().slice(5, 16).replace('T', ' ');
  return [`${clock(span.from)} ${clock(span.to)}`, rest.join(' ')];
}

test.each([
  ['last 3 hours', '11-20 20:30 11-20 23:30', ''],
  ['last 3h', '11-20 20:30 11-20 23:30', ''],
  ['past 30 min', '11-20 23:00 11-20 23:30', ''],
  ['the last hour', '11-20 22:30 11-20 23:30', ''],
  ['over the past two hours the 5xx', '11-20 21:30 11-20 23:30', 'the 5xx'],
  ['last half hour', '11-20 23:00 11-20 23:30', ''],
  ['see the 5xx last 15m', '11-20 23:15 11-20 23:30', 'see the 5xx'],
  ['for the last couple of hours', '11-20 21:30 11-20 23:30', ''],
  ['last 2 days', '11-18 23:30 11-20 23:30', ''],
  ['from 23:00 to 23:20', '11-20 23:00 11-20 23:20', ''],
  ['between 22:50 and 23:10 the spike', '11-20 22:50 11-20 23:10', 'the spike'],
  ['23:00-23:20 the spike', '11-20 23:00 11-20 23:20', 'the spike'],
  ['from 23:00 until now', '11-20 23:00 11-20 23:30', ''],
  ['from yesterday 23:50 to 0:10', '11-19 23:50 11-20 00:10', ''],
  ['since 22:50', '11-20 22:50 11-20 23:30', ''],
  ['since the start', '11-20 23:24 11-20 23:30', ''],
  ['since 20 minutes ago', '11-20 23:10 11-20 23:30', ''],
  ['around', '11-20 23:09 11-20 23:30', ''],
  ['around the incident', '11-20 23:09 11-20 23:30', ''],
  ['the 5xx around the incident', '11-20 23:09 11-20 23:30', 'the 5xx'],
  // Within a sentence it stays, and the window is the one that it says.
  ['errors of the last 3 hours in Berlin', '11-20 20:30 11-20 23:30', 'errors of the last 3 hours in Berlin'],
  ['around 5 % of orders fail', 'none', 'around 5 % of orders fail'],
  ['the last deploy', 'none', 'the last deploy'],
  ['from the load balancer', 'none', 'from the load balancer'],
  ['since the deploy', 'none', 'since the deploy'],
  ['traffic from Berlin to Paris', 'none', 'traffic from Berlin to Paris'],
  ['5xx at the past weekend', 'none', '5xx at the past weekend'],
])('“%s” shows %s, and says “%s”', (line, window, caption) => {
  expect(read(line)).toEqual([window, caption]);
});

test.each([
  ['3h', { kind: 'last', milliseconds: 3 * 3_600_000 }],
  ['last 30 min', { kind: 'last', milliseconds: 30 * 60_000 }],
  ['hour', { kind: 'last', milliseconds: 3_600_000 }],
  ['around', { kind: 'around' }],
  ['incident', { kind: 'around' }],
  ['pasted', { kind: 'pasted' }],
  ['from 23:00 to 23:20', { kind: 'between', from: '23:00', to: '23:20' }],
  ['since 22:50', { kind: 'between', from: '22:50', to: '' }],
  ['tomorrow', undefined],
  ['5 years', undefined],
  ['', undefined],
] as const)('--window %s', (typed, window) => {
  expect(readWindow(typed)).toEqual(window);
});

test('a time that is still to come is refused, and a vague one is noticed', () => {
  expect(read('from 23:00 to tomorrow 9:00')[0]).toContain('is in the future');
  expect(vagueWindow('over the last few hours')).toBe('last few hours');
  expect(vagueWindow('the last deploy')).toBeUndefined();
});
