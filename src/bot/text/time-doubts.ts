/** Why a typed time of day may mean another moment than the one that was read. */
import { isDayBefore, offsetAt, type TimeReading } from './times.ts';

const msPerMinute = 60_000;
const msPerDay = 24 * 60 * msPerMinute;
const minutesPerHalfDay = 720;

/** A time of day in a text: hour, minute. */
const clockPattern = /\b(\d{1,2}):(\d{2})\b/;
/** A zone that the text names itself. */
const zonePattern = /\b(?:utc|gmt)\b|\dz$|\d\s*[+-](?:0\d|1[0-4]):?[0-5]\d$/i;

/**
 * Why a typed time, which was read as `at`, may mean another moment: a bare one is of the day before, or a clock change repeats or skips
 * it where it was typed. A sentence; `""` when there is only one moment that it can mean.
 */
export function doubtOf(typed: string, at: Date, reading: TimeReading): string {
  if (isDayBefore(typed, at, reading)) {
    return 'Where you are, that time is still ahead today, so I took yesterday.';
  }
  if (reading.timeZone === '' || zonePattern.test(typed.trim())) return '';
  const [, hour, minute] = clockPattern.exec(typed) ?? [];
  if (hour === undefined) return '';
  const { timeZone } = reading;
  const [before, after] = [-msPerDay, msPerDay].map(ms => offsetAt(timeZone, new Date(at.getTime() + ms)));
  if (before === undefined || after === undefined || before === after) return '';
  const wall = at.getTime() / msPerMinute + offsetAt(timeZone, at);
  // The clock may count twelve hours.
  const wanted = Number(hour) * 60 + Number(minute);
  if ((Math.floor(wall) - wanted) % minutesPerHalfDay !== 0) {
    return 'The clocks where you are skipped that time, so I counted on from before the change.';
  }
  const moments = [before, after].filter(offset => {
    const moment = new Date((wall - offset) * msPerMinute);
    return offsetAt(timeZone, moment) === offset;
  });
  return moments.length > 1 ? 'The clocks where you are showed that time twice, so I took the later one.' : '';
}
