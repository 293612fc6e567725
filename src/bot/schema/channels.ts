import { integer, table, text } from '../../db/tables.ts';

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
    /** When Slack was asked for these last; 0 when it is to be asked again. */
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
