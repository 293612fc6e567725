/** Times as people type and read them: parsed in the typist's zone, shown in each reader's own. */
import type { Day } from './clock-words.ts';
import { readTimeWords, type TimeWords } from './time-words.ts';
import { ownZone, readZone, type Zone } from './zones.ts';

/** What a typed time is read with. */
export interface TimeReading {
  readonly now: Date;
  /** IANA name, the typist's, or `""` when it is not known. One that this system does not have is read as UTC. */
  readonly timeZone: string;
  /** A time to come is wanted, not one that has passed. */
  readonly isNext?: boolean;
}

/**
 * A moment, and a sentence on why the words may mean another one (`""`: they cannot). Or a sentence (plain text, to be escaped) that
 * says why there is no moment, and what to type instead.
 */
type ParsedTime = { readonly at: Date; readonly doubt: string } | { readonly problem: string };

const msPerMinute = 60_000;
const msPerHour = 60 * msPerMinute;
const msPerDay = 24 * msPerHour;
/** Clocks differ, and people round up: a time so little ahead counts as now. */
const clockTolerance = 5 * msPerMinute;
/** Most characters of a time that are shown. */
const maxShown = 80;
/** Most words of a time. */
const maxWords = 10;

const examples = '20m ago, 14:05, yesterday 23:50, 2026-11-20 14:05';
const examplesToCome = '30m, half an hour, 14:30, tomorrow 9:00';
/** The problem of a time of day whose zone nobody knows. */
export const zoneless =
  'could be in any time zone: Slack does not tell me yours. Add it, as in “14:05 UTC”, or say how long ago it was, as in “20m ago”.';

/**
 * Reads `20m ago`, `14:05`, `2:30 p.m. EST`, `yesterday 23:50`, a weekday or date with a time, or RFC 3339. Only a whole text is a
 * time. A clock time alone means the nearest one; more than five minutes ahead is refused; a day without a time of day is never
 * guessed, and neither is the zone of a clock time. In an hour that a clock change skips, the clock runs on as before the change. In
 * an hour that it repeats, the later moment that has passed counts.
 */
export function parseTime(text: string, reading: TimeReading): ParsedTime {
  const typed = text.trim().replace(/\s+/g, ' ');
  const shown = typed.length > maxShown ? `${typed.slice(0, maxShown).toWellFormed()}…` : typed;
  const words = readTimeWords(typed, true);
  const read = words
    ? momentOf(words, reading)
    : { problem: `is not a time: try ${reading.isNext ? examplesToCome : examples}.` };
  if ('problem' in read) return { problem: `“${shown}” ${read.problem}` };
  if (reading.isNext)
    return read.at > reading.now
      ? read
      : { problem: `“${shown}” has passed (${formatUtc(read.at)}): try ${examplesToCome}.` };
  if (!isAhead(read.at, reading.now)) return read;
  return {
    problem: `“${typed}” is in the future (${formatUtc(read.at)}): give a time that has passed, as in ${examples}.`,
  };
}

/** Whether a moment lies in the future, and not so little ahead that it counts as now. */
export function isAhead(at: Date, now: Date): boolean {
  return at.getTime() > now.getTime() + clockTolerance;
}

/** How many of the words of a line, from its first, are a time; 0 for none. Words that are in doubt about their day or zone count. */
export function timeLength(words: readonly string[]): number {
  for (let length = Math.min(words.length, maxWords); length > 0; length -= 1) {
    if (readTimeWords(words.slice(0, length).join(' '), length === words.length)) return length;
  }
  return 0;
}

/** The moment that the words of a time mean. A problem goes on behind the words. */
export function momentOf(words: TimeWords, reading: TimeReading): ParsedTime {
  const { now, isNext = false } = reading;
  if (words.kind === 'dates')
    return { problem: `may mean two days: write the date as ${formatUtc(now).slice(0, 10)}.` };
  if (words.kind === 'day') {
    const example = isNext ? 'tomorrow 9:00' : 'yesterday 23:50';
    return { problem: `has no time of day: add one, as in “${example}”.` };
  }
  if (words.kind === 'clock') return clockMoment(words, reading);
  const { milliseconds, isAgo, doubt } = words;
  if (isNext && !isAgo) return { at: new Date(now.getTime() + Math.abs(milliseconds)), doubt: '' };
  return { at: new Date(now.getTime() - milliseconds), doubt };
}

