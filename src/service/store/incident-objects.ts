import type { IncidentType } from '../../contract/incident-type.ts';
import type { Incident, IncidentPreview } from '../../contract/incidents.ts';
import { findLabels } from './incident-labels.ts';
import type { Known } from './known.ts';
import { findMemberships, noMembership, toImportant } from './memberships.ts';
import { findPeople } from './people.ts';
import type { Db, IncidentRow } from './tables.ts';
import { peopleOfTasks, readTasks, toTaskList } from './task-lists.ts';
import { formatTime, toMicros, toSeconds } from './time.ts';

/** What an incident's object shows in addition to its rows; the context of a call has all of it (call/context.ts). */
interface ObjectContext {
  readonly db: Db;
  readonly known: Known;
  /** Open incidents last until then. */
  readonly now: Date;
  /** Plugin id for the links. */
  readonly pluginID: string;
  readonly options: { readonly orgID: string };
}

/** Whole incidents of rows, in the rows' order, with a fixed number of queries. */
export async function toIncidents(context: ObjectContext, rows: readonly IncidentRow[]): Promise<Incident[]> {
  const ids = rows.map(each => each.id);
  const labels = await findLabels(context.db, ids);
  const tasks = await readTasks(context.db, ids);
  const people = [...rows.map(each => each.created_by), ...peopleOfTasks(tasks)];
  const memberships = await findMemberships(context, ids, people);
  const personOf = await findPeople(context, people);
  const tasksByIncident = Map.groupBy(tasks, each => each.incident_id);
  return rows.map(row => ({
    incidentID: String(row.id),
    severity: row.severity,
    labels: labels.get(row.id) ?? [],
    isDrill: row.is_drill === 1,
    createdTime: formatTime(row.created_at),
    modifiedTime: formatTime(row.modified_at),
    createdByUser: personOf(row.created_by),
    closedTime: formatTime(row.closed_at),
    durationSeconds: toSeconds(row.started_at, row.ended_at ?? toMicros(context.now)),
    status: row.status,
    title: row.title,
    overviewURL: `/a/${context.pluginID}/incidents/${row.id}/${row.slug}`,
    incidentMembership: memberships.get(row.id) ?? noMembership(),
    taskList: toTaskList(tasksByIncident.get(row.id) ?? [], personOf),
    heroImagePath: '',
    incidentStart: formatTime(row.started_at),
    incidentEnd: formatTime(row.ended_at),
    summary: '',
    incidentType: toIncidentType(row),
    refs: [],
    incidentChannels: [],
  }));
}

/** The whole incident of one row. */
export async function toIncident(context: ObjectContext, row: IncidentRow): Promise<Incident> {
  const [incident] = await toIncidents(context, [row]);
  if (!incident) throw new Error(`incident ${row.id} has a row, but no object was made of it`);
  return incident;
}

/** Previews of rows, in the rows' order, with a fixed number of queries. Members not asked for are null. */
export async function toIncidentPreviews(
  context: ObjectContext,
  rows: readonly IncidentRow[],
  include: { readonly fieldValues: boolean; readonly membership: boolean },
): Promise<IncidentPreview[]> {
  const ids = rows.map(each => each.id);
  const labels = await findLabels(context.db, ids);
  const creators = rows.map(each => each.created_by);
  const memberships = include.membership ? await findMemberships(context, ids, creators) : undefined;
  const personOf = await findPeople(context, creators);
  return rows.map(row => ({
    incidentID: String(row.id),
    title: row.title,
    description: '',
    summary: '',
    slug: row.slug,
    status: row.status,
    incidentType: toIncidentType(row),
    severityID: toSeverityID(row.severity),
    severityLabel: row.severity,
    isDrill: row.is_drill === 1,
    version: row.version,
    createdTime: formatTime(row.created_at),
    modifiedTime: formatTime(row.modified_at),
    closedTime: formatTime(row.closed_at),
    incidentStart: formatTime(row.started_at),
    incidentEnd: formatTime(row.ended_at),
    heroImagePath: '',
    createdByUser: personOf(row.created_by),
    labels: labels.get(row.id) ?? [],
    fieldValues: include.fieldValues ? [] : null,
    incidentMembershipPreview: memberships ? toMembershipPreview(memberships.get(row.id) ?? noMembership()) : null,
    incidentChannels: [],
  }));
}

function toIncidentType(row: IncidentRow): IncidentType {
  return row.is_private === 1 ? 'private' : 'internal';
}

function toMembershipPreview(membership: Incident['incidentMembership']) {
  const { totalAssignments, totalParticipants } = membership;
  return { importantAssignments: toImportant(membership), totalAssignments, totalParticipants };
}

/** The id of a severity, as answers have it and CreateIncident takes it. */
export function toSeverityID(label: string): string {
  return `severity-${label}`;
}
