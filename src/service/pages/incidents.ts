import { html } from 'hono/html';
import { isMistake, ownLabels } from '../../contract/mistakes.ts';
import { type Context, defaultPluginID } from '../call/context.ts';
import { findPage, type IncidentPage, type ListedIncident, pageSize, type Tally } from '../incidents/shift-list.ts';
import { toNumber } from '../query/typed-where.ts';
import type { IncidentRow } from '../store/tables.ts';
import { toMonth } from '../store/time.ts';
import { inward, type PageContent } from './document.ts';
import { type Html, inlineText, toOneLine } from './escape.ts';
import { drillsOf, type Filters, findTyped, isFiltered, readFilters, toAddressQuery, toChosen } from './filters.ts';
import { isLead, labelMarks, person, severityMark, stateMarks } from './marks.ts';
import { timeTag, writeMonth, writeRecent, writeSpan } from './moments.ts';
import { countChosen, describeFilters, quickFilters, searchBox, toProblem } from './search.ts';

/** The list of incidents: the open ones, then the resolved ones by month. A malformed query or address is said on the page. */
export async function incidentsPage(
  context: Context,
  query: URLSearchParams,
): Promise<{ page: PageContent; status: number }> {
  const filters = readFilters(query);
  const path = inward(context.options, '/incidents');
  const page = readPageNumber(query);
  const [after = '', before = ''] = ['after', 'before'].map(name => query.get(name) ?? '');
  const isFirst = page === 1 && after + before === '';
  const number = toNumber(filters.text) ?? 0;
  const asked = {
    ...{ chosen: toChosen(context, filters), isNarrowed: filters.text.trim() !== '', number, after, before },
    ...{ status: filters.status, countChosen: (tallies: readonly Tally[]) => countChosen(tallies, filters) },
    // An address of an older version has the number alone.
    skipped: page < 2 || after + before !== '' ? 0 : (page - 1) * pageSize - (number > 0 ? 1 : 0),
  };
  const found = await findTyped(context, filters)
    .then(typed => findPage(context, { typed, ...asked }))
    .catch(toProblem);
  const isRefused = 'problem' in found;
  const total = isRefused ? 0 : countChosen(found.tallies, filters);
  const isStale = !isRefused && (page === 0 || (!isFirst && found.listed.length === 0));
  const chips = quickFilters(
    context.options,
    change => `${path}${toAddressQuery(filters, change)}`,
    filters,
    isRefused ? undefined : found.tallies,
  );
  const body = html`<header class="title"><h1>Incidents</h1></header>
${searchBox(path, filters, isRefused ? found : {})}
${chips}
${isRefused ? '' : isStale ? stale(path, filters) : content(context, found, filters, page, total)}`;
  const words = describeFilters(filters);
  const title = `Incidents${words === '' ? '' : `: ${words}`}${page > 1 ? `, page ${page}` : ''}`;
  const more = toPlaceQuery({ page, after, before });
  const printed = { path: `${path}${toAddressQuery(filters, {}, more)}`, at: context.now };
  return { page: { title, section: 'incidents', filters, body, printed }, status: isRefused || isStale ? 400 : 200 };
}

/** The number of the page, as it was when its link was made; 0 for one that cannot be. */
function readPageNumber(query: URLSearchParams): number {
  const asked = query.get('page') ?? '1';
  return /^[1-9]\d{0,5}$/.test(asked) ? Number(asked) : 0;
}

function toPlaceQuery({ page, after = '', before = '' }: { page: number; after?: string; before?: string }) {
  return { page: page > 1 ? String(page) : '', after, before };
}

function stale(path: string, filters: Filters): Html {
  return html`<div class="empty"><p>This link leads to a page that the list does not have any more.</p>
<p><a href="${path}${toAddressQuery(filters)}">Begin with the first page</a></p></div>`;
}

function content(context: Context, found: IncidentPage, filters: Filters, page: number, total: number): Html {
  const path = inward(context.options, '/incidents');
  const to = (change: Partial<Filters>, more?: Record<string, string>) =>
    `${path}${toAddressQuery(filters, change, more)}`;
  const first = (page - 1) * pageSize + 1;
  const last = first + found.listed.length - 1;
  const drills = drillsOf(filters) === 'none' ? countChosen(found.tallies, { ...filters, drills: 'only' }) : 0;
  return html`${total === 0 ? nothing(path, filters) : sections(context, found, filters)}
<p class="pager">${total === 0 ? '' : html`<span>${first}–${last} of ${total}</span>`}
${found.newer === '' ? '' : html`<a rel="prev" href="${to({}, page <= 2 ? {} : toPlaceQuery({ page: page - 1, before: found.newer }))}">Newer</a>`}
${found.older === '' ? '' : html`<a rel="next" href="${to({}, toPlaceQuery({ page: page + 1, after: found.older }))}">Older</a>`}
${drills === 0 ? '' : html`<span>${drills === 1 ? '1 drill is' : `${drills} drills are`} left out. <a href="${to({ drills: 'with' })}">Show drills</a></span>`}
${total === 0 ? '' : html`<a href="${inward(context.options, '/incidents.csv')}${toAddressQuery(filters)}">Save as CSV</a>`}</p>`;
}

