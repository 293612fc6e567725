import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { NoTables } from '../../db/engine.ts';
import type { Migration } from '../../db/migrate.ts';
import { integer, type TablesOf, table, text } from '../../db/tables.ts';
import type { Db } from './tables.ts';

/** The incidents of one kind. A kind without incidents may stay, with 0. */
export const incidentCounts = table({
  name: 'incident_count',
  columns: {
    is_private: integer(),
    status: text(),
    severity: text(),
    is_drill: integer(),
    /** In which they were declared, in UTC: `2026-11`. */
    month: text(),
    count: integer(),
  },
  key: ['is_private', 'status', 'severity', 'is_drill', 'month'],
  since: '012-incident-counts',
});

/** A connection or transaction with the numbers of incidents in view. */
export function toCountDb(db: Db) {
  return db.withTables<TablesOf<[typeof incidentCounts]>>();
}

/** What makes the kind of an incident. */
const columns = ['is_private', 'status', 'severity', 'is_drill', 'created_at'];

/**
 * Counts the incidents, and has triggers of the database go on with it. So every change counts: also that of a process of the version before,
 * which does not know the numbers, while an update is rolled out.
 */
export const countIncidents: Migration['up'] = async db => {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  const monthOf = isSqlite
    ? (at: string) => `strftime('%Y-%m', ${at} / 1000000, 'unixepoch')`
    : (at: string) => `to_char(to_timestamp(${at} / 1000000) at time zone 'UTC', 'YYYY-MM')`;
  await (isSqlite ? keepOnSqlite : keepOnPostgres)(db, monthOf);
  await sql`
      insert into incident_count (is_private, status, severity, is_drill, month, count)
      select is_private, status, severity, is_drill, ${sql.raw(monthOf('created_at'))}, count(*)
      from incident group by 1, 2, 3, 4, 5`.execute(db);
};

type MonthOf = (at: string) => string;

/** Counts the new row of an incident. */
function more(monthOf: MonthOf): string {
  return `insert into incident_count (is_private, status, severity, is_drill, month, count)
    values (new.is_private, new.status, new.severity, new.is_drill, ${monthOf('new.created_at')}, 1)
    on conflict (is_private, status, severity, is_drill, month) do update set count = incident_count.count + 1;`;
}

/** Counts the old row of an incident no more. */
function less(monthOf: MonthOf): string {
  return `update incident_count set count = count - 1
    where is_private = old.is_private and status = old.status and severity = old.severity and is_drill = old.is_drill
      and month = ${monthOf('old.created_at')};`;
}

async function keepOnSqlite(db: Kysely<NoTables>, monthOf: MonthOf): Promise<void> {
  for (const [event, name, steps] of [
    ['insert', 'incident_added', more(monthOf)],
    ['delete', 'incident_removed', less(monthOf)],
    [`update of ${columns.join(', ')}`, 'incident_changed', `${less(monthOf)} ${more(monthOf)}`],
  ]) {
    await sql`${sql.raw(`create trigger ${name} after ${event} on incident begin ${steps} end`)}`.execute(db);
  }
}

async function keepOnPostgres(db: Kysely<NoTables>, monthOf: MonthOf): Promise<void> {
  await sql`${sql.raw(`
    create function count_incident() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then ${less(monthOf)} end if;
      if tg_op <> 'DELETE' then ${more(monthOf)} end if;
      return null;
    end $$`)}`.execute(db);
  await sql`${sql.raw(`
    create trigger incident_counted after insert or delete or update of ${columns.join(', ')} on incident
    for each row execute function count_incident()`)}`.execute(db);
}
