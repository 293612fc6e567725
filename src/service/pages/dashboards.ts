import { html } from 'hono/html';
import { Search, type SearchHit } from '../../contract/discovery.ts';
import type { Context } from '../call/context.ts';
import { search } from '../dashboards/discovery.ts';
import { listTags } from '../dashboards/read.ts';
import { inward, type PageContent } from './document.ts';
import { type Html, inlineText, toOneLine, toVisibleText } from './escape.ts';

const pageSize = 100;
/** The most tags that are offered. */
const mostTags = 40;

/** The door to dashboards: folders and what lies in none; or what a search for words of the title and a tag finds. */
export async function dashboardsPage(context: Context, query: URLSearchParams): Promise<PageContent> {
  const path = inward(context.options, '/dashboards');
  const [words, tag] = [query.get('q')?.slice(0, 500) ?? '', query.get('tag') ?? ''];
  const to = (more: Readonly<Record<string, string>>) => {
    const members = Object.entries({ q: words, tag, ...more }).filter(([, value]) => value !== '');
    return members.length === 0 ? path : `${path}?${new URLSearchParams(members)}`;
  };
  const all = await search.find(context, Search.find.input.parse({ limit: '5000', query: words, tag }));
  const isSearch = words.trim() !== '' || tag !== '';
  const listed = all.filter(hit => isSearch || (hit.type === 'dash-db' && hit.folderUid === undefined));
  const pages = Math.max(1, Math.ceil(listed.length / pageSize));
  const asked = Number(/^\d{1,4}$/.exec(query.get('page') ?? '')?.[0] ?? 1);
  const page = Math.min(Math.max(1, asked), pages);
  const shown = listed.slice((page - 1) * pageSize, page * pageSize);
  const tags = (await listTags(context)).sort((one, other) => other.count - one.count).slice(0, mostTags);
  const folders = all.filter(hit => hit.type === 'dash-folder');
  const inFolder = (uid: string) => all.filter(hit => hit.folderUid === uid).length;
  const body = html`<header class="title"><h1>Dashboards</h1></header>
<form class="search" action="${path}" role="search"><label for="q">Search dashboards</label>
<div class="row"><input id="q" name="q" type="search" value="${toVisibleText(words)}" placeholder="Words of the title" autocomplete="off" maxlength="500" dir="auto">${tag === '' ? '' : html`<input type="hidden" name="tag" value="${toVisibleText(tag)}">`}<button type="submit">Search</button></div></form>
${tags.length === 0 ? '' : html`<div class="filters"><nav class="switch" aria-label="Tags"><a href="${to({ tag: '' })}" ${tag === '' ? html`aria-current="true"` : ''}>Any tag</a>${tags.map(({ term, count }) => html`<a href="${to({ tag: term })}" ${term === tag ? html`aria-current="true"` : ''}>${inlineText(term, 60)} <span class="quiet">${count}</span></a>`)}</nav></div>`}
${isSearch ? '' : html`<section><h2>Folders</h2>${folders.length === 0 ? html`<p class="none">There is no folder.</p>` : html`<ul class="entries">${folders.map(hit => entry(hit, countWords(inFolder(hit.uid))))}</ul>`}</section>`}
<section><h2>${isSearch ? html`Found <span class="quiet">${listed.length}</span>` : html`General <span class="quiet">in no folder</span>`}</h2>
${shown.length === 0 ? html`<p class="none">${isSearch ? html`No dashboard or folder is like this. <a href="${path}">All dashboards</a>` : 'There is no dashboard here.'}</p>` : html`<ul class="entries">${shown.map(hit => entry(hit))}</ul>`}</section>
${pages === 1 ? '' : html`<p class="pager">${page > 1 ? html`<a rel="prev" href="${to({ page: String(page - 1) })}">Previous</a>` : ''}<span>${(page - 1) * pageSize + 1}–${(page - 1) * pageSize + shown.length} of ${listed.length}</span>${page < pages ? html`<a rel="next" href="${to({ page: String(page + 1) })}">Next</a>` : ''}</p>`}`;
  return {
    title: 'Dashboards',
    section: 'dashboards',
    body: html`<div class="door">${body}</div>`,
    printed: { path: to({}), at: context.now },
  };
}

function countWords(count: number): string {
  return count === 1 ? '1 dashboard' : `${count} dashboards`;
}

function entry({ type, url, title, folderTitle, tags }: SearchHit, more = ''): Html {
  const place = type === 'dash-folder' ? more || 'folder' : toOneLine(folderTitle ?? '', 100);
  const labels =
    tags.length === 0 ? '' : html`<ul class="labels">${tags.map(tag => html`<li>${inlineText(tag, 60)}</li>`)}</ul>`;
  return html`<li><div class="main"><a class="name" href="${url}" dir="auto">${toOneLine(title)}</a>${place === '' && labels === '' ? '' : html`<div class="more">${place === '' ? '' : inlineText(place)}${labels}</div>`}</div></li>`;
}
