import type { Kysely } from 'kysely';
import type { MemoryTables } from '../schema/tables.ts';
import { declarationOf, isProvisional } from './lanes.ts';

/** The id of an incident: the one it was registered under meanwhile, when it had none; its own otherwise. */
export async function registered(db: Kysely<MemoryTables>, incidentID: string): Promise<string> {
  if (!isProvisional(incidentID)) return incidentID;
  const declaration = await db
    .selectFrom('bot_intent')
    .select(['state', 'incident_id'])
    .where('id', '=', declarationOf(incidentID))
    .executeTakeFirst();
  return declaration?.state === 'done' ? declaration.incident_id : incidentID;
}
