import { html } from 'hono/html';
import { RpcError } from '../../contract/errors.ts';
import type { Context } from '../call/context.ts';
import { inward, type PageContent } from './document.ts';
import { type Html, inlineText, toOneLine } from './escape.ts';
import { type Figures, type ResolutionFigures, reach, type Step } from './figures.ts';
import { recallFigures } from './figures-cache.ts';
import { type Filters, readFilters, toAddressQuery, toQueryString } from './filters.ts';
import { byRank, severityMark } from './marks.ts';
import { writeDay, writeDuration, writeMonth } from './moments.ts';
import type { Reader } from './picture.ts';
import { picture } from './picture-frame.ts';
import { searchBox } from './search.ts';

/**
 * The page of figures over time, as pictures and as numbers. When the query is malformed, the page says so and shows no
 * figures.
 */
export async function figuresPage(
  context: Context,
  query: URLSearchParams,
): Promise<{ page: PageContent; status: number }> {
  const asked = readAsked(query);
  const figures = await find(context, asked);
  const failed = 'problem' in figures;
  const path = inward(context.options, '/incidents/figures');
  const step = (name: Step, words: string) =>
    html`<a href="${path}${toAddressQuery(asked.filters, {}, { by: name })}" ${name === asked.step ? html`aria-current="true"` : ''}>${words}</a>`;
  const body = html`<header class="title"><h1>Figures</h1>
<p class="quiet">Incidents of at most the last ${reach[asked.step]} ${asked.step}s, by the ${asked.step} in which they were declared. Drills are left out. Times are UTC.</p></header>
${searchBox(path, asked.filters, { more: { by: asked.step }, ...(failed ? { problem: figures.problem } : {}) })}
<div class="filters"><nav class="switch" aria-label="By">${step('week', 'By week')}${step('month', 'By month')}</nav></div>
${failed ? '' : content(context, figures, asked.filters)}`;
  return { page: { title: 'Figures', section: 'figures', body }, status: failed ? 400 : 200 };
}

/** One picture of that page. Throws `invalid_argument` for a malformed query. */
export async function figuresPicture(
  context: Context,
  plot: 'count' | 'time' | 'labels',
  query: URLSearchParams,
  reader: Reader,
): Promise<string> {
  const figures = await find(context, readAsked(query));
  if ('problem' in figures) throw new RpcError('invalid_argument', figures.problem);
  const { drawFigures } = await import('./figures-pictures.ts');
  return drawFigures(plot, figures, reader, context.options);
}

interface Asked {
  readonly filters: Filters;
  readonly step: Step;
}

function readAsked(query: URLSearchParams): Asked {
  return { filters: { ...readFilters(query), drills: '' }, step: query.get('by') === 'month' ? 'month' : 'week' };
}

async function find(context: Context, { filters, step }: Asked): Promise<Figures | { problem: string }> {
  try {
    return await recallFigures(context, step, toQueryString(filters));
  } catch (error) {
    if (error instanceof RpcError && error.code === 'invalid_argument') return { problem: error.message };
    throw error;
  }
}

function content(context: Context, figures: Figures, filters: Filters): Html {
  const { total, step } = figures;
  if (total.count === 0) {
    return html`<div class="empty"><p>No incident since ${writeDay(figures.from)} matches, so there is nothing to count.</p></div>`;
  }
  const address = (plot: string) =>
    inward(context.options, `/incidents/figures/${plot}.svg${toAddressQuery(filters, {}, { by: step })}`);
  const tile = (words: string, value: string) => html`<div><dt>${words}</dt><dd>${value}</dd></div>`;
  return html`<dl class="tiles">${[
    tile('incidents', String(total.count)),
    tile('active', String(total.open)),
    tile('median time to resolve', writeTime(total.median)),
    tile('9 out of 10 within', writeTime(total.ninth)),
  ]}</dl>
<figure class="card picture"><figcaption><h2>Incidents per ${step}</h2></figcaption>${picture(address('count'), `Incidents per ${step} by severity; the numbers are in the table below`)}</figure>
<figure class="card picture"><figcaption><h2>Time to resolve</h2><p class="quiet">From start to end, of those that are resolved.</p></figcaption>${picture(address('time'), `Median and ninth decile of the time to resolve per ${step}; the numbers are in the table below`)}</figure>
${periodTable(context, figures)}
<div class="pair">${tallyTable('By severity', figures.severities, name => severityMark(name, context.options))}
${figures.labels.length > 0 ? html`<section class="card"><h2>By label</h2>${picture(address('labels'), 'Incidents by label; the numbers are in the table below')}${tally('Label', figures.labels, inlineText)}${figures.labelCount > figures.labels.length ? html`<p class="quiet">${figures.labelCount - figures.labels.length} more labels are on fewer incidents.</p>` : ''}</section>` : ''}</div>`;
}

function periodTable({ options }: Context, { periods, severities, step }: Figures): Html {
  const names = severities.map(each => each.name).sort(byRank(options));
  const rows = periods.toReversed().map(period => {
    const of = (name: string) => html`<td>${period.severities.get(name) ?? 0}</td>`;
    const word = step === 'month' ? writeMonth(period.from) : writeDay(period.from);
    return html`<tr${period.count === 0 ? html` class="nothing"` : ''}><th scope="row" class="period">${word}</th><td>${period.count}</td>${names.map(of)}<td>${period.open}</td><td>${writeTime(period.median)}</td><td>${writeTime(period.ninth)}</td></tr>`;
  });
  return html`<section class="card"><h2>The numbers</h2><div class="scroll" tabindex="0" role="region" aria-label="Figures per ${step}"><table>
<thead><tr><th scope="col">${step === 'month' ? 'Month' : 'Week of'}</th><th scope="col">All</th>${names.map(name => html`<th scope="col">${toOneLine(name, 40)}</th>`)}<th scope="col">Active</th><th scope="col">Median</th><th scope="col">9 of 10</th></tr></thead>
<tbody>${rows}</tbody></table></div></section>`;
}

function tallyTable(title: string, rows: Figures['severities'], mark: (name: string) => Html): Html {
  return html`<section class="card"><h2>${title}</h2>${tally('Severity', rows, mark)}</section>`;
}

function tally(
  kind: string,
  rows: readonly (ResolutionFigures & { name: string })[],
  mark: (name: string) => Html,
): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="By ${kind.toLowerCase()}"><table><thead><tr><th scope="col">${kind}</th><th scope="col">All</th><th scope="col">Active</th><th scope="col">Median</th><th scope="col">9 of 10</th></tr></thead>
<tbody>${rows.map(row => html`<tr><th scope="row">${mark(row.name)}</th><td>${row.count}</td><td>${row.open}</td><td>${writeTime(row.median)}</td><td>${writeTime(row.ninth)}</td></tr>`)}</tbody></table></div>`;
}

function writeTime(seconds: number | undefined): string {
  return seconds === undefined ? '–' : writeDuration(seconds);
}
