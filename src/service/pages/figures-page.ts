import { html } from 'hono/html';
import type { Context } from '../call/context.ts';
import { type Figures, type ResolutionFigures, reach, type Step } from '../incidents/figures.ts';
import { recallFigures } from '../incidents/figures-cache.ts';
import { inward, type PageContent } from './document.ts';
import { type Html, inlineText, toOneLine } from './escape.ts';
import { countPlot, shareBar, timePlot } from './figures-plots.ts';
import { type Filters, findTyped, readFilters, toAddressQuery, toTerm } from './filters.ts';
import { byRank, severityMark, toLabelTerm, toLabelWords } from './marks.ts';
import { writeDay, writeDuration, writeMonth } from './moments.ts';
import { describeFilters, quickFilters, searchBox, toProblem } from './search.ts';

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

/** The address of the list with the incidents of a figure, which terms pick out; undefined where one cannot be typed. */
type ListOf = (...terms: readonly (string | undefined)[]) => string | undefined;

function toList({ options }: Context, filters: Filters): ListOf {
  const typed = filters.text.trim();
  // A space binds tighter than OR.
  const kept = /\bOR\b|\|\|/.test(typed) ? `and(${typed})` : typed;
  const worst = filters.severity === '' ? '' : toTerm('worst', filters.severity);
  return (...terms) => {
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
<div class="pair"><section class="card"><h2>By severity</h2>${tally('Severity', figures.severities, each => linked(list(since, toTerm('worst', each.name)), severityMark(each.name, context.options)))}</section>
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
  const names = severities.map(each => each.name).sort(byRank(options));
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
