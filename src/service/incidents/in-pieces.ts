import { setImmediate } from 'node:timers/promises';
import type { Expression, SqlBool } from 'kysely';
import type { Context } from '../call/context.ts';
import type { IncidentRow } from '../store/tables.ts';
import { isVisibleTo } from './visibility.ts';

/** How many incidents are read at once: reading them and what belongs to them takes a few milliseconds. */
const atOnce = 100;

/** The incidents of a condition that the caller sees. */
export function selectVisible({ db, caller }: Context, where: Expression<SqlBool>) {
  return db.selectFrom('incident').where(isVisibleTo(caller)).where(where);
}

/** The incidents of a condition that the caller sees, the newest first, in pieces. Others get their turn between two of them. */
export async function* readInPieces(context: Context, where: Expression<SqlBool>): AsyncGenerator<IncidentRow[]> {
  for (let below: number | undefined; ; ) {
    const rows = await selectVisible(context, where)
      .selectAll('incident')
      .$if(below !== undefined, query => query.where('incident.id', '<', below ?? 0))
      .orderBy('incident.id', 'desc')
      .limit(atOnce)
      .execute();
    yield rows;
    if (rows.length < atOnce) return;
    below = rows.at(-1)?.id;
    await setImmediate();
  }
}
