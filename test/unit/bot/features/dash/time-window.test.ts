import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pinWindow } from '../../../../../src/bot/features/dash/time-window.ts';
import { readList } from '../../../../support/table.ts';

const margin = 15 * 60_000;
const now = new Date('2026-11-20T14:05:30Z');
const own = { from: 'now-6h', to: 'now' };
const active = { start: new Date('2026-11-20T13:50:00Z'), end: undefined };
const over = { start: new Date('2026-11-20T09:00:00Z'), end: new Date('2026-11-20T10:00:00Z') };

function pinned(from: string, to: string, context: Partial<Parameters<typeof pinWindow>[1]> = {}) {
  const window = pinWindow({ from, to }, { now, timeZone: 'UTC', incident: active, own, ...context });
  if ('problem' in window) return window.problem;
  const shown = [window.from, window.to].map(at => new Date(at).toISOString().slice(5, 19)).join(' – ');
  return `${shown}${window.isPinned ? '' : ' kept'}`;
}

test.each([
  ['now-1h', 'now', '11-20T13:05:00 – 11-20T14:06:00'],
  ['', '', '11-20T08:05:00 – 11-20T14:06:00'],
  ['now-5m', 'now', '11-20T14:00:00 – 11-20T14:06:00'],
  ['now-7d', 'now-6d', '11-13T14:05:00 – 11-14T14:06:00'],
  ['now-2d/d', 'now/d', '11-18T00:00:00 – 11-21T00:00:00'],
  ['now/d+8h', 'now', '11-20T08:00:00 – 11-20T14:06:00'],
  ['now/w', 'now/w', '11-16T00:00:00 – 11-23T00:00:00'],
  ['now-1M/M', 'now-1M/M', '10-01T00:00:00 – 11-01T00:00:00'],
  ['now-1Q', 'now', '08-20T14:05:00 – 11-20T14:06:00'],
  ['1795176000000', '1795179600000', '11-20T12:00:00 – 11-20T13:00:00 kept'],
  ['2026-11-20T12:00:00Z', '2026-11-20T13:00:00.000Z', '11-20T12:00:00 – 11-20T13:00:00 kept'],
  ['20261120T120000', '20261121', '11-20T12:00:00 – 11-21T00:00:00 kept'],
  ['2026-11-20 12:00:00', 'now', '11-20T12:00:00 – 11-20T14:06:00'],
  ['2026-11-20T12:00:00+02:00', '2026-11-20T13:00:00+02:00', '11-20T10:00:00 – 11-20T11:00:00 kept'],
])('%s to %s as pasted: %s', (from, to, expected) => {
  expect(pinned(from, to, { isExact: true })).toBe(expected);
});

test('an incident that goes on is shown from a quarter of an hour before it until now, whatever was relative', () => {
  for (const [from, to] of [
    ['now-1h', 'now'],
    ['', ''],
    ['now-5m', 'now'],
    ['now-7d', 'now-6d'],
    ['now-1M/M', 'now-1M/M'],
  ] as const)
    expect(pinned(from, to)).toBe('11-20T13:35:00 – 11-20T14:06:00');
  expect(pinned('2026-11-20 12:00:00', 'now')).toBe('11-20T12:00:00 – 11-20T14:06:00');
});

test.each([
  ['20261120T120000', '20261121'],
  ['2026-11-20 12:00:00', 'now'],
  ['now-2d/d', 'now/d'],
])('%s to %s is asked back where the zone is not known', (from, to) => {
  expect(pinned(from, to, { timeZone: '' })).toMatch(
    `from=${from} could be in any time zone: Slack does not tell me yours.`,
  );
});

test('a window that names its zone, or needs none, is read without one', () => {
  const moments = ['2026-11-20T12:00:00Z', '1795179600000'] as const;
  expect(pinned(...moments, { timeZone: '' })).toBe('11-20T12:00:00 – 11-20T13:00:00 kept');
  expect(pinned('now-1h', 'now', { timeZone: '', isExact: true })).toBe('11-20T13:05:00 – 11-20T14:06:00');
});

test('an incident that is over shows itself, whatever was relative', () => {
  for (const [from, to] of [
    ['now-1h', 'now'],
    ['', ''],
    ['now-30d', 'now-29d'],
  ] as const) {
    expect(pinned(from, to, { incident: over })).toBe('11-20T08:45:00 – 11-20T10:00:00');
  }
  expect(pinned('1795176000000', '', { incident: over })).toContain('before it begins');
});

