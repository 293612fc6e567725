import type { CustomSeriesRenderItem } from 'echarts/types/dist/echarts';
import { type Course, listMoments } from './course.ts';
import { writeClock, writeShortDay } from './moments.ts';
import { fontFamily, type Palette } from './palette.ts';

/** The time span of a picture. */
export interface Window {
  readonly from: number;
  readonly until: number;
}

/** A moment and the place of its label. */
export interface PlacedMoment {
  readonly at: Date;
  readonly label: string;
  /** 0 is the row nearest to the plot. Labels of close moments stack up. */
  readonly row: number;
  readonly side: 'left' | 'right';
}

/**
 * A moment in its shortest clear form for a picture: the time of day; with the day when the picture spans more than one; the
 * day alone when it spans many.
 */
function writeWithin({ from, until }: Window, moment: Date): string {
  const days = (until - from) / 86_400_000;
  if (days <= 1) return writeClock(moment);
  const day = writeShortDay(moment);
  return days > mostDaysWithClock ? day : `${day} ${writeClock(moment)}`;
}

/** The most days of a picture for which the time of day matters. */
export const mostDaysWithClock = 14;

/** The moments of a course on a plot of `width` pixels, with labels that do not overlap. */
export function placeMoments(course: Course, window: Window, plot: number): PlacedMoment[] {
  const scale = plot / (window.until - window.from);
  const rows: number[] = [];
  return mergeMoments(course).map(({ name, at }) => {
    const label = `${name} ${writeWithin(window, at)}`;
    const x = (at.getTime() - window.from) * scale;
    const width = label.length * 6.6 + 8;
    const side = x + width > plot + 16 ? 'left' : 'right';
    const [start, end] = side === 'left' ? [x - width, x] : [x, x + width];
    const free = rows.findIndex(taken => taken <= start);
    const row = free < 0 ? rows.length : free;
    rows[row] = end;
    return { at, label, row, side };
  });
}

/** Moments of the same minute share a mark. */
function mergeMoments(course: Course): { name: string; at: Date }[] {
  const merged: { name: string; at: Date }[] = [];
  for (const { name, at } of listMoments(course)) {
    const last = merged.at(-1);
    if (last && at.getTime() - last.at.getTime() < 60_000) last.name += `, ${name.toLowerCase()}`;
    else merged.push({ name, at });
  }
  return merged;
}

/** Draws each moment as a line across all lanes, with its label above. */
export function drawMoment(moments: readonly PlacedMoment[], palette: Palette): CustomSeriesRenderItem {
  return ({ dataIndex, coordSys }, api) => {
    const moment = moments[dataIndex];
    const [x = 0] = api.coord([api.value(0), 0]);
    const area = toArea(coordSys);
    if (!moment) return { type: 'group', children: [] };
    const y = area.y - 6 - moment.row * 18;
    return {
      type: 'group',
      children: [
        {
          type: 'line',
          shape: { x1: x, x2: x, y1: y - 10, y2: area.y + area.height },
          style: { stroke: palette.text, lineWidth: 1, opacity: 0.55, lineDash: [3, 3] },
        },
        {
          type: 'text',
          style: {
            x: moment.side === 'left' ? x - 5 : x + 5,
            y,
            text: moment.label,
            align: moment.side === 'left' ? 'right' : 'left',
            verticalAlign: 'bottom',
            fill: palette.text,
            font: `12px ${fontFamily}`,
          },
        },
      ],
    };
  };
}

function toArea(coordSys: object): { y: number; height: number } {
  const { y, height } = { y: 0, height: 0, ...coordSys };
  return { y, height };
}
