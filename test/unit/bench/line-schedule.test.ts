import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSchedule } from '../../../bench/line-schedule.ts';
import { median } from '../../../bench/measure.ts';

/**
 * How long each piece was on a line, in milliseconds. `gaps` are between the pieces; a thread waits for one after the other and wakes
 * late by `lateness`.
 */
function carry(delay: number, gaps: readonly number[], lateness: (index: number) => number): number[] {
  const schedule = new LineSchedule(delay);
  const times: number[] = [];
  const waiting: number[] = [];
  let free = 0;
  /** Lets out the pieces that leave before a moment. */
  const letOut = (moment: number) => {
    for (;;) {
      const [wake] = waiting;
      if (wake === undefined) return;
      const woken = Math.max(free, wake + lateness(times.length));
      if (woken > moment) return;
      free = woken;
      waiting.shift();
      times.push(schedule.leave(woken));
    }
  };
  let now = 0;
  for (const gap of gaps) {
    now += gap;
    letOut(now);
    waiting.push(schedule.come(now));
  }
  letOut(Number.POSITIVE_INFINITY);
  return times;
}

/** Those of lines of 1 and of 2.5 ms. */
const delays = fc.constantFrom(0.5, 1.25);

test('each piece takes its exact time where nobody wakes late, those too that come while others wait', () => {
  const gaps = fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { maxLength: 50 });
  fc.assert(
    fc.property(delays, gaps, (delay, all) => {
      const times = carry(delay, all, () => 0);
      expect(times).toHaveLength(all.length);
      for (const time of times) expect(time).toBeCloseTo(delay, 9);
    }),
  );
});

test('half of the pieces are early and half late, by however much the thread wakes late', () => {
  const late = fc.record({
    usual: fc.double({ min: 0, max: 0.3, noNaN: true }),
    spread: fc.double({ min: 0, max: 0.1, noNaN: true }),
  });
  fc.assert(
    fc.property(delays, late, fc.double({ min: 0.1, max: 3, noNaN: true }), (delay, { usual, spread }, gap) => {
      const lateness = (index: number) => usual + (spread * ((index * 7919) % 101)) / 100;
      const times = carry(delay, Array<number>(1000).fill(gap), lateness);
      expect(Math.abs(median(times.slice(500)) - delay)).toBeLessThan(0.02);
    }),
  );
});

test('a line that cannot be as quick as it should says so', () => {
  const times = carry(0.5, Array<number>(1000).fill(5), () => 2);
  expect(median(times.slice(500))).toBeCloseTo(2, 1);
});
