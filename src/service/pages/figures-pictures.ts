import type { EChartsCoreOption } from 'echarts/core';
import type { ServiceOptions } from '../call/options.ts';
import { toOneLine } from './escape.ts';
import type { Figures, Step } from './figures.ts';
import { byRank, toRank } from './marks.ts';
import { writeDuration, writeMonth, writeShortDay } from './moments.ts';
import { fontFamily, type Palette, palettes } from './palette.ts';
import { drawPicture, type Reader } from './picture.ts';

/** The plots of figures by name, as addresses have them. */
const plots = ['count', 'time', 'labels'] as const;
/** One of {@link plots}. */
export type Plot = (typeof plots)[number];

/** Draws one plot of figures as SVG. */
export function drawFigures(
  plot: Plot,
  figures: Figures,
  reader: Reader,
  options: Pick<ServiceOptions, 'severities'>,
): string {
  const palette = palettes[reader.theme];
  const width = reader.size === 'wide' ? 1040 : 340;
  if (plot === 'labels') {
    const rows = figures.labels.slice(0, 10);
    return drawPicture(labelBars(rows, palette, reader), {
      width: reader.size === 'wide' ? 500 : 340,
      height: 16 + Math.max(1, rows.length) * 30,
    });
  }
  const option = plot === 'count' ? countBars(figures, palette, options) : timeLines(figures, palette);
  return drawPicture({ ...frame(figures, palette, reader), ...option }, { width, height: 280 });
}

function frame({ periods, step }: Figures, palette: Palette, { size }: Reader): EChartsCoreOption {
  const text = toText(palette);
  return {
    textStyle: text,
    grid: { left: 56, right: 12, top: 40, bottom: 28 },
    legend: { top: 0, left: 50, icon: 'roundRect', itemWidth: 12, itemHeight: 12, itemGap: 16, textStyle: text },
    xAxis: {
      type: 'category',
      data: periods.map(({ from }) => writePeriod(from, step)),
      axisLine: { lineStyle: { color: palette.line } },
      axisTick: { show: false },
      axisLabel: { ...text, hideOverlap: true, interval: Math.ceil(periods.length / (size === 'wide' ? 9 : 4)) - 1 },
    },
  };
}

function countBars(figures: Figures, palette: Palette, options: Pick<ServiceOptions, 'severities'>): EChartsCoreOption {
  const names = figures.severities.map(each => each.name).sort(byRank(options));
  const largest = Math.max(...figures.periods.map(each => each.count));
  return {
    yAxis: { ...valueAxis(palette), minInterval: 1, ...(largest < 4 ? { max: 4 } : {}) },
    series: names.map(name => ({
      type: 'bar',
      name: toOneLine(name, 30),
      stack: 'all',
      barMaxWidth: 26,
      itemStyle: { color: palette.severities[toRank(name, options)] },
      data: figures.periods.map(period => period.severities.get(name) ?? 0),
    })),
  };
}

function timeLines({ periods }: Figures, palette: Palette): EChartsCoreOption {
  const line = (name: string, colour: string, type: string, values: readonly (number | undefined)[]) => ({
    type: 'line',
    name,
    symbolSize: 6,
    symbol: 'circle',
    connectNulls: true,
    itemStyle: { color: colour },
    lineStyle: { color: colour, width: 2, type },
    data: values.map(value => (value === undefined ? null : value)),
  });
  return {
    yAxis: {
      ...valueAxis(palette),
      axisLabel: { ...toText(palette), formatter: (value: number) => (value === 0 ? '0' : writeDuration(value)) },
      splitNumber: 4,
      ...timeScale(periods.flatMap(period => period.ninth ?? [])),
    },
    series: [
      line(
        'median',
        palette.accent,
        'solid',
        periods.map(period => period.median),
      ),
      line(
        '9 out of 10 within',
        palette.quiet,
        'dashed',
        periods.map(period => period.ninth),
      ),
    ],
  };
}

const timeSteps = [15, 60, 300, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400, 172_800, 604_800, 2_592_000];

/** The scale of an axis of durations, in steps that people use for time. */
function timeScale(values: readonly number[]): { interval: number; max: number } {
  const most = Math.max(60, ...values);
  const interval = timeSteps.find(step => most / step <= 5) ?? Math.ceil(most / 5 / 2_592_000) * 2_592_000;
  return { interval, max: Math.ceil(most / interval) * interval };
}

function labelBars(rows: Figures['labels'], palette: Palette, { size }: Reader): EChartsCoreOption {
  const text = toText(palette);
  const wide = size === 'wide';
  return {
    textStyle: text,
    grid: { left: wide ? 170 : 120, right: 36, top: 8, bottom: 8 },
    xAxis: { type: 'value', show: false },
    yAxis: {
      type: 'category',
      inverse: true,
      data: rows.map(({ name }) => toOneLine(name, wide ? 26 : 17)),
      axisLine: { show: false },
      axisTick: { show: false },
      axisLabel: { ...text, color: palette.text },
    },
    series: [
      {
        type: 'bar',
        barMaxWidth: 16,
        itemStyle: { color: palette.accent, borderRadius: 3 },
        label: { show: true, position: 'right', ...text },
        data: rows.map(({ count }) => count),
      },
    ],
  };
}

function valueAxis(palette: Palette) {
  return {
    type: 'value',
    splitLine: { lineStyle: { color: palette.line } },
    axisLabel: toText(palette),
  };
}

function toText(palette: Palette) {
  return { fontFamily, fontSize: 12, color: palette.quiet };
}

function writePeriod(from: Date, step: Step): string {
  return step === 'month' ? writeMonth(from) : writeShortDay(from);
}
