/** The words of a time, and nothing but a time: their meaning before the place and moment of the typing are known. */

import { trimEnd } from '../../trim-end.ts';
import {
  Cursor,
  type Day,
  type FoundClock,
  type FoundDay,
  numbers,
  takeClock,
  takeDay,
  takeDayBehind,
  takeZone,
  withinPart,
} from './clock-words.ts';

/** What the words of a time say. `doubt` is a sentence on what else they may mean, or `""`. */
export type TimeWords =
  /** A length of time, before now where `isAgo`, and behind it where it is negative. */
  | { readonly kind: 'span'; readonly milliseconds: number; readonly isAgo: boolean; readonly doubt: string }
  | {
      readonly kind: 'clock';
      /** Milliseconds since midnight, as clocks show them. */
      readonly wall: number;
      /** Nothing says whether it is before noon. */
      readonly isHalf: boolean;
      /** Undefined for the nearest one. */
      readonly day: Day | undefined;
      /** As typed; `""` for none. */
      readonly zone: string;
      readonly doubt: string;
      /** What they are at the head of a sentence: a time, or as likely a number or other words. */
      readonly atHead: 'time' | 'number' | 'words';
    }
  /** A day without a time of day. */
  | { readonly kind: 'day' }
  /** A date in numbers that may be two days. */
  | { readonly kind: 'dates' };

const msPerMinute = 60_000;
const msPerHour = 60 * msPerMinute;
/** Most characters of a time. */
const longest = 80;

const counts: Readonly<Record<string, number>> = {
  ...Object.fromEntries(numbers.map((word, count) => [word, count])),
  ...{ a: 1, an: 1, half: 0.5, 'half a': 0.5, 'half an': 0.5, 'a quarter of an': 0.25, 'three quarters of an': 0.75 },
  ...{ fifteen: 15, twenty: 20, 'twenty-five': 25, thirty: 30, forty: 40, 'forty-five': 45, fifty: 50 },
  ...{ quarter: 0.25, 'a quarter': 0.25, 'a couple of': 2 },
};
const count = Object.keys(counts)
  .toSorted((a, b) => b.length - a.length)
  .join('|');
const units: Readonly<Record<string, number>> = {
  ...{ s: 1000, m: msPerMinute, h: msPerHour, d: 24 * msPerHour, w: 7 * 24 * msPerHour },
};
const unit = '(s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?|w(?:eeks?)?)(?![a-z])\\.?';
const part = new RegExp(
  `(?:(\\d{1,5}(?:[.,]\\d{1,3})?)(\\s*)|(?:(${count})\\s+))${unit}(?:,?\\s*(?:and\\s+)?|$)`,
  'iy',
);
const bare = { s: 999, m: 999, h: 99, d: 99, w: 9 } as Readonly<Record<string, number>>;

/**
 * Reads a text that is a time from its first word to its last; undefined for every other text. `isLast`: nothing follows it. Before
 * other words, a word that begins a sentence as likely (`mon`, `back`) is none of a time's.
 */
export function readTimeWords(text: string, isLast: boolean): TimeWords | undefined {
  if (text.length > longest) return undefined;
  const typed = plain(text);
  return readSpan(typed, isLast) ?? readMoment(typed, isLast);
}

