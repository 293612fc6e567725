import { sql } from 'kysely';
import type { Migration } from '../../db/migrate.ts';

/** A channel as Slack last showed it. Moments are epoch milliseconds; flags are 0 or 1. */
export type ChannelTable = {
  team_id: string;
  channel_id: string;
  name: string;
  is_private: number;
  /** Shared with another organisation. */
  is_shared: number;
  is_archived: number;
  is_deleted: number;
  /** When Slack was asked for these last; 0 when it is to be asked again. */
  asked_at: number;
  /** When Slack listed the members last; 0 when it never did. */
  members_at: number;
  /** Events that said who reads the channel. */
  readers_changes: number;
  /** Slack's word for why it takes no post of Muster's there; `""` while it takes them, as far as is known. */
  post_refusal: string;
};

/** Whether a person is in a channel. Flags are 0 or 1. */
export type ChannelMemberTable = {
  team_id: string;
  channel_id: string;
  user_id: string;
  is_member: number;
  /** When they joined or left, or when Slack said so, in epoch milliseconds. */
  changed_at: number;
};

/**
 * Makes the tables of channels and their members. The channels that Muster made are carried over; Slack is asked for all others,
 * and for the members, when somebody needs to know.
 */
export const createChannels: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_channel')
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('channel_id', 'text', column => column.notNull())
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('is_private', 'integer', column => column.notNull())
    .addColumn('is_shared', 'integer', column => column.notNull())
    .addColumn('is_archived', 'integer', column => column.notNull())
    .addColumn('is_deleted', 'integer', column => column.notNull())
    .addColumn('asked_at', 'integer', column => column.notNull())
    .addColumn('members_at', 'integer', column => column.notNull())
    .addPrimaryKeyConstraint('bot_channel_pk', ['team_id', 'channel_id'])
    .execute();
  await db.schema
    .createTable('bot_channel_member')
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('channel_id', 'text', column => column.notNull())
    .addColumn('user_id', 'text', column => column.notNull())
    .addColumn('is_member', 'integer', column => column.notNull())
    .addColumn('changed_at', 'integer', column => column.notNull())
    .addPrimaryKeyConstraint('bot_channel_member_pk', ['team_id', 'channel_id', 'user_id'])
    .execute();
  await sql`
    insert into bot_channel (team_id, channel_id, name, is_private, is_shared, is_archived, is_deleted, asked_at, members_at)
    select team_id, channel_id, max(channel_name), max(is_private), 0, 0, 0, 0, 0 from bot_room
    where channel_id <> '' and channel_name <> '' group by team_id, channel_id`.execute(db);
  await db.schema
    .alterTable('bot_room')
    .addColumn('declared_by', 'text', column => column.notNull().defaultTo(''))
    .execute();
};

/** Counts the events that say who reads a channel, so that an older answer of Slack's is known by the number from before it. */
export const addReadersChanges: Migration['up'] = async db => {
  await db.schema
    .alterTable('bot_channel')
    .addColumn('readers_changes', 'integer', column => column.notNull().defaultTo(0))
    .execute();
};

/** Remembers the channels in which Slack takes no post of Muster's: an answer must not say that such a room reads something. */
export const addPostRefusal: Migration['up'] = async db => {
  await db.schema
    .alterTable('bot_channel')
    .addColumn('post_refusal', 'text', column => column.notNull().defaultTo(''))
    .execute();
};
