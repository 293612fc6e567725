import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { ActivityService } from '../../contract/activity.ts';
import type { Cursor } from '../../contract/fields.ts';
import type { IncidentsQuery, orderFields } from '../../contract/incident-queries.ts';
import type { IncidentType } from '../../contract/incident-type.ts';
import { type IncidentStatus, incidentStatuses } from '../../contract/incidents.ts';
import type { IncidentsService } from '../../contract/incidents-service.ts';
import type { Context } from '../call/context.ts';
import { invalidArgument } from '../call/errors.ts';
import { readTime } from '../call/input.ts';
import { maxQueryTerms, parseQuery } from '../query/parse.ts';
import { narrowByRareLabel } from '../query/rare-label.ts';
import { findWhere, hasAnyLabel, hasAnyStatus, hasSeverity } from '../query/where.ts';
import { toActivityItems } from '../store/activity-items.ts';
import { toIncidentPreviews, toIncidents } from '../store/incident-objects.ts';
import type { ActivityRow, IncidentRow, Tables } from '../store/tables.ts';
import { type PagedList, readPage, readPageBy, type SortKey, toLimit } from './cursor.ts';
import { findIncident } from './find.ts';
import { byCreation, type IncidentKeys, readPassed, selectVisible, walk } from './in-pieces.ts';

type Input<M extends { input: z.ZodType }> = z.output<M['input']>;
type Output<M extends { output: z.ZodType }> = z.output<M['output']>;
type Condition = Expression<SqlBool>;

const incident = expressionBuilder<Tables, 'incident'>();

const [byCreatedTime, byID] = byCreation;

/** What `orderField` orders by (docs/api-rules.md A2). Incidents without an end come first. */
const orders: { readonly [F in Exclude<(typeof orderFields)[number], 'incidentID'>]: SortKey<IncidentRow> } = {
  createdTime: byCreatedTime,
  modifiedTime: { column: incident.ref('incident.modified_at'), type: 'number', of: row => row.modified_at },
  title: { column: incident.ref('incident.title_folded'), type: 'string', of: row => row.title_folded },
  status: { column: incident.ref('incident.status'), type: 'string', of: row => row.status },
  severity: { column: incident.ref('incident.severity_level'), type: 'number', of: row => row.severity_level },
  prefix: { column: incident.ref('incident.room_prefix'), type: 'string', of: row => row.room_prefix },
  isDrill: { column: incident.ref('incident.is_drill'), type: 'number', of: row => row.is_drill },
  incidentStart: { column: incident.ref('incident.started_at'), type: 'number', of: row => row.started_at },
  incidentEnd: { column: orZero('incident.ended_at'), type: 'number', of: row => row.ended_at ?? 0 },
  closedTime: { column: orZero('incident.closed_at'), type: 'number', of: row => row.closed_at ?? 0 },
};

/** Answers IncidentsService.QueryIncidentPreviews (docs/api-rules.md A7). */
export async function listIncidentPreviews(
  context: Context,
  input: Omit<Input<typeof IncidentsService.QueryIncidentPreviews>, 'includeIncidentChannels'>,
): Promise<Output<typeof IncidentsService.QueryIncidentPreviews>> {
  const { queryString, incidentTypes } = input.query;
  const orderField = input.query.orderField || 'createdTime';
  const orderDirection = input.query.orderDirection || 'DESC';
  const listing: PagedList<IncidentRow> = {
    keys: orderField === 'incidentID' ? [byID] : [orders[orderField], byID],
    direction: orderDirection,
    limit: toLimit(input.query.limit),
    scope: ['QueryIncidentPreviews', orderField, orderDirection, queryString, incidentTypes],
  };
  const asked = await toCondition(context, queryString);
  const page = await passPage(context, asked, incidentTypes, listing, input.cursor);
  return {
    incidentPreviews: await toIncidentPreviews(context, page.rows, {
      fieldValues: input.includeCustomFieldValues,
      membership: input.includeMembershipPreview,
    }),
    query: { limit: listing.limit, orderDirection, orderField, queryString, incidentTypes },
    cursor: page.cursor,
    error: '',
  };
}

/** Answers IncidentsService.QueryIncidents, the deprecated one, in order of creation (docs/api-rules.md A7). */
export async function listIncidents(
  context: Context,
  input: Input<typeof IncidentsService.QueryIncidents>,
): Promise<Output<typeof IncidentsService.QueryIncidents>> {
  const {
    limit,
    orderField: _,
    ...filters
  } = { ...input.query, orderDirection: input.query.orderDirection || ('DESC' as const) };
  const listing: PagedList<IncidentRow> = {
    keys: [orders.createdTime, byID],
    direction: filters.orderDirection,
    limit: toLimit(limit),
    scope: ['QueryIncidents', filters],
  };
  const asked = await toFilter(context, input.query);
  const page = await passPage(context, asked, filters.incidentTypes, listing, input.cursor);
  return {
    incidents: await toIncidents(context, page.rows),
    query: { ...filters, limit: listing.limit },
    cursor: page.cursor,
    error: '',
  };
}

