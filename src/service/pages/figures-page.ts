import { html } from 'hono/html';
import type { Context } from '../call/context.ts';
import type { ServiceOptions } from '../call/options.ts';
import { type Figures, type ResolutionFigures, reach, type Step, toQuantile } from '../incidents/figures.ts';
import { recallFigures } from '../incidents/figures-cache.ts';
import { countAxis, durationAxis, type Tick } from './axis.ts';
import { inward, type PageContent } from './document.ts';
import { type Html, inlineText, toOneLine } from './escape.ts';
import { type Filters, findTyped, readFilters, toAddressQuery, toTerm } from './filters.ts';
import { byRank, severityMark, toLabelTerm, toLabelWords, toRank } from './marks.ts';
import { writeDay, writeDuration, writeMonth, writeShortDay } from './moments.ts';
import { describeFilters, quickFilters, searchBox, toProblem } from './search.ts';
import { percent, upward } from './svg.ts';

/** The page of figures over time, as pictures and as numbers. A malformed query is said on the page, without figures. */
export async function figuresPage(
  context: Context,
  query: URLSearchParams,
): Promise<{ page: PageContent; status: number }> {
  const filters = readFilters(query);
  const by: Step = query.get('by') === 'month' ? 'month' : 'week';
  const found = await recallFigures(context, by, filters, () => findTyped(context, filters)).catch(toProblem);
  const isRefused = 'problem' in found;
  const path = inward(context.options, '/incidents/figures');
  const to = (change: Partial<Filters>, step = by) => `${path}${toAddressQuery(filters, change, { by: step })}`;
  const step = (name: Step, words: string) =>
    html`<a href="${to({}, name)}" ${name === by ? html`aria-current="true"` : ''}>${words}</a>`;
  const body = html`<header class="title"><h1>Figures</h1>
<p class="quiet">Incidents of at most the last ${reach[by]} ${by}s, by the ${by} in which they were declared and the worst severity that they ever had. Drills are left out. Times are UTC.</p></header>
${searchBox(path, filters, { more: { by }, ...(isRefused ? found : {}) })}
${quickFilters(context.options, to, { ...filters, drills: 'none' }, isRefused ? undefined : found.tallies, false)}
<div class="filters"><nav class="switch" aria-label="By">${step('week', 'By week')}${step('month', 'By month')}</nav></div>
${isRefused ? '' : content(context, found, filters)}`;
  const words = describeFilters({ ...filters, drills: '' });
  const title = `Figures${words === '' ? '' : `: ${words}`}`;
  const printed = { path: to({}), at: context.now };
  return { page: { title, section: 'figures', filters, body, printed }, status: isRefused ? 400 : 200 };
}

/** Gives the address of the list with the incidents of a figure, which terms pick out; undefined where one cannot be typed. */
function toList({ options }: Context, filters: Filters) {
  const typed = filters.text.trim();
  // A space binds tighter than OR.
  const kept = /\bOR\b|\|\|/.test(typed) ? `and(${typed})` : typed;
  const worst = filters.severity === '' ? '' : toTerm('worst', filters.severity);
  return (...terms: readonly (string | undefined)[]) => {
    const all = [kept, worst, ...terms];
    if (all.includes(undefined)) return undefined;
    const text = all.filter(each => each !== '').join(' ');
    return inward(options, `/incidents${toAddressQuery(filters, { text, severity: '', drills: 'none' })}`);
  };
}

function toDay(moment: Date, later = 0): string {
  return new Date(moment.getTime() + later * 86_400_000).toISOString().slice(0, 10);
}

function content(context: Context, figures: Figures, filters: Filters): Html {
  const { total, step, from } = figures;
  if (total.count === 0) {
    return html`<div class="empty"><p>No incident since ${writeDay(from)} matches, so there is nothing to count.</p><p><a href="${inward(context.options, '/incidents/figures')}">Clear search and filters</a></p></div>`;
  }
  const list = toList(context, filters);
  const ofPeriod = (start: Date) =>
    list(step === 'month' ? `declared:${toDay(start).slice(0, 7)}` : `declared:${toDay(start)}..${toDay(start, 6)}`);
  const since = `declared:${toDay(from)}..`;
  const tile = (words: string, value: string) => html`<div><dt>${words}</dt><dd>${value}</dd></div>`;
  return html`<dl class="tiles">${[
    tile('incidents', String(total.count)),
    tile('open', String(total.open)),
    tile('median time to resolve', writeTime(total.median)),
    tile('9 of 10 within', writeTime(total.ninth)),
  ]}</dl>
<figure class="card picture"><figcaption><h2>Incidents per ${step}</h2></figcaption>${countPlot(figures, context.options, ofPeriod)}</figure>
<figure class="card picture"><figcaption><h2>Time to resolve</h2><p class="quiet">How long resolved incidents took, from their start to their end. “9 of 10” needs five of them.</p></figcaption>${timePlot(figures, ofPeriod)}</figure>
${periodTable(context, figures, ofPeriod)}
<div class="pair"><section class="card"><h2>By severity</h2>${tally('Severity', figures.severities, each => linked(list(since, toTerm('worst', each.name)), severityMark(each.name, context.options.severities)))}</section>
${figures.labels.length === 0 ? '' : html`<section class="card"><h2>By label</h2>${tally('Label', figures.labels, each => linked(list(since, toLabelTerm(each.key, each.name)), inlineText(toLabelWords(each.key, each.name))))}${figures.labelCount > figures.labels.length ? html`<p class="quiet">${figures.labelCount - figures.labels.length} more labels are on fewer incidents.</p>` : ''}</section>`}</div>
<p class="pager">${linked(list(since)?.replace('/incidents?', '/incidents.csv?'), 'Save these incidents as CSV')}</p>`;
}

