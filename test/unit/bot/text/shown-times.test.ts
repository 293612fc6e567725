import { expect, test } from 'vitest';
import { formatDate } from '../../../../playground/fake-slack/block-kit/date-token.ts';
import { toSlackAge, toSlackWindow, when, whenAndAge, windowInUtc } from '../../../../src/bot/text/shown-times.ts';

const berlin = { zone: 'Europe/Berlin', now: new Date('2026-03-14T09:00:00Z') };

/** The words as somebody in Berlin reads them. */
function read(mrkdwn: string): string {
  return mrkdwn.replaceAll(/<!date\^(\d+)\^([^|]*)\|([^>]*)>/g, (_, seconds, format, fallback) =>
    formatDate({ seconds: Number(seconds), format, fallback }, berlin),
  );
}

/** The words as a client shows them that does not know the tokens. */
function readOld(mrkdwn: string): string {
  return mrkdwn.replaceAll(/<!date\^[^|]*\|([^>]*)>/g, '$1');
}

test('a moment is the reader’s own, once; who cannot read the token sees UTC', () => {
  const at = new Date('2026-03-13T23:31:40Z');
  expect(read(when(at.toISOString()))).toBe('today 12:31 AM');
  expect(readOld(when(at.toISOString()))).toBe('2026-03-13 23:31 UTC');
  expect(read(whenAndAge(at.toISOString()))).toBe('today 12:31 AM, 9 hours ago');
  expect(when('')).toBe('–');
  expect(read(toSlackAge(at))).toBe('9 hours ago');
});

test('a window has its day once, however the reader’s midnight lies', () => {
  const [from, to] = [new Date('2026-03-12T00:31:00Z'), new Date('2026-03-12T01:32:00Z')];
  expect(read(toSlackWindow(from, to))).toBe('Mar 12, 2026 1:31 AM–2:32 AM');
  expect(readOld(toSlackWindow(from, to))).toBe('2026-03-12 00:31–01:32 UTC');
  expect(windowInUtc(from, to)).toBe('2026-03-12 00:31–01:32 UTC');
  const [late, early] = [new Date('2026-03-12T22:31:00Z'), new Date('2026-03-12T23:32:00Z')];
  expect(read(toSlackWindow(late, early))).toBe('Mar 12, 2026 11:31 PM–12:32 AM');
});

test('a window of a day or more has both days', () => {
  const [from, to] = [new Date('2026-03-10T00:31:00Z'), new Date('2026-03-11T00:31:00Z')];
  expect(read(toSlackWindow(from, to))).toBe('Mar 10, 2026 1:31 AM to Mar 11, 2026 1:31 AM');
  expect(windowInUtc(from, to)).toBe('2026-03-10 00:31 to 2026-03-11 00:31 UTC');
});
