import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { axisTicks, type ChartData, shortNumber } from './chart-data.ts';

const width = 560;
const height = 272;
const edge = { left: 52, right: 12, top: 12, bottom: 58 };

type PlotData = Exclude<ChartData, { kind: 'pie' }>;

/** Bars, lines or areas between two axes. Screen readers read the table beside it. */
export function Plot({ data }: { readonly data: PlotData }): VNode {
  const values = data.series.flatMap(each => each.values.filter(value => value !== undefined));
  const ticks = axisTicks(values);
  const [low = 0] = ticks;
  const high = ticks.at(-1) ?? 1;
  const slot = (width - edge.left - edge.right) / Math.max(1, data.categories.length);
  const y = (value: number): number =>
    height - edge.bottom - ((value - low) / (high - low)) * (height - edge.top - edge.bottom);
  const x = (at: number): number => edge.left + slot * (at + 0.5);
  const every = Math.ceil(data.categories.length / 10);
  return html`<svg class="plot" viewBox=${`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
    ${ticks.map(
      tick => html`<line class="grid" x1=${edge.left} x2=${width - edge.right} y1=${y(tick)} y2=${y(tick)} />
        <text class="tick" x=${edge.left - 6} y=${y(tick) + 4} text-anchor="end">${shortNumber(tick)}</text>`,
    )}
    ${data.categories.map(
      (category, at) =>
        at % every === 0 &&
        html`<text class="tick" x=${x(at)} y=${height - edge.bottom + 8} text-anchor="middle" dominant-baseline="hanging">${cut(category, slot * every)}</text>`,
    )}
    <text class="axis-name" x=${(edge.left + width - edge.right) / 2} y=${height - 8} text-anchor="middle">${data.xLabel}</text>
    <text class="axis-name" transform=${`translate(16 ${(height - edge.bottom) / 2}) rotate(-90)`} text-anchor="middle">${data.yLabel}</text>
    ${data.kind === 'bar' ? toBars(data, slot, x, y) : toLines(data, x, y)}
    <line class="base" x1=${edge.left} x2=${width - edge.right} y1=${y(0)} y2=${y(0)} />
  </svg>`;
}

/** About how many units of the picture a character takes. */
const characterWidth = 6.5;

function cut(words: string, room: number): string {
  const most = Math.max(2, Math.floor(room / characterWidth));
  return words.length <= most ? words : `${words.slice(0, most - 1)}…`;
}

type Scale = (value: number) => number;

function toBars(data: PlotData, slot: number, x: Scale, y: Scale): VNode[] {
  const bar = Math.min(36, (slot * 0.8) / Math.max(1, data.series.length));
  return data.series.flatMap((series, number) =>
    series.values.flatMap((value, at) => {
      if (value === undefined) return [];
      const left = x(at) + (number - data.series.length / 2) * bar;
      const [top, bottom] = [Math.min(y(value), y(0)), Math.max(y(value), y(0))];
      return [
        html`<rect class=${`bar paint-${number % 6}`} x=${left} y=${top} width=${Math.max(1, bar - 2)} height=${bottom - top} />`,
      ];
    }),
  );
}

function toLines(data: PlotData, x: Scale, y: Scale): VNode[] {
  return data.series.flatMap((series, number) => {
    const points = series.values.flatMap((value, at) => (value === undefined ? [] : [[x(at), y(value)] as const]));
    const path = points.map(([left, top], at) => `${at === 0 ? 'M' : 'L'}${left} ${top}`).join('');
    const [first, last] = [points[0], points.at(-1)];
    const area =
      data.kind === 'area' && first !== undefined && last !== undefined
        ? [html`<path class=${`area paint-${number % 6}`} d=${`${path}L${last[0]} ${y(0)}L${first[0]} ${y(0)}Z`} />`]
        : [];
    return [
      ...area,
      html`<path class=${`line paint-${number % 6}`} d=${path} />`,
      ...points.map(([left, top]) => html`<circle class=${`dot paint-${number % 6}`} cx=${left} cy=${top} r="3" />`),
    ];
  });
}
