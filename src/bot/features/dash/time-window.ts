import { TZDate } from '@date-fns/tz/date';
import { add } from 'date-fns/add';
import { endOfDay } from 'date-fns/endOfDay';
import { endOfHour } from 'date-fns/endOfHour';
import { endOfISOWeek } from 'date-fns/endOfISOWeek';
import { endOfMinute } from 'date-fns/endOfMinute';
import { endOfMonth } from 'date-fns/endOfMonth';
import { endOfQuarter } from 'date-fns/endOfQuarter';
import { endOfSecond } from 'date-fns/endOfSecond';
import { endOfYear } from 'date-fns/endOfYear';
import { startOfDay } from 'date-fns/startOfDay';
import { startOfHour } from 'date-fns/startOfHour';
import { startOfISOWeek } from 'date-fns/startOfISOWeek';
import { startOfMinute } from 'date-fns/startOfMinute';
import { startOfMonth } from 'date-fns/startOfMonth';
import { startOfQuarter } from 'date-fns/startOfQuarter';
import { startOfSecond } from 'date-fns/startOfSecond';
import { startOfYear } from 'date-fns/startOfYear';
import { aroundIncident, type IncidentSpan, outwards } from './typed-window.ts';

/** The two ends of a dashboard's time as written: `now-1h`, `now/d`, epoch milliseconds, ISO 8601; `""` where the address names none. */
export interface WrittenWindow {
  readonly from: string;
  readonly to: string;
}

/** A window that no longer moves. Both ends are epoch milliseconds; `isPinned` tells that it was not so as it was written. */
export interface PinnedWindow {
  readonly from: number;
  readonly to: number;
  readonly isPinned: boolean;
}

/** The facts with which relative and zoneless times are read. */
interface WindowReading {
  readonly now: Date;
  /** IANA name, or `""` when it is not known. One that this system does not have is read as UTC. */
  readonly timeZone: string;
  readonly incident: IncidentSpan;
  /** The dashboard's own window, for what is not written. */
  readonly own: WrittenWindow;
  /** Ends that move are read at this moment and kept, wherever the incident lies. */
  readonly isExact?: boolean;
}

/**
 * Makes a window that shows everybody what it shows now.
 *
 * - Both ends absolute: kept as they are.
 * - Relative, or not written: around the incident, from 15 minutes before its start to its end, or now.
 * - One end absolute: that end is kept, and the other follows the rule above.
 *
 * With `isExact` ends that move are read at this moment, as Grafana would, and the incident counts for nothing.
 *
 * Ends that are not kept are rounded outwards to whole minutes. An end that is not written is the dashboard's own, which is
 * never taken for a choice of the person, even when it is absolute. `problem` is plain text.
 */
export function pinWindow(written: WrittenWindow, context: WindowReading): PinnedWindow | { readonly problem: string } {
  const { incident, own, now } = context;
  const typed = { from: readEnd(written.from, 'from', context), to: readEnd(written.to, 'to', context) };
  for (const side of ['from', 'to'] as const) {
    if (typed[side] === 'zoneless') {
      const end = `${side}=${written[side].slice(0, 60)}`;
      return { problem: `${end} could be in any time zone: Slack does not tell me yours. ${examples}` };
    }
    if (typed[side] === 'unreadable')
      return { problem: `${side}=${written[side].slice(0, 60)} is not a time that Grafana knows. ${examples}` };
  }
  const fixed = (end: End) => (typeof end === 'object' && !end.isRelative ? end.at : undefined);
  const [from, to] = [fixed(typed.from), fixed(typed.to)];
  if (from !== undefined && to !== undefined) {
    return from < to ? { from, to, isPinned: false } : { problem: `The window ends before it begins. ${examples}` };
  }
  const moving = (side: 'from' | 'to', fallback: string): number => {
    const ends = [typed[side], readEnd(own[side], side, context), readEnd(fallback, side, context)];
    const end = ends.find(each => typeof each === 'object' && each.isRelative);
    return typeof end === 'object' ? end.at : now.getTime();
  };
  const pinned = context.isExact
    ? outwards(moving('from', 'now-6h'), moving('to', 'now'))
    : aroundIncident(incident, now);
  const window = { from: from ?? pinned.from, to: to ?? pinned.to, isPinned: true };
  return window.from < window.to ? window : { problem: `The window ends before it begins. ${examples}` };
}

