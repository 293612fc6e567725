import type { Kysely } from 'kysely';
import { isNotFound } from '../contract/errors.ts';
import type { Database } from '../db/database.ts';
import type { BotTables } from './schema/tables.ts';

/**
 * Forgets incidents that the API does not have any more: their rooms, alerts, calls, pages, duties, updates, lines, task numbers, snapshots,
 * visits and ended intents, and who is in their channels. Only rooms older than `days` are looked at, so that an API that is empty by mistake
 * costs no incident its channel.
 */
export function createGoneIncidents(deps: {
  readonly database: Database;
  readonly api: {
    readonly IncidentsService: { GetIncident(request: { readonly incidentID: string }): Promise<unknown> };
  };
  /** 0: nothing is forgotten. */
  readonly days: number;
}): { purge(now: Date): Promise<number> } {
  const { database, api, days } = deps;

  async function isGone(incidentID: string): Promise<boolean> {
    try {
      await api.IncidentsService.GetIncident({ incidentID });
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }

  return {
    async purge(now) {
      if (days === 0) return 0;
      const before = new Date(now.getTime() - days * 86_400_000).toISOString();
      const rooms = await database
        .as<BotTables>()
        .selectFrom('bot_room')
        .select('incident_id')
        .where('created_at', '<', before)
        .execute();
      let count = 0;
      // A provisional id is of an incident that the API does not have yet.
      for (const { incident_id } of rooms.filter(each => /^\d+$/.test(each.incident_id))) {
        if (!(await isGone(incident_id))) continue;
        await database.withLock<BotTables, void>('gone-incidents', db => forget(db, incident_id));
        count += 1;
      }
      return count;
    },
  };
}

async function forget(db: Kysely<BotTables>, incidentID: string): Promise<void> {
  const rooms = await db
    .selectFrom('bot_room')
    .select(['team_id', 'channel_id'])
    .where('incident_id', '=', incidentID)
    .execute();
  const calls = db.selectFrom('bot_call').select('id').where('incident_id', '=', incidentID);
  await db.deleteFrom('bot_called').where('call_id', 'in', calls).execute();
  const offers = db.selectFrom('bot_alert_offer').select('id').where('incident_id', '=', incidentID);
  await db.deleteFrom('bot_alert').where('offer', 'in', offers).execute();
  await db.deleteFrom('bot_room').where('incident_id', 'in', offers).execute();
  const tables = [
    'bot_alert_offer',
    'bot_page',
    'bot_call',
    'bot_known_state',
    'bot_update',
    'bot_line',
    'bot_outage',
    'bot_next_steps',
    'bot_duty',
    'bot_task',
    'bot_incident',
    'bot_found',
    'bot_visit',
    'bot_room',
  ] as const;
  for (const table of tables) {
    await db.deleteFrom(table).where('incident_id', '=', incidentID).execute();
  }
  await db
    .deleteFrom('bot_intent')
    .where('subject', '=', incidentID)
    .where('state', 'in', ['done', 'failed', 'discarded'])
    .where('tell', '=', 'nobody')
    .execute();
  for (const room of rooms) await forgetChannel(db, room);
}

/** Forgets a channel in which no incident lives. Where people still use Muster in it, Slack is asked again. */
async function forgetChannel(
  db: Kysely<BotTables>,
  { team_id, channel_id }: { readonly team_id: string; readonly channel_id: string },
): Promise<void> {
  const another = await db
    .selectFrom('bot_room')
    .select('incident_id')
    .where('team_id', '=', team_id)
    .where('channel_id', '=', channel_id)
    .executeTakeFirst();
  if (another) return;
  for (const table of ['bot_channel_member', 'bot_channel'] as const) {
    await db.deleteFrom(table).where('team_id', '=', team_id).where('channel_id', '=', channel_id).execute();
  }
}
