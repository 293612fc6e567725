import type { Migration } from '../../db/migrate.ts';

/**
 * Words that stand first of an incident: an update, a note that says how it stands; its summary; or what ended it. Flags are 0 or 1; times
 * are epoch milliseconds.
 */
export type UpdateTable = {
  /** Its note on the timeline. */
  activity_item_id: string;
  incident_id: string;
  /** Its words, without sign and foot. */
  text: string;
  /** Who gave it, as mrkdwn. */
  given_by: string;
  given_at: number;
  /** When the next one is due; 0 when none was promised. */
  next_at: number;
  /** The card counts the promised one as overdue. */
  is_overdue: number;
  /** `update`, `summary` or `outcome`. */
  kind: string;
  /** The summary that the API itself had when this one was written; `""` for none. */
  api_summary: string;
};

/** Adds what tells a summary and an outcome from an update. */
export const addSummaries: Migration['up'] = async db => {
  const { schema } = db;
  await schema
    .alterTable('bot_update')
    .addColumn('kind', 'text', it => it.notNull().defaultTo('update'))
    .execute();
  await schema
    .alterTable('bot_update')
    .addColumn('api_summary', 'text', it => it.notNull().defaultTo(''))
    .execute();
};

/** Makes the table of updates, and what a room knows of the readers of its announcement. */
export const createUpdates: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_update')
    .addColumn('activity_item_id', 'text', column => column.notNull().primaryKey())
    .addColumn('incident_id', 'text', column => column.notNull())
    .addColumn('text', 'text', column => column.notNull())
    .addColumn('given_by', 'text', column => column.notNull())
    .addColumn('given_at', 'integer', column => column.notNull())
    .addColumn('next_at', 'integer', column => column.notNull())
    .addColumn('is_overdue', 'integer', column => column.notNull())
    .addColumn('is_announced', 'integer', column => column.notNull())
    .execute();
  await db.schema.createIndex('bot_update_incident').on('bot_update').columns(['incident_id', 'given_at']).execute();
  await db.schema
    .alterTable('bot_room')
    .addColumn('announced', 'text', it => it.notNull().defaultTo(''))
    .execute();
  await db.schema.createIndex('bot_update_next').on('bot_update').columns(['is_overdue', 'next_at']).execute();
};
