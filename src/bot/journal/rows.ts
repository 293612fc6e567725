import { type Kysely, type Selectable, sql, type UpdateObject } from 'kysely';
import { definePrepared, definePreparedChange, type Params } from '../../db/prepared.ts';
import type { MemoryTables } from '../schema/tables.ts';
import { covered, free, isOver, isUnfinished } from './table.ts';

/** An intent as it is stored. */
export type IntentRow = Selectable<MemoryTables['bot_intent']>;

/** The journal's tables, plain or in a transaction. */
export type Db = Kysely<MemoryTables>;

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

/** The intent of that kind that an incident came of, other than `except`. */
export function findRegistration(
  db: Db,
  kind: string,
  incidentID: string,
  except = '',
): Promise<Pick<IntentRow, 'id'> | undefined> {
  return db
    .selectFrom('bot_intent')
    .select('id')
    .where('kind', '=', kind)
    .where('incident_id', '=', incidentID)
    .where('state', '=', 'done')
    .where('id', '!=', except)
    .executeTakeFirst();
}

/** How many of a lane may be tried in one go. */
const mostInRun = 128;

/** A number of rows is part of the statement: SQLite sorts what an index has in order already when the number is a parameter. */
const firstOf = (most: number) =>
  definePrepared<MemoryTables, { lane: string }, IntentRow>((db, { lane }) =>
    db
      .selectFrom('bot_intent')
      .selectAll()
      .where('lane', '=', lane)
      .where(isUnfinished)
      .orderBy('seq')
      .orderBy('id')
      .limit(sql.lit(most)),
  );
const headOf = firstOf(1);
const runOf = firstOf(mostInRun);

/** The first of a lane that is unfinished. */
export async function findHead(db: Db, lane: string): Promise<IntentRow | undefined> {
  return (await headOf(db, { lane }))[0];
}

/** The first few of a lane that are unfinished, in order. */
export function findFirst(db: Db, lane: string): Promise<readonly IntentRow[]> {
  return runOf(db, { lane });
}

type Last = Pick<IntentRow, 'seq' | 'asked'>;

const lastOf = definePrepared<MemoryTables, { lane: string }, Last>((db, { lane }) =>
  db
    .selectFrom('bot_intent')
    .select(['seq', 'asked'])
    .where('lane', '=', lane)
    .where(isUnfinished)
    .orderBy('seq', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
);

/** What is unfinished at the end of a lane, and before all of it; undefined when nobody is there. */
export async function findEnds(db: Db, lane: string): Promise<{ last: Last; head: IntentRow } | undefined> {
  const last = (await lastOf(db, { lane }))[0];
  const head = last && (await findHead(db, lane));
  return head && { last, head };
}

/** The first of a lane, behind `head` and what was claimed with it, that was never tried and was asked for after that; with what is before it. */
export async function findLater(
  db: Db,
  head: IntentRow,
  asked: number,
): Promise<{ seq: number; before: number | undefined } | undefined> {
  const rows = db.selectFrom('bot_intent').select('seq').where('lane', '=', head.lane).where(isUnfinished);
  const later = await rows
    .where('seq', '>', reachOf(head))
    .where('state', '=', 'waiting')
    .where('attempts', '=', 0)
    .where('asked', '>', asked)
    .orderBy('seq')
    .orderBy('id')
    .limit(sql.lit(1))
    .executeTakeFirst();
  if (!later) return undefined;
  const before = await rows.where('seq', '<', later.seq).orderBy('seq', 'desc').limit(sql.lit(1)).executeTakeFirst();
  return { seq: later.seq, before: before?.seq };
}

const put = definePreparedChange<MemoryTables, IntentRow>((db, row) =>
  db
    .insertInto('bot_intent')
    .values(row)
    .onConflict(conflict => conflict.column('key').doNothing()),
);

/** Stores a new intent; false when there is one of that key. */
export async function insertRow(db: Db, row: IntentRow): Promise<boolean> {
  return (await put(db, row)) > 0;
}

type Turn = Pick<IntentRow, 'id' | 'lease_owner' | 'lease_until' | 'claimed_to' | 'covers' | 'changed_at'>;

const begin = definePrepared<MemoryTables, Turn, never>((db, { id, ...news }) =>
  db
    .updateTable('bot_intent')
    .set({ state: 'trying', ...news })
    .where('id', '=', id),
);

/** Notes that this is tried now, and what was claimed with it. */
export async function beginRow(db: Db, turn: Turn): Promise<void> {
  await begin(db, turn);
}

/** The last place of a lane that is being tried; before all of it when nothing is. */
export function reachOf({ state, seq, claimed_to }: Pick<IntentRow, 'state' | 'seq' | 'claimed_to'>): number {
  return state === 'trying' ? Math.max(seq, claimed_to) : -1;
}

/** Changes what is tried with the first of a lane, and that one. */
export async function changeClaimed(
  db: Db,
  head: IntentRow,
  news: UpdateObject<MemoryTables, 'bot_intent'>,
): Promise<void> {
  const claimed = db.updateTable('bot_intent').where('lane', '=', head.lane).where(isUnfinished);
  await claimed.set(news).where('seq', '<=', reachOf(head)).execute();
}

/** Changes an intent; yields the row as it is then. */
export async function updateRow(db: Db, row: IntentRow, news: Partial<IntentRow>, now: Date): Promise<IntentRow> {
  const all = { ...news, changed_at: now.toISOString() };
  await db.updateTable('bot_intent').set(all).where('id', '=', row.id).execute();
  return { ...row, ...all };
}

/** What an attempt came to; `head` is the first of what was claimed with it, which bears the lease of `owner`. */
export type Ending = Pick<
  IntentRow,
  'id' | 'claimed_to' | 'state' | 'outcome' | 'attempts' | 'doubt' | 'changed_at'
> & {
  readonly head: string;
  readonly owner: string;
};

/** Whoever sees to the aftermath of an end. */
type Due = Pick<IntentRow, 'aftermath' | 'lease_owner' | 'lease_until'>;

/** What may have changed of an intent while it was tried. */
export type Ended = Pick<IntentRow, 'incident_id' | 'late' | 'draft_id'>;

const toEnd = (db: Db, { id, head, owner, ...news }: Params<Ending & Due>) =>
  db
    .updateTable('bot_intent')
    .set(news)
    .where('id', '=', id)
    .where(isUnfinished)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('bot_intent as first')
          .select('first.id')
          .where('first.id', '=', head)
          .where('first.lease_owner', '=', owner)
          .where('first.state', '=', 'trying'),
      ),
    );

