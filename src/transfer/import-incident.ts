import { toIncidentNumber } from '../service/incidents/find.ts';
import { toIncidentSlug } from '../service/incidents/slug.ts';
import { takeNumber } from '../service/store/counters.ts';
import { toImportDb } from '../service/store/imports.ts';
import { insertLabels } from '../service/store/incident-labels.ts';
import { keepNamedLinks } from '../service/store/named-links.ts';
import { type ActivityRow, type Db, fold } from '../service/store/tables.ts';
import { parseTime, toMicros } from '../service/store/time.ts';
import type { IncidentFile, ItemRecord } from './format.ts';
import { inPieces, keepOrTake, maxKeptNumber, raiseNumber, toMicrosOrThrow, toOwnNumber } from './ids.ts';

/** What an import needs in addition to the incident. */
interface IncidentImportContext {
  /** The address of the exporting installation. */
  readonly source: string;
  /** Role ids of the export with those here. */
  readonly roleIDs: ReadonlyMap<number, number>;
  /** The largest number among the incident ids of the export. An incident whose id is taken gets one above it. */
  readonly highestID: number;
  /** Severities of this installation. */
  readonly severities: readonly { readonly label: string; readonly level: number }[];
  /** Microseconds since 1970. */
  readonly now: number;
}

/**
 * Stores an incident with all its parts unchanged: times, people, authors, version, and ids where they are free. Gives false
 * and does nothing when it exists here already.
 */
export async function importIncident(db: Db, file: IncidentFile, terms: IncidentImportContext): Promise<boolean> {
  if (await isHere(db, file)) return false;
  const find = (number: number) => db.selectFrom('incident').select('id').where('id', '=', number).executeTakeFirst();
  const isTaken = async (number: number) => (await find(number)) !== undefined;
  const id = await keepOrTake(db, 'incident', toKeptNumber(file.incidentID), isTaken, terms.highestID);
  const started = toMicrosOrThrow(file.incidentStart);
  const { label, level } = toSeverity(file, terms);
  await db
    .insertInto('incident')
    .values({
      id,
      room_prefix: file.roomPrefix,
      title: file.title,
      title_folded: fold(file.title),
      slug: toIncidentSlug(file.title),
      severity: label,
      severity_level: level,
      status: file.status,
      is_drill: file.isDrill ? 1 : 0,
      is_private: file.isPrivate ? 1 : 0,
      created_at: toMicrosOrThrow(file.createdTime),
      modified_at: toMicrosOrThrow(file.modifiedTime),
      closed_at: parseTime(file.closedTime) ?? null,
      started_at: started,
      ended_at: parseTime(file.incidentEnd) ?? null,
      created_by: file.createdByUserID,
      version: file.version,
    })
    .execute();
  await insertLabels(db, id, file.labels);
  await insertAssignments(db, id, file, terms);
  await insertTasks(db, id, file);
  await insertTimeline(db, id, file, terms);
  await toImportDb(db)
    .insertInto('import_source')
    .values({ origin: file.origin, incident_id: id, source: terms.source, imported_at: terms.now })
    .execute();
  await takeNumber(db, 'homescreen');
  return true;
}

/** Whether the incident was imported before, or was declared here in the first place. */
async function isHere(db: Db, { origin }: IncidentFile): Promise<boolean> {
  const imported = await toImportDb(db)
    .selectFrom('import_source')
    .select('incident_id')
    .where('origin', '=', origin)
    .executeTakeFirst();
  if (imported) return true;
  const at = origin.indexOf('@');
  const id = toIncidentNumber(origin.slice(0, Math.max(0, at)));
  const created = parseTime(origin.slice(at + 1));
  if (id === undefined || created === undefined) return false;
  const own = await db
    .selectFrom('incident')
    .select('id')
    .where('id', '=', id)
    .where('created_at', '=', created)
    .executeTakeFirst();
  return own !== undefined;
}

/** The number of an incident id that the import keeps; 0 for any other id. */
export function toKeptNumber(incidentID: string): number {
  const number = toIncidentNumber(incidentID) ?? 0;
  return number <= maxKeptNumber ? number : 0;
}

/**
 * The severity of an incident. Without a level in the export, it takes that of the same severity here, else the unknown level.
 */
function toSeverity({ severity, severityLevel }: IncidentFile, { severities }: IncidentImportContext) {
  if (severityLevel !== null) return { label: severity, level: severityLevel };
  return severities.find(each => fold(each.label) === fold(severity)) ?? { label: severity, level: -1 };
}

