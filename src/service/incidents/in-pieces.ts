import { setImmediate } from 'node:timers/promises';
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { IncidentStatus } from '../../contract/incidents.ts';
import { definePrepared, type Params } from '../../db/prepared.ts';
import type { Context } from '../call/context.ts';
import type { Db, IncidentRow, Tables } from '../store/tables.ts';
import { isBehind, type SortKey } from './cursor.ts';
import { isVisibleTo } from './visibility.ts';

const incident = expressionBuilder<Tables, 'incident'>();

const byID: SortKey<IncidentRow> = { column: incident.ref('incident.id'), type: 'number', of: row => row.id };

/** The order in which incidents were declared. */
export const byCreation: readonly [SortKey<IncidentRow>, SortKey<IncidentRow>] = [
  { column: incident.ref('incident.created_at'), type: 'number', of: row => row.created_at },
  byID,
];

/** What a walk tells of an incident. */
export interface IncidentKeys {
  readonly id: number;
  readonly status: IncidentStatus;
  readonly severity: string;
  readonly severity_level: number;
  /** 0 or 1. */
  readonly is_drill: number;
  readonly created_at: number;
}

let turn: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop of its own, after all that asked before: the pieces of many pages at once hold up nothing else. */
export async function takeTurn(): Promise<void> {
  turn = turn.then(() => setImmediate());
  await turn;
}

/** An order in which incidents are passed, which an index gives. */
interface Walk {
  /** Unique together. */
  readonly keys: readonly SortKey<IncidentRow>[];
  readonly direction: 'ASC' | 'DESC';
  /** What the index leads with: no other incident is looked at. */
  readonly among?: Expression<SqlBool> | undefined;
  /** The keys of the incident behind which it begins; absent: at the beginning. */
  readonly after?: readonly (string | number)[] | undefined;
  /** How many incidents are looked at first, a power of two. */
  readonly first?: number;
}

/** Milliseconds for which a piece of a walk may hold up others; and its fewest and most incidents. */
const longest = 0.7;
const [fewest, most] = [64, 16_384];

/**
 * Passes incidents in an order and yields those of a condition that the caller sees, in pieces. A piece is as large as what the ones before it
 * took allows, and others get their turn in between: a condition that no index answers makes a walk pass all incidents.
 */
export async function* walk(
  { db, caller }: Context,
  where: Expression<SqlBool>,
  { keys, direction, among, after, first = 128 }: Walk,
): AsyncGenerator<readonly IncidentKeys[]> {
  let start = after && isBehind(keys, direction, after);
  for (let many = first; ; ) {
    const before = performance.eventLoopUtilization();
    let all = db.selectFrom('incident');
    if (among) all = all.where(among);
    if (start) all = all.where(start);
    for (const { column } of keys) all = all.orderBy(column, direction === 'ASC' ? 'asc' : 'desc');
    // The order alone chooses the piece: which index suits the condition, a database can only guess. A subquery with a limit keeps its order.
    const rows = await db
      .selectFrom(all.selectAll().limit(many).as('incident'))
      .select(['id', 'status', 'severity', 'severity_level', 'is_drill', 'created_at'])
      .where(isVisibleTo(caller))
      .where(where)
      .execute();
    // Waiting for a database elsewhere delays no other call.
    const took = performance.eventLoopUtilization(before).active;
    yield rows;
    const last = await all
      .select(keys.map(({ column }, index) => sql<string | number>`${column}`.as(`key${index}`)))
      .offset(many - 1)
      .limit(1)
      .executeTakeFirst();
    if (!last) return;
    start = isBehind(keys, direction, Object.values(last));
    if (took < longest / 2) many = Math.min(many * 2, most);
    else if (took > longest) many = Math.max(many / 2, fewest);
    await takeTurn();
  }
}

const readRows = definePrepared((db: Db, value: Params<{ ids: readonly number[] }>) =>
  db.selectFrom('incident').selectAll().where('id', 'in', value.ids),
);

/** The rows of incidents that were passed, in that order. */
export async function readPassed({ db }: Context, those: readonly IncidentKeys[]): Promise<IncidentRow[]> {
  if (those.length === 0) return [];
  const rows = new Map((await readRows(db, { ids: those.map(each => each.id) })).map(row => [row.id, row]));
  return those.flatMap(each => rows.get(each.id) ?? []);
}

/** The incidents of a condition that the caller sees. */
export function selectVisible({ db, caller }: Context, where: Expression<SqlBool>) {
  return db.selectFrom('incident').where(isVisibleTo(caller)).where(where);
}

/** How many incidents are read at once: reading them and what belongs to them takes a few milliseconds. */
const atOnce = 100;

/** The incidents of a condition that the caller sees, the newest first, in pieces. Others get their turn between two of them. */
export async function* readInPieces(context: Context, where: Expression<SqlBool>): AsyncGenerator<IncidentRow[]> {
  for await (const those of walk(context, where, { keys: [byID], direction: 'DESC' })) {
    for (let at = 0; at < those.length; at += atOnce) {
      yield await readPassed(context, those.slice(at, at + atOnce));
      await takeTurn();
    }
  }
}
