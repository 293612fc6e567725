import { expect, test } from 'vitest';
import { countAxis, durationAxis, timeAxis } from '../../../../src/service/pages/axis.ts';
import { across, percent, plot, strokes, upward } from '../../../../src/service/pages/svg.ts';

const words = ({ ticks }: ReturnType<typeof countAxis>) => ticks.map(tick => tick.words);
const minute = 60_000;
const start = Date.parse('2026-11-24T17:26:00Z');

test.each([
  ['two minutes', 2 * minute, /^\d\d:\d\d:\d\d$/],
  ['ten minutes', 10 * minute, /^\d\d:\d\d$/],
  ['six hours', 360 * minute, /^\d\d:\d\d$/],
  ['three days', 3 * 1440 * minute, /^2\d Nov( \d\d:00)?$/],
  ['forty days', 40 * 1440 * minute, /^\d\d? \w{3}$/],
  ['three years', 1100 * 1440 * minute, /^\w{3} 20\d\d$/],
])('an axis of %s repeats no mark, and says as much of the time as there is room for', (_span, length, form) => {
  const axis = timeAxis(start, start + length);
  expect(axis.ticks.length).toBeGreaterThanOrEqual(4);
  expect(new Set(words(axis)).size).toBe(axis.ticks.length);
  for (const each of words(axis)) expect(each).toMatch(form);
  const places = axis.ticks.map(tick => tick.at);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...places)).toBeLessThanOrEqual(100);
  expect(axis.ticks.filter(tick => !tick.isMinor).length).toBeLessThanOrEqual(4);
});

test('no span of time up to ten years repeats a mark', () => {
  for (let length = 30_000; length < 10 * 365 * 1440 * minute; length *= 1.17) {
    const seen = words(timeAxis(start, start + length));
    expect([length, seen.length]).toEqual([length, new Set(seen).size]);
  }
});

test('counts are whole numbers, and durations stand in steps of time', () => {
  expect(words(countAxis(3))).toEqual(['0', '1', '2', '3']);
  expect(words(countAxis(0))).toEqual(['0', '1']);
  expect(countAxis(37).place(37)).toBeLessThanOrEqual(100);
  expect(words(durationAxis(0))).toEqual(['0 s', '15 s', '30 s', '45 s', '1 min']);
  expect(words(durationAxis(2.5 * 86_400))).toEqual(['0 s', '12 h', '1 d', '1 d 12 h', '2 d', '2 d 12 h']);
  for (const longest of [10, 61, 3601, 90_000, 9e6, 4e8]) {
    const axis = durationAxis(longest);
    expect(axis.place(longest)).toBeLessThanOrEqual(100);
    expect(axis.ticks.length).toBeLessThanOrEqual(6);
    expect(new Set(words(axis)).size).toBe(axis.ticks.length);
  }
});

test('a picture stands in per cent across and in pixels down, and strokes of one place are one', async () => {
  const { ticks } = countAxis(2);
  const drawn = String(await plot('count', 90, 'two "things"', across(ticks, 0, 70)));
  expect(drawn).toContain('aria-label="two &quot;things&quot;"');
  expect(drawn).toMatch(/<line x1="50%" x2="50%" y1="0" y2="70"\/><text x="50%" y="86" text-anchor="middle">1</);
  expect(drawn).not.toContain('viewBox');
  expect(String(await upward(ticks, 0, 70))).toContain('y1="35" y2="35"');
  expect(String(await strokes('l1', [1, 1.01, 50], 10, 16))).toContain('d="M10 0v16M500 0v16"');
  expect(percent(100 / 3)).toBe('33.33%');
});
