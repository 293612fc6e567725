import { setImmediate } from 'node:timers/promises';
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Incident } from '../../contract/incidents.ts';
import type { IncidentLabel } from '../../contract/labels.ts';
import { splitNoteBody } from '../../contract/note-forms.ts';
import type { Context } from '../call/context.ts';
import { findLabels } from '../store/incident-labels.ts';
import { findMemberships, noMembership } from '../store/memberships.ts';
import type { Db, IncidentRow, Tables } from '../store/tables.ts';
import { toStartOfMonth } from '../store/time.ts';
import { selectVisible } from './in-pieces.ts';

/** The most incidents on a page. */
export const pageSize = 50;

/** An incident as the list shows it. */
export interface Listed extends Pick<Incident, 'labels'> {
  readonly row: IncidentRow;
  readonly labels: IncidentLabel[];
  readonly assignments: Incident['incidentMembership']['assignments'];
  /** The latest update, or without any the latest note; only of an open incident. */
  readonly said: Said | undefined;
}

/** What was said last of an incident. */
export interface Said {
  readonly words: string;
  readonly at: Date;
  /** When the next update is due; undefined for no promise. */
  readonly next: Date | undefined;
}

/** Incidents of one kind: how many a query finds. */
export interface Tally {
  readonly status: string;
  readonly severity: string;
  /** Absent where drills are left out. */
  readonly isDrill?: boolean;
  readonly count: number;
}

/** Which incidents are listed. */
interface Asked {
  /** The condition of the query, and of what is chosen beside it. */
  readonly typed: Expression<SqlBool>;
  readonly chosen: Expression<SqlBool>;
  /** The number of the incident that comes first; 0 for none. */
  readonly number: number;
  /** From 1. */
  readonly page: number;
}

/** What is found. */
export interface Found {
  /** All that the query finds, whatever is chosen. */
  readonly tallies: readonly Tally[];
  readonly listed: readonly Listed[];
  /** How many resolved incidents the months on this page have, by their first moment. */
  readonly months: ReadonlyMap<number, number>;
}

const incident = expressionBuilder<Tables, 'incident'>();

/**
 * One page of the list: the incident whose number was typed, the open ones from the worst severity and the oldest, then the resolved
 * ones from the newest. The number of statements is the same for any number of incidents. Throws `invalid_argument`.
 */
export async function findPage(context: Context, { typed, chosen, number, page }: Asked): Promise<Found> {
  const where = incident.and([typed, chosen]);
  const tallies = await selectVisible(context, typed)
    .select(['status', 'severity', 'is_drill', ({ fn }) => fn.countAll<number>().as('count')])
    .groupBy(['status', 'severity', 'is_drill'])
    .execute();
  // Others get their turn between statements that look at every incident; SQLite answers at once.
  await setImmediate();
  const rows = await readRows(context, where, number, (page - 1) * pageSize);
  await setImmediate();
  const months = await countMonths(context, where, rows);
  const listed = await toListed(context, rows);
  await setImmediate();
  return {
    tallies: tallies.map(each => ({ ...each, isDrill: each.is_drill === 1, count: Number(each.count) })),
    ...{ listed, months },
  };
}

/**
 * The rows of a page in their order, of which `skipped` others come first. The resolved ones are read by time, so that an index
 * gives their order and few are looked at.
 */
async function readRows(context: Context, where: Expression<SqlBool>, number: number, skipped: number) {
  const isFirst = incident.or([incident('status', '=', 'active'), incident('id', '=', number)]);
  const [first, rest] = [selectVisible(context, where).where(isFirst), selectVisible(context, where)];
  const open = await first
    .selectAll('incident')
    .orderBy(sql`case when id = ${number} then 0 else 1 end`)
    .orderBy(sql`case when severity_level < 0 then 1000000 else severity_level end`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(pageSize)
    .offset(skipped)
    .execute();
  if (open.length === pageSize) return open;
  const counted =
    skipped === 0 ? undefined : await first.select(({ fn }) => fn.countAll().as('all')).executeTakeFirst();
  const resolved = await rest
    .selectAll('incident')
    .where('status', '<>', 'active')
    .where('id', '<>', number)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize - open.length)
    .offset(Math.max(0, skipped - Number(counted?.all ?? 0)))
    .execute();
  return [...open, ...resolved];
}

async function toListed(context: Context, rows: readonly IncidentRow[]): Promise<Listed[]> {
  const { db } = context;
  const ids = rows.map(each => each.id);
  const labels = await findLabels(db, ids);
  const memberships = await findMemberships(context, ids);
  const open = rows.filter(each => each.status === 'active').map(each => each.id);
  const said = open.length === 0 ? new Map<number, Said>() : await findSaid(db, open);
  return rows.map(row => ({
    row,
    labels: labels.get(row.id) ?? [],
    assignments: (memberships.get(row.id) ?? noMembership()).assignments,
    said: said.get(row.id),
  }));
}

/** What was said last of each of the incidents. */
async function findSaid(db: Db, ids: readonly number[]): Promise<Map<number, Said>> {
  const latest = await db
    .selectFrom('activity')
    .select(({ fn }) => [
      fn.max('seq').as('note'),
      sql<number | null>`max(case when field_values like '%"source":"update"%' then seq end)`.as('update'),
    ])
    .where('incident_id', 'in', ids)
    .where('kind', '=', 'userNote')
    .groupBy('incident_id')
    .execute();
  const chosen = latest.map(each => Number(each.update ?? each.note));
  if (chosen.length === 0) return new Map();
  const rows = await db
    .selectFrom('activity')
    .select(['incident_id', 'body', 'event_at', 'field_values'])
    .where('seq', 'in', chosen)
    .execute();
  return new Map(
    rows.map(row => {
      const values: Record<string, unknown> = JSON.parse(row.field_values);
      const next = Date.parse(String(values.nextUpdateAt ?? ''));
      return [
        row.incident_id,
        {
          words: splitNoteBody(row.body).text,
          at: new Date(row.event_at / 1000),
          next: Number.isNaN(next) ? undefined : new Date(next),
        },
      ];
    }),
  );
}

/** How many resolved incidents of the condition each month has that one of the rows begins. */
async function countMonths(
  context: Context,
  where: Expression<SqlBool>,
  rows: readonly IncidentRow[],
): Promise<Map<number, number>> {
  const starts = new Set(
    rows.filter(each => each.status !== 'active').map(each => toStartOfMonth(each.created_at / 1000)),
  );
  const months = [...starts];
  if (months.length === 0) return new Map();
  const [first = 0, last = 0] = [Math.min(...months), Math.max(...months)];
  const counts = await selectVisible(context, where)
    .where('status', '<>', 'active')
    .where('created_at', '>=', first * 1000)
    .where('created_at', '<', toStartOfMonth(last, 1) * 1000)
    .select(
      months.map((month, index) =>
        sql<number>`sum(case when created_at >= ${month * 1000} and created_at < ${toStartOfMonth(month, 1) * 1000} then 1 else 0 end)`.as(
          `month${index}`,
        ),
      ),
    )
    .executeTakeFirst();
  return new Map(months.map((month, index) => [month, Number(counts?.[`month${index}`] ?? 0)]));
}
