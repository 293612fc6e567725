import { html } from 'hono/html';
import type { Context } from '../call/context.ts';
import { dashboardPath } from '../dashboards/address.ts';
import { listFolder } from '../dashboards/read.ts';
import { findPeople } from '../store/people.ts';
import { inward, type PageContent } from './document.ts';
import { inlineText, toOneLine } from './escape.ts';
import { heading, person } from './marks.ts';
import { timeTag } from './moments.ts';

/** The most dashboards that a page lists. */
const mostDashboards = 500;

/** The page of a folder: its dashboards by name. Throws `not_found`. */
export async function folderPage(context: Context, uid: string): Promise<PageContent> {
  const { title, dashboards } = await listFolder(context, uid, mostDashboards + 1);
  const shown = dashboards.slice(0, mostDashboards);
  const ids = shown.map(each => each.updated_by);
  const personOf = await findPeople(context, ids);
  const entries = shown.map(dashboard => {
    const by = personOf(dashboard.updated_by);
    const tags = dashboard.tags.map(tag => html`<li>${inlineText(tag, 60)}</li>`);
    return html`<li><div class="main"><a class="name" href="${dashboardPath(context.options, dashboard)}" dir="auto">${toOneLine(dashboard.title)}</a>
<div class="more"><span>version ${dashboard.version}</span>${timeTag(new Date(dashboard.updated_at / 1000))}${by.userID === '' ? '' : person(by)}${tags.length > 0 ? html`<ul class="labels">${tags}</ul>` : ''}</div></div></li>`;
  });
  const body = html`<header class="title"><p class="trail"><a href="${inward(context.options, '/dashboards')}">Dashboards</a></p>${heading(title)}</header>
${shown.length === 0 ? html`<div class="empty"><p>There is no dashboard in this folder.</p></div>` : html`<ul class="entries">${entries}</ul>`}
${dashboards.length > shown.length ? html`<p class="quiet">There are more than these ${mostDashboards}.</p>` : ''}`;
  const printed = { path: inward(context.options, `/dashboards/f/${encodeURIComponent(uid)}`), at: context.now };
  return { title, section: 'dashboards', body, printed };
}
