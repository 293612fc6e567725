/** Times as people type and read them: parsed in the typist's zone, shown in each reader's own. */
import { createRequire } from 'node:module';
import { tzOffset } from '@date-fns/tz/tzOffset';
import type { ParsedResult } from 'chrono-node/en';

type Chrono = typeof import('chrono-node/en');
/** Loaded with the first time that is typed in words: no start needs it. */
let chrono: Chrono | undefined;

/** What a typed time is read with. */
export interface TimeReading {
  now: Date;
  /** IANA name, the typist's, or `""` when it is not known. One that this system does not have is read as UTC. */
  timeZone: string;
}

/** A moment, or a sentence (plain text, to be escaped) that says why there is none and what to type instead. */
export type ParsedTime = { at: Date } | { problem: string };

const msPerMinute = 60_000;
const msPerHour = 60 * msPerMinute;
const msPerDay = 24 * msPerHour;
/** Clocks differ, and people round up: a time so little ahead counts as now. */
const clockTolerance = 5 * msPerMinute;
const maxTime = 80;

const examples = '20m ago, 14:05, yesterday 23:50, 2026-11-20 14:05';
const zoneless =
  'could be in any time zone: Slack does not tell me yours. Add it, as in “14:05 UTC”, or say how long ago it was, as in “20m ago”.';
const leadInPattern = /^(?:(?:at|on|around|about|approx\.?|circa|ca\.?|since|from|just|~)\s*)*$/i;
const stampPattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[tT]|\s+)(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(z|utc|gmt|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/i;
/** A time of day as people type it in a sentence: `07:20`, `7:20 pm`, `7pm`, `05:20 UTC`. */
const clock = String.raw`\d{1,2}(?::\d{2}(?:\s*[ap]m)?|\s*[ap]m)(?:\s*(?:utc|gmt|z))?`;
const durationPattern = /^-?\s*((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s+)?)+?)(?:\s*(ago|back|earlier|before))?$/i;
const units: readonly (readonly [RegExp, number])[] = [
  [/^s(ec(ond)?s?)?$/i, 1000],
  [/^m(in(ute)?s?)?$/i, msPerMinute],
  [/^h((ou)?rs?)?$/i, msPerHour],
];

/**
 * Reads `20m ago`, `14:05`, `yesterday 23:50`, a weekday or date with a time, or RFC 3339. Only a whole text is a time.
 * A bare clock time means the most recent one; more than five minutes ahead is refused; a day without a time of day is
 * never guessed, and neither is the zone of a clock time. In an hour that a clock change skips, the clock runs on as before the change. In an hour that it repeats, the later
 * moment that has passed counts.
 */
export function parseTime(text: string, reading: TimeReading): ParsedTime {
  const typed = onOneLine(text);
  const read = readTime(typed, reading);
  if ('problem' in read || !isAhead(read.at, reading.now)) return read;
  return { problem: `“${typed}” is in the future (${formatUtc(read.at)}). Give a time that has passed: ${examples}.` };
}

/** Whether a moment lies in the future, and not so little ahead that it counts as now. */
export function isAhead(at: Date, now: Date): boolean {
  return at.getTime() > now.getTime() + clockTolerance;
}

/**
 * Whether a bare clock time, which was read as `at`, means the day before where it was typed: today its hour is yet to come.
 */
export function isDayBefore(text: string, at: Date, { now, timeZone }: TimeReading): boolean {
  const dayOf = (date: Date) => Math.floor((date.getTime() + offsetAt(timeZone, date) * msPerMinute) / msPerDay);
  return new RegExp(`^(?:at\\s+)?${clock}$`, 'i').test(onOneLine(text)) && dayOf(at) < dayOf(now);
}

/**
 * The clock time with which a sentence begins, as typed, when it has words behind it and came within the last twelve hours: `at 07:20
 * alerts fired`. Undefined for every other text.
 */
export function leadingTime(text: string, reading: TimeReading): string | undefined {
  const typed = new RegExp(`^(?:at\\s+|@\\s*)?(${clock})[,:]?\\s+\\S`, 'i').exec(text)?.[1];
  const read = typed === undefined ? undefined : parseTime(typed, reading);
  if (read === undefined || 'problem' in read) return undefined;
  return reading.now.getTime() - read.at.getTime() <= 12 * msPerHour ? typed : undefined;
}

/** Whether a text is a time and nothing else, so that a flag knows how many words to take. */
export function looksLikeTime(text: string): boolean {
  return 'at' in readTime(onOneLine(text), { now: new Date(0), timeZone: 'UTC' });
}

function onOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** The moment that a text means, also one in the future. */
function readTime(typed: string, reading: TimeReading): ParsedTime {
  const shown = typed.length > maxTime ? `${typed.slice(0, maxTime).toWellFormed()}…` : typed;
  if (typed === '' || typed.length > maxTime) return { problem: `“${shown}” is not a time. Try ${examples}.` };
  const read = readStamp(typed, reading) ?? readDuration(typed, reading) ?? readWords(typed, reading);
  if ('problem' in read) return { problem: `“${shown}” ${read.problem}` };
  if (Number.isNaN(read.at.getTime())) return { problem: `“${shown}” is not a time. Try ${examples}.` };
  return read;
}

function readStamp(typed: string, { now, timeZone }: TimeReading): ParsedTime | undefined {
  const match = stampPattern.exec(typed);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(part => Number(part ?? 0));
  const milliseconds = Math.floor(Number(`0.${match[7] ?? 0}`) * 1000);
  const wall = Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second, milliseconds);
  const intact = new Date(wall).toISOString().startsWith(`${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}`);
  if (!intact || (second ?? 0) > 59) return { problem: 'is not in the calendar or on the clock.' };
  const zone = match[8];
  if (zone === undefined) return timeZone === '' ? { problem: zoneless } : { at: toInstant(wall, timeZone, now) };
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  if (offset === null) return { at: new Date(wall) };
  const minutes = Number(offset[2]) * 60 + Number(offset[3]);
  return { at: new Date(wall - (offset[1] === '-' ? -minutes : minutes) * msPerMinute) };
}