const examples = 'Accepted: now-1h, now/d, epoch milliseconds, and 2026-11-20T14:05:00Z.';

type End = 'unwritten' | 'unreadable' | 'zoneless' | { readonly at: number; readonly isRelative: boolean };

const relativePattern = /^now((?:[+-]\d{0,5}[smhdwMQy]|\/[smhdwMQy])*)$/;
const compactPattern = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2}))?$/;
const isoPattern = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?$/;
const units = {
  s: ['seconds', 1, startOfSecond, endOfSecond],
  m: ['minutes', 1, startOfMinute, endOfMinute],
  h: ['hours', 1, startOfHour, endOfHour],
  d: ['days', 1, startOfDay, endOfDay],
  w: ['weeks', 1, startOfISOWeek, endOfISOWeek],
  M: ['months', 1, startOfMonth, endOfMonth],
  Q: ['months', 3, startOfQuarter, endOfQuarter],
  y: ['years', 1, startOfYear, endOfYear],
} as const;

function isUnit(letter: string | undefined): letter is keyof typeof units {
  return letter !== undefined && letter in units;
}

/** One end of a window. Rounding goes down in `from` and up in `to`, as in Grafana. */
function readEnd(text: string, side: 'from' | 'to', { now, timeZone }: WindowReading): End {
  const typed = text.trim();
  if (typed === '') return 'unwritten';
  const relative = relativePattern.exec(typed);
  if (timeZone === '' && isOfZone(typed)) return 'zoneless';
  if (relative) return toEnd(readRelative(relative[1] ?? '', side, new TZDate(now, knownZone(timeZone))), true);
  return toEnd(readAbsolute(typed, knownZone(timeZone)), false);
}

/** Whether a time depends on a zone: a date without one, or a rounding. */
function isOfZone(typed: string): boolean {
  return relativePattern.test(typed) ? typed.includes('/') : compactPattern.test(typed) || isoPattern.test(typed);
}

function toEnd(at: number, isRelative: boolean): End {
  return Number.isNaN(new Date(at).getTime()) ? 'unreadable' : { at, isRelative };
}

/** `now` with steps and roundings, in the order they are written. */
function readRelative(steps: string, side: 'from' | 'to', now: TZDate): number {
  let at: Date = now;
  for (const [, sign, amount = '', letter] of steps.matchAll(/([+\-/])(\d*)([a-zA-Z])/g)) {
    if (!isUnit(letter)) return Number.NaN;
    const [unit, times, down, up] = units[letter];
    const count = (amount === '' ? 1 : Number(amount)) * times;
    if (sign === '/') at = side === 'from' ? down(at) : up(at);
    else at = add(at, { [unit]: sign === '-' ? -count : count });
  }
  return at.getTime();
}

/** Epoch milliseconds, `20261120`, `20261120T140500`, or ISO 8601, in the zone when it names none. */
function readAbsolute(typed: string, timeZone: string): number {
  const parts = compactPattern.exec(typed) ?? isoPattern.exec(typed);
  if (parts) {
    const [year = 0, month = 0, day, hour, minute, second] = parts.slice(1).map(part => Number(part ?? 0));
    const intact =
      new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day && (hour ?? 0) < 24 && (minute ?? 0) < 60;
    return intact
      ? new TZDate(year, month - 1, day ?? 1, hour ?? 0, minute ?? 0, second ?? 0, timeZone).getTime()
      : Number.NaN;
  }
  if (/^\d+$/.test(typed)) return Number(typed);
  return /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(typed) ? Date.parse(typed.replace(' ', 'T')) : Number.NaN;
}

function knownZone(timeZone: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return timeZone;
  } catch {
    return 'UTC';
  }
}
