import { type Kysely, type Selectable, sql } from 'kysely';
import { definePrepared } from '../../db/prepared.ts';
import type { MemoryTables } from '../memory/tables.ts';
import { type IntentState, isTrying, isUnfinished } from './table.ts';

/** An intent as it is stored. */
export type IntentRow = Selectable<MemoryTables['bot_intent']>;

/** The journal's tables, plain or in a transaction. */
export type Db = Kysely<MemoryTables>;

/** States in which something is still to be done. */
export const unfinished = ['waiting', 'trying'] as const satisfies readonly IntentState[];

const ofKey = definePrepared<MemoryTables, { key: string }, IntentRow>((db, { key }) =>
  db.selectFrom('bot_intent').selectAll().where('key', '=', key),
);

/** The intent of a key. */
export async function findByKey(db: Db, key: string): Promise<IntentRow | undefined> {
  return (await ofKey(db, { key }))[0];
}

/** The intent of an id. */
export function findByID(db: Db, id: string): Promise<IntentRow | undefined> {
  return db.selectFrom('bot_intent').selectAll().where('id', '=', id).executeTakeFirst();
}

const firstOf = definePrepared<MemoryTables, { lane: string }, IntentRow>((db, { lane }) =>
  db
    .selectFrom('bot_intent')
    .selectAll()
    .where('lane', '=', lane)
    .where(isUnfinished)
    .orderBy('seq')
    .orderBy('id')
    .limit(1),
);

/** The first of a lane that is unfinished. */
export async function findHead(db: Db, lane: string): Promise<IntentRow | undefined> {
  return (await firstOf(db, { lane }))[0];
}

const lastOf = definePrepared<MemoryTables, { lane: string }, { seq: number | null }>((db, { lane }) =>
  db
    .selectFrom('bot_intent')
    .select(({ fn }) => fn.max<number | null>('seq').as('seq'))
    .where('lane', '=', lane)
    .where(isUnfinished),
);

/** The place at the end of a lane, and what is before all of it; undefined when nobody is there. */
export async function findEnd(db: Db, lane: string): Promise<{ seq: number; head: IntentRow | undefined }> {
  const seq = (await lastOf(db, { lane }))[0]?.seq ?? undefined;
  if (seq === undefined) return { seq: 1, head: undefined };
  return { seq: Math.floor(seq) + 1, head: await findHead(db, lane) };
}

const put = definePrepared<MemoryTables, IntentRow, { id: string }>((db, row) =>
  db
    .insertInto('bot_intent')
    .values(row)
    .onConflict(conflict => conflict.column('key').doNothing())
    .returning('id'),
);

/** Stores a new intent; false when there is one of that key. */
export async function insertRow(db: Db, row: IntentRow): Promise<boolean> {
  return (await put(db, row)).length > 0;
}

type Progress = Pick<
  IntentRow,
  | 'state'
  | 'attempts'
  | 'doubt'
  | 'next_at'
  | 'lease_owner'
  | 'lease_until'
  | 'outcome'
  | 'aftermath'
  | 'late'
  | 'changed_at'
  | 'incident_id'
>;

const progress = definePrepared<MemoryTables, Progress & { key: string }, never>((db, { key, ...news }) =>
  db.updateTable('bot_intent').set(news).where('key', '=', key),
);

/** Stores how far an intent is; yields the row as it is then. */
export async function updateRow(db: Db, row: IntentRow, news: Partial<Progress>, now: Date): Promise<IntentRow> {
  const all = { ...row, ...news, changed_at: now.toISOString() };
  const { key, state, attempts, doubt, next_at, lease_owner, lease_until, outcome, aftermath, late } = all;
  const { changed_at, incident_id } = all;
  await progress(db, {
    key,
    state,
    attempts,
    doubt,
    next_at,
    lease_owner,
    lease_until,
    outcome,
    aftermath,
    late,
    changed_at,
    incident_id,
  });
  return all;
}

/** What an attempt of an owner came to; nothing when another owner has the intent. */
export type Ending = Pick<
  IntentRow,
  'key' | 'lease_owner' | 'state' | 'outcome' | 'attempts' | 'doubt' | 'changed_at'
> & {
  readonly leaseUntil: number;
};

const end = definePrepared<MemoryTables, Ending, IntentRow>((db, { key, lease_owner, leaseUntil, ...news }) =>
  db
    .updateTable('bot_intent')
    .set(({ ref }) => ({
      ...news,
      aftermath: 1,
      // Whoever was promised a message gets it from whoever is free; whoever waits, from this process.
      lease_owner: sql<string>`case when ${ref('late')} = 0 then ${ref('lease_owner')} else '' end`,
      lease_until: sql<number>`case when ${ref('late')} = 0 then cast(${leaseUntil} as bigint) else 0 end`,
    }))
    .where('key', '=', key)
    .where('lease_owner', '=', lease_owner)
    .where(isTrying)
    .returningAll(),
);

/** Ends an intent; undefined when another owner has it. */
export async function endRow(db: Db, ending: Ending): Promise<IntentRow | undefined> {
  return (await end(db, ending))[0];
}

const changed = definePrepared<MemoryTables, { incidentID: string }, never>((db, { incidentID }) =>
  db
    .updateTable('bot_room')
    .set(({ eb }) => ({ changes: eb('changes', '+', 1) }))
    .where('incident_id', '=', incidentID),
);

/** Notes that the card of an incident has something new to show. */
export async function countChange(db: Db, incidentID: string): Promise<void> {
  await changed(db, { incidentID });
}
