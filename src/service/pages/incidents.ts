import { html } from 'hono/html';
import { RpcError } from '../../contract/errors.ts';
import type { IncidentPreviewsQuery } from '../../contract/incident-queries.ts';
import type { IncidentPreview } from '../../contract/incidents.ts';
import { isMistake, ownLabels } from '../../contract/mistakes.ts';
import { type Context, defaultPluginID } from '../call/context.ts';
import { listIncidentPreviews } from '../incidents/list.ts';
import { inward, type PageContent } from './document.ts';
import { type Html, toOneLine } from './escape.ts';
import { type Filters, readFilters, toAddressQuery, toQueryString } from './filters.ts';
import { labelMarks, person, severityMark, stateMarks } from './marks.ts';
import { timeTag, toMoment, writeDay, writeSpan } from './moments.ts';
import { chips, searchBox } from './search.ts';

const pageSize = 50;

/** The list of incidents, newest first. When a query or cursor is malformed, the page says so and lists nothing. */
export async function incidentsPage(
  context: Context,
  query: URLSearchParams,
): Promise<{ page: PageContent; status: number }> {
  const filters = readFilters(query);
  const after = query.get('after') ?? '';
  const path = inward(context.options, '/incidents');
  const found = await find(context, filters, after);
  const failed = 'problem' in found;
  const older = failed ? '' : found.cursor.nextValue;
  const pager = html`<p class="pager">
${after === '' ? '' : html`<a href="${path}${toAddressQuery(filters)}">Newest</a>`}
${older === '' ? '' : html`<a rel="next" href="${path}${toAddressQuery(filters, {}, { after: older })}">Older incidents</a>`}</p>`;
  const body = html`<header class="title"><h1>Incidents</h1></header>
${searchBox(path, filters, failed ? { problem: found.problem } : {})}
<div class="filters">${quickFilters(context, path, filters)}</div>
${failed ? '' : list(context, found.incidentPreviews, isFiltered(filters) || after !== '')}
${pager}`;
  return { page: { title: 'Incidents', section: 'incidents', body }, status: failed ? 400 : 200 };
}

async function find(context: Context, filters: Filters, after: string) {
  try {
    const query: IncidentPreviewsQuery = {
      limit: pageSize,
      orderDirection: 'DESC',
      orderField: 'createdTime',
      queryString: toQueryString(filters),
      incidentTypes: [],
    };
    return await listIncidentPreviews(context, {
      query,
      cursor: { nextValue: after, hasMore: false },
      includeCustomFieldValues: false,
      includeMembershipPreview: true,
    });
  } catch (error) {
    if (error instanceof RpcError && error.code === 'invalid_argument') return { problem: error.message };
    throw error;
  }
}

/** Links that narrow the list by status, severity and drills. */
function quickFilters({ options }: Context, path: string, filters: Filters): Html {
  const severities = [...options.severities].sort((one, other) => toOrder(one.level) - toOrder(other.level));
  return html`${[
    chips('Status', path, filters, [
      { words: 'All', change: { status: '' } },
      { words: 'Active', change: { status: 'active' } },
      { words: 'Resolved', change: { status: 'resolved' } },
    ]),
    chips('Severity', path, filters, [
      { words: 'Any severity', change: { severity: '' } },
      ...severities.map(({ label }) => ({ words: toOneLine(label, 60), change: { severity: label } })),
    ]),
    chips('Drills', path, filters, [
      { words: 'With drills', change: { drills: '' } },
      { words: 'Without', change: { drills: 'none' } },
      { words: 'Only', change: { drills: 'only' } },
    ]),
  ]}`;
}

/** The rank of a level in the filter: worst first, the unknown one last. */
function toOrder(level: number): number {
  return level < 0 ? Number.POSITIVE_INFINITY : level;
}

function isFiltered({ text, status, severity, drills }: Filters): boolean {
  return text.trim() !== '' || status !== '' || severity !== '' || drills !== '';
}

function list(context: Context, incidents: readonly IncidentPreview[], isPart: boolean): Html {
  if (incidents.length > 0) return html`<ul class="entries">${incidents.map(each => entry(context, each))}</ul>`;
  const words = isPart
    ? 'No incident matches.'
    : 'There has been no incident yet. Type /incident declare in Slack when there is one.';
  return html`<div class="empty"><p>${words}</p></div>`;
}

function entry({ options, now }: Context, incident: IncidentPreview): Html {
  const { incidentID, slug, title, severityLabel } = incident;
  const started = toMoment(incident.incidentStart) ?? new Date(incident.createdTime);
  const ended = toMoment(incident.incidentEnd);
  const length = ended ? writeSpan(started, ended) : `active for ${writeSpan(started, now)}`;
  const lead = incident.incidentMembershipPreview?.importantAssignments[0]?.user;
  return html`<li>
<div class="marks">${stateMarks(incident)}${severityMark(severityLabel, options)}</div>
<div class="main"><a class="name" href="${inward(options, `/a/${defaultPluginID}/incidents/${incidentID}/${slug}`)}" dir="auto">${toOneLine(title)}</a>
<div class="more"><span>#${incidentID}</span><span>${timeTag(started, writeDay(started))}</span>${isMistake(incident) ? '' : html`<span>${length}</span>`}${lead ? person(lead) : ''}${labelMarks(ownLabels(incident))}</div></div></li>`;
}
