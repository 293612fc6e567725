import { type Expression, sql } from 'kysely';

/**
 * The `modified_at` of a row that changes now, in microseconds since 1970. It never falls, although calls may get the lock in
 * another order than they came, clocks of replicas differ, and clocks are put back.
 */
export function modifiedNow(now: Expression<number> | number): Expression<number> {
  const before = sql.ref('modified_at');
  return sql<number>`case when ${before} > ${now} then ${before} else ${now} end`;
}
