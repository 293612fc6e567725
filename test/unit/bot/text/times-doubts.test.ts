import { expect, test } from 'vitest';
import { parseTime } from '../../../../src/bot/text/times.ts';

/** What is in doubt about a time that somebody typed then and there, and how it was read. */
function typed(text: string, now: string, timeZone = 'America/New_York') {
  const reading = { now: new Date(now), timeZone };
  const read = parseTime(text, reading);
  if ('problem' in read) throw new Error(read.problem);
  return { at: read.at.toISOString(), doubt: read.doubt };
}

test.each([
  // An ordinary day.
  ['14:05', '2026-06-10T20:00:00Z', '2026-06-10T18:05:00.000Z', ''],
  ['20m ago', '2026-06-10T20:00:00Z', '2026-06-10T19:40:00.000Z', ''],
  ['yesterday 23:50', '2026-06-10T20:00:00Z', '2026-06-10T03:50:00.000Z', ''],
  // The day before.
  ['23:50', '2026-06-11T04:10:00Z', '2026-06-11T03:50:00.000Z', 'still ahead'],
  ['11:50 pm', '2026-06-11T04:10:00Z', '2026-06-11T03:50:00.000Z', 'still ahead'],
  // Clocks went back at two on November 1st: half past one came twice.
  ['01:30', '2026-11-01T12:00:00Z', '2026-11-01T06:30:00.000Z', 'twice'],
  ['1:30 am', '2026-11-01T12:00:00Z', '2026-11-01T06:30:00.000Z', 'twice'],
  ['2026-11-01 01:30', '2026-11-02T12:00:00Z', '2026-11-01T06:30:00.000Z', 'twice'],
  ['2026-11-01T01:30-05:00', '2026-11-02T12:00:00Z', '2026-11-01T06:30:00.000Z', ''],
  ['05:30 UTC', '2026-11-01T12:00:00Z', '2026-11-01T05:30:00.000Z', ''],
  ['03:30', '2026-11-01T12:00:00Z', '2026-11-01T08:30:00.000Z', ''],
  // Clocks went forward at two on March 8th: half past two never came.
  ['02:30', '2026-03-08T12:00:00Z', '2026-03-08T07:30:00.000Z', 'skipped'],
  ['03:30', '2026-03-08T12:00:00Z', '2026-03-08T07:30:00.000Z', ''],
  ['01:59', '2026-03-08T12:00:00Z', '2026-03-08T06:59:00.000Z', ''],
])('%s, typed in New York at %s', (text, now, at, doubt) => {
  const read = typed(text, now);
  expect(read.at).toBe(at);
  if (doubt === '') expect(read.doubt).toBe('');
  else expect(read.doubt).toContain(doubt);
});
