import type { Migration } from '../../db/migrate.ts';

/**
 * What Slack last said of a person, for when it cannot be asked. There is no e-mail address: nobody is judged by it. Flags are 0 or
 * 1.
 */
export type PersonTable = {
  /** The workspace that sees the person. */
  team_id: string;
  user_id: string;
  /** The workspace that they belong to: another one for people of shared channels. */
  home_team_id: string;
  /** `""` when it is not known, as the next one. */
  name: string;
  time_zone: string;
  is_guest: number;
  /** An administrator or owner of the workspace. */
  is_admin: number;
  is_bot: number;
  is_deleted: number;
  is_stranger: number;
  /** Slack's own number of this state, in seconds; 0 when Slack gave none. An event with a smaller one is old. */
  updated: number;
  /** When Slack said so, in epoch milliseconds. */
  seen_at: number;
};

/** Makes the table of people. */
export const createPersons: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_person')
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('user_id', 'text', column => column.notNull())
    .addColumn('home_team_id', 'text', column => column.notNull())
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('time_zone', 'text', column => column.notNull())
    .addColumn('is_guest', 'integer', column => column.notNull())
    .addColumn('is_bot', 'integer', column => column.notNull())
    .addColumn('is_deleted', 'integer', column => column.notNull())
    .addColumn('is_stranger', 'integer', column => column.notNull())
    .addColumn('updated', 'integer', column => column.notNull())
    .addColumn('seen_at', 'integer', column => column.notNull())
    .addPrimaryKeyConstraint('bot_person_pk', ['team_id', 'user_id'])
    .execute();
  await db.schema.createIndex('bot_person_seen').on('bot_person').column('seen_at').execute();
};

/** Adds who administers the workspace. Until Slack speaks of them again, nobody does. */
export const addAdmins: Migration['up'] = async db => {
  await db.schema
    .alterTable('bot_person')
    .addColumn('is_admin', 'integer', column => column.notNull().defaultTo(0))
    .execute();
};
