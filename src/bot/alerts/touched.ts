import type { Kysely } from 'kysely';
import { readStored } from '../incident/lines/known-state.ts';
import type { BotTables } from '../schema/tables.ts';

/** Whether a person acted on an incident, or holds a role in it: it then ends by a person's act alone. */
export async function isTouched(db: Kysely<BotTables>, incidentID: string): Promise<boolean> {
  const state = await readStored(db, incidentID);
  if (state !== undefined && state.roles.length > 0) return true;
  const act = await db
    .selectFrom('bot_intent')
    .select('id')
    .where('subject', '=', incidentID)
    .where('owner', 'not like', '%/')
    .executeTakeFirst();
  return act !== undefined;
}
