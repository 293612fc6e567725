import { toWebhookDb } from '../store/003-webhooks.ts';
import { toImportDb } from '../store/005-import.ts';
import { takeNumber } from '../store/counters.ts';
import type { Db } from '../store/tables.ts';
import { toMicros } from '../store/time.ts';

/** Incidents deleted in one transaction. */
const deletedTogether = 50;

/**
 * Deletes some of the resolved incidents that were closed and changed last before a moment, with everything about them; returns
 * their numbers. A webhook that still waits is sent. Runs under the service's lock.
 */
export async function deleteOldIncidents(db: Db, before: Date): Promise<readonly number[]> {
  const time = toMicros(before);
  const rows = await db
    .selectFrom('incident')
    .select('id')
    .where('status', '=', 'resolved')
    .where('modified_at', '<', time)
    // An imported one may not say when it was closed.
    .where(({ or, eb }) => or([eb('closed_at', 'is', null), eb('closed_at', '<', time)]))
    .orderBy('id')
    .limit(deletedTogether)
    .execute();
  const ids = rows.map(each => each.id);
  if (ids.length === 0) return ids;
  for (const table of ['incident_label', 'assignment', 'task', 'activity'] as const) {
    await db.deleteFrom(table).where('incident_id', 'in', ids).execute();
  }
  await toImportDb(db).deleteFrom('import_source').where('incident_id', 'in', ids).execute();
  await toWebhookDb(db)
    .deleteFrom('webhook_delivery')
    .where('finished_at', 'is not', null)
    .where('event_id', 'in', all => all.selectFrom('webhook_event').select('id').where('incident_id', 'in', ids))
    .execute();
  await db.deleteFrom('incident').where('id', 'in', ids).execute();
  await takeNumber(db, 'homescreen');
  return ids;
}