function linked(address: string | undefined, words: Html | string): Html {
  return address === undefined ? html`${words}` : html`<a href="${address}">${words}</a>`;
}

function periodTable(
  { options, now }: Context,
  { periods, severities, step }: Figures,
  ofPeriod: (from: Date) => string | undefined,
): Html {
  const names = severities.map(each => each.name).sort(byRank(options.severities));
  const rows = periods.toReversed().map((period, index) => {
    const of = (name: string) => html`<td>${period.severities.get(name) ?? 0}</td>`;
    const word = step === 'month' ? writeMonth(period.from) : writeDay(period.from);
    const heading = period.count === 0 ? html`${word}` : linked(ofPeriod(period.from), word);
    return html`<tr${period.count === 0 ? html` class="nothing"` : ''}><th scope="row" class="period">${heading}${index === 0 && period.from <= now ? html` <span class="quiet">so far</span>` : ''}</th><td>${period.count}</td>${names.map(of)}<td>${period.open}</td><td>${writeTime(period.median)}</td><td>${writeTime(period.ninth)}</td></tr>`;
  });
  return html`<section class="card"><h2>The numbers</h2><div class="scroll" tabindex="0" role="region" aria-label="Figures per ${step}"><table class="figures">
<thead><tr><th scope="col">${step === 'month' ? 'Month' : 'Week of'}</th><th scope="col">All</th>${names.map(name => html`<th scope="col">${toOneLine(name, 40)}</th>`)}<th scope="col">Open</th><th scope="col">Median</th><th scope="col">9 of 10</th></tr></thead>
<tbody>${rows}</tbody></table></div></section>`;
}

function tally<R extends ResolutionFigures>(kind: string, rows: readonly R[], mark: (row: R) => Html): Html {
  const most = Math.max(...rows.map(each => each.count));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="By ${kind.toLowerCase()}"><table class="figures"><thead><tr><th scope="col">${kind}</th><th scope="col">All</th><th scope="col">Open</th><th scope="col">Median</th><th scope="col">9 of 10</th></tr></thead>
<tbody>${rows.map(row => html`<tr><th scope="row">${mark(row)}${shareBar(row.count / most)}</th><td>${row.count}</td><td>${row.open}</td><td>${writeTime(row.median)}</td><td>${writeTime(row.ninth)}</td></tr>`)}</tbody></table></div>`;
}

function writeTime(seconds: number | undefined): string {
  return seconds === undefined ? '–' : writeDuration(seconds);
}

/** Pixels down to the top of a plot, and to its bottom. */
const [top, bottom] = [24, 204];

/** Where a period leads. */
type LinkOf = (from: Date) => string | undefined;

/** Bars of how many incidents each period has, one above the other by severity, the worst at the bottom. */
function countPlot(figures: Figures, options: ServiceOptions, linkOf: LinkOf): Html {
  const { periods, step } = figures;
  const names = figures.severities.map(each => each.name).sort(byRank(options.severities));
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
        : html`<rect x="${left}" width="${width}" y="${y}" height="${from - y}" class="rank${toRank(name, options.severities)}"/>`;
    });
    const words = `${writePeriod(period.from, step)}: ${period.count}`;
    return count === 0 ? '' : html`<a href="${linkOf(period.from) ?? ''}"><title>${words}</title>${parts}</a>`;
  });
  const marks = names.map(name =>
    legend(html`<rect width="12" height="12" rx="3" class="rank${toRank(name, options.severities)}"/>`, name),
  );
  return html`<ul class="legend">${marks}</ul>${frame(figures, 'counted-so-far', `Incidents per ${step} by their worst severity`, axis.ticks, bars)}`;
}

/** Points of how long incidents took, in each period with resolved ones. A time far beyond the others is at the edge, in words. */
function timePlot(figures: Figures, linkOf: LinkOf): Html {
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
function shareBar(share: number): Html {
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
