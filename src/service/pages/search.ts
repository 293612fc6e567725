import { html } from 'hono/html';
import { RpcError } from '../../contract/errors.ts';
import type { ServiceOptions } from '../call/options.ts';
import type { Tally } from '../incidents/shift-list.ts';
import { toRank } from '../query/typed-where.ts';
import { type Html, toOneLine, toVisibleText } from './escape.ts';
import { drillsOf, type Filters } from './filters.ts';

/** What the search box holds at first. */
const placeholder = 'checkout label:payments declared:7d';

/** The search box. It keeps the typed query, and shows below what is wrong with it. */
export function searchBox(
  path: string,
  filters: Filters,
  how: { more?: Readonly<Record<string, string>>; problem?: string },
): Html {
  const { text, status, severity, drills } = filters;
  const kept = Object.entries({ status, severity, drills, ...how.more }).filter(([, value]) => value !== '');
  const { problem } = how;
  return html`<form class="search" action="${path}" role="search">
<label for="q">Search</label>
<div class="row"><input id="q" name="q" type="search" value="${toVisibleText(text)}" placeholder="${placeholder}" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="10000" dir="auto"${problem === undefined ? '' : html` aria-invalid="true" aria-describedby="problem"`}>
<button type="submit">Search</button>
<details class="syntax"><summary>Help</summary>${syntax}</details></div>
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${toVisibleText(value)}">`)}
${problem === undefined ? '' : html`<p class="problem" id="problem" role="alert" dir="auto">${toVisibleText(problem)}</p>`}
</form>`;
}

/** What is wrong with a query, for the person who typed it. Throws any other error on. */
export function toProblem(error: unknown): { problem: string } {
  if (!(error instanceof RpcError) || error.code !== 'invalid_argument') throw error;
  const words = error.message.replace(/^invalid query: /, '');
  return { problem: `${words.charAt(0).toUpperCase()}${words.slice(1)}` };
}

/** Queries that people can try, and what each looks for. */
const examples: readonly (readonly [query: string, words: string])[] = [
  ['payments "is slow"', 'words of the title, a label or a name'],
  ['open minor 52w', 'a state, a severity, and since so long ago'],
  ['#12', 'the incident with this number'],
  ['status:open severity:minor', 'what must all hold, and no words of a title'],
  ['declared:90d', 'since so long ago; also started, ended, resolved'],
  ['declared:2026-09-01..2026-09-30', 'days in UTC; one end may be left out'],
  ['commander:ana', 'who holds a role; person:ana is any role'],
  ['label:mail', 'a label as a whole; field:service:checkout is one with its key'],
  ['notes:certificate', 'words in the newest 200,000 entries of timelines'],
  ['worst:critical', 'the worst severity that an incident ever had'],
  ['or(label:mail label:login) -isdrill:true', 'either, and not'],
];

const syntax = html`<dl class="examples">${examples.map(([query, words]) => html`<div><dt><code>${query}</code></dt><dd>${words}</dd></div>`)}</dl>`;

/** How many of the tallies the choices keep. */
export function countChosen(tallies: readonly Tally[], filters: Filters): number {
  const drills = drillsOf(filters);
  const kept = tallies.filter(
    each =>
      (filters.status === '' || each.status === filters.status) &&
      (filters.severity === '' || each.severity.toLowerCase() === filters.severity.toLowerCase()) &&
      (drills === 'with' || (each.isDrill ?? false) === (drills === 'only')),
  );
  return kept.reduce((sum, each) => sum + each.count, 0);
}

/** Links that narrow a page by status, severity and drills; with tallies, each says how many it leads to. */
export function quickFilters(
  { severities }: ServiceOptions,
  address: (change: Partial<Filters>) => string,
  filters: Filters,
  tallies: readonly Tally[] | undefined,
  isWithDrills = true,
): Html {
  const ranked = [...severities].sort((one, other) => toRank(one.level) - toRank(other.level));
  const chips = (name: string, choices: readonly { readonly words: string; readonly change: Partial<Filters> }[]) => {
    const links = choices.map(({ words, change }) => {
      const chosen = { ...filters, drills: drillsOf(filters) };
      const holds = Object.entries(change).every(([member, value]) => chosen[member as keyof Filters] === value);
      const count = tallies && html` <span>${countChosen(tallies, { ...filters, ...change })}</span>`;
      return html`<a href="${address(change)}" ${holds ? html`aria-current="true"` : ''}>${words}${count ?? ''}</a>`;
    });
    return html`<nav class="switch" aria-label="${name}">${links}</nav>`;
  };
  return html`<div class="filters">${[
    chips('Status', [
      { words: 'All', change: { status: '' } },
      { words: 'Open', change: { status: 'active' } },
      { words: 'Resolved', change: { status: 'resolved' } },
    ]),
    chips('Severity', [
      { words: 'Any severity', change: { severity: '' } },
      ...ranked.map(({ label }) => ({ words: toOneLine(label, 60), change: { severity: label } })),
    ]),
    isWithDrills
      ? chips('Drills', [
          { words: 'No drills', change: { drills: 'none' } },
          { words: 'With drills', change: { drills: 'with' } },
          { words: 'Only drills', change: { drills: 'only' } },
        ])
      : '',
  ]}</div>`;
}

/** The filters in words, for the title of a page: `open, critical, “checkout”`; `""` without any. */
export function describeFilters({ text, status, severity, drills }: Filters): string {
  const words = [
    status === 'active' ? 'open' : status,
    severity,
    drills === 'only' ? 'drills' : '',
    text.trim() === '' ? '' : `“${toOneLine(text, 60)}”`,
  ];
  return words.filter(each => each !== '').join(', ');
}
