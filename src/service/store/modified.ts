import { type Expression, sql } from 'kysely';

/**
 * The `modified_at` of a row that is changed now (microseconds since 1970): never before what it was. Calls may take their
 * turn in another order than they came, the clocks of replicas differ, and clocks are put back.
 */
export function modifiedNow(now: Expression<number> | number): Expression<number> {
  const before = sql.ref('modified_at');
  return sql<number>`case when ${before} > ${now} then ${before} else ${now} end`;
}
