/** The parts that people put a time together from: a time of day, its zone, its day. */
import { isZone } from './zones.ts';

/** A day: so many days before today, the latest of its name, or a date, whose year may be open. */
export type Day =
  | { readonly back: number }
  | { readonly weekday: number }
  | { readonly year: number | undefined; readonly month: number; readonly date: number };

/** A day as it was typed. */
export interface FoundDay {
  /** Undefined where a part of a day is named alone. */
  readonly day: Day | undefined;
  /** The part of the day that its words name: `morning`, `afternoon`, `evening`, `night`, `last night`; `""` for none. */
  readonly part: string;
  /** A sentence on what else its words may be, or `""`. */
  readonly doubt: string;
  /** It is written in numbers, as machines and people of 24 hours write it. */
  readonly isInNumbers: boolean;
}

/** A time of day as it was typed. */
export interface FoundClock {
  readonly hour: number;
  /** What lies behind the hour, in milliseconds. */
  readonly rest: number;
  /** Nothing says whether it is before noon. */
  readonly isHalf: boolean;
  /**
   * What else it may be: nothing (`plain`), a `length` of time, a `number`, rather a `count` than a time, or other `words`. `midnight`
   * may be of two days.
   */
  readonly form: 'plain' | 'length' | 'number' | 'count' | 'words' | 'midnight';
}

