import { expect, test } from 'vitest';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { flagText, parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import { parseTime } from '../../../../src/bot/text/times.ts';
import { leadingTime } from '../../../../src/bot/text/times-in-text.ts';
import { readList } from '../../../support/table.ts';

const verbs = allVerbs(features);
const now = new Date('2026-11-20T15:30:00Z');

/** What a command takes for the time of a flag, and what it leaves as the text. */
function taken(line: string): string {
  const [root = '', ...rest] = line.split(/ (.*)/s);
  const parsed = parseCommand(verbs, { root, commandRoot: 'muster', text: rest[0] ?? '' });
  if (parsed.kind !== 'verb') return `${parsed.kind}`;
  const { args } = parsed;
  return `${['at', 'started', 'next'].flatMap(flag => flagText(args, flag) ?? []).join()} | ${args.text}`;
}

function read(text: string, timeZone = 'Europe/Berlin', at = now, isNext = false): string {
  const parsed = parseTime(text, { now: at, timeZone, isNext });
  if ('problem' in parsed) return parsed.problem;
  return `${parsed.at.toISOString().replace(/:00\.000Z$|\.000Z$/, '')}${parsed.doubt === '' ? '' : ' asked'}`;
}

test.each([
  // E-K3: lower-case words that are zones, days and months elsewhere.
  ...[
    ...['bot', 'get', 'east', 'west', 'eat', 'art', 'cat', 'mon', 'sun', 'a', 'p', 'sat', 'wed', 'fri', 'may', 'mar'],
    ...['dec', 'est', 'pst', 'ist', 'met', 'wit', 'pet', 'cot', 'mut', 'pont', 'hst', 'cst', 'back', 'before', 'z'],
    ...['GET', 'CAT', 'EAT', 'EAST', 'WEST', 'ART', 'BOT', 'A', 'P', 'May', 'Sun', 'Sat', 'GMT-based', 'second', 'h'],
    ...['+5', '-1', '5', '404', '2', '10', 'on', 'in', 'at', 'the', 'noon', 'AM4', 'PM2', 'TCP/IP', 'next', 'last'],
  ].map(word => [`note add --at 13:05 ${word} traffic floods`, `13:05 | ${word} traffic floods`]),
  ['incident declare --started 13:05 bot traffic floods checkout --now', '13:05 | bot traffic floods checkout'],
  ['note add --at 17:10 get requests fail', '17:10 | get requests fail'],
  ['note add --at 17:10 on sun cluster 3', '17:10 | on sun cluster 3'],
  ['note add --at 20m back online again', '20m | back online again'],
  ['note add --at 20m 5 min of errors', '20m | 5 min of errors'],
  ['note add --at 2h 5 minutes of errors', '2h | 5 minutes of errors'],
  ['note add --at 01h59 second try', '01h59 | second try'],
  ['note add --at 1h 5m it broke', '1h 5m | it broke'],
  ['note add --at 17:10 -1000 rps', '17:10 -1000 | rps'],
  ['note add --at 17:10 -10 nodes', '17:10 | -10 nodes'],
  ['note add --at 17:10 am seeing errors', '17:10 | am seeing errors'],
  ['note add --at 14:05 5 nodes down', '14:05 | 5 nodes down'],
  ['note add --at 14:05 10 of 12 pods', '14:05 | 10 of 12 pods'],
  ['note add --at yesterday 23:50 may be down', 'yesterday 23:50 | may be down'],
  ['note add --at 20m ago mon service down', '20m ago | mon service down'],
  // What is a time is taken whole.
  ['note add --at 17:10 EST get requests fail', '17:10 EST | get requests fail'],
  ['note add --at=17:10 EST get requests fail', '17:10 EST | get requests fail'],
  ['note add --at="17:10" EST is a zone', '17:10 | EST is a zone'],
  ['note add --at=banana it broke', 'banana it broke | '],
  ['note add --at=17:10\nEST is a zone', '17:10 | EST is a zone'],
  ['note add --at 2:30 p.m. PST the db failed', '2:30 p.m. PST | the db failed'],
  ['note add --at 14:05 +01:00 the db failed', '14:05 +01:00 | the db failed'],
  ['note add --at 14:05 UTC+2 the db failed', '14:05 UTC+2 | the db failed'],
  ['note add --at half past two in the afternoon it broke', 'half past two in the afternoon | it broke'],
  ['note add --at 14:05 on Monday it broke', '14:05 on Monday | it broke'],
  ['note add --at 14:05, it broke', '14:05, | it broke'],
  ['note add it broke --at 14:05 mon', '14:05 mon | it broke'],
  ['note add it broke --at 20m back', '20m back | it broke'],
  ['note add it broke --at 14:05 CAT', '14:05 CAT | it broke'],
  // An unclear zone is not left in the text.
  ['note add --at 14:05 IST it broke', '14:05 IST | it broke'],
  ['incident update --next half an hour we roll back', 'half an hour | we roll back'],
  ['incident update --next 30 we roll back', '30 | we roll back'],
  ['incident update --next 14:30 we roll back', '14:30 | we roll back'],
])('%s', (line, expected) => expect(taken(line)).toBe(expected));

test.each([
  // E-K4 and E-K5: the moment of a form, in Berlin at 16:30 (15:30 UTC).
  ['14:05:33', '2026-11-20T13:05:33'],
  ['14:05:33.250', '2026-11-20T13:05:33.250Z'],
  ['2:30 p.m.', '2026-11-20T13:30'],
  ['2:30 P.M.', '2026-11-20T13:30'],
  ['2.30pm', '2026-11-20T13:30'],
  ['2:30:15 PM', '2026-11-20T13:30:15'],
  ['9am', '2026-11-20T08:00'],
  ['12am', '2026-11-19T23:00'],
  ['12 pm', '2026-11-20T11:00'],
  ['14:05 +01:00', '2026-11-20T13:05'],
  ['14:05 -03', '2026-11-19T17:05 asked'],
  ['14:05+02', '2026-11-20T12:05'],
  ['14:05+0530', '2026-11-20T08:35'],
  ['14:05 \u221201:00', '2026-11-20T15:05'],
  ['12:05Z', '2026-11-20T12:05'],
  ['1205Z', '2026-11-20T12:05'],
  ['14h30', '2026-11-20T13:30'],
  ['14h05', '2026-11-20T13:05'],
  ['14:05h', '2026-11-20T13:05'],
  ['14 Uhr', '2026-11-20T13:00'],
  ['14.05', '2026-11-20T13:05'],
  ['0905h', '2026-11-20T08:05'],
  ['0905 hours', '2026-11-20T08:05'],
  ['1405', '2026-11-20T13:05'],
  ['at 9', '2026-11-20T08:00'],
  ['noon', '2026-11-20T11:00'],
  ['midnight', '2026-11-19T23:00'],
  ['24:00', '2026-11-19T23:00'],
  ['half past 14', '2026-11-20T13:30'],
  ['quarter to nine', '2026-11-20T07:45'],
  ['ten past 3 pm', '2026-11-20T14:10'],
  ['3 in the afternoon', '2026-11-20T14:00'],
  ['last night at 11:50', '2026-11-19T22:50'],
  ['14:05 CET', '2026-11-20T13:05'],
  ['14:05 America/Halifax', '2026-11-19T18:05 asked'],
  ['10:05 EST', '2026-11-20T15:05'],
  ['17:05 IRST', '2026-11-20T13:35'],
  ['17:05 MSK', '2026-11-20T14:05'],
  ['1h30m ago', '2026-11-20T14:00'],
  ['1h30 ago', '2026-11-20T14:00'],
  ['1.5h ago', '2026-11-20T14:00'],
  ['an hour and a half ago', '2026-11-20T14:00'],
  ['10 min ago', '2026-11-20T15:20'],
  ['\uff11\uff14\uff1a\uff10\uff15', '2026-11-20T13:05'],
  ['\u0661\u0664:\u0660\u0665', '2026-11-20T13:05'],
  ['2026-11-20T14:05:33.250+05:30', '2026-11-20T08:35:33.250Z'],
  ['2026/11/20 14:05', '2026-11-20T13:05'],
  ['20.11.2026 14:05', '2026-11-20T13:05'],
  ['Fri, 20 Nov 2026 14:05:33 +0000', '2026-11-20T14:05:33'],
  ['Fri Nov 20 14:05:33 UTC 2026', '2026-11-20T14:05:33'],
  ['Thursday, November 19, 2026 2:05 PM', '2026-11-19T13:05'],
  ['11/19/2026 2:05 PM', '2026-11-19T13:05'],
  ['19-Nov-2026 14:05', '2026-11-19T13:05'],
  ['2026-11-20, 14:05', '2026-11-20T13:05'],
  ['14:05 on 2026-11-19', '2026-11-19T13:05'],
  ['14:05, 19 Nov 2026', '2026-11-19T13:05'],
  ['Nov 19th at 2pm', '2026-11-19T13:00'],
  ['yesterday at noon', '2026-11-19T11:00'],
  ['ten minutes ago', '2026-11-20T15:20'],
  ['a quarter hour ago', '2026-11-20T15:15'],
  ['a quarter of an hour ago', '2026-11-20T15:15'],
  ['20/Nov/2026:14:05:33 +0000', '2026-11-20T14:05:33'],
  ['Nov 20, 2026 at 2:05 PM', '2026-11-20T13:05'],
  // In doubt: asked, whatever the form.
  ...[
    ['17:05:33', '2026-11-19T16:05:33'],
    ['5:30 p.m.', '2026-11-19T16:30'],
    ['17h30', '2026-11-19T16:30'],
    ['17.30', '2026-11-19T16:30'],
    ['1730h', '2026-11-19T16:30'],
    ['half past 17', '2026-11-19T16:30'],
    ['17:05 +01:00', '2026-11-19T16:05'],
    ['16:05Z', '2026-11-19T16:05'],
    ['14:05 EST', '2026-11-19T19:05'],
    ['14:05 CEST', '2026-11-20T12:05'],
    ['at 2', '2026-11-20T13:00'],
    ['2:30', '2026-11-20T13:30'],
    ['half past two', '2026-11-20T13:30'],
    ['9h15', '2026-11-20T08:15'],
    ['1h30', '2026-11-20T14:00'],
    ['14h', '2026-11-20T01:30'],
    ['14:00-15:00', '2026-11-20T13:00'],
    ['14:05 to 14:20', '2026-11-20T13:05'],
    ['14:05-05:00', '2026-11-19T19:05'],
    ['14:05 +1000', '2026-11-20T04:05'],
    ['14:05 Monday', '2026-11-16T13:05'],
    ['yesterday 2:30', '2026-11-19T01:30'],
    ['last friday 14:05', '2026-11-20T13:05'],
    ['Dec 24 14:05', '2025-12-24T13:05'],
  ].map(([text = '', at]) => [text, text === '14:05 Monday' ? `${at}` : `${at} asked`]),
])('%s in Berlin', (text, expected) => expect(read(text)).toBe(expected));

test.each([
  ...['13:05 bot', '17:10 get', '13:05 a', '5p', '17:10 est', '14:05 BRB', '17:10 pm', '13pm', '0pm', '905h', '9050h'],
  ...['25:00', '14:60', '14:5', '24:01', '12:34:56:78', '14:05:61', '14:05%', '3.14159', '1405 errors', 'may', 'a m'],
  ...readList(`
    404 | 5 nodes | 14:05 +15:00 | bot | 10 to 12 | second | 5 m 6 m | 30 s 1 h | half to two | 00:1a:2b:3c:4d:5e
  `),
])('%s is no time', text => expect(read(text)).toContain('is not a time'));

test.each(['14:05 IST', '14:05 ET', '14:05 CST', '14:05 BST', '14:05 WEST'])(
  '%s, typed in Lagos, is asked back',
  text => expect(read(text, 'Africa/Lagos')).toContain('names no zone, or several'),
);

test.each([
  ['14:05 IST', 'Asia/Kolkata', '2026-11-20T08:35'],
  ['14:05 IST', 'Asia/Jerusalem', '2026-11-20T12:05'],
  ['14:05 CST', 'Asia/Shanghai', '2026-11-20T06:05'],
  ['09:05 CST', 'America/Chicago', '2026-11-20T15:05'],
  ['09:05 CT', 'America/New_York', '2026-11-20T15:05'],
  ['14:05 PST', 'Asia/Manila', '2026-11-20T06:05'],
  ['14:05 EAT', 'Africa/Nairobi', '2026-11-20T11:05'],
  ['14:05', 'Asia/Kathmandu', '2026-11-20T08:20'],
  ['14:05', 'America/St_Johns', '2026-11-19T17:35 asked'],
  ['10:30', 'America/New_York', '2026-11-20T15:30'],
])('%s in %s', (text, timeZone, expected) => expect(read(text, timeZone)).toBe(expected));

test.each([
  ['17:10 EDT', '2026-07-20T22:10:00Z', '2026-07-20T21:10'],
  // Whoever writes EST in summer means the clocks of New York as likely.
  ['17:10 EST', '2026-07-20T23:10:00Z', '2026-07-20T22:10 asked'],
  ['16:10 CET', '2026-07-20T18:10:00Z', '2026-07-20T15:10 asked'],
  // Clocks went back at 3 in Berlin.
  ['02:30', '2026-10-25T10:00:00Z', '2026-10-25T01:30 asked'],
  ['02:30:10', '2026-10-25T10:00:00Z', '2026-10-25T01:30:10 asked'],
  ['2.30am', '2026-10-25T10:00:00Z', '2026-10-25T01:30 asked'],
  ['half past 2 am', '2026-10-25T10:00:00Z', '2026-10-25T01:30 asked'],
  ['02h30', '2026-03-29T10:00:00Z', '2026-03-29T01:30 asked'],
  ['0230h', '2026-03-29T10:00:00Z', '2026-03-29T01:30 asked'],
  ['02:30 CET', '2026-10-25T10:00:00Z', '2026-10-25T01:30'],
])('%s in Berlin at %s', (text, at, expected) => expect(read(text, 'Europe/Berlin', new Date(at))).toBe(expected));

test.each([
  ['14:30', '2026-11-21T13:30'],
  ['16:45', '2026-11-20T15:45'],
  ['at 17:00', '2026-11-20T16:00'],
  ['16:45Z', '2026-11-20T16:45'],
  ['half an hour', '2026-11-20T16:00'],
  ['in half an hour', '2026-11-20T16:00'],
  ['an hour and a half', '2026-11-20T17:00'],
  ['30m', '2026-11-20T16:00'],
  ['5:30', '2026-11-20T16:30 asked'],
  ['17h15', '2026-11-20T16:15'],
  ['tomorrow 09:00', '2026-11-21T08:00'],
  ['noon', '2026-11-21T11:00'],
])('%s, to come', (text, expected) => expect(read(text, 'Europe/Berlin', now, true)).toBe(expected));

test.each([
  // E-K4: the time at the head of a note, whole.
  ['09:20 EST the db failed over', '09:20 EST'],
  ['09:20 America/New_York the db failed over', '09:20 America/New_York'],
  ['at 14:20 UTC+1 the db failed over', 'at 14:20 UTC+1'],
  ['14:20 CET: the db failed over', '14:20 CET'],
  ['[14:20Z] the db failed over', '14:20Z'],
  ['14:20:33 the db failed over', '14:20:33'],
  ['2:20 p.m. the db failed over', '2:20 p.m'],
  ['14:20 +01:00 the db failed over', '14:20 +01:00'],
  ['14h20 the db failed over', '14h20'],
  ['@ 14:20, the db failed over', '@ 14:20'],
  ['*14:20* the db failed over', '14:20'],
  ['~14:20 the db failed over', '~14:20'],
  ['14:20 - the db failed over', '14:20'],
  ['14:20\nthe db failed over', '14:20'],
  ['14:20-14:25 the db failed over', '14:20-14:25'],
  ['at half past two the db failed over', 'at half past two'],
  ['at noon the db failed over', 'at noon'],
  ['2026-11-20T14:05:33Z ERROR connection refused', '2026-11-20T14:05:33Z'],
  ['2026-11-20 14:05:33,123 ERROR connection refused', '2026-11-20 14:05:33,123'],
  ['Nov 20 14:05:33 db-1 kernel: oops', 'Nov 20 14:05:33'],
  ['yesterday 23:50 the disk began to fill', 'yesterday 23:50'],
  ['10 min ago we saw errors', '10 min ago'],
  ['14:20 IST the db failed over', '14:20 IST'],
  ['10/11 14:20 the db failed over', '10/11 14:20'],
  ['14:20 CAT pictures fail', '14:20'],
  ['14:20 get requests fail', '14:20'],
])('“%s” begins with a time', (text, typed) => {
  expect(leadingTime(text, { now, timeZone: 'Europe/Berlin' })).toEqual({ typed, doubt: '' });
});

test.each(
  readList(`
  14.20 the db failed | at 9 the db failed | at 9 nodes it tips | at 1420 the db failed | 0905 the db failed
`),
)('whether “%s” begins with a time is asked', text =>
  expect(leadingTime(text, { now, timeZone: 'Europe/Berlin' })?.doubt).toBe('It may be a number, not a time.'),
);

test.each(
  readList(`
  404 errors | 5 nodes down | 2 replicas | May be down | mon service down | sat link | second try | 5 m deep
  10 of 12 pods | 10 to 12 pods | ten to twelve pods | 5 minutes of errors | 12h outage | noon batch failed
  midnight job failed | 8.8.8.8 is away | v2.30 is out | 3:1 ratio | 99.9 % of users | 10:99 is no time
  yesterday was fine | Monday deploys fail | an hour of errors | half of the pods | 14:20
  00:1a:2b:3c:4d:5e is away | 12:34:56:78 is away | now it works | a few minutes ago it broke | 5 days left
  at least two nodes | on sat link | may 5 be enough | 1405 errors
`),
)('“%s” begins with no time', text => expect(leadingTime(text, { now, timeZone: 'Europe/Berlin' })).toBeUndefined());

test.each([
  ['18:00 we fail over', '18:00'],
  ['2027-01-01 10:00 the contract ends', '2027-01-01 10:00'],
  ['tomorrow 9:00 the vendor patches it', 'tomorrow 9:00'],
])('“%s” begins with a time that is still to come', (text, typed) =>
  expect(leadingTime(text, { now, timeZone: 'Europe/Berlin' })).toEqual({ typed, doubt: '', isNot: 'ahead' }),
);

test('the time of a person whose zone nobody knows is not read, and that is known', () => {
  const reading = { now, timeZone: '' };
  expect(leadingTime('14:20 the db failed over', reading)?.isNot).toBe('zoneless');
  expect(leadingTime('14:20Z the db failed over', reading)?.isNot).toBeUndefined();
});
