import { type Kysely, sql } from 'kysely';
import { definePrepared } from '../../db/prepared.ts';
import { readKnownState } from '../incident/lines/known-state.ts';
import type { BotTables } from '../schema/tables.ts';

/** Whether a person acted on an incident, or holds a role in it: it then ends by a person's act alone. */
export async function isTouched(db: Kysely<BotTables>, incidentID: string): Promise<boolean> {
  const state = await readKnownState(db, incidentID);
  if (state !== undefined && state.roles.length > 0) return true;
  return (await actsOfPeople(db, { incidentID })).length > 0;
}

/** One of the acts of people on an incident. */
const actsOfPeople = definePrepared<BotTables, { incidentID: string }, { readonly id: string }>((db, { incidentID }) =>
  db
    .selectFrom('bot_intent')
    .select('id')
    .where('subject', '=', incidentID)
    .where('owner', 'not like', sql.lit('%/'))
    .limit(sql.lit(1)),
);
