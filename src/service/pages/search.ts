import { html } from 'hono/html';
import { type Html, toVisibleText } from './escape.ts';
import { type Filters, toAddressQuery } from './filters.ts';

/** The search box. It keeps the typed query, and shows below what is wrong with it. */
export function searchBox(
  path: string,
  filters: Filters,
  how: { more?: Readonly<Record<string, string>>; problem?: string },
): Html {
  const { text, status, severity, drills } = filters;
  const kept = Object.entries({ status, severity, drills, ...how.more }).filter(([, value]) => value !== '');
  const { problem } = how;
  return html`<form class="search" action="${path}" method="get" role="search">
<label for="q">Search</label>
<div class="row"><input id="q" name="q" type="search" value="${toVisibleText(text)}" placeholder="checkout label:payments status:active" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="10000" dir="auto"${problem === undefined ? '' : html` aria-invalid="true" aria-describedby="problem"`}>
<button type="submit">Search</button></div>
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${toVisibleText(value)}">`)}
${problem === undefined ? '' : html`<p class="problem" id="problem" role="alert" dir="auto">${toVisibleText(problem)}</p>`}
<details class="syntax"><summary>What can be typed</summary>${syntax}</details>
</form>`;
}

/** Queries that people can try, and what each looks for. */
export const examples: readonly (readonly [query: string, words: string])[] = [
  ['checkout "slow queries"', 'words of the title'],
  ['status:active severity:critical', 'what must all hold'],
  ['label:payments  field:service:checkout', 'labels, under any key or one'],
  ['declared:2026-09-01T00:00:00Z,  started:,2026-09-30T00:00:00Z', 'times from, until; either end may be left out'],
  ['role:commander user.email:ana@example.com', 'who held which role'],
  ['or(label:db label:cache) -isdrill:true', 'either, and not'],
];

const syntax = html`<dl class="examples">${examples.map(([query, words]) => html`<div><dt><code>${query}</code></dt><dd>${words}</dd></div>`)}</dl>`;

/** The choices of one filter as links, with the present one marked. */
export function chips(
  name: string,
  path: string,
  filters: Filters,
  choices: readonly { readonly words: string; readonly change: Partial<Filters> }[],
): Html {
  const links = choices.map(({ words, change }) => {
    const holds = Object.entries(change).every(([member, value]) => filters[member as keyof Filters] === value);
    const address = `${path}${toAddressQuery(filters, change)}`;
    return html`<a href="${address}" ${holds ? html`aria-current="true"` : ''}>${words}</a>`;
  });
  return html`<nav class="switch" aria-label="${name}">${links}</nav>`;
}
