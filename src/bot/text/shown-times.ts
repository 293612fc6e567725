/** Times as people read them: each reader's own, in their zone. UTC stands on pages and in the record. All are mrkdwn. */
import { formatUtc, toSlackDate } from './times.ts';

const dayMs = 24 * 3600 * 1000;
/** How near a moment is whose time of day says which one is meant, in milliseconds. */
const nearMs = dayMs / 2;

/** How long ago a moment was, or how far ahead it is. Each reader's Slack counts it, so it never goes stale. */
export function toSlackAge(date: Date): string {
  return token(date, '{ago}', formatUtc(date));
}

/** A time of day where that says which one, else with its day. */
export function toSlackTime(date: Date, now: Date): string {
  const isNear = Math.abs(now.getTime() - date.getTime()) < nearMs;
  return toSlackDate(date, isNear ? 'time' : 'moment');
}

/** An RFC 3339 time of the API as each reader's own; `–` when unset. */
export function when(time: string): string {
  const date = new Date(time);
  return time === '' || Number.isNaN(date.getTime()) ? '–' : toSlackDate(date);
}

/** A moment with its age. */
export function whenAndAge(time: string): string {
  const shown = when(time);
  return shown === '–' ? shown : `${shown}, ${toSlackAge(new Date(time))}`;
}

/**
 * A span of time, with its day once: `Mar 14, 2026 1:31 AM–2:32 AM`. One of a day or more has both of its days.
 */
export function toSlackWindow(from: Date, to: Date): string {
  if (to.getTime() - from.getTime() >= dayMs) {
    return `${toSlackDate(from)} to ${toSlackDate(to)}`;
  }
  const start = token(from, '{date_short_pretty} {time}', minuteOf(from));
  return `${start}–${token(to, '{time}', `${clockOf(to)} UTC`)}`;
}

/** A span of time in UTC alone, as plain text: `2026-03-14 00:31–01:32 UTC`. */
export function windowInUtc(from: Date, to: Date): string {
  const isOneDay = dayOf(from) === dayOf(to);
  return isOneDay ? `${minuteOf(from)}–${clockOf(to)} UTC` : `${minuteOf(from)} to ${minuteOf(to)} UTC`;
}

function token(date: Date, format: string, fallback: string): string {
  return `<!date^${Math.floor(date.getTime() / 1000)}^${format}|${fallback}>`;
}

/** `2026-03-14 00:31` */
function minuteOf(date: Date): string {
  return date.toISOString().slice(0, 16).replace('T', ' ');
}

/** `2026-03-14` */
function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** `00:31` */
function clockOf(date: Date): string {
  return date.toISOString().slice(11, 16);
}
