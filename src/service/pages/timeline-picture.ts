import type { CustomSeriesRenderItem } from 'echarts/types/dist/echarts';
import type { Course, Phase, Point } from './course.ts';
import { writeClock, writeShortDay, writeSpan } from './moments.ts';
import { fontFamily, type Palette, palettes } from './palette.ts';
import { drawPicture, type Reader } from './picture.ts';
import { drawMoment, mostDaysWithClock, placeMoments, type Window } from './timeline-moments.ts';
import { phaseWords } from './timeline-words.ts';

interface Lane {
  readonly name: string;
  readonly colour: string;
  readonly points: readonly Point[];
}

/** The picture of an incident's course: its phases, and below them notes and changes in lanes, on one axis of time. */
export function drawTimeline(course: Course, points: readonly Point[], reader: Reader): string {
  const palette = palettes[reader.theme];
  const window = toWindow(course);
  const lanes = toLanes(points, palette, window);
  const wide = reader.size === 'wide';
  const width = wide ? 1040 : 340;
  const left = wide ? 76 : 62;
  const plot = width - left - 20;
  const moments = placeMoments(course, window, plot);
  const top = 12 + 18 * (1 + Math.max(0, ...moments.map(each => each.row)));
  const names = ['Phases', ...lanes.map(lane => lane.name)];
  const text = { fontFamily, fontSize: 12, color: palette.quiet };
  const option = {
    textStyle: text,
    grid: { left, right: 20, top, bottom: 40 },
    xAxis: {
      type: 'time',
      min: window.from,
      max: window.until,
      splitNumber: wide ? 8 : 3,
      axisLine: { lineStyle: { color: palette.line } },
      axisTick: { lineStyle: { color: palette.line } },
      splitLine: { show: true, lineStyle: { color: palette.line } },
      axisLabel: { ...text, lineHeight: 15, hideOverlap: true, formatter: toTick(window) },
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: names,
      axisLine: { show: false },
      axisTick: { show: false },
      axisLabel: { ...text, color: palette.text },
    },
    series: [
      {
        type: 'custom',
        silent: true,
        renderItem: drawPhase(course.phases, palette, plot / (window.until - window.from)),
        data: course.phases.map(({ from, until }) => [from.getTime(), 0, until.getTime()]),
        encode: { x: [0, 2], y: 1 },
      },
      ...lanes.map((lane, index) => ({
        type: 'scatter',
        silent: true,
        ...toSymbol(lane, plot, palette),
        data: lane.points.map(({ at }) => [at.getTime(), index + 1]),
      })),
      {
        type: 'custom',
        silent: true,
        z: 5,
        renderItem: drawMoment(moments, palette),
        data: moments.map(({ at }) => [at.getTime(), 0]),
        encode: { x: 0, y: 1 },
      },
    ],
  };
  return drawPicture(option, { width, height: top + 40 + names.length * 34 });
}

/** The symbol of a lane's items: dots, or strokes where dots would run together. Strokes still show how much happened when. */
function toSymbol({ points, colour }: Lane, plot: number, { surface }: Palette): object {
  if (points.length * 14 > plot)
    return { symbol: 'rect', symbolSize: [2, 16], itemStyle: { color: colour, opacity: 0.6 } };
  return { symbolSize: 10, itemStyle: { color: colour, opacity: 0.75, borderColor: surface, borderWidth: 1 } };
}

/** The span of the incident with some room on both sides. Items of other times would squeeze everything else. */
function toWindow({ started, declared, until }: Course): Window {
  const first = Math.min(started.getTime(), declared.getTime());
  const last = Math.max(until.getTime(), declared.getTime());
  const room = Math.max(60_000, (last - first) * 0.06);
  return { from: first - room, until: last + room };
}

const laneKinds: readonly { name: string; holds: (kind: Point['kind']) => boolean }[] = [
  { name: 'State', holds: kind => kind.startsWith('incident') || kind.startsWith('label') },
  { name: 'People', holds: kind => kind.startsWith('role') },
  { name: 'Tasks', holds: kind => kind.startsWith('task') },
  { name: 'Links', holds: kind => kind === 'contextAttached' },
  { name: 'Notes', holds: kind => kind === 'userNote' },
];

function toLanes(points: readonly Point[], palette: Palette, { from, until }: Window): Lane[] {
  const shown = points.filter(({ at }) => at.getTime() >= from && at.getTime() <= until);
  return laneKinds.flatMap(({ name, holds }, index) => {
    const held = shown.filter(({ kind }) => holds(kind));
    return held.length > 0 ? [{ name, colour: palette.lanes[index] ?? palette.accent, points: held }] : [];
  });
}

function drawPhase(phases: readonly Phase[], palette: Palette, scale: number): CustomSeriesRenderItem {
  const colours: Readonly<Record<Phase['name'], string>> = {
    'to detection': palette.phases.before,
    'to declaration': palette.phases.noticed,
    'to resolution': palette.phases.response,
    active: palette.phases.response,
  };
  return ({ dataIndex }, api) => {
    const phase = phases[dataIndex];
    if (!phase) return { type: 'group', children: [] };
    const [x = 0, y = 0] = api.coord([api.value(0), 0]);
    const width = Math.max(1, (phase.until.getTime() - phase.from.getTime()) * scale);
    const label = [
      `${writeSpan(phase.from, phase.until)} ${phaseWords[phase.name]}`,
      writeSpan(phase.from, phase.until),
      '',
    ];
    return {
      type: 'rect',
      shape: { x, y: y - 12, width, height: 24, r: 3 },
      style: { fill: colours[phase.name] },
      textContent: {
        type: 'text',
        style: {
          text: label.find(each => each.length * 6.2 + 8 <= width) ?? '',
          fill: palette.onPhase,
          font: `12px ${fontFamily}`,
        },
      },
      textConfig: { position: 'inside' },
    };
  };
}

/** Ticks name the day only when the picture spans more than two. */
function toTick({ from, until }: Window): (value: number) => string {
  const days = (until - from) / 86_400_000;
  return value => {
    const moment = new Date(value);
    if (days > mostDaysWithClock) return writeShortDay(moment);
    const clock = writeClock(moment);
    return days > 1 || clock === '00:00' ? `${writeShortDay(moment)}\n${clock}` : clock;
  };
}
