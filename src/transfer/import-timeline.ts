import { takeNumber } from '../service/store/counters.ts';
import { keepNamedLinks } from '../service/store/named-links.ts';
import { type ActivityRow, type Db, fold } from '../service/store/tables.ts';
import { toMicros } from '../service/store/time.ts';
import type { IncidentFile, ItemRecord } from './format.ts';
import { raiseNumber, rowsAtOnce, toMicrosOrThrow, toOwnNumber } from './ids.ts';

/** Stores the timeline of an incident, in order, with its ids where they are free. */
export async function insertTimeline(
  db: Db,
  incidentID: number,
  file: IncidentFile,
  terms: { readonly roleIDs: ReadonlyMap<number, number> },
): Promise<void> {
  const items = [...file.timeline, ...toSummaryItem(file)];
  if (items.length === 0) return;
  const taken = await findTaken(
    db,
    items.map(each => each.activityItemID),
  );
  await raiseNumber(db, 'activity', Math.max(...items.map(each => toOwnNumber(each.activityItemID, 'activity-item'))));
  const first = await takeNumber(db, 'activity', items.length);
  const ids = new Map(
    items.map(({ activityItemID }, index) => {
      const free = activityItemID !== '' && !taken.has(activityItemID) && mayKeep(activityItemID);
      return [activityItemID, free ? activityItemID : `activity-item-${first + index}`];
    }),
  );
  const rows = items.map((item, index) => toRow(incidentID, item, { seq: first + index, ids, roleIDs: terms.roleIDs }));
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    await db
      .insertInto('activity')
      .values(rows.slice(at, at + rowsAtOnce))
      .execute();
  }
  const texts = rows.flatMap(row => [row.body, row.url]);
  await keepNamedLinks(db, texts, toMicros(new Date()));
}

/** Whether an import may keep an id. One that has our form and is too large would be given again later. */
function mayKeep(id: string): boolean {
  return !/^activity-item-\d+$/.test(id) || toOwnNumber(id, 'activity-item') > 0;
}

async function findTaken(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const taken = new Set<string>();
  for (let at = 0; at < ids.length; at += rowsAtOnce) {
    const some = ids.slice(at, at + rowsAtOnce);
    for (const { id } of await db.selectFrom('activity').select('id').where('id', 'in', some).execute()) taken.add(id);
  }
  return taken;
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
