import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromLocalTime, toLocalTime } from '../../../../playground/page/blocks/zoned-time.ts';

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland'];

describe('a moment in the reader’s zone', () => {
  test('is written and read back', () => {
    const moment = Date.UTC(2026, 10, 23, 9, 30) / 1000;
    expect(toLocalTime(moment, 'Europe/Berlin')).toBe('2026-11-23T10:30');
    expect(fromLocalTime('2026-11-23T10:30', 'Europe/Berlin')).toBe(moment);
    expect(toLocalTime(moment, 'Asia/Kolkata')).toBe('2026-11-23T15:00');
  });

  test('a time that the clocks skip gives one after the change, a repeated one the first', () => {
    expect(fromLocalTime('2026-03-29T02:30', 'Europe/Berlin')).toBe(Date.UTC(2026, 2, 29, 1, 30) / 1000);
    expect(fromLocalTime('2026-10-25T02:30', 'Europe/Berlin')).toBe(Date.UTC(2026, 9, 25, 0, 30) / 1000);
  });

  test.each(['', 'soon', '2026-11-23', '2026-13-40T99:99'])('“%s” is none', local => {
    expect(fromLocalTime(local, 'UTC')).toBeUndefined();
  });

  test('whole minutes come back, but for the hour that clocks repeat', () => {
    const minute = fc.integer({ min: 2 ** 24, max: 2 ** 26 }).map(count => count * 60);
    fc.assert(
      fc.property(minute, fc.constantFrom(...zones), (seconds, zone) => {
        const back = fromLocalTime(toLocalTime(seconds, zone), zone);
        expect(toLocalTime(back ?? Number.NaN, zone)).toBe(toLocalTime(seconds, zone));
        expect(seconds - (back ?? 0)).toBeLessThanOrEqual(3600);
      }),
    );
  });
});
