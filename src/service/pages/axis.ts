import { scaleLinear, scaleUtc } from 'd3-scale';
import { writeClock, writeDuration, writeMonth, writeShortDay } from './moments.ts';

/** A mark of an axis: its place in per cent of the axis, and its words. Narrow screens show those alone that are not `isMinor`. */
export interface Tick {
  readonly at: number;
  readonly words: string;
  readonly isMinor: boolean;
}

/** An axis: the place of a value on it, in per cent, and its marks in order. */
interface Axis {
  place(value: number): number;
  readonly ticks: readonly Tick[];
}

/** The most marks that narrow screens show. */
const mostOnNarrow = 4;
const day = 86_400_000;

/**
 * An axis of time with about `most` marks, in UTC; `from` and `until` are milliseconds since 1970. No two marks have the same words:
 * marks less than a minute apart have seconds, and an axis longer than a day names days.
 */
export function timeAxis(from: number, until: number, most = 8): Axis {
  const scale = scaleUtc().domain([from, until]).range([0, 100]);
  const isLong = until - from > day;
  // Words with day and clock, which weeks have not, take more room.
  const marks = scale
    .ticks(isLong && until - from < 8 * day ? Math.min(5, most) : most)
    .filter(mark => mark.getUTCMilliseconds() === 0);
  const apart = (marks[1]?.getTime() ?? until) - (marks[0]?.getTime() ?? from);
  const write = (mark: Date) => {
    if (apart >= 28 * day) return writeMonth(mark);
    if (mark.getTime() % day === 0) return writeShortDay(mark);
    const clock = apart < 60_000 ? mark.toISOString().slice(11, 19) : writeClock(mark);
    return isLong ? `${writeShortDay(mark)} ${clock}` : clock;
  };
  return { place: scale, ticks: toTicks(marks.map(mark => ({ at: scale(mark), words: write(mark) }))) };
}

/** An axis of whole numbers from 0 to at least `largest`, with about `most` marks. */
export function countAxis(largest: number, most = 4): Axis {
  const scale = scaleLinear()
    .domain([0, Math.max(1, largest)])
    .nice(most)
    .range([0, 100]);
  const marks = scale.ticks(most).filter(Number.isInteger);
  return { place: scale, ticks: toTicks(marks.map(mark => ({ at: scale(mark), words: String(mark) }))) };
}

const minute = 60;
const hour = 3600;
/** The steps of an axis of durations, in seconds: those in which people think of time. */
const steps = [
  ...[15, minute, 5 * minute, 15 * minute, 30 * minute],
  ...[1, 2, 4, 8, 12, 24, 48, 168, 720].map(hours => hours * hour),
];

/** An axis of durations from 0 to at least `longest` seconds, with at most six marks. */
export function durationAxis(longest: number): Axis {
  const end = Math.max(minute, longest);
  const month = 720 * hour;
  const step = steps.find(each => end / each <= 5) ?? Math.ceil(end / 5 / month) * month;
  const last = Math.ceil(end / step);
  const marks = Array.from({ length: last + 1 }, (_, index) => index * step);
  const place = (seconds: number) => (seconds / (last * step)) * 100;
  return { place, ticks: toTicks(marks.map(mark => ({ at: place(mark), words: writeDuration(mark) }))) };
}

function toTicks(marks: readonly { readonly at: number; readonly words: string }[]): Tick[] {
  const kept = Math.ceil(marks.length / mostOnNarrow);
  return marks.map((mark, index) => ({ ...mark, isMinor: index % kept !== 0 }));
}
