import { sql } from 'kysely';
import { integer, table, text } from '../../db/tables.ts';

/** Where an incident lives in Slack; its channels are of `team_id`. Times are RFC 3339; flags are 0 or 1; `""` means that it has not been made. */
export const rooms = table({
  name: 'bot_room',
  columns: {
    incident_id: text({ key: true }),
    team_id: text(),
    channel_id: text(),
    /** Of a channel of its own; `""` where it lives in the channel in which it was declared. */
    channel_name: text(),
    /** It was declared as private. A room that is a channel is as private as that channel. */
    is_private: integer(),
    card_ts: text(),
    announcement_channel_id: text(),
    announcement_ts: text(),
    /** Since when that channel is its room. */
    created_at: text(),
    /** How often the incident was changed through Muster. */
    version: integer(),
    /** The version that its card shows. */
    rendered_version: integer(),
    /** The process that renders its card; `""` for none. */
    lease_owner: text(),
    /** Changes as long as that process lives. */
    heartbeat: integer(),
    /** Digests of what Slack last showed of it; `""` when that is not known, `?` while a process writes it. */
    card_shown: text({ default: '' }),
    announcement_shown: text({ default: '' }),
    topic_shown: text({ default: '' }),
    /** Slack id of who declared it; `""` when that is not known. */
    declared_by: text({ default: '' }),
    /** Its channel was there before it, and belongs to others too. */
    is_linked: integer({ default: 0 }),
    /** How the room reads of changes (`incident/state/receipt-mode.ts`); `""`: as the team's setting says. */
    receipts: text({ default: '' }),
    /** JSON of where the incident came from; `""` when that is not known. */
    sources: text({ default: '' }),
    /** JSON of the writes to Slack about it within the last minute (`incident/lines/pace.ts`); `""` for none. */
    written: text({ default: '' }),
    /** The message that announces it among others (`incident/state/burst-store.ts`), by the id of its row here; `""` for none. */
    burst: text({ default: '' }),
    /** How its people are reminded of what is owed; `""`: as the team's setting says. */
    reminders: text({ default: '' }),
  },
  indexes: {
    bot_room_channel: ['team_id', 'channel_id'],
    // Rooms whose card is behind or being shown.
    bot_room_outdated: {
      on: ['lease_owner'],
      where: sql`lease_owner <> '' or rendered_version < version`,
      since: '036-outdated',
    },
    bot_room_age: { on: ['created_at'], since: '036-outdated' },
    bot_room_announced: { on: ['team_id', 'announcement_channel_id'], since: '036-outdated' },
    bot_room_declared: { on: ['team_id', 'declared_by', 'created_at'], since: '036-outdated' },
  },
});
