import { html } from 'hono/html';
import { inward, type PageOptions, toHtml } from './document.ts';
import type { ErrorWords } from './error-words.ts';
import { toOneLine } from './escape.ts';

/** The document for an address that cannot be answered: what was asked, why, a search, and the ways on. */
export async function toApology(
  options: PageOptions,
  asked: string,
  { title, why, again }: ErrorWords,
): Promise<string> {
  const list = inward(options, '/incidents');
  const search = html`<form class="search" action="${list}" role="search"><label for="q">Search incidents</label>
<div class="row"><input id="q" name="q" type="search" autocomplete="off" maxlength="10000" dir="auto"><button type="submit">Search</button></div></form>
<p class="ways">${again === undefined ? '' : html`<a href="${inward(options, again)}">Begin again</a>`}<a href="${list}">All incidents</a><a href="${inward(options, '/dashboards')}">All dashboards</a></p>`;
  const body = html`<div class="apology"><h1 dir="auto">${toOneLine(title, 200)}</h1><p dir="auto">${toOneLine(why)}</p>
<p class="quiet">You asked for <code dir="ltr">${toOneLine(asked, 200)}</code></p>${options.pages === 'off' ? '' : search}</div>`;
  return toHtml(options, { title, section: 'none', body });
}
