import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, formatUtc, parseTime, timeLength, toSlackDate } from '../../../../src/bot/text/times.ts';
import { unicodeText } from '../../../support/unicode-text.ts';

const now = new Date('2026-11-20T14:30:00Z');

function read(text: string, { at = now, timeZone = 'Europe/Berlin' } = {}): string {
  const parsed = parseTime(text, { now: at, timeZone });
  return 'at' in parsed ? parsed.at.toISOString().replace('.000Z', 'Z') : parsed.problem;
}

describe('a typed time', () => {
  it.each([
    ['20m ago', '2026-11-20T14:10:00Z'],
    ['20 min ago', '2026-11-20T14:10:00Z'],
    ['20m', '2026-11-20T14:10:00Z'],
    ['-20m', '2026-11-20T14:10:00Z'],
    ['1h 5m ago', '2026-11-20T13:25:00Z'],
    ['1 hour and 5 minutes ago', '2026-11-20T13:25:00Z'],
    ['half an hour ago', '2026-11-20T14:00:00Z'],
    ['about an hour ago', '2026-11-20T13:30:00Z'],
    ['now', '2026-11-20T14:30:00Z'],
    ['just now', '2026-11-20T14:30:00Z'],
    ['14:05', '2026-11-20T13:05:00Z'],
    ['at 2:05pm', '2026-11-20T13:05:00Z'],
    ['around 14:05', '2026-11-20T13:05:00Z'],
    ['14:05 UTC', '2026-11-20T14:05:00Z'],
    ['yesterday 23:50', '2026-11-19T22:50:00Z'],
    ['yesterday at 23:50', '2026-11-19T22:50:00Z'],
    ['23:50 yesterday', '2026-11-19T22:50:00Z'],
    ['2 days ago', '2026-11-18T14:30:00Z'],
    ['monday 14:00', '2026-11-16T13:00:00Z'],
    ['Nov 20 14:05', '2026-11-20T13:05:00Z'],
    ['Dec 24 14:05', '2025-12-24T13:05:00Z'],
    ['2026-11-20 14:05', '2026-11-20T13:05:00Z'],
    ['2026-11-20T14:05:30Z', '2026-11-20T14:05:30Z'],
    ['2026-11-20T14:05:30+05:30', '2026-11-20T08:35:30Z'],
    ['2026-11-20 14:05 UTC', '2026-11-20T14:05:00Z'],
  ])('%s in Berlin is %s', (text, expected) => expect(read(text)).toBe(expected));

  it('takes a bare clock time that has not come yet as the one before', () => {
    expect(read('23:50')).toBe('2026-11-19T22:50:00Z');
    expect(read('15:33')).toBe('2026-11-20T14:33:00Z');
    expect(read('15:36')).toBe('2026-11-19T14:36:00Z');
    expect(read('00:55 UTC', { at: new Date('2026-11-21T01:00:00Z'), timeZone: 'America/New_York' })).toBe(
      '2026-11-21T00:55:00Z',
    );
  });

  it.each(['14:05', 'yesterday 23:50', 'noon', 'monday 14:00', '2026-11-20 14:05', '2 days ago at 14:05'])(
    'asks back for the zone of %s where it is not known',
    text => {
      expect(read(text, { timeZone: '' })).toBe(
        `“${text}” could be in any time zone: Slack does not tell me yours. Add it, as in “14:05 UTC”, or say how long ago it was, as in “20m ago”.`,
      );
    },
  );

  it.each([
    ['20m ago', '2026-11-20T14:10:00Z'],
    ['half an hour ago', '2026-11-20T14:00:00Z'],
    ['2 days ago', '2026-11-18T14:30:00Z'],
    ['now', '2026-11-20T14:30:00Z'],
    ['14:05 UTC', '2026-11-20T14:05:00Z'],
    ['2026-11-20 14:05+01:00', '2026-11-20T13:05:00Z'],
  ])('%s needs no zone', (text, expected) => expect(read(text, { timeZone: '' })).toBe(expected));

  it('refuses the future', () => {
    expect(read('in 20m')).toMatch(/^“in 20m” is in the future \(2026-11-20 14:50 UTC\): give a time that has passed/);
    expect(read('2026-11-20T14:34:00Z')).toBe('2026-11-20T14:34:00Z');
    expect(read('tomorrow 10:00')).toMatch(/^“tomorrow 10:00” is in the future/);
  });

  it.each([
    ['', 'is not a time'],
    ['soonish', 'is not a time: try 20m ago'],
    ['14:05 or so', 'is not a time'],
    ['yesterday 25:99', 'is not a time'],
    ['yesterday', 'has no time of day'],
    ['this morning', 'has no time of day'],
    ['10/11 14:05', 'may mean two days: write the date as 2026-11-20'],
    ['2026-02-30 14:05', 'not in the calendar'],
    ['2026-11-20 25:05', 'is not a time'],
    ['x'.repeat(5000), 'is not a time'],
  ])('says what is wrong with "%s"', (text, problem) => {
    expect(read(text)).toContain(problem);
    expect(read(text).length).toBeLessThan(250);
  });

  it('never throws, not even for a zone that nobody knows', () => {
    fc.assert(
      fc.property(unicodeText({ maxLength: 60 }), text => {
        expect(parseTime(text, { now, timeZone: 'Asia/Kolkata' })).toBeDefined();
      }),
    );
    expect(read('14:05', { timeZone: 'Nowhere/Atlantis' })).toBe('2026-11-20T14:05:00Z');
  });

  it('knows how many words of a flag are a time', () => {
    const lengths = ['20m ago', '20m ago payments', '14:05 on', 'payments', ''].map(each =>
      timeLength(each.split(' ')),
    );
    expect(lengths).toEqual([2, 2, 1, 0, 0]);
  });
});