async function insertAssignments(
  db: Db,
  incidentID: number,
  file: IncidentFile,
  terms: IncidentImportContext,
): Promise<void> {
  for (const { userID, roleID } of file.assignments) {
    const here = terms.roleIDs.get(roleID);
    if (here === undefined) throw new Error(`incident ${file.incidentID} names role ${roleID}, which roles.json lacks`);
    const position = await takeNumber(db, 'position');
    await db
      .insertInto('assignment')
      .values({ incident_id: incidentID, user_id: userID, role_id: here, position })
      .onConflict(conflict => conflict.columns(['incident_id', 'user_id', 'role_id']).doNothing())
      .execute();
  }
}

async function insertTasks(db: Db, incidentID: number, { tasks }: IncidentFile): Promise<void> {
  if (tasks.length === 0) return;
  await raiseNumber(db, 'task', Math.max(...tasks.map(each => toOwnNumber(each.taskID, 'task'))));
  const position = await takeNumber(db, 'position', tasks.length);
  const rows = tasks.map((task, index) => ({
    incident_id: incidentID,
    id: task.taskID,
    position: position + index,
    text: task.text,
    status: task.status,
    author_user_id: task.authorUserID,
    assigned_user_id: task.assignedUserID,
    created_at: toMicrosOrThrow(task.createdTime),
    modified_at: toMicrosOrThrow(task.modifiedTime),
    immutable: task.immutable ? 1 : 0,
  }));
  for (const some of inPieces(rows)) await db.insertInto('task').values(some).execute();
}

/** Stores the timeline of an incident, in order, with its ids where they are free. */
async function insertTimeline(
  db: Db,
  incidentID: number,
  file: IncidentFile,
  terms: { readonly roleIDs: ReadonlyMap<number, number> },
): Promise<void> {
  const items = [...file.timeline, ...toSummaryItem(file)];
  if (items.length === 0) return;
  const taken = new Set<string>();
  for (const some of inPieces(items.map(each => each.activityItemID)))
    for (const { id } of await db.selectFrom('activity').select('id').where('id', 'in', some).execute()) taken.add(id);
  await raiseNumber(db, 'activity', Math.max(...items.map(each => toOwnNumber(each.activityItemID, 'activity-item'))));
  const first = await takeNumber(db, 'activity', items.length);
  const ids = new Map(
    items.map(({ activityItemID: id }, index) => {
      // One that has our form and is too large would be given again later.
      const mayKeep = !/^activity-item-\d+$/.test(id) || toOwnNumber(id, 'activity-item') > 0;
      return [id, id !== '' && !taken.has(id) && mayKeep ? id : `activity-item-${first + index}`];
    }),
  );
  const rows = items.map((item, index) => toRow(incidentID, item, { seq: first + index, ids, roleIDs: terms.roleIDs }));
  for (const some of inPieces(rows)) await db.insertInto('activity').values(some).execute();
  const texts = rows.flatMap(row => [row.body, row.url]);
  await keepNamedLinks(db, texts, toMicros(new Date()));
}

/** The incident's summary as a timeline item, because the service stores no summary. */
function toSummaryItem(file: IncidentFile): ItemRecord[] {
  if (file.summary === '') return [];
  const time = file.closedTime || file.modifiedTime;
  return [
    {
      activityItemID: '',
      kind: 'incidentSummary',
      userID: '',
      subjectUserID: '',
      createdTime: time,
      eventTime: time,
      body: file.summary,
      url: '',
      tags: [],
      immutable: true,
      fieldValues: {},
    },
  ];
}

function toRow(
  incidentID: number,
  item: ItemRecord,
  known: { seq: number; ids: ReadonlyMap<string, string>; roleIDs: ReadonlyMap<number, number> },
): ActivityRow {
  return {
    id: known.ids.get(item.activityItemID) ?? `activity-item-${known.seq}`,
    seq: known.seq,
    incident_id: incidentID,
    kind: item.kind,
    user_id: item.userID,
    subject_user_id: item.subjectUserID,
    created_at: toMicrosOrThrow(item.createdTime),
    event_at: toMicrosOrThrow(item.eventTime),
    body: item.body,
    url: item.url,
    context_folded: item.kind === 'contextAttached' ? fold(`${item.url} ${item.body}`) : '',
    tags: JSON.stringify(item.tags),
    immutable: item.immutable ? 1 : 0,
    field_values: JSON.stringify(toFieldValues(item.fieldValues, known)),
  };
}

/** Field values with the ids of this installation. */
function toFieldValues(
  values: ItemRecord['fieldValues'],
  { ids, roleIDs }: { ids: ReadonlyMap<string, string>; roleIDs: ReadonlyMap<number, number> },
): ItemRecord['fieldValues'] {
  const { activityItemID, roleID } = values;
  const item = typeof activityItemID === 'string' ? ids.get(activityItemID) : undefined;
  const role = typeof roleID === 'number' ? roleIDs.get(roleID) : undefined;
  return {
    ...values,
    ...(item === undefined ? {} : { activityItemID: item }),
    ...(role === undefined ? {} : { roleID: role }),
  };
}
