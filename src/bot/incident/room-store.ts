import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { registered } from '../journal/registered.ts';
import type { MemoryTables } from '../schema/tables.ts';

/** Where an incident lives in Slack. Empty strings stand for what has not been made. */
export interface Room {
  readonly incidentID: string;
  readonly teamId: string;
  readonly channelId: string;
  readonly channelName: string;
  readonly isPrivate: boolean;
  readonly cardTs: string;
  readonly announcementChannelId: string;
  readonly announcementTs: string;
}

/** Remembers which channel belongs to which incident, and where its card and announcement are. */
export interface Rooms {
  /** The id that an incident was registered under meanwhile; the same one when it was not, or always had it. */
  idNow(incidentID: string): Promise<string>;
  /** Also by the id that the incident had before it was registered. */
  ofIncident(incidentID: string): Promise<Room | undefined>;
  /**
   * The last incident that lives in a channel, as it was then: what was said before one moved in is not about it. A channel of
   * Muster's own making never was another's.
   */
  ofChannel(teamId: string, channelId: string, then: Date): Promise<Room | undefined>;
  /** Whether any incident lives in a channel. */
  isTaken(teamId: string, channelId: string): Promise<boolean>;
  /** Stores the room, replacing what was known of that incident's room. */
  keep(room: Room): Promise<void>;
}

/** The rooms kept in the bot's database. */
export function createRooms(database: Database, clock: () => Date): Rooms {
  const db = database.as<MemoryTables>();
  const inChannel = (teamId: string, channelId: string) =>
    db.selectFrom('bot_room').where('team_id', '=', teamId).where('channel_id', '=', channelId);
  return {
    idNow: incidentID => registered(db, incidentID),
    ofIncident: async incidentID => {
      const id = await registered(db, incidentID);
      const row = await db.selectFrom('bot_room').selectAll().where('incident_id', '=', id).executeTakeFirst();
      return row && toRoom(row);
    },
    ofChannel: async (teamId, channelId, then) => {
      const row = await inChannel(teamId, channelId)
        .selectAll()
        .where(({ or, eb }) => or([eb('channel_name', '!=', ''), eb('created_at', '<=', then.toISOString())]))
        .orderBy('created_at', 'desc')
        .executeTakeFirst();
      return row && toRoom(row);
    },
    isTaken: async (teamId, channelId) =>
      (await inChannel(teamId, channelId).select('incident_id').executeTakeFirst()) !== undefined,
    keep: async room => {
      const row = {
        team_id: room.teamId,
        channel_id: room.channelId,
        channel_name: room.channelName,
        is_private: room.isPrivate ? 1 : 0,
        card_ts: room.cardTs,
        announcement_channel_id: room.announcementChannelId,
        announcement_ts: room.announcementTs,
      };
      // In the journal's turn, since an incident may be registered at this very moment.
      await database.withLock<MemoryTables, void>('journal', async trx => {
        const incidentID = await registered(trx, room.incidentID);
        await trx
          .insertInto('bot_room')
          .values({
            incident_id: incidentID,
            created_at: clock().toISOString(),
            ...row,
            changes: 1,
            shown: 0,
            turn_owner: '',
            turn_mark: 0,
          })
          .onConflict(conflict =>
            conflict
              .column('incident_id')
              .doUpdateSet(({ ref }) => ({ ...row, changes: sql`${ref('bot_room.changes')} + 1` })),
          )
          .execute();
      });
    },
  };
}

function toRoom(row: MemoryTables['bot_room']): Room {
  return {
    incidentID: row.incident_id,
    teamId: row.team_id,
    channelId: row.channel_id,
    channelName: row.channel_name,
    isPrivate: row.is_private === 1,
    cardTs: row.card_ts,
    announcementChannelId: row.announcement_channel_id,
    announcementTs: row.announcement_ts,
  };
}