function clockMoment(
  words: Extract<TimeWords, { kind: 'clock' }>,
  { now, timeZone, isNext = false }: TimeReading,
): ParsedTime {
  if (words.zone === '' && timeZone === '') return { problem: zoneless };
  const zone = words.zone === '' ? ownZone(timeZone) : readZone(words.zone, timeZone);
  if (!zone) {
    return { problem: 'names no zone, or several: write its distance from UTC, as in “14:05 +05:30”.' };
  }
  const { day, wall, isHalf } = words;
  const today = dayIn(zone, now);
  const fits = ({ at }: Instant) => (isNext ? at > now : !isAhead(at, now));
  const instant = (days: number, shift = 0) => toInstant(days * msPerDay + wall + shift, zone, now, isNext);
  const days = daysOf(day, today, isNext);
  if (days.length === 0) return { problem: 'is not in the calendar or on the clock.' };
  const typed = days.map(each => instant(each)).find(fits);
  const shifted = isHalf ? days.map(each => instant(each, msPerDay / 2)).find(fits) : undefined;
  const isLater =
    day === undefined && shifted !== undefined && (!typed || (isNext ? shifted.at < typed.at : shifted.at > typed.at));
  const chosen = isLater ? shifted : (typed ?? instant(days.at(-1) ?? today));
  const { at } = chosen;
  const isPast = day === undefined && !isNext && dayIn(zone, at) < today;
  const isOtherDay =
    day !== undefined && !('month' in day) && timeZone !== '' && dayIn(ownZone(timeZone), now) !== today;
  const isOpenYear = day !== undefined && 'month' in day && day.year === undefined;
  const where = zone.name === '' ? 'Where you are' : `In ${zone.name}`;
  const doubts = [
    words.doubt,
    isLater ? 'You did not say am or pm, so I took the nearest.' : '',
    isHalf && !isNext && day !== undefined && typed && shifted
      ? 'You did not say am or pm, so I counted 24 hours.'
      : '',
    isPast ? `${where}, that time is still ahead today, so I took yesterday.` : '',
    isOtherDay ? `${where}, it is another day now, so I counted from that.` : '',
    isOpenYear && !isNext && at.getUTCFullYear() < now.getUTCFullYear()
      ? `That day has not come this year, so I took ${at.getUTCFullYear()}.`
      : '',
    zone.doubtAt(at),
    chosen.doubt,
  ];
  return { at, doubt: doubts.filter(Boolean).join(' ') };
}

/** The day of a moment in a zone, in days since 1970. */
function dayIn(zone: Zone, date: Date): number {
  return Math.floor((date.getTime() + zone.offsetAt(date) * msPerMinute) / msPerDay);
}

/** The days that are meant, the nearest first; none for a date that no calendar has. */
function daysOf(day: Day | undefined, today: number, isNext: boolean): readonly number[] {
  const sign = isNext ? 1 : -1;
  if (day === undefined) return [today - sign, today, today + sign];
  if ('back' in day) return [today - day.back];
  // 1970 began on a Thursday.
  if ('weekday' in day) {
    return Array.from({ length: 9 }, (_, at) => today + sign * (at - 1)).filter(each => (each + 4) % 7 === day.weekday);
  }
  const year = new Date(today * msPerDay).getUTCFullYear();
  const years = day.year === undefined ? Array.from({ length: 9 }, (_, at) => year + sign * at) : [day.year];
  return years
    .map(each => Date.UTC(each, day.month - 1, day.date))
    .filter(time => new Date(time).getUTCMonth() === day.month - 1 && new Date(time).getUTCDate() === day.date)
    .map(time => time / msPerDay);
}

interface Instant {
  readonly at: Date;
  /** Why clocks showed that time never, or twice. */
  readonly doubt: string;
}

/** The moment at which clocks in the zone show `wall`, which is written as if it were UTC. */
function toInstant(wall: number, zone: Zone, now: Date, isNext: boolean): Instant {
  const before = zone.offsetAt(new Date(wall - msPerDay));
  const after = zone.offsetAt(new Date(wall + msPerDay));
  const times = [...new Set([before, after])]
    .map(offset => ({ offset, time: wall - offset * msPerMinute }))
    .filter(({ offset, time }) => zone.offsetAt(new Date(time)) === offset)
    .map(({ time }) => time);
  const [only] = times;
  const clocks = zone.name === '' ? 'The clocks where you are' : `The clocks of ${zone.name}`;
  if (only === undefined) {
    return {
      at: new Date(wall - before * msPerMinute),
      doubt: `${clocks} skipped that time, so I counted on from before the change.`,
    };
  }
  if (times.length === 1) return { at: new Date(only), doubt: '' };
  const fitting = times.filter(time => time > now.getTime() === isNext);
  const at =
    isNext || fitting.length === 0 ? Math.min(...(fitting.length > 0 ? fitting : times)) : Math.max(...fitting);
  return {
    at: new Date(at),
    doubt: `${clocks} showed that time twice, so I took the ${at === Math.max(...times) ? 'later' : 'earlier'} one.`,
  };
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
