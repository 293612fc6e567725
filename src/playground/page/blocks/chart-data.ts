import { type JsonObject, toObject, toObjects, toText } from '../../../fake-slack/protocol/json.ts';

/** A part of a pie. */
export interface Segment {
  readonly label: string;
  readonly value: number;
}

/** A line, area or set of bars: one value per category, absent where there is none. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
}

/** What a chart shows. */
export type ChartData =
  | { readonly kind: 'pie'; readonly segments: readonly Segment[] }
  | {
      readonly kind: 'bar' | 'line' | 'area';
      readonly categories: readonly string[];
      readonly series: readonly Series[];
      readonly xLabel: string;
      readonly yLabel: string;
    };

const toNumber = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

/** Reads the `chart` of a `data_visualization` block; `undefined` for a kind that this page does not know. */
export function readChart(chart: JsonObject): ChartData | undefined {
  const { type: kind } = chart;
  if (kind === 'pie') {
    const segments = toObjects(chart.segments).map(each => ({
      label: toText(each.label),
      value: Math.max(0, toNumber(each.value)),
    }));
    return { kind, segments };
  }
  if (kind !== 'bar' && kind !== 'line' && kind !== 'area') return undefined;
  const axes = toObject(chart.axis_config);
  const all = toObjects(chart.series);
  const given = Array.isArray(axes.categories) ? axes.categories.map(toText) : [];
  const named = all.flatMap(series => toObjects(series.data).map(point => toText(point.label)));
  const categories = [...new Set([...given, ...named])];
  const series = all.map(each => {
    const points = new Map(toObjects(each.data).map(point => [toText(point.label), toNumber(point.value)]));
    return { name: toText(each.name), values: categories.map(category => points.get(category)) };
  });
  return { kind, categories, series, xLabel: toText(axes.x_label), yLabel: toText(axes.y_label) };
}

/** The values that an axis names, from the lowest to the highest, in round steps. It begins at 0 unless values are below. */
export function axisTicks(values: readonly number[], wanted = 5): readonly number[] {
  const low = Math.min(0, ...values);
  const highest = Math.max(0, ...values);
  const high = highest === low ? 1 : highest;
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find(factor => factor * power >= rough) ?? 10) * power;
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** The path of each part of a pie around 0,0, clockwise from the top. */
export function pieSlices(segments: readonly Segment[], radius: number): readonly string[] {
  const total = segments.reduce((sum, each) => sum + each.value, 0);
  if (total === 0) return segments.map(() => '');
  const point = (share: number): string => {
    const angle = share * 2 * Math.PI;
    return `${(Math.sin(angle) * radius).toFixed(2)} ${(-Math.cos(angle) * radius).toFixed(2)}`;
  };
  let from = 0;
  return segments.map(({ value }) => {
    const share = value / total;
    const start = from;
    from += share;
    if (share === 0) return '';
    if (share === 1)
      return `M0 ${-radius}A${radius} ${radius} 0 1 1 0 ${radius}A${radius} ${radius} 0 1 1 0 ${-radius}Z`;
    return `M0 0L${point(start)}A${radius} ${radius} 0 ${share > 0.5 ? 1 : 0} 1 ${point(from)}Z`;
  });
}

/** A number for people, such as `1.2K`. */
export function shortNumber(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 }).format(value);
}
