import { html } from 'hono/html';
import { RpcError } from '../../contract/errors.ts';
import type { Context } from '../call/context.ts';
import { dashboardPath } from '../dashboards/address.ts';
import { openRecords } from '../dashboards/records.ts';
import { findPeople, type PersonOf } from '../store/people.ts';
import { inward, type PageContent } from './document.ts';
import { type Html, inlineText, toOneLine } from './escape.ts';
import { heading, person } from './marks.ts';
import { timeTag } from './moments.ts';

/** The most dashboards that a page lists. */
const mostDashboards = 500;

/** The page of a folder: its dashboards by name. Throws `not_found`. */
export async function folderPage(context: Context, uid: string): Promise<PageContent> {
  const folder = await openRecords(context)
    .selectFrom('folder')
    .select(['id', 'title'])
    .where('uid', '=', uid)
    .executeTakeFirst();
  if (!folder) throw new RpcError('not_found', 'There is no such folder.');
  const dashboards = await readDashboards(context, folder.id);
  const shown = dashboards.slice(0, mostDashboards);
  const tags = await readTags(context, shown);
  const personOf = await findPeople(
    context.db,
    shown.map(each => each.updated_by),
  );
  const entries = shown.map(each => entry(context, each, tags.get(each.id) ?? [], personOf));
  const body = html`<header class="title"><p class="trail"><a href="${inward(context.options, '/dashboards')}">Dashboards</a></p>${heading(folder.title)}</header>
${shown.length === 0 ? html`<div class="empty"><p>There is no dashboard in this folder.</p></div>` : html`<ul class="entries">${entries}</ul>`}
${dashboards.length > shown.length ? html`<p class="quiet">There are more than these ${mostDashboards}.</p>` : ''}`;
  const printed = { path: inward(context.options, `/dashboards/f/${encodeURIComponent(uid)}`), at: context.now };
  return { title: folder.title, section: 'dashboards', body, printed };
}

/** The dashboards of a folder, one more than the page lists if there are more. Slugs order them without regard to case. */
async function readDashboards(context: Context, folderID: number) {
  return await openRecords(context)
    .selectFrom('dashboard')
    .select(['id', 'uid', 'title', 'slug', 'version', 'updated_at', 'updated_by'])
    .where('folder_id', '=', folderID)
    .where('deleted_at', 'is', null)
    .orderBy('slug')
    .orderBy('id')
    .limit(mostDashboards + 1)
    .execute();
}

type Row = Awaited<ReturnType<typeof readDashboards>>[number];

async function readTags(context: Context, dashboards: readonly Row[]): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>();
  if (dashboards.length === 0) return found;
  const ids = dashboards.map(each => each.id);
  const rows = await openRecords(context)
    .selectFrom('dashboard_tag')
    .select(['dashboard_id', 'term'])
    .where('dashboard_id', 'in', ids)
    .orderBy('term')
    .execute();
  for (const { dashboard_id, term } of rows) found.set(dashboard_id, [...(found.get(dashboard_id) ?? []), term]);
  return found;
}

function entry({ options }: Context, dashboard: Row, tags: readonly string[], personOf: PersonOf): Html {
  const { title, version, updated_at } = dashboard;
  const by = personOf(dashboard.updated_by);
  return html`<li><div class="main"><a class="name" href="${dashboardPath(options, dashboard)}" dir="auto">${toOneLine(title)}</a>
<div class="more"><span>version ${version}</span>${timeTag(new Date(updated_at / 1000))}${by.userID === '' ? '' : person(by)}${tags.length > 0 ? html`<ul class="labels">${tags.map(tag => html`<li>${inlineText(tag, 60)}</li>`)}</ul>` : ''}</div></div></li>`;
}
