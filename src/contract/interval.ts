const hour = 3_600_000;
const day = 24 * hour;
/** Milliseconds of the calendar units; a year is 365.25 days and a month a twelfth of it. */
const calendar: Readonly<Record<string, number>> = { d: day, w: 7 * day, M: (365.25 * day) / 12, y: 365.25 * day };
/** Milliseconds of the units of a Go duration. */
const clock: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: hour,
};

const wholeCalendar = /^(\d+)([dwMy])$/;
// A run of digits is read in one way alone: what can be read in two costs twice the time for each part of a text that is no interval.
const wholeClock = /^([+-]?)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const clockPart = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;
/** Most characters of an interval. */
const longest = 40;

/**
 * Milliseconds of an interval as Grafana writes it: a Go duration (`1m30s`) or a count of days, weeks, months or years (`2w`);
 * undefined for anything else (docs/api-rules.md C2, step 5).
 */
export function parseInterval(text: string): number | undefined {
  if (text === '0') return 0;
  const dates = wholeCalendar.exec(text);
  if (dates) return Number(dates[1]) * (calendar[dates[2] ?? ''] ?? 0);
  const times = text.length <= longest ? wholeClock.exec(text) : null;
  if (!times) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.replace(/^[+-]/, '').matchAll(clockPart))
    sum += Number(amount) * (clock[unit ?? ''] ?? 0);
  return times[1] === '-' ? -sum : sum;
}
