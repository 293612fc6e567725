import type { DateToken } from './mrkdwn.ts';

/** Whose clock a time is written for. */
export interface Clock {
  /** IANA zone. */
  readonly zone: string;
  /** The reader's present. When absent, no word such as “yesterday” stands for a day. */
  readonly now?: Date;
  /** The present for `{ago}` alone, where the days are to be written out. */
  readonly agesAt?: Date;
}

/** Writes a date token for a reader (Slack's `<!date^seconds^format^link|fallback>`). An unusable time or format gives the fallback. */
export function formatDate({ seconds, format, fallback }: Omit<DateToken, 'kind'>, clock: Clock): string {
  const date = new Date(seconds * 1000);
  const tokens = [...format.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  if (Number.isNaN(date.getTime()) || format === '' || !tokens.every(name => Object.hasOwn(writers, name))) {
    return fallback;
  }
  const text = format.replace(/\{(\w+)\}/g, (_, name: string) => writers[name]?.(date, clock) ?? '');
  return text.replaceAll('\u202f', ' ');
}

type Writer = (date: Date, clock: Clock) => string;

function written(options: Intl.DateTimeFormatOptions): Writer {
  // Making a formatter takes a hundred times as long as using it.
  const formatters = new Map<string, Intl.DateTimeFormat>();
  return (date, { zone }) => {
    const formatter = formatters.get(zone) ?? new Intl.DateTimeFormat('en-US', { timeZone: zone, ...options });
    formatters.set(zone, formatter);
    return formatter.format(date);
  };
}

const short = written({ month: 'short', day: 'numeric', year: 'numeric' });
const long = written({ month: 'long', day: 'numeric', year: 'numeric' });
const full = written({ weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' });
const divider = written({ weekday: 'long', month: 'long', day: 'numeric' });
const slashed = written({ month: '2-digit', day: '2-digit', year: 'numeric' });

/** The writer of each of Slack's date tokens. */
const writers: Readonly<Record<string, Writer>> = {
  date_num: dayOf,
  date_slash: slashed,
  date: long,
  date_pretty: pretty(long),
  date_short: short,
  date_short_pretty: pretty(short),
  date_long: full,
  date_long_full: full,
  date_long_pretty: pretty(full),
  day_divider_pretty: pretty(divider),
  time: written({ hour: 'numeric', minute: '2-digit' }),
  time_secs: written({ hour: 'numeric', minute: '2-digit', second: '2-digit' }),
  ago,
};

/** The day in the reader's zone: `YYYY-MM-DD`. */
function dayOf(date: Date, { zone }: Clock): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(date);
}

const dayMs = 86_400_000;

function pretty(plain: Writer): Writer {
  return (date, clock) => {
    if (clock.now === undefined) return plain(date, clock);
    const days = Math.round((Date.parse(dayOf(date, clock)) - Date.parse(dayOf(clock.now, clock))) / dayMs);
    const words: Record<number, string> = { [-1]: 'yesterday', 0: 'today', 1: 'tomorrow' };
    return words[days] ?? plain(date, clock);
  };
}

const units = [
  ['year', 365 * dayMs],
  ['month', 30 * dayMs],
  ['day', dayMs],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function ago(date: Date, { now, agesAt = now }: Clock): string {
  if (agesAt === undefined) return 'some time ago';
  const difference = date.getTime() - agesAt.getTime();
  const found = units.find(([, each]) => Math.abs(difference) >= each);
  if (found === undefined) return 'just now';
  const [unit, length] = found;
  return new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' }).format(Math.trunc(difference / length), unit);
}