/** Digits, dashes and spaces of every script as those of ASCII. */
function plain(text: string): string {
  const typed = text
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, digit => String(digitOf(digit)))
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u2236\ua789]/g, ':')
    .replace(/[’`]/g, "'")
    .replace(/\b([ap])\.\s?m(?:\.|\b)/gi, '$1m')
    .replace(/\s+/g, ' ')
    .trim();
  return trimEnd(typed, /[,;:.]/);
}

function digitOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return (code - zero) % 10;
}

/** `20m`, `1 h 30 min ago`, `half an hour`, `in 20 minutes`. */
function readSpan(typed: string, isLast: boolean): TimeWords | undefined {
  const [, lead = '', body = '', tail = ''] =
    /^((?:(?:about|around|approx\.?|circa|just|roughly)\s+|~\s*)*(?:in\s+|-\s*)?)(.*?)(\s+(?:ago|back|earlier|before))?$/i.exec(
      typed,
    ) ?? [];
  const isAgo = tail !== '';
  if (isAgo && !isLast && !/ago/i.test(tail)) return undefined;
  if (/^(?:just |right )?now$/i.test(typed)) return { kind: 'span', milliseconds: 0, isAgo: false, doubt: '' };
  const ahead = /\bin\s+$/i.test(lead);
  if (ahead && isAgo) return undefined;
  const [, hours = '', minutes = ''] = /^(\d{1,2})h([0-5]\d)$/i.exec(body) ?? [];
  const isOpen = !isAgo && lead === '';
  if (hours !== '' && isOpen && (Number(hours) > 3 || hours.startsWith('0'))) return undefined;
  const milliseconds = spanOf(
    body
      .replace(/^(\d{1,2})h([0-5]\d)$/i, '$1h$2m')
      .replace(/^an? (hour|day|minute|week) and a half$/i, '1.5 $1')
      .replace(
        /^(\w+) and a half (?=\w+$)/i,
        (_all, whole: string) => `${(counts[whole.toLowerCase()] ?? Number(whole)) + 0.5} `,
      ),
    { isBare: !isAgo, isLast },
  );
  if (milliseconds === undefined) return undefined;
  const clockToo = hours === '' ? /^(?:[7-9]|1\d|2[0-3])h$/i.test(body) : true;
  const doubt =
    isOpen && clockToo ? `It may also be a time of day: ${hours || body.slice(0, -1)}:${minutes || '00'}.` : '';
  return { kind: 'span', milliseconds: ahead ? -milliseconds : milliseconds, isAgo, doubt };
}

/** The length of `1 h 30 min`, each unit once, the largest first. `isBare`: nothing says that it is a length. */
function spanOf(text: string, { isBare, isLast }: { isBare: boolean; isLast: boolean }): number | undefined {
  let total = 0;
  const spaces = new Set<string>();
  let last = Number.POSITIVE_INFINITY;
  part.lastIndex = 0;
  while (part.lastIndex < text.length) {
    const [whole, digits, space, word, name = ''] = part.exec(text) ?? [];
    const key = name.charAt(0).toLowerCase();
    const length = units[key] ?? 0;
    if (whole === undefined || length >= last || (word !== undefined && name.length === 1)) return undefined;
    const amount = word === undefined ? Number((digits ?? '').replace(',', '.')) : (counts[word.toLowerCase()] ?? 0);
    // `0905h` and `1405 hours` are times of day.
    if (isBare && (amount > (bare[key] ?? 0) || /^0\d\d/.test(digits ?? ''))) return undefined;
    if (space !== undefined) spaces.add(space);
    // `2h 5 minutes of errors` are two hours.
    if (isBare && !isLast && spaces.size > 1) return undefined;
    total += amount * length;
    last = length;
  }
  return last === Number.POSITIVE_INFINITY || /(?:,|\band) *$/i.test(text) ? undefined : total;
}

const leads = /(?:(?:at|on|by|around|about|approx\.?|approximately|circa|ca\.?|since|from|just|roughly)\s+|[~@]\s*)*/iy;
const joints = /,?\s*at\s+|t(?=\d)|:(?=\d)|,?\s+/iy;
const seconds = /(-|\s+-\s+|\s+(?:to|until|till)\s+)(\d{1,2}):([0-5]\d)(?::[0-5]\d)?(?:\s*[ap]m(?![a-z]))?(?![:\d])/iy;
const years = /\s+((?:19|20)\d\d)$/y;

const undatedDay: FoundDay = { day: undefined, part: '', doubt: '', isInNumbers: true };

/** `14:05`, `yesterday 23:50`, `2:30 p.m. EST`, `2026-11-20T14:05:33Z`, `half past two on Monday`. */
function readMoment(typed: string, isLast: boolean): TimeWords | undefined {
  const cursor = new Cursor(typed);
  const lead = cursor.take(leads)?.[0] ?? '';
  const taken = takeDay(cursor);
  const before = taken === 'dates' ? undatedDay : taken;
  if (before && cursor.isDone) return { kind: 'day' };
  const joint = before ? (cursor.take(joints)?.[0] ?? '') : lead;
  const found = takeClock(
    cursor,
    /(?:\bat\s|around\s|about\s|@)\s*$/i.test(joint) || (isLast && (before !== undefined || /^\d+$/.test(typed))),
  );
  if (!found) return undefined;
  const isDated = before?.isInNumbers === true;
  const range = isDated ? undefined : takeSecond(cursor, found);
  const zone = takeZone(cursor, isLast);
  const year = before?.day && 'month' in before.day ? cursor.take(years)?.[1] : undefined;
  const named = before ?? takeDayBehind(cursor, isLast);
  if (!cursor.isDone) return undefined;
  if (taken === 'dates') return { kind: 'dates' };
  const clock = withinPart(found, named?.part ?? '');
  if (!clock) return undefined;
  const isUniversal = /^(?:[+-]|z$|utc|gmt)/i.test(zone);
  const doubts = [
    named?.doubt ?? '',
    range === 'range' ? 'Those are two times, so I took the first.' : '',
    range === 'zone' || (!isDated && /^[+-]1\d{3}$/.test(zone)) ? `I took ${zone} for the distance from UTC.` : '',
    clock.form === 'midnight' && named?.day ? 'I took the midnight with which that day begins.' : '',
    clock.form === 'length' && clock.isHalf ? 'It may also be a length of time.' : '',
  ];
  return {
    kind: 'clock',
    wall: clock.hour * msPerHour + clock.rest,
    isHalf: clock.isHalf && !isUniversal && !isDated,
    day: dayOf(named, clock, year),
    zone,
    doubt: doubts.filter(Boolean).join(' '),
    atHead: headOf(clock, lead, zone !== '' || named !== undefined),
  };
}

/** Takes `-15:00` or ` to 15:00`, a second time. `zone`: it is rather the distance from UTC, and is not taken. */
function takeSecond(cursor: Cursor, { hour, rest }: FoundClock): 'range' | 'zone' | undefined {
  const { at } = cursor;
  const [, sign = '', hours, minutes] = cursor.take(seconds) ?? [];
  if (sign === '') return undefined;
  const second = Number(hours) * 60 + Number(minutes);
  if (sign !== '-' || hours?.length !== 2 || second > 12 * 60 || second > hour * 60 + rest / msPerMinute)
    return 'range';
  cursor.at = at;
  return 'zone';
}

function dayOf(named: FoundDay | undefined, { hour }: FoundClock, year: string | undefined): Day | undefined {
  if (named?.part === 'last night') return { back: hour < 12 ? 0 : 1 };
  const { day } = named ?? {};
  return year !== undefined && day && 'month' in day ? { ...day, year: Number(year) } : day;
}

function headOf({ form }: FoundClock, lead: string, isClear: boolean): 'time' | 'number' | 'words' {
  if (isClear || form === 'plain' || form === 'length') return 'time';
  if (form === 'number' || form === 'count') return lead === '' && form === 'count' ? 'words' : 'number';
  return lead === '' ? 'words' : 'time';
}
