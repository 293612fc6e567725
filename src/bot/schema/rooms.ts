import { sql } from 'kysely';
import { integer, table, text } from '../../db/tables.ts';

/** Slack refused to show a part of it. A condition of an index, so it is the same text wherever it stands. */
export const isPartRefused = sql<boolean>`'!' in (card_shown, announcement_shown, topic_shown)`;

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
    /** Digests of what Slack last showed of it; `""` when that is not known, `?` while a process writes it, `!` where Slack refused it. */
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
    // Slack refused to show a part of these rooms: it is shown once their channel opens.
    bot_room_refused: { on: ['created_at'], where: isPartRefused, since: '045-rooms-back' },
    bot_room_age: { on: ['created_at'], since: '036-outdated' },
    bot_room_announced: { on: ['team_id', 'announcement_channel_id'], since: '036-outdated' },
    bot_room_declared: { on: ['team_id', 'declared_by', 'created_at'], since: '036-outdated' },
  },
});

/** A channel as Slack last showed it. Moments are epoch milliseconds; flags are 0 or 1. */
export const channels = table({
  name: 'bot_channel',
  columns: {
    team_id: text(),
    channel_id: text(),
    name: text(),
    is_private: integer(),
    /** Shared with another organisation. */
    is_shared: integer(),
    is_archived: integer(),
    is_deleted: integer(),
    /** When Slack was asked for these last; 0 when it must be asked again. */
    asked_at: integer(),
    /** When Slack listed the members last; 0 when it never did. */
    members_at: integer(),
    /** Events that said who reads the channel. */
    readers_changes: integer({ default: 0 }),
    /** Slack's word for why it takes no post of Muster's there; `""` while it takes them, as far as is known. */
    post_refusal: text({ default: '' }),
  },
  key: ['team_id', 'channel_id'],
});

/** Whether a person is in a channel. Flags are 0 or 1. */
export const channelMembers = table({
  name: 'bot_channel_member',
  columns: {
    team_id: text(),
    channel_id: text(),
    user_id: text(),
    is_member: integer(),
    /** When they joined or left, or when Slack said so, in epoch milliseconds. */
    changed_at: integer(),
  },
  key: ['team_id', 'channel_id', 'user_id'],
});

/** What comes next in the room of an incident that is over. Flags are 0 or 1; times are epoch milliseconds. */
export const nextSteps = table({
  name: 'bot_next_steps',
  columns: {
    incident_id: text({ key: true }),
    /** When the incident was closed, as the API says it: names the resolution; `""` before that is known. */
    resolution: text(),
    /** The incident was over before Muster told rooms of what comes next, or may have been. */
    is_silent: integer(),
    /** When the present message was begun; while the resolution is not known, when Muster began to tell rooms. */
    begun_at: integer(),
    /** Slack's time of the message; `""` when it has none, `gone` when it was deleted. */
    ts: text(),
    /** Digest of what the message shows; `""` when that is not known. */
    shown: text(),
    /** When the channel is archived; 0 for never. */
    archive_at: integer(),
    /** The present message is the one that warns of it. */
    is_warned: integer(),
    /** A process archives the channel. */
    is_archiving: integer(),
    /** When Muster archived the channel; 0 when it did not. */
    archived_at: integer(),
    /** Why Muster could not archive it, as mrkdwn; `""` when nothing was wrong. */
    problem: text(),
    /** When the room must be looked at next; 0 for never. */
    look_at: integer(),
    /** When a person wrote in the room last, while its archiving is ahead; 0 when nobody did. */
    talked_at: integer({ default: 0, since: '045-rooms-back' }),
  },
  indexes: { bot_next_steps_look: ['look_at'] },
});

/** An outage of the API that a room was told of, while it goes on. Times are epoch milliseconds. */
export const outages = table({
  name: 'bot_outage',
  columns: {
    incident_id: text({ key: true }),
    /** Its line in the room. */
    line_id: text(),
    since: integer(),
    /** How many changes wait for its end, as the line says. */
    saved: integer(),
  },
});

/** An incident that was made elsewhere and is announced. Flags are 0 or 1; times are epoch milliseconds. */
export const foundIncidents = table({
  name: 'bot_found',
  columns: {
    incident_id: text({ key: true }),
    found_at: integer(),
    /** When it was made, as the API says. */
    created_time: text(),
    /** The message that names it among others, by the id of its row among the rooms; `""`: it is announced alone. */
    burst: text(),
    /** The line that names it there, as mrkdwn. */
    line: text(),
    /** It has no room and goes on (`free`), has a room (`taken`), or is over. */
    state: text<'free' | 'taken' | 'over'>(),
    /** What follows from the decision was begun: its room is being made. */
    is_settled: integer(),
    /** People who read the message may know nothing of it any more. */
    is_hidden: integer(),
  },
  indexes: { bot_found_burst: ['burst'], bot_found_at: ['found_at'] },
});
