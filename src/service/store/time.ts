import { type Expression, sql } from 'kysely';
import { trimEnd } from '../../trim-end.ts';

/*
 * Times are whole microseconds since 1970 in the database. On the wire they are RFC 3339 in UTC, with up to six digits of
 * fraction and no trailing zeros (docs/api-rules.md A2).
 */

const micros = 1_000_000;
const form = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

/** Microseconds since 1970 of a moment. */
export function toMicros(moment: Date): number {
  return moment.getTime() * 1000;
}

/** The moment so many times 24 hours earlier. */
export function daysBefore(moment: Date, days: number): Date {
  return new Date(moment.getTime() - days * 86_400_000);
}

/** A time without its fraction of a second. */
export function toWholeSecond(time: number): number {
  return Math.floor(time / micros) * micros;
}

/** Whole seconds from one time to another, never negative (docs/api-rules.md A2, durationSeconds). */
export function toSeconds(from: number, until: number): number {
  return Math.max(0, Math.floor((until - from) / micros));
}

/** A time in its wire form; null, a time that is not set, is `""`. */
export function formatTime(time: number | null): string {
  if (time === null) return '';
  const second = Math.floor(time / micros);
  const fraction = trimEnd((time - second * micros).toString().padStart(6, '0'), /0/);
  const written = new Date(second * 1000).toISOString().slice(0, 19);
  return fraction === '' ? `${written}Z` : `${written}.${fraction}Z`;
}

/** A time of the wire that is known to be one; undefined for `""`. */
export function toMoment(written: string): Date | undefined {
  return written === '' ? undefined : new Date(written);
}

/**
 * Reads RFC 3339 with any offset, or date and time with a space between (UTC when there is no offset). Digits of the fraction
 * beyond the sixth are dropped. Gives undefined for any other text, and for times before 1684 or after 2255, whose microseconds
 * a number cannot hold.
 */
export function parseTime(written: string): number | undefined {
  const parts = form.exec(written.trim());
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = parts;
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(local) || new Date(local).getUTCDate() !== Number(day)) return undefined;
  const offset = toOffset(zone);
  if (offset === undefined) return undefined;
  const time = (local - offset) * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
  return Number.isSafeInteger(time) ? time : undefined;
}

/** Milliseconds east of UTC. */
function toOffset(zone: string): number | undefined {
  if (/^z$/i.test(zone)) return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/**
 * The `modified_at` of a row that changes now, in microseconds since 1970. It never falls, although calls may get the lock in
 * another order than they came, clocks of replicas differ, and clocks are put back.
 */
export function modifiedNow(now: Expression<number> | number): Expression<number> {
  const before = sql.ref('modified_at');
  return sql<number>`case when ${before} > ${now} then ${before} else ${now} end`;
}

/** The month of a moment in UTC, as `2026-11`; the moment in milliseconds since 1970. */
export function toMonth(moment: number): string {
  return new Date(moment).toISOString().slice(0, 7);
}

/** The first moment of a month in UTC, so many months later; both in milliseconds since 1970. */
export function toStartOfMonth(moment: number, later = 0): number {
  const date = new Date(moment);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
}
