import { html } from 'hono/html';
import type { JsonObject } from '../../json-object.ts';
import { type Context, defaultPluginID } from '../call/context.ts';
import { dashboardPath } from '../dashboards/address.ts';
import { compareModels } from '../dashboards/changes.ts';
import { type Panel, readRows, readVariables, readWindow, withInputs } from '../dashboards/model.ts';
import { getDashboard, getModel, listVersions } from '../dashboards/read.ts';
import { findLinking } from '../incidents/dashboard-links.ts';
import { findPeople, type PersonOf } from '../store/people.ts';
import { writeWindow } from './dashboard-window.ts';
import { inward, type PageContent } from './document.ts';
import { type Html, inlineText, toOneLine, toVisibleText } from './escape.ts';
import { heading, person } from './marks.ts';
import { timeTag } from './moments.ts';

/** The most versions that a page lists. */
const mostVersions = 50;
/** The most incidents that are named. */
const mostIncidents = 20;

type DashboardAnswer = Awaited<ReturnType<typeof getDashboard>>;

/** The page of a dashboard, with the time window and variables of the link. Throws `not_found`. */
export async function dashboardPage(context: Context, uid: string, query: URLSearchParams): Promise<PageContent> {
  const found = await getDashboard(context, uid);
  const { meta } = found;
  const dashboard = withInputs(found.dashboard);
  const title = found.dashboard.title;
  const versions = await listVersions(context, uid, mostVersions);
  const personOf = await findPeople(
    context,
    versions.map(each => each.created_by),
  );
  const path = dashboardPath(context.options, { uid, slug: meta.slug });
  const door = inward(context.options, '/dashboards');
  const values = readValues(dashboard, query);
  const rows = readRows(dashboard).map(row => ({ ...row, panels: row.panels.map(panel => named(panel, values)) }));
  const sources = new Set(rows.flatMap(row => row.panels.map(each => each.datasource)).filter(each => each !== ''));
  const [source = ''] = sources.size === 1 ? sources : [];
  const tags = Array.isArray(dashboard.tags) ? dashboard.tags.filter(tag => typeof tag === 'string') : [];
  const body = html`<article class="dashboard"><header class="title">
<p class="trail"><a href="${door}">Dashboards</a> / ${trail(meta)}</p>
${heading(title)}
${tags.length > 0 ? html`<ul class="labels">${tags.map(tag => html`<li><a href="${door}?${new URLSearchParams({ tag })}">${inlineText(tag, 60)}</a></li>`)}</ul>` : ''}
${typeof dashboard.description === 'string' && dashboard.description !== '' ? html`<p class="quiet" dir="auto">${toOneLine(dashboard.description, 600)}</p>` : ''}
${await linkedFrom(context, uid)}
</header>
${frame(dashboard, query, values, source)}
<p class="notice">This page shows the dashboard’s panels and queries, not its data. To see data, import the model below into a Grafana.</p>
${rows.map(row => html`<section class="row-of-panels">${row.title === '' ? '' : html`<h2 dir="auto">${toOneLine(row.title, 200)}</h2>`}<div class="grid">${row.panels.map(panel => panelCard(panel, { source, isBelow: row.title !== '' }))}</div></section>`)}
${rows.length === 0 ? html`<div class="empty"><p>It has no panels.</p></div>` : ''}
${await changesCard(context, found, query.get('changes') ?? '')}
<div class="pair">${[history(versions, personOf, path), rawModel(found, path)]}</div></article>`;
  return { title, section: 'dashboards', body, printed: { path, at: context.now } };
}

/** Which incidents link to the dashboard; `""` when none does and all were looked at. */
async function linkedFrom(context: Context, uid: string): Promise<Html | string> {
  const { titles, among } = await findLinking(context, uid);
  const of = among === undefined ? '' : `, of the newest ${among} incidents`;
  if (titles.size === 0) return of === '' ? '' : html`<p class="quiet">Linked from none${of}</p>`;
  const marks = [...titles].slice(0, mostIncidents).map(([id, title], index) => {
    const path = inward(context.options, `/a/${defaultPluginID}/incidents/${id}`);
    return html`${index === 0 ? '' : ', '}<a href="${path}" title="${toOneLine(title, 200)}">#${id}</a>`;
  });
  const more = titles.size > mostIncidents ? ` and ${titles.size - mostIncidents} more` : '';
  return html`<p class="quiet">Linked from ${marks}${more}${of}</p>`;
}

/** The folder of the dashboard; at the root level it has no page. */
function trail({ folderTitle, folderUrl }: DashboardAnswer['meta']): Html {
  const name = inlineText(folderTitle, 100);
  return typeof folderUrl === 'string' && folderUrl !== '' ? html`<a href="${folderUrl}">${name}</a>` : name;
}

/** The values of variables by name: the link's, else the dashboard's own. */
function readValues(dashboard: JsonObject, query: URLSearchParams): ReadonlyMap<string, string> {
  const chosen = new Map<string, string>();
  for (const name of new Set(query.keys())) {
    if (name.startsWith('var-')) chosen.set(name.slice(4), query.getAll(name).map(writeValue).join(', '));
  }
  for (const { name, value } of readVariables(dashboard)) if (!chosen.has(name)) chosen.set(name, writeValue(value));
  return chosen;
}