const end = definePrepared<MemoryTables, Ending & Due, Ended>((db, ending) =>
  toEnd(db, ending).returning(['incident_id', 'late', 'draft_id']),
);

const endUnchanged = definePreparedChange<MemoryTables, Ending & Due & Ended>(
  (db, { incident_id: incident, late, draft_id: draft, ...ending }) =>
    toEnd(db, ending).where('incident_id', '=', incident).where('late', '=', late).where('draft_id', '=', draft),
);

/** Who sees to the aftermath of an end: the owner of the intent, whoever sees to that of the head of its run, or nobody need. */
export type Successor = 'owner' | 'head' | 'nobody';

/**
 * Ends an intent, of which `known` is what it was when it was tried; undefined when another owner has it. Unless it is as it was, its
 * owner sees to the aftermath, until `until`.
 */
export async function endRow(
  db: Db,
  ending: Ending,
  known: Ended,
  { until, successor }: { readonly until: number; readonly successor: Successor },
): Promise<(Ended & Due) | undefined> {
  const { incident_id, late, draft_id } = known;
  const due = toDue(ending, until, successor);
  if ((await endUnchanged(db, { ...ending, ...due, incident_id, late, draft_id })) > 0)
    return { ...due, incident_id, late, draft_id };
  const own = toDue(ending, until, 'owner');
  const changed = (await end(db, { ...ending, ...own }))[0];
  return changed && { ...changed, ...own };
}

function toDue({ owner, head }: Ending, until: number, successor: Successor): Due {
  switch (successor) {
    case 'owner':
      return { aftermath: 1, lease_owner: owner, lease_until: until };
    case 'head':
      return { aftermath: covered, lease_owner: head, lease_until: 0 };
    case 'nobody':
      return { aftermath: 0, ...free };
  }
}

const between = definePrepared<MemoryTables, Pick<IntentRow, 'id' | 'lane' | 'seq'> & { to: number }, { id: string }>(
  (db, { id, lane, seq, to }) =>
    db
      .selectFrom('bot_intent')
      .select('id')
      .where('lane', '=', lane)
      .where(isUnfinished)
      .where('seq', '>=', seq)
      .where('seq', '<=', to)
      .where('id', '!=', id)
      .limit(sql.lit(1)),
);

/** Whether something is still to be done of what is behind an intent in its lane, up to that place. */
export async function isOneUnfinished(
  db: Db,
  { id, lane, seq }: Pick<IntentRow, 'id' | 'lane' | 'seq'>,
  to: number,
): Promise<boolean> {
  return (await between(db, { id, lane, seq, to })).length > 0;
}

/** The columns of an end that was told. */
export const nothingDue = { aftermath: 0, covers: '', ...free };

const close = definePreparedChange<MemoryTables, { ids: readonly string[] }>((db, { ids }) =>
  db
    .updateTable('bot_intent')
    .set(nothingDue)
    .where('id', 'in', ids)
    // What was renewed meanwhile has another end before it.
    .where(isOver)
    // Whoever was answered about this one was not told of those that it stands for.
    .where('covers', '=', ''),
);

/** Notes that nothing more is due for these, about which somebody was answered. */
export async function closeRows(db: Db, ids: readonly string[]): Promise<void> {
  await close(db, { ids });
}

const changed = definePrepared<MemoryTables, { incidentIDs: readonly string[] }, never>((db, { incidentIDs }) =>
  db
    .updateTable('bot_room')
    .set(({ eb }) => ({ changes: eb('changes', '+', 1) }))
    .where('incident_id', 'in', incidentIDs),
);

/** Notes that the cards of incidents have something new to show. */
export async function countChanges(db: Db, incidentIDs: readonly string[]): Promise<void> {
  if (incidentIDs.length > 0) await changed(db, { incidentIDs });
}
