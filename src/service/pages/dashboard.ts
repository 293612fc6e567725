import { html } from 'hono/html';
import { RpcError } from '../../contract/errors.ts';
import { parseJson } from '../../contract/exact-json.ts';
import type { Context } from '../call/context.ts';
import { dashboardPath } from '../dashboards/address.ts';
import { getDashboard } from '../dashboards/read.ts';
import { openRecords } from '../dashboards/records.ts';
import { findPeople, type PersonOf } from '../store/people.ts';
import { type Panel, readRows, readVariables, readWindow } from './dashboard-model.ts';
import type { PageContent } from './document.ts';
import { type Html, inlineText, toOneLine, toVisibleText } from './escape.ts';
import { heading, person } from './marks.ts';
import { timeTag, writeMoment, writeSpan } from './moments.ts';

/** The most versions that a page lists. */
const mostVersions = 50;

type Shown = Awaited<ReturnType<typeof getDashboard>>;

/** The page of a dashboard, with the time window and variables of the link. Throws `not_found`. */
export async function dashboardPage(context: Context, uid: string, query: URLSearchParams): Promise<PageContent> {
  const found = await getDashboard(context, uid);
  const { dashboard, meta } = found;
  const versions = await readVersions(context, uid);
  const personOf = await findPeople(
    context.db,
    versions.map(each => each.created_by),
  );
  const path = dashboardPath(context.options, { uid, slug: meta.slug });
  const rows = readRows(dashboard);
  const tags = readTags(dashboard);
  const body = html`<article class="dashboard"><header class="title">
<p class="trail">Dashboards / ${trail(meta)}</p>
${heading(dashboard.title)}
${tags.length > 0 ? html`<ul class="labels">${tags.map(tag => html`<li>${inlineText(tag, 60)}</li>`)}</ul>` : ''}
${typeof dashboard.description === 'string' && dashboard.description !== '' ? html`<p class="quiet" dir="auto">${toOneLine(dashboard.description, 600)}</p>` : ''}
</header>
${frame(found, query)}
<p class="notice">This page shows the dashboard’s panels and queries, not its data. To see data, import the model below into a Grafana.</p>
${rows.map(row => html`<section class="row-of-panels">${row.title === '' ? '' : html`<h2 dir="auto">${toOneLine(row.title, 200)}</h2>`}<div class="grid">${row.panels.map(panelCard)}</div></section>`)}
${rows.length === 0 ? html`<div class="empty"><p>It has no panels.</p></div>` : ''}
<div class="pair">${[history(versions, personOf, path), rawModel(found, path)]}</div></article>`;
  return { title: dashboard.title, section: 'none', body };
}

/** The folder of the dashboard; at the root level it has no page. */
function trail({ folderTitle, folderUrl }: Shown['meta']): Html {
  const name = inlineText(folderTitle, 100);
  return typeof folderUrl === 'string' && folderUrl !== '' ? html`<a href="${folderUrl}">${name}</a>` : name;
}

/** The model of a dashboard, of today or of a version. Throws `not_found`. */
export async function readModel(context: Context, uid: string, version: string): Promise<unknown> {
  if (version === '') return (await getDashboard(context, uid)).dashboard;
  const number = /^[1-9]\d{0,8}$/.test(version) ? Number(version) : 0;
  const row = await ofDashboard(context, uid).select('model').where('version', '=', number).executeTakeFirst();
  if (!row) throw new RpcError('not_found', 'There is no such version of this dashboard.');
  return parseJson(row.model);
}

function ofDashboard(context: Context, uid: string) {
  return openRecords(context)
    .selectFrom('dashboard_version')
    .where('dashboard_id', 'in', select =>
      select.selectFrom('dashboard').select('id').where('uid', '=', uid).where('deleted_at', 'is', null),
    );
}

async function readVersions(context: Context, uid: string) {
  return await ofDashboard(context, uid)
    .select(['version', 'message', 'created_at', 'created_by'])
    .orderBy('version', 'desc')
    .limit(mostVersions)
    .execute();
}

type Versions = Awaited<ReturnType<typeof readVersions>>;