/** A text that is read from its start. */
export class Cursor {
  at = 0;
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  /** Takes what the sticky pattern finds here. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.#text) ?? undefined;
    if (match) this.at = pattern.lastIndex;
    return match;
  }
  get isDone(): boolean {
    return this.at === this.#text.length;
  }
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const month =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const fullWeekday = '(?:sun|mon|tues|wednes|thurs|fri|satur)day';
const weekday = `(?:${fullWeekday}|sun|mon|tues?|wed|thu(?:rs?)?|fri|sat)`;

/** The words of the numbers up to twelve. */
export const numbers = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const hour = `(?:\\d{1,2}|${numbers.slice(1).toReversed().join('|')})`;
const fractions: Readonly<Record<string, number>> = { half: 30, quarter: 15, twenty: 20, 'twenty-five': 25 };

const wordEnd = String.raw`(?![\p{L}\p{N}])`;
const end = String.raw`(?![\p{L}\p{N}%]|[:.,]\d)`;
const halfDay = `(?:\\s*(?<half>[ap])m${wordEnd})`;
/** Words of a clock of 24 hours. */
const mark = `(?<mark>h${wordEnd}|\\s?(?:uhr|hrs)${wordEnd})`;
const zoneAhead = `(?=z|[a-z]{3,5}${wordEnd})`;
const minute = '(?<m>[0-5]\\d)';
const sticky = (pattern: string, flags = 'iuy') => new RegExp(pattern, flags);

type Groups = Readonly<Record<string, string | undefined>>;

/** The forms of a time of day in digits: hour, minute, second and its fraction, and half of the day; what else they may be. */
const forms: readonly (readonly [pattern: RegExp, form: (groups: Groups) => FoundClock['form']])[] = [
  [
    sticky(
      `(?<h>\\d{1,2}):${minute}(?::(?<s>[0-5]\\d)(?:[.,](?<f>\\d{1,9}))?)?(?:${halfDay}|${mark}|${zoneAhead}|${end})`,
    ),
    () => 'plain',
  ],
  [sticky(`(?<h>\\d{1,2})h${minute}${end}`), ({ h = '' }) => (/^(?:[1-9]|1[0-2])$/.test(h) ? 'length' : 'plain')],
  [
    sticky(`(?<h>\\d{1,2})\\.${minute}(?:${halfDay}|${mark}|${end})`),
    groups => (groups.half || groups.mark ? 'plain' : groups.h?.length === 1 ? 'count' : 'number'),
  ],
  [sticky(`(?<h>\\d{1,2})(?:${halfDay}|(?<mark>\\s?uhr)${wordEnd})`), () => 'plain'],
  [sticky(`(?<h>${hour})\\s?o'?\\s?clock${wordEnd}${halfDay}?`), () => 'plain'],
  [sticky(`(?<h>[01]\\d|2[0-3])${minute}(?<mark>h|\\s?hrs|\\s?hours)${wordEnd}`), () => 'plain'],
  [sticky(`(?<h>[01]\\d|2[0-3])${minute}(?<mark>)(?:(?=z)|${end})`), ({ h = '' }) => (h < '10' ? 'number' : 'count')],
  [
    sticky(`(?<h>\\d{1,2})(?=\\s+(?:in the|at night|this|tonight|last night)|\\s?(?:utc|gmt)${wordEnd})`),
    () => 'number',
  ],
];
const bare = sticky(`(?<h>\\d{1,2})(?<mark>h?)${end}`);
const named = sticky(String.raw`(noon|midday|midnight)(?![\p{L}\p{N}-])`);
const relative = sticky(
  `(?<part>half|(?:a )?quarter|twenty-five|twenty|ten|five|\\d{1,2}(?=\\s+(?:min|past|after)))(?:\\s+min(?:ute)?s?)?\\s+(?<side>past|after|to|till)\\s+(?<h>${hour})${wordEnd}${halfDay}?`,
);

/** Takes a time of day. A number alone is one where `mayBeBare`. */
export function takeClock(cursor: Cursor, mayBeBare: boolean): FoundClock | undefined {
  const parts = cursor.take(relative)?.groups;
  if (parts) return toRelative(parts);
  const name = cursor.take(named)?.[1]?.toLowerCase();
  if (name === 'midnight') return { hour: 0, rest: 0, isHalf: false, form: name };
  if (name) return { hour: 12, rest: 0, isHalf: false, form: 'words' };
  for (const [pattern, form] of forms) {
    const groups = cursor.take(pattern)?.groups;
    if (groups) return toClock(groups, form(groups));
  }
  const alone = mayBeBare ? cursor.take(bare)?.groups : undefined;
  return alone && toClock(alone.mark === '' ? { ...alone, mark: undefined } : alone, 'number');
}

/** `half past two`, `ten to three`. */
function toRelative({ part = '', side = '', h = '', half }: Groups): FoundClock | undefined {
  const fraction = part.replace(/^a /i, '').toLowerCase();
  const minutes = fractions[fraction] ?? numberOf(fraction);
  if (/past|after/i.test(side)) return toClock({ h, half, m: String(minutes) }, 'plain');
  if (fraction === 'half') return undefined;
  const before = numberOf(h) > 12 ? numberOf(h) - 1 : ((numberOf(h) + 10) % 12) + 1;
  return toClock({ h: String(before), half, m: String(60 - minutes) }, fraction === 'quarter' ? 'plain' : 'words');
}

function numberOf(word: string): number {
  const at = numbers.indexOf(word.toLowerCase());
  return at < 0 ? Number(word) : at;
}

/** With a zero before it, with seconds or a word that says so, an hour counts 24. */
function toClock(
  { h = '', m = '0', s, f = '0', half, mark }: Groups,
  form: FoundClock['form'],
): FoundClock | undefined {
  const hour = numberOf(h);
  const rest = (Number(m) * 60 + Number(s ?? 0)) * 1000 + Math.floor(Number(`0.${f}`) * 1000);
  if (half !== undefined && (hour < 1 || hour > 12)) return undefined;
  if (hour > 24 || (hour === 24 && rest > 0)) return undefined;
  if (half !== undefined) return { hour: (hour % 12) + (/p/i.test(half) ? 12 : 0), rest, isHalf: false, form };
  const isHalf = hour > 0 && hour < 12 && !h.startsWith('0') && s === undefined && mark === undefined;
  return { hour, rest, isHalf, form };
}

/** The time of day within the part of a day that was named; undefined where that has no such time. */
export function withinPart(clock: FoundClock, part: string): FoundClock | undefined {
  const { hour } = clock;
  if (part === '') return clock;
  if (part === 'morning') return hour > 12 ? undefined : { ...clock, hour: hour % 12, isHalf: false };
  const isLate = part === 'afternoon' || part === 'evening' || (hour > 5 && hour < 12);
  if (part !== 'afternoon' && part !== 'evening' && hour === 12) return { ...clock, hour: 0, isHalf: false };
  return { ...clock, hour: isLate && hour > 0 && hour < 12 ? hour + 12 : hour, isHalf: false };
}

const compact = sticky(String.raw`z(?![\p{L}\p{N}-])|(?:[+-]\d|\s[+-]0)\d(?![\p{L}\p{N}:.%])`);
const universal = sticky(String.raw`\s?\(?((?:utc|gmt)(?:[+-]\d{1,2}(?::?[0-5]\d)?)?)\)?(?![\p{L}\p{N}+-])`);
const distance = sticky(String.raw`\s?([+-]\d{2}:?[0-5]\d)(?![\p{L}\p{N}:.%-])`);
const letters = sticky(String.raw`\s?\(?([A-Z]{2,5}|(?<=\s)Z)\)?(?![\p{L}\p{N}/-])`, 'uy');
const city = sticky(String.raw`\s([A-Z][A-Za-z_]+(?:\/[A-Za-z_+-]+)+)(?![\p{L}\p{N}])`, 'uy');

/** Takes the zone that stands directly behind a time of day, as typed; `""` for none. */
export function takeZone(cursor: Cursor, isLast: boolean): string {
  const { at } = cursor;
  for (const pattern of [compact, universal, distance, letters, city]) {
    const [whole = '', name = whole] = cursor.take(pattern) ?? [];
    if (name !== '' && isZone(name.trim(), isLast && cursor.isDone)) return name.trim();
    cursor.at = at;
  }
  return '';
}

const lastPart = sticky(
  String.raw`(?:on\s+)?(?:(yesterday|last|this)\s+(morning|afternoon|evening|night)|(tonight))(?![\p{L}\p{N}-])`,
);
const near = sticky(String.raw`(the day before yesterday|yesterday|today|tomorrow)(?![\p{L}\p{N}-])`);
const backs: Readonly<Record<string, number>> = { tomorrow: -1, today: 0, yesterday: 1 };
const ago = sticky(String.raw`(\d{1,3}|a|${numbers.slice(1).join('|')})\s+(day|week)s?\s+ago(?![\p{L}\p{N}-])`);
const iso = sticky(String.raw`(?:on\s+)?(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?=[t\s,]|$)`);
const clockAhead = String.raw`(?=,?\s+(?:at\s+)?(?:\d{1,2}[:.h]\d{2}|\d{1,2}\s?[ap]m))`;
const numeric = sticky(String.raw`(?:on\s+)?(\d{1,2})([/.-])(\d{1,2})(?:\2((?:19|20)\d{2}|\d{2})|\2)?${clockAhead}`);
const dayOfWeek = sticky(String.raw`(?:(?:on|this|(last|past))\s+)?(${weekday})\.?(?![\p{L}\p{N}-])`);
const year = String.raw`(?:,?[\s/-]+((?:19|20)\d{2})(?=[\s,:]|$))?`;
const monthFirst = sticky(String.raw`,?\s*(?:on\s+)?${month}\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?![\p{L}\p{N}:])${year}`);
const dateFirst = sticky(
  String.raw`,?\s*(?:on\s+)?(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)?(?:\s+of\s+|[\s/-]+)${month}(?![\p{L}\p{N}])\.?${year}`,
);

function plainDay(day: Day | undefined, part = '', isInNumbers = false): FoundDay {
  return { day, part, doubt: '', isInNumbers };
}

function numbered(years: string | undefined, month: number, date: number, isInNumbers: boolean): FoundDay {
  const year = years === undefined ? undefined : Number(years.length === 2 ? `20${years}` : years);
  return plainDay({ year, month, date }, '', isInNumbers);
}

/** Takes the day before a time of day. `dates`: its numbers may mean two days. */
export function takeDay(cursor: Cursor): FoundDay | 'dates' | undefined {
  const clear = takeParted(cursor) ?? takeNear(cursor) ?? takeIso(cursor);
  if (clear) return clear;
  const [, many = '', length = ''] = cursor.take(ago) ?? [];
  if (many !== '') return plainDay({ back: (/^a$/i.test(many) ? 1 : numberOf(many)) * (/w/i.test(length) ? 7 : 1) });
  const [, one = '', , two = '', of] = cursor.take(numeric) ?? [];
  if (one !== '') {
    const [a, b] = [Number(one), Number(two)];
    if (a <= 12 && b <= 12 && a !== b) return 'dates';
    return a > 12 ? numbered(of, b, a, true) : numbered(of, a, b, true);
  }
  const [, last, name] = cursor.take(dayOfWeek) ?? [];
  const date = takeDate(cursor);
  if (date || name === undefined) return date;
  return { ...plainDay({ weekday: weekdayOf(name) }), doubt: last === undefined ? '' : `I took the latest ${name}.` };
}

function takeNear(cursor: Cursor): FoundDay | undefined {
  const name = cursor.take(near)?.[1]?.toLowerCase();
  return name === undefined ? undefined : plainDay({ back: backs[name] ?? 2 });
}

function takeIso(cursor: Cursor): FoundDay | undefined {
  const [, of, , month, date] = cursor.take(iso) ?? [];
  return of === undefined ? undefined : numbered(of, Number(month), Number(date), true);
}

function weekdayOf(name: string): number {
  return weekdays.indexOf(name.slice(0, 3).toLowerCase());
}

function takeDate(cursor: Cursor): FoundDay | undefined {
  const [, name = '', date = '', of] = cursor.take(monthFirst) ?? [];
  if (name !== '') return numbered(of, months.indexOf(name.slice(0, 3).toLowerCase()) + 1, Number(date), false);
  const [, first = '', then = '', years] = cursor.take(dateFirst) ?? [];
  return first === ''
    ? undefined
    : numbered(years, months.indexOf(then.slice(0, 3).toLowerCase()) + 1, Number(first), false);
}

function takeParted(cursor: Cursor): FoundDay | undefined {
  const [whole = '', which = '', part = ''] = cursor.take(lastPart) ?? [];
  if (whole === '') return undefined;
  if (/night$/i.test(part) && !/this/i.test(which)) return plainDay({ back: 1 }, 'last night');
  return plainDay({ back: /yesterday|last/i.test(which) ? 1 : 0 }, part.toLowerCase() || 'night');
}

const inTheDay = sticky(String.raw`\s+(?:in\s+the\s+(morning|afternoon|evening)|at\s+(night))(?![\p{L}\p{N}-])`);
const space = sticky(String.raw`,?\s+`);
const on = sticky(String.raw`on\s+`);
const wholeName = sticky(String.raw`(${fullWeekday})(?![\p{L}\p{N}-])`);

/** Takes the day behind a time of day. Before other words, what may as well begin a sentence is none, or in doubt. */
export function takeDayBehind(cursor: Cursor, isLast: boolean): FoundDay | undefined {
  const [, early = '', part = early] = cursor.take(inTheDay) ?? [];
  const { at } = cursor;
  const found = cursor.take(space) && (isLast ? takeDay(cursor) : takeClearDay(cursor));
  if (found && found !== 'dates') return { ...found, part: found.part || part.toLowerCase() };
  cursor.at = at;
  return part === '' ? undefined : plainDay(undefined, part.toLowerCase());
}

function takeClearDay(cursor: Cursor): FoundDay | undefined {
  const isOn = cursor.take(on) !== undefined;
  const name = cursor.take(wholeName)?.[1];
  if (name) return { ...plainDay({ weekday: weekdayOf(name) }), doubt: isOn ? '' : `I took ${name} for its day.` };
  return isOn ? (takeDate(cursor) ?? takeIso(cursor)) : (takeParted(cursor) ?? takeNear(cursor) ?? takeIso(cursor));
}
