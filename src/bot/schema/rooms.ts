import { sql } from 'kysely';
import type { Migration } from '../../db/migrate.ts';

/** Where an incident lives in Slack; its channels are of `team_id`. Times are RFC 3339; flags are 0 or 1; `""` means that it has not been made. */
export type RoomTable = {
  incident_id: string;
  team_id: string;
  channel_id: string;
  /** Of a channel of its own; `""` where it lives in the channel in which it was declared. */
  channel_name: string;
  /** Its channel was there before it, and belongs to others too. */
  is_linked: number;
  /** It was declared as private. A room that is a channel is as private as that channel. */
  is_private: number;
  card_ts: string;
  announcement_channel_id: string;
  announcement_ts: string;
  /** Since when that channel is its room. */
  created_at: string;
  /** How often the incident was changed through Muster. */
  version: number;
  /** The version that its card shows. */
  rendered_version: number;
  /** The process that renders its card; `""` for none. */
  lease_owner: string;
  /** Changes as long as that process lives. */
  heartbeat: number;
  /** Digests of what Slack last showed of it; `""` when that is not known, `?` while a process writes it. */
  card_shown: string;
  announcement_shown: string;
  topic_shown: string;
  /** JSON of the writes to Slack about it within the last minute (`incident/lines/pace.ts`); `""` for none. */
  written: string;
  /** Slack id of who declared it; `""` when that is not known. */
  declared_by: string;
  /** How the room reads of changes (`incident/state/receipt-mode.ts`); `""`: as the team's setting says. */
  receipts: string;
  /** JSON of where the incident came from; `""` when that is not known. */
  sources: string;
  /** How its people are reminded of what is owed; `""`: as the team's setting says. */
  reminders: string;
  /** The message that announces it among others (`incident/state/burst-store.ts`), by the id of its row here; `""` for none. */
  burst: string;
};

/** Makes the table of rooms. */
export const createRooms: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_room')
    .addColumn('incident_id', 'text', column => column.notNull().primaryKey())
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('channel_id', 'text', column => column.notNull())
    .addColumn('channel_name', 'text', column => column.notNull())
    .addColumn('is_private', 'integer', column => column.notNull())
    .addColumn('card_ts', 'text', column => column.notNull())
    .addColumn('announcement_channel_id', 'text', column => column.notNull())
    .addColumn('announcement_ts', 'text', column => column.notNull())
    .addColumn('created_at', 'text', column => column.notNull())
    .addColumn('version', 'integer', column => column.notNull())
    .addColumn('rendered_version', 'integer', column => column.notNull())
    .addColumn('lease_owner', 'text', column => column.notNull())
    .addColumn('heartbeat', 'integer', column => column.notNull())
    .execute();
  await db.schema.createIndex('bot_room_channel').on('bot_room').columns(['team_id', 'channel_id']).execute();
};

/** Counts a change of each incident with a private room: its card's next round tells the incident API that it is private. */
export const countPrivateRooms: Migration['up'] = async db => {
  await sql`
    update bot_room set version = version + 1
    where exists (
      select 1 from bot_channel
      where bot_channel.team_id = bot_room.team_id and bot_channel.channel_id = bot_room.channel_id
      and bot_channel.is_private = 1
    )`.execute(db);
};

/** Adds the digests of what Slack shows of a room. */
export const addShown: Migration['up'] = async db => {
  for (const column of ['card_shown', 'announcement_shown', 'topic_shown']) {
    await db.schema
      .alterTable('bot_room')
      .addColumn(column, 'text', it => it.notNull().defaultTo(''))
      .execute();
  }
};

/** Adds whether a room is a channel that was there before its incident. */
export const addLinked: Migration['up'] = async db => {
  await db.schema
    .alterTable('bot_room')
    .addColumn('is_linked', 'integer', it => it.notNull().defaultTo(0))
    .execute();
};

/** Adds where an incident came from. */
export const addSources: Migration['up'] = async db => {
  await db.schema
    .alterTable('bot_room')
    .addColumn('sources', 'text', it => it.notNull().defaultTo(''))
    .execute();
};

/** Adds the writes of the last minute. */
export const addWritten: Migration['up'] = async db => {
  await db.schema
    .alterTable('bot_room')
    .addColumn('written', 'text', it => it.notNull().defaultTo(''))
    .execute();
};

/** Adds indexes, so that no look for what is due takes longer as there have been more incidents. */
export const addDueIndexes: Migration['up'] = async db => {
  // Rooms whose card is behind or being shown.
  await sql`
    create index bot_room_outdated on bot_room (lease_owner)
    where lease_owner <> '' or rendered_version < version`.execute(db);
  // Without a condition these would be taken for all of a room's lines, or all that is over of an incident.
  await sql`create index bot_line_age on bot_line (done_at) where place = 'room'`.execute(db);
  await sql`create index bot_duty_age on bot_duty (changed_at) where state = 'over'`.execute(db);
  const index = (table: string, name: string, ...columns: string[]) =>
    db.schema.createIndex(`${table}_${name}`).on(table).columns(columns).execute();
  await index('bot_room', 'age', 'created_at');
  await index('bot_room', 'announced', 'team_id', 'announcement_channel_id');
  await index('bot_room', 'declared', 'team_id', 'declared_by', 'created_at');
  await index('bot_call', 'age', 'begun_at');
  await index('bot_page', 'age', 'changed_at');
};