function readTags({ tags }: Shown['dashboard']): string[] {
  return Array.isArray(tags) ? tags.filter(tag => typeof tag === 'string') : [];
}

/** The time window and the values of variables: the link's, else the dashboard's own. */
function frame({ dashboard }: Shown, query: URLSearchParams): Html {
  const own = readWindow(dashboard);
  const from = query.get('from') ?? own.from;
  const to = query.get('to') ?? own.to;
  const chosen = new Map<string, string[]>();
  for (const [name, value] of query) {
    if (name.startsWith('var-')) chosen.set(name.slice(4), [...(chosen.get(name.slice(4)) ?? []), value]);
  }
  const others = readVariables(dashboard).filter(({ name }) => !chosen.has(name));
  const values = [...[...chosen].map(([name, all]) => ({ name, value: all.join(', ') })), ...others].slice(0, 60);
  return html`<dl class="facts card"><div><dt>Time window</dt><dd>${writeWindow(from, to)}</dd></div>
${values.map(({ name, value }) => html`<div><dt>${inlineText(name, 80)}</dt><dd>${value === '' ? html`<span class="quiet">not chosen</span>` : inlineText(value, 200)}</dd></div>`)}</dl>`;
}

function writeWindow(from: string, to: string): Html {
  if (from === '' && to === '') return html`<span class="quiet">not said</span>`;
  const [start, end] = [readEnd(from), readEnd(to)];
  const length = start && end && end > start ? html` <span class="quiet">${writeSpan(start, end)}</span>` : '';
  return html`${writeEnd(from, start)} to ${writeEnd(to || 'now', end)}${length}`;
}

/** An absolute end of a time window: milliseconds since 1970, or a date; undefined for one like `now-6h`. */
function readEnd(written: string): Date | undefined {
  const text = written.trim();
  const time = /^\d{9,15}$/.test(text)
    ? Number(text)
    : /^\d{4}-\d\d-\d\d[T ]/.test(text)
      ? Date.parse(text)
      : Number.NaN;
  return Number.isFinite(time) && time < 8e15 && new Date(time).getUTCFullYear() < 10_000 ? new Date(time) : undefined;
}

function writeEnd(written: string, moment: Date | undefined): Html {
  return moment ? timeTag(moment, writeMoment(moment)) : html`<code>${toOneLine(written, 60)}</code>`;
}

function panelCard({ title, type, description, datasource, queries, x, width }: Panel): Html {
  return html`<section class="card panel x${x} w${width}"><h3 dir="auto">${toOneLine(title, 200) || html`<span class="quiet">no title</span>`}</h3>
<p class="quiet">${inlineText([type, datasource].filter(part => part !== '').join(' · ') || 'panel', 160)}</p>
${description === '' ? '' : html`<p class="about" dir="auto">${toOneLine(description, 400)}</p>`}
${queries.length === 0 ? '' : html`<details><summary>${queries.length === 1 ? '1 query' : `${queries.length} queries`}</summary>${queries.map(query => html`<pre class="code"><code>${toVisibleText(query.slice(0, 4000))}</code></pre>`)}</details>`}
</section>`;
}

function history(versions: Versions, personOf: PersonOf, path: string): Html {
  const rows = versions.map(({ version, message, created_at, created_by }) => {
    const by = personOf(created_by);
    return html`<li><a class="number" href="${path}/model.json?version=${version}">${version}</a><div><p dir="auto">${toOneLine(message) || html`<span class="quiet">no message</span>`}</p><p class="quiet">${timeTag(new Date(created_at / 1000))}${by.userID === '' ? '' : html` · ${person(by)}`}</p></div></li>`;
  });
  const more =
    versions.length === mostVersions ? html`<p class="quiet">Older versions are kept and not listed.</p>` : '';
  return html`<section class="card"><h2>Versions</h2><ol class="versions">${rows}</ol>${more}</section>`;
}

function rawModel({ dashboard, meta }: Shown, path: string): Html {
  return html`<section class="card"><h2>Model</h2><p>Version ${meta.version}, uid <code>${toOneLine(String(dashboard.uid ?? ''), 60)}</code>.</p>
<p><a href="${path}/model.json">The model as JSON</a></p></section>`;
}
