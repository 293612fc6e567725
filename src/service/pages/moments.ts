import { html } from 'hono/html';
import { formatTime, toMicros } from '../store/time.ts';
import type { Html } from './escape.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** `19 Sep 2026`, in UTC. */
export function writeDay(moment: Date): string {
  return `${writeShortDay(moment)} ${moment.getUTCFullYear()}`;
}

/** `19 Sep`, in UTC. */
export function writeShortDay(moment: Date): string {
  return `${moment.getUTCDate()} ${months[moment.getUTCMonth()]}`;
}

/** `Sep 2026`, in UTC. */
export function writeMonth(moment: Date): string {
  return `${months[moment.getUTCMonth()]} ${moment.getUTCFullYear()}`;
}

/** `09:31`, in UTC. */
export function writeClock(moment: Date): string {
  return moment.toISOString().slice(11, 16);
}

/** `19 Sep 2026, 09:31 UTC`. */
export function writeMoment(moment: Date): string {
  return `${writeDay(moment)}, ${writeClock(moment)} UTC`;
}

/** `19 Sep, 09:31` within a week of now; else `19 Sep 2026`. In UTC. */
export function writeRecent(moment: Date, now: Date): string {
  const isRecent = Math.abs(now.getTime() - moment.getTime()) < 7 * 86_400_000;
  return isRecent ? `${writeShortDay(moment)}, ${writeClock(moment)}` : writeDay(moment);
}

const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
] as const;

/**
 * A duration in seconds by its two largest units: `2 d 4 h`, `1 h 23 min`, `3 min 20 s`. From ten minutes on it has no seconds.
 */
export function writeDuration(seconds: number): string {
  const exact = Math.max(0, Math.floor(seconds));
  const whole = exact >= 600 ? exact - (exact % 60) : exact;
  const counts = units.map(({ name, seconds: size }, index) => {
    const count = Math.floor((whole % (units[index - 1]?.seconds ?? Number.POSITIVE_INFINITY)) / size);
    return { count, words: `${count} ${name}` };
  });
  const first = counts.findIndex(({ count }) => count > 0);
  const parts = counts.slice(first, first + 2).filter(({ count }) => count > 0);
  return first < 0 ? '0 s' : parts.map(({ words }) => words).join(' ');
}

/** The time between two moments, each cut to its second, so that adjacent spans add up. */
export function writeSpan(from: Date, until: Date): string {
  return writeDuration(Math.floor(until.getTime() / 1000) - Math.floor(from.getTime() / 1000));
}

/** A moment that machines can read too; `words` default to day and time. */
export function timeTag(moment: Date, words = writeMoment(moment)): Html {
  const exact = formatTime(toMicros(moment));
  return html`<time datetime="${exact}" title="${exact}">${words}</time>`;
}
