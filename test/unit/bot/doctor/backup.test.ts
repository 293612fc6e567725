import { expect, test } from 'vitest';
import { judgeBackup } from '../../../../src/bot/doctor/checks.ts';

const now = new Date('2026-11-23T12:00:00Z');
const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000);

test.each<[string, number, number | undefined, string, string]>([
  ['a fresh database', 0, undefined, 'ok', 'no copy yet'],
  ['a database of yesterday', 25, undefined, 'ok', 'younger than a day'],
  ['a database of more than a day', 27, undefined, 'unknown', '27 hours'],
  ['a database of a year', 24 * 365, undefined, 'unknown', '365 days'],
  ['a copy of this minute', 0, 1, 'ok', 'less than an hour'],
  ['a copy of a clock ahead', -1, 1, 'ok', 'less than an hour'],
  ['a copy of an hour ago', 1.5, 12_345_678, 'ok', '1 hour old and has 12.3 MB'],
  ['the copy of last night', 9, 1e9, 'ok', '9 hours'],
  ['a copy of a day and a bit', 26, 1, 'ok', '26 hours'],
  ['a copy that last night did not follow', 34, 1, 'failing', '34 hours'],
  ['a copy of a week ago', 168, 1, 'failing', '7 days'],
  ['a copy of 1970', 24 * 365 * 56, 1, 'failing', 'days old'],
])('the doctor on %s', (_, hours, bytes, state, found) => {
  const finding = judgeBackup({ since: ago(hours), bytes }, now);
  expect(finding).toMatchObject({ subject: 'backup', state, found: expect.stringContaining(found) });
  expect(finding.fix === '').toBe(state === 'ok');
});

test('of a database that an older Muster made the doctor says that it cannot tell', () => {
  expect(judgeBackup(undefined, now)).toMatchObject({ state: 'unknown' });
});
