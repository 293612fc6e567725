import { html } from 'hono/html';
import type { ServiceOptions } from '../call/options.ts';
import { type Figures, type Step, toQuantile } from '../incidents/figures.ts';
import { countAxis, durationAxis, type Tick } from './axis.ts';
import { type Html, toOneLine } from './escape.ts';
import { byRank, toRank } from './marks.ts';
import { writeDuration, writeMonth, writeShortDay } from './moments.ts';
import { percent, upward } from './svg.ts';

/** Pixels down to the top of a plot, and to its bottom. */
const [top, bottom] = [24, 204];

/** Where a period leads. */
type LinkOf = (from: Date) => string | undefined;

/** Bars of how many incidents each period has, one above the other by severity, the worst at the bottom. */
export function countPlot(figures: Figures, options: Pick<ServiceOptions, 'severities'>, linkOf: LinkOf): Html {
  const { periods, step } = figures;
  const names = figures.severities.map(each => each.name).sort(byRank(options));
  const axis = countAxis(Math.max(4, ...periods.map(each => each.count)));
  const bars = periods.map((period, index) => {
    const { left, width } = toPlace(index, periods.length);
    let count = 0;
    const parts = names.map(name => {
      const from = toY(axis.place(count));
      count += period.severities.get(name) ?? 0;
      const y = toY(axis.place(count));
      return y === from
        ? ''
        : html`<rect x="${left}" width="${width}" y="${y}" height="${from - y}" class="rank${toRank(name, options)}"/>`;
    });
    const words = `${writePeriod(period.from, step)}: ${period.count}`;
    return count === 0 ? '' : html`<a href="${linkOf(period.from) ?? ''}"><title>${words}</title>${parts}</a>`;
  });
  const marks = names.map(name =>
    legend(html`<rect width="12" height="12" rx="3" class="rank${toRank(name, options)}"/>`, name),
  );
  return html`<ul class="legend">${marks}</ul>${frame(figures, 'counted-so-far', `Incidents per ${step} by their worst severity`, axis.ticks, bars)}`;
}

/** Points of how long incidents took, in each period with resolved ones. A time far beyond the others stands at the edge in words. */
export function timePlot(figures: Figures, linkOf: LinkOf): Html {
  const { periods, step } = figures;
  const axis = durationAxis(toReach(periods.flatMap(each => [each.median ?? [], each.ninth ?? []].flat())));
  const points = periods.map((period, index) => {
    const { centre } = toPlace(index, periods.length);
    const point = (seconds: number | undefined, words: string, kind: string) => {
      if (seconds === undefined) return '';
      const title = html`<title>${writePeriod(period.from, step)}: ${words} ${writeDuration(seconds)}</title>`;
      const at = axis.place(seconds);
      return at > 100
        ? html`<text x="${centre}" y="${top - 8}" text-anchor="middle">${title}↑ ${writeDuration(seconds)}</text>`
        : html`<circle cx="${centre}" cy="${toY(at)}" r="4.5" class="${kind}">${title}</circle>`;
    };
    const both = [point(period.ninth, '9 of 10 within', 'ninth'), point(period.median, 'median', 'median')];
    return period.median === undefined ? '' : html`<a href="${linkOf(period.from) ?? ''}">${both}</a>`;
  });
  const marks = [
    legend(html`<circle cx="6" cy="6" r="4.5" class="median"/>`, 'median'),
    legend(html`<circle cx="6" cy="6" r="4.5" class="ninth"/>`, '9 of 10 within'),
  ];
  return html`<ul class="legend">${marks}</ul>${frame(figures, 'timed-so-far', `Time to resolve per ${step}`, axis.ticks, points)}`;
}

/** A bar in a table: which share of the largest row this one has. */
export function shareBar(share: number): Html {
  return html`<svg class="share" aria-hidden="true"><rect width="${percent(100 * share)}" height="100%" rx="3"/></svg>`;
}

/** The longest time that the axis reaches in seconds. One beyond three times what most need would flatten the rest. */
function toReach(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const most = sorted.at(-1) ?? 0;
  const usual = toQuantile(sorted, 0.8) ?? 0;
  return most > 3 * usual ? usual : most;
}

/** The place of a period across. */
function toPlace(index: number, count: number) {
  const width = 100 / count;
  return {
    left: percent((index + 0.14) * width),
    width: percent(0.72 * width),
    centre: percent((index + 0.5) * width),
  };
}

/** The place of per cent of an axis upward, in pixels from the top of the picture. */
function toY(at: number): number {
  return Math.round((bottom - ((bottom - top) * at) / 100) * 10) / 10;
}

/** The picture around the marks of periods. It is no image to readers of screens, since its marks are links. */
function frame(
  { periods, step }: Figures,
  id: string,
  words: string,
  ticks: readonly Tick[],
  content: readonly (Html | string)[],
): Html {
  const every = Math.ceil(periods.length / 9);
  const names = periods.map(({ from }, index) => {
    const back = periods.length - 1 - index;
    if (back % every !== 0) return '';
    const { centre } = toPlace(index, periods.length);
    return html`<g class="tick${back % (2 * every) === 0 ? '' : ' minor'}"><text x="${centre}" y="${bottom + 18}" text-anchor="middle">${writePeriod(from, step)}</text></g>`;
  });
  const width = 100 / periods.length;
  return html`<svg class="plot figures" height="${bottom + 44}" role="group" aria-label="${words}; the numbers are in the table below">
<defs><pattern id="${id}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="6"/></pattern></defs>
${upward(ticks, top, bottom)}${content}${names}
<rect class="so-far" x="${percent(100 - width)}" width="${percent(width)}" y="${top}" height="${bottom - top}" fill="url(#${id})"/>
<g class="tick"><text x="100%" y="${bottom + 36}" text-anchor="end">so far</text></g></svg>`;
}

function legend(mark: Html, words: string): Html {
  return html`<li><svg width="12" height="12" aria-hidden="true">${mark}</svg> <bdi>${toOneLine(words, 40)}</bdi></li>`;
}

function writePeriod(from: Date, step: Step): string {
  return step === 'month' ? writeMonth(from) : writeShortDay(from);
}