/** Answers ActivityService.QueryActivity: by event time, then creation, then id (docs/api-rules.md A5). */
export async function listActivity(
  context: Context,
  input: Input<typeof ActivityService.QueryActivity>,
): Promise<Output<typeof ActivityService.QueryActivity>> {
  const incidentID = (await findIncident(context, input.query.incidentID)).id;
  const orderDirection = input.query.orderDirection || 'DESC';
  const { limit: _, ...filters } = { ...input.query, orderDirection };
  const listing: PagedList<ActivityRow> = {
    keys: timelineOrder,
    direction: orderDirection,
    limit: toLimit(input.query.limit),
    scope: ['QueryActivity', filters],
  };
  let select = context.db.selectFrom('activity').selectAll().where('incident_id', '=', incidentID);
  if (filters.activityKind.length > 0) select = select.where('kind', 'in', [...new Set(filters.activityKind)]);
  if (filters.tag !== '') select = select.where(hasTag(filters.tag));
  const page = await readPage(select, listing, input.cursor);
  return {
    activityItems: await toActivityItems(context, page.rows),
    query: { ...filters, limit: listing.limit },
    cursor: page.cursor,
    error: '',
  };
}

const activity = expressionBuilder<Tables, 'activity'>();

const timelineOrder: readonly SortKey<ActivityRow>[] = [
  { column: activity.ref('activity.event_at'), type: 'number', of: row => row.event_at },
  { column: activity.ref('activity.created_at'), type: 'number', of: row => row.created_at },
  { column: activity.ref('activity.seq'), type: 'number', of: row => row.seq },
];

/** Which incidents a query means. */
interface QueryCondition {
  readonly where: Condition;
  /** The status that all of them have; undefined for any. */
  readonly status?: IncidentStatus | undefined;
  /** An index finds them. */
  readonly isIndexed?: boolean;
}

/** A page of the incidents that are meant and that the caller sees. No condition makes it delay other calls. */
async function passPage(
  context: Context,
  { where, status, isIndexed = false }: QueryCondition,
  types: readonly IncidentType[],
  listing: PagedList<IncidentRow>,
  cursor: Cursor,
) {
  const flags = types.map(each => (each === 'private' ? 1 : 0));
  const wanted = flags.length === 0 ? where : incident.and([incident('incident.is_private', 'in', flags), where]);
  const isByCreation = listing.keys[0] === byCreatedTime;
  // Open incidents are few, and sorting them is quicker than passing all others.
  if (isIndexed || (status === 'active' && !isByCreation))
    return await readPage(selectVisible(context, wanted).selectAll(), listing, cursor);
  const among = status && isByCreation ? incident('incident.status', '=', sql.lit(status)) : undefined;
  return await readPageBy(listing, cursor, async (after, most) => {
    const found: IncidentKeys[] = [];
    for await (const those of walk(context, wanted, { ...listing, after, among, first: 1024 })) {
      found.push(...those);
      if (found.length >= most) break;
    }
    return await readPassed(context, found.slice(0, most));
  });
}

async function toCondition(context: Context, queryString: string): Promise<QueryCondition> {
  const query = parseQuery(queryString);
  const few = await narrowByRareLabel(context.db, query);
  const where = await findWhere(context.db, query, context.options);
  const [named] = query.items.flatMap(each =>
    each.kind === 'exact' && each.property === 'status' ? [each.value] : [],
  );
  const status = incidentStatuses.find(each => each === named);
  if (few) return { where: incident.and([few, where]), isIndexed: true };
  return { where, status, isIndexed: query.items.length === (status ? 1 : 0) };
}

/** A query string, when there is one, replaces all other filters. */
async function toFilter(context: Context, query: IncidentsQuery): Promise<QueryCondition> {
  if (query.queryString.trim() !== '') return await toCondition(context, query.queryString);
  const { includeStatuses, excludeStatuses, incidentLabels, severity, onlyDrills } = query;
  const from = readTime('query.dateFrom', query.dateFrom, undefined);
  const to = readTime('query.dateTo', query.dateTo, undefined);
  const conditions: Condition[] = [];
  if (includeStatuses.length > 0) conditions.push(hasAnyStatus(includeStatuses));
  if (excludeStatuses.length > 0) conditions.push(incident.not(hasAnyStatus(excludeStatuses)));
  if (incidentLabels.length > maxQueryTerms)
    throw invalidArgument(`query.incidentLabels must be at most ${maxQueryTerms}`);
  if (incidentLabels.length > 0) conditions.push(hasAnyLabel(incidentLabels));
  if (severity !== '') conditions.push(hasSeverity(severity, context.options));
  if (onlyDrills) conditions.push(incident('incident.is_drill', '=', 1));
  if (from !== undefined) conditions.push(incident('incident.created_at', '>=', from));
  if (to !== undefined) conditions.push(incident('incident.created_at', '<', to));
  return { where: incident.and(conditions), isIndexed: conditions.length === 0 };
}

function orZero(column: 'incident.ended_at' | 'incident.closed_at'): Expression<number> {
  return sql<number>`coalesce(${sql.ref(column)}, 0)`;
}

/** Tags are stored as a JSON list. LIKE would ignore case on some databases. */
function hasTag(tag: string): Condition {
  const tags = sql.ref('activity.tags');
  return sql<SqlBool>`replace(${tags}, ${JSON.stringify(tag)}, '') <> ${tags}`;
}