function writeValue(value: string): string {
  return value.replaceAll('$__all', 'All');
}

/** The panel with the data source's name in place of a variable; without a name when the variable has no value. */
function named(panel: Panel, values: ReadonlyMap<string, string>): Panel {
  const fill = (part: string) => part.replace(/^\$\{?(\w+)\}?$/, (_, name: string) => values.get(name) ?? '');
  const parts = panel.datasource.split(' · ').map(fill);
  return { ...panel, datasource: parts.filter(part => part !== '').join(' · ') };
}

/** The time window, the values of variables, and the data source that all panels share. */
function frame(
  dashboard: JsonObject,
  query: URLSearchParams,
  values: ReadonlyMap<string, string>,
  source: string,
): Html {
  const own = readWindow(dashboard);
  const fact = (name: Html | string, value: Html) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<dl class="facts card">${fact('Time window', writeWindow(query.get('from') ?? own.from, query.get('to') ?? own.to))}
${source === '' ? '' : fact('Data source', inlineText(source, 160))}
${[...values].slice(0, 60).map(([name, value]) => fact(inlineText(name, 80), value === '' ? html`<span class="quiet">not chosen</span>` : inlineText(value, 200)))}</dl>`;
}

function panelCard(panel: Panel, { source, isBelow }: { source: string; isBelow: boolean }): Html {
  const { title, type, description, datasource, queries, x, width } = panel;
  const shown = toOneLine(title, 200) || html`<span class="quiet">no title</span>`;
  const kind = [type, datasource === source ? '' : datasource].filter(part => part !== '').join(' · ');
  return html`<section class="card panel x${x} w${width}">${isBelow ? html`<h3 dir="auto">${shown}</h3>` : html`<h2 dir="auto">${shown}</h2>`}
<p class="quiet">${inlineText(kind || 'panel', 160)}</p>
${description === '' ? '' : html`<p class="about" dir="auto">${toOneLine(description, 400)}</p>`}
${queries.map(queryBlock)}
</section>`;
}

/** A query: open when it is short, else folded below its beginning. */
function queryBlock(query: string): Html {
  const text = toVisibleText(query.slice(0, 4000)).trim();
  const block = html`<pre class="code"><code>${text}</code></pre>`;
  if (text.split('\n').length <= 3 && text.length <= 240) return block;
  return html`<details><summary><code>${toOneLine(text, 60)}</code></summary>${block}</details>`;
}

/** What a version changed, when the address asks for it. */
async function changesCard(
  context: Context,
  { dashboard, meta }: DashboardAnswer,
  asked: string,
): Promise<Html | string> {
  const version = /^[1-9]\d{0,8}$/.test(asked) ? Number(asked) : 0;
  if (version < 2 || version > Number(meta.version)) return '';
  const read = (which: number) => getModel(context, String(dashboard.uid), String(which));
  const changes = compareModels(await read(version - 1), await read(version));
  const kinds = [
    ['Panels added', changes.added],
    ['Panels removed', changes.removed],
    ['Panels changed', changes.changed],
    ['Settings changed', changes.settings],
  ] as const;
  const rows = kinds
    .filter(([, names]) => names.length > 0)
    .map(([words, names]) => {
      const marks = names
        .slice(0, 50)
        .map((name, index) => html`${index > 0 ? ', ' : ''}${inlineText(name || 'no title', 100)}`);
      return html`<div><dt>${words}</dt><dd>${marks}${names.length > 50 ? ` and ${names.length - 50} more` : ''}</dd></div>`;
    });
  return html`<section class="card" id="changes"><h2>What version ${version} changed</h2>${rows.length > 0 ? html`<dl class="facts">${rows}</dl>` : html`<p class="none">Nothing but the places of panels.</p>`}</section>`;
}

function history(versions: Awaited<ReturnType<typeof listVersions>>, personOf: PersonOf, path: string): Html {
  const rows = versions.map(({ version, message, created_at, created_by }) => {
    const by = personOf(created_by);
    const changed = version > 1 ? html` · <a href="${path}?changes=${version}#changes">what changed</a>` : '';
    return html`<li><p dir="auto">${toOneLine(message) || html`<span class="quiet">no message</span>`}</p><p class="quiet">${timeTag(new Date(created_at / 1000))}${by.userID === '' ? '' : html` · ${person(by)}`}</p>
<p class="ways"><a href="${path}/model.json?version=${version}">Version ${version} as JSON</a>${changed}</p></li>`;
  });
  const more =
    versions.length === mostVersions ? html`<p class="quiet">Older versions are kept and not listed.</p>` : '';
  return html`<section class="card"><h2>Versions</h2><ol class="versions">${rows}</ol>${more}</section>`;
}

function rawModel({ dashboard, meta }: DashboardAnswer, path: string): Html {
  return html`<section class="card"><h2>JsonObject</h2><p>Version ${meta.version}, uid <code>${toOneLine(String(dashboard.uid ?? ''), 60)}</code>.</p>
<p><a href="${path}/model.json">The model as JSON</a></p></section>`;
}