/** The minutes that a text means: `30m`, `1 h 30 min`, or a bare `30`; undefined for any other text. */
export function readMinutes(text: string): number | undefined {
  const typed = onOneLine(text).replace(/^in\s+/i, '');
  if (/^\d{1,5}$/.test(typed)) return Number(typed);
  if (typed.length > maxTime || /ago|back|earlier|before/i.test(typed)) return undefined;
  const read = readDuration(typed, { now: new Date(0) });
  return read === undefined || 'problem' in read ? undefined : Math.round(-read.at.getTime() / msPerMinute);
}

function readDuration(typed: string, { now }: Pick<TimeReading, 'now'>): ParsedTime | undefined {
  const match = durationPattern.exec(typed);
  if (match === null) return undefined;
  let total = 0;
  for (const [, amount, unit = ''] of (match[1] ?? '')
    .replace(/\band\b/gi, '')
    .matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    const known = units.find(([name]) => name.test(unit));
    if (known === undefined) return undefined;
    total += Number(amount) * known[1];
  }
  return { at: new Date(now.getTime() - total) };
}

function readWords(typed: string, reading: TimeReading): ParsedTime {
  const { now, timeZone } = reading;
  if (/^(0?[1-9]|1[0-2])[/.](0?[1-9]|1[0-2])\b/.test(typed)) {
    return { problem: `may mean two days. Write the date as ${formatUtc(now).slice(0, 10)}.` };
  }
  chrono ??= createRequire(import.meta.url)('chrono-node/en') as Chrono;
  const [result, another] = chrono.parse(typed, { instant: now, timezone: offsetAt(timeZone, now) });
  const whole = result !== undefined && leadInPattern.test(typed.slice(0, result.index));
  if (!whole || (another === undefined && !typed.endsWith(result.text)))
    return { problem: `is not a time. Try ${examples}.` };
  if (another !== undefined || result.end) return { problem: 'is more than one time. Give one moment.' };
  const { start } = result;
  const relative = start.tags().has('result/relativeDate');
  if (!start.isCertain('hour') && !relative) {
    return { problem: 'has no time of day. Add one, as in “yesterday 23:50”.' };
  }
  if (start.isCertain('timezoneOffset'))
    return { at: mostRecent(result, date => date, start.date().getTime(), reading) };
  if (timeZone === '' && start.isCertain('hour')) return { problem: zoneless };
  const wall = Date.UTC(...wallOf(result));
  return { at: mostRecent(result, date => toInstant(date.getTime(), timeZone, now), wall, reading) };
}