function nothing(path: string, filters: Filters): Html {
  if (!isFiltered(filters))
    return html`<div class="empty"><p>There has been no incident yet. Type /incident declare in Slack when there is one.</p></div>`;
  return html`<div class="empty"><p>No incident matches.</p><p><a href="${path}">Clear search and filters</a></p></div>`;
}

/** The incident whose number was typed, then the others below a heading for the open ones and one for each month. */
function sections(context: Context, { listed, tallies }: IncidentPage, filters: Filters): Html {
  const [open, past] = [
    tallies.filter(each => each.status === 'active'),
    tallies.filter(each => each.status !== 'active'),
  ];
  const number = toNumber(filters.text);
  const chosen = listed.find(each => each.row.id === number);
  const others = listed.filter(each => each !== chosen);
  const grouped = Map.groupBy(others, ({ row }) => (row.status === 'active' ? '' : toMonth(row.created_at / 1000)));
  const asked =
    chosen && html`<h2 class="part">Number ${chosen.row.id}</h2><ul class="entries">${entry(context, chosen)}</ul>`;
  return html`${asked ?? ''}${[...grouped].map(([month, those]) => {
    const words = month === '' ? 'Open' : writeMonth(new Date(`${month}-01`));
    const counted = month === '' ? open : past.filter(each => each.month === month);
    return html`<h2 class="part">${words} <span class="quiet">${countChosen(counted, filters)}</span></h2>
<ul class="entries">${those.map(each => entry(context, each))}</ul>`;
  })}`;
}

function entry({ options, now }: Context, listed: ListedIncident): Html {
  const { row, said } = listed;
  const labels = { status: row.status, isDrill: row.is_drill === 1, labels: listed.labels };
  const isOpen = row.status === 'active';
  const declared = new Date(row.created_at / 1000);
  const started = new Date(row.started_at / 1000);
  const ended = row.ended_at === null ? now : new Date(row.ended_at / 1000);
  const length = isOpen ? `open for ${writeSpan(started, now)}` : writeSpan(started, ended);
  // A heading says whether it is open.
  const isSpecial = isMistake(labels) || labels.isDrill;
  return html`<li>
<div class="marks">${severityMark(row.severity, options.severities)}</div>
<div class="main"><a class="name" href="${inward(options, toPath(row))}" dir="auto">${toOneLine(row.title)}</a>
${said === undefined ? '' : latest(said, now)}
<div class="more"><span>#${row.id}</span>${isSpecial ? stateMarks(labels) : ''}<span>${timeTag(declared, writeRecent(declared, now))}</span>${isMistake(labels) ? '' : html`<span>${length}</span>`}${lead(listed, options)}${labelMarks(ownLabels(labels), options)}</div></div></li>`;
}

/** The path of an incident's page. */
export function toPath({ id, slug }: IncidentRow): string {
  return `/a/${defaultPluginID}/incidents/${id}/${slug}`;
}

/** The words of the last update, their age, and when the next one is due. */
function latest({ words, at, next }: NonNullable<ListedIncident['said']>, now: Date): Html {
  const isLate = next !== undefined && next < now;
  const due =
    next &&
    html`<span${isLate ? html` class="alarm"` : ''}>${isLate ? 'update overdue since' : 'next update'} ${timeTag(next, writeRecent(next, now))}</span>`;
  return html`<p class="said">${inlineText(words, 220)} <span class="quiet">${timeTag(at, `${writeSpan(at, now)} ago`)}</span>${due ? html` · ${due}` : ''}</p>`;
}

/** Who leads; without a commander, who holds the first important role, with its name. */
function lead({ row, assignments }: ListedIncident, options: Context['options']): Html {
  const commander = assignments.find(each => isLead(each.role));
  const holder = commander ?? assignments.find(each => each.role.important);
  const role =
    holder && holder !== commander ? html`<span class="quiet">${inlineText(holder.role.name, 60)}:</span> ` : '';
  const isMissing = row.status === 'active' && commander === undefined;
  return html`${isMissing ? html`<span class="alarm">no commander</span>` : ''}${holder ? html`<span>${role}${person(holder.user, options)}</span>` : ''}`;
}