test('days begin in the reader’s zone', () => {
  expect(pinned('now/d', 'now/d', { timeZone: 'America/New_York', isExact: true })).toBe(
    '11-20T05:00:00 – 11-21T05:00:00',
  );
  expect(pinned('2026-11-20', '2026-11-21', { timeZone: 'Asia/Kolkata' })).toBe('11-19T18:30:00 – 11-20T18:30:00 kept');
  expect(pinned('now/d', 'now/d', { timeZone: 'Mars/Olympus', isExact: true })).toBe('11-20T00:00:00 – 11-21T00:00:00');
});

test('a dashboard’s own absolute window is nobody’s choice', () => {
  expect(pinned('', '', { own: { from: '2017-01-01T00:00:00Z', to: '2017-01-02T00:00:00Z' } })).toBe(
    '11-20T13:35:00 – 11-20T14:06:00',
  );
});

test.each(
  readList(`
  yesterday | now- | now-1fortnight | now-1x | 2026-13-40 | 99999999999999999999 | <!channel> | now/
`),
)('%s is refused with words', from => {
  const words = pinned(from, 'now');
  expect(words).toContain('is not a time that Grafana knows');
});

test('an absolute window that ends before it begins is refused', () => {
  expect(pinned('1795179600000', '1795176000000')).toContain('ends before it begins');
});

const unit = fc.constantFrom('s', 'm', 'h', 'd', 'w', 'M', 'Q', 'y');
const step = fc.tuple(fc.constantFrom('-', '+'), fc.nat(400), unit).map(parts => parts.join(''));
const relative = fc
  .tuple(fc.array(step, { maxLength: 3 }), fc.option(unit))
  .map(([steps, rounding]) => `now${steps.join('')}${rounding ? `/${rounding}` : ''}`);
const instant = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
const end = fc.oneof(relative, fc.constant(''));

test('a moving window always holds what led to an incident that goes on, and never runs backwards', () => {
  fc.assert(
    fc.property(end, end, instant, fc.nat(10_000_000), (from, to, start, ago) => {
      const at = new Date(start.getTime() + ago * 1000);
      const window = pinWindow(
        { from, to },
        { now: at, timeZone: 'Europe/Berlin', incident: { start, end: undefined }, own },
      );
      if ('problem' in window) throw new Error(window.problem);
      expect(window.isPinned).toBe(true);
      expect(window.from).toBeLessThanOrEqual(start.getTime() - margin);
      expect(window.to).toBeGreaterThan(start.getTime());
      expect(window.from % 60_000).toBe(0);
      expect(window.to % 60_000).toBe(0);
    }),
  );
});

test('of an incident that is over a moving window shows just it and what led to it', () => {
  fc.assert(
    fc.property(end, end, instant, fc.nat(1_000_000), instant, (from, to, start, seconds, at) => {
      const incident = { start, end: new Date(start.getTime() + seconds * 1000) };
      const window = pinWindow({ from, to }, { now: at, timeZone: 'UTC', incident, own });
      if ('problem' in window) throw new Error(window.problem);
      expect(start.getTime() - window.from).toBeGreaterThanOrEqual(margin);
      expect(start.getTime() - window.from).toBeLessThan(margin + 60_000);
      expect(window.to - incident.end.getTime()).toBeGreaterThanOrEqual(0);
      expect(window.to - incident.end.getTime()).toBeLessThan(120_000);
    }),
  );
});

test('an absolute window stays to the millisecond', () => {
  fc.assert(
    fc.property(instant, fc.integer({ min: 1, max: 1e12 }), (from, width) => {
      const written = { from: String(from.getTime()), to: String(from.getTime() + width) };
      expect(pinWindow(written, { now, timeZone: 'UTC', incident: over, own })).toEqual({
        from: from.getTime(),
        to: from.getTime() + width,
        isPinned: false,
      });
    }),
  );
});

test('whatever is written, the answer is a window or words', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (from, to) => {
      const window = pinWindow({ from, to }, { now, timeZone: 'UTC', incident: active, own });
      if ('problem' in window) expect(window.problem).not.toBe('');
      else expect(window.from).toBeLessThan(window.to);
    }),
  );
});
