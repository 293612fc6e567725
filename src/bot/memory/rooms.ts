import type { Kysely } from 'kysely';
import type { MemoryTables } from './tables.ts';

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
  ofIncident(incidentID: string): Promise<Room | undefined>;
  ofChannel(teamId: string, channelId: string): Promise<Room | undefined>;
  /** Stores the room, replacing what was known of that incident's room. */
  keep(room: Room, now: Date): Promise<void>;
}

/** The rooms kept in the bot's database. */
export function createRooms(db: Kysely<MemoryTables>): Rooms {
  return {
    ofIncident: async incidentID => {
      const row = await db.selectFrom('bot_room').selectAll().where('incident_id', '=', incidentID).executeTakeFirst();
      return row && toRoom(row);
    },
    ofChannel: async (teamId, channelId) => {
      const row = await db
        .selectFrom('bot_room')
        .selectAll()
        .where('team_id', '=', teamId)
        .where('channel_id', '=', channelId)
        .orderBy('created_at', 'desc')
        .executeTakeFirst();
      return row && toRoom(row);
    },
    keep: async (room, now) => {
      const row = {
        team_id: room.teamId,
        channel_id: room.channelId,
        channel_name: room.channelName,
        is_private: room.isPrivate ? 1 : 0,
        card_ts: room.cardTs,
        announcement_channel_id: room.announcementChannelId,
        announcement_ts: room.announcementTs,
      };
      await db
        .insertInto('bot_room')
        .values({ incident_id: room.incidentID, created_at: now.toISOString(), ...row })
        .onConflict(conflict => conflict.column('incident_id').doUpdateSet(row))
        .execute();
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