function wallOf({ start }: ParsedResult): [number, number, number, number, number, number] {
  const part = (name: 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second') => start.get(name) ?? 0;
  return [part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')];
}

/** Moves by the day, week or year that the text left open, to the latest time that has come. */
function mostRecent(result: ParsedResult, toMoment: (date: Date) => Date, time: number, reading: TimeReading): Date {
  const { start } = result;
  const open = (part: 'weekday' | 'day' | 'month' | 'year') => !start.isCertain(part);
  const hasCome = (date: Date) => !isAhead(date, reading.now);
  const moved = (days: number, years = 0) => {
    const date = new Date(time);
    date.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth(), date.getUTCDate() + days);
    return toMoment(date);
  };
  const at = moved(0);
  if (open('day') && open('month') && open('weekday')) return [moved(1), at].find(hasCome) ?? moved(-1);
  if (hasCome(at)) return at;
  if (open('day') && open('month')) return moved(-7);
  return open('year') ? moved(0, -1) : at;
}

/** The moment at which clocks in the zone show `wall`, which is written as if it were UTC. */
function toInstant(wall: number, timeZone: string, now: Date): Date {
  const before = offsetAt(timeZone, new Date(wall - msPerDay));
  const after = offsetAt(timeZone, new Date(wall + msPerDay));
  const readings = [before, after].map(offset => ({ offset, time: wall - offset * msPerMinute }));
  const real = readings.filter(({ offset, time }) => offsetAt(timeZone, new Date(time)) === offset);
  const past = real.filter(({ time }) => time <= now.getTime());
  const chosen =
    past.length > 0 ? Math.max(...past.map(({ time }) => time)) : (real[0]?.time ?? wall - before * msPerMinute);
  return new Date(chosen);
}

/** Minutes east of UTC of a zone at a moment; 0 for a zone that this system does not have. */
export function offsetAt(timeZone: string, date: Date): number {
  const offset = tzOffset(timeZone, date);
  return Number.isNaN(offset) ? 0 : offset;
}

/** `2026-11-20 14:05 UTC`, for fallbacks, files and logs. Throws a RangeError on an invalid date. */
export function formatUtc(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const slackDates = {
  moment: '{date_short_pretty} {time}',
  seconds: '{date_short_pretty} {time_secs}',
  day: '{date_short_pretty}',
  time: '{time}',
} as const;

/** The moment that Slack's pickers and timestamps mean: seconds since 1970. */
export function fromSeconds(seconds: number): Date {
  return new Date(seconds * 1000);
}

/** The moment so many seconds later; earlier when they are negative. */
export function secondsAfter(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000);
}

/** A time that each reader sees in their own zone (mrkdwn), with UTC where Slack cannot show it. */
export function toSlackDate(date: Date, style: keyof typeof slackDates = 'moment'): string {
  return `<!date^${Math.floor(date.getTime() / 1000)}^${slackDates[style]}|${formatUtc(date)}>`;
}

/** `45 s`, `5 min`, `1 h 5 min`, `2 d 3 h`: the two largest units, rounded down. Negative counts as none. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds) || 0);
  if (whole < 60) return `${whole} s`;
  const [days, hours, minutes] = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3600) % 24,
    Math.floor(whole / 60) % 60,
  ];
  const [large, small] =
    days > 0
      ? [`${days} d`, hours && `${hours} h`]
      : hours > 0
        ? [`${hours} h`, minutes && `${minutes} min`]
        : [`${minutes} min`, 0];
  return small ? `${large} ${small}` : large;
}