describe('when clocks change', () => {
  it('Berlin, spring: the hour that does not exist counts on from before it', () => {
    const at = new Date('2026-03-29T10:00:00Z');
    expect(read('01:59', { at })).toBe('2026-03-29T00:59:00Z');
    expect(read('02:30', { at })).toBe('2026-03-29T01:30:00Z');
    expect(read('03:00', { at })).toBe('2026-03-29T01:00:00Z');
    expect(read('12h ago', { at })).toBe('2026-03-28T22:00:00Z');
    expect(read('yesterday 12:00', { at })).toBe('2026-03-28T11:00:00Z');
  });

  it('Berlin, autumn: the hour that comes twice is the later one that has passed', () => {
    expect(read('02:30', { at: new Date('2026-10-25T10:00:00Z') })).toBe('2026-10-25T01:30:00Z');
    expect(read('02:30', { at: new Date('2026-10-25T01:10:00Z') })).toBe('2026-10-25T00:30:00Z');
    expect(read('2026-10-25 02:30', { at: new Date('2026-10-26T10:00:00Z') })).toBe('2026-10-25T01:30:00Z');
  });

  it('New York, both ways', () => {
    const timeZone = 'America/New_York';
    expect(read('02:30', { at: new Date('2026-03-08T12:00:00Z'), timeZone })).toBe('2026-03-08T07:30:00Z');
    expect(read('01:30', { at: new Date('2026-11-01T12:00:00Z'), timeZone })).toBe('2026-11-01T06:30:00Z');
    expect(read('01:30', { at: new Date('2026-11-01T05:45:00Z'), timeZone })).toBe('2026-11-01T05:30:00Z');
    expect(read('yesterday 23:50', { at: new Date('2026-11-01T12:00:00Z'), timeZone })).toBe('2026-11-01T03:50:00Z');
  });

  it('Kolkata: half an hour off, no changes, and its own day', () => {
    const timeZone = 'Asia/Kolkata';
    const at = new Date('2026-11-20T20:00:00Z');
    expect(read('01:15', { at, timeZone })).toBe('2026-11-20T19:45:00Z');
    expect(read('yesterday 23:50', { at, timeZone })).toBe('2026-11-20T18:20:00Z');
    expect(read('23:50', { at, timeZone })).toBe('2026-11-20T18:20:00Z');
  });

  it('gives back any minute written out in UTC', () => {
    const moments = fc.date({ min: new Date('2000-01-01'), max: new Date('2026-11-20'), noInvalidDate: true });
    fc.assert(
      fc.property(moments, moment => {
        expect(read(formatUtc(moment), { timeZone: 'America/New_York' })).toBe(
          `${moment.toISOString().slice(0, 16)}:00Z`,
        );
      }),
    );
  });
});

describe('shown times', () => {
  it('has UTC in the fallback', () => {
    const at = new Date('2026-11-20T14:05:59Z');
    expect(formatUtc(at)).toBe('2026-11-20 14:05 UTC');
    expect(toSlackDate(at)).toBe('<!date^1795183559^{date_short_pretty} {time}|2026-11-20 14:05 UTC>');
    expect(toSlackDate(at, 'time')).toBe('<!date^1795183559^{time}|2026-11-20 14:05 UTC>');
  });

  it.each([
    [0, '0 s'],
    [45.9, '45 s'],
    [60, '1 min'],
    [3599, '59 min'],
    [3600, '1 h'],
    [3900, '1 h 5 min'],
    [86_400, '1 d'],
    [97_200, '1 d 3 h'],
    [-5, '0 s'],
    [Number.NaN, '0 s'],
  ])('%d seconds are %s', (seconds, shown) => expect(formatDuration(seconds)).toBe(shown));
});
