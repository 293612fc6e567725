import type { Migration } from '../../db/migrate.ts';

/** A line that tells an incident's room of one change. Flags are 0 or 1; times are epoch milliseconds. */
export type LineTable = {
  /** The intent that made the change. */
  id: string;
  incident_id: string;
  /** The order of the changes of one incident. */
  seq: number;
  /** Who made it, as `team/user`. */
  actor: string;
  asked_at: number;
  done_at: number;
  /** mrkdwn */
  words: string;
  /** It stands in a message of its own. */
  is_alone: number;
  /** Who took the change back, as mrkdwn; `""` when it stands. */
  undone_by: string;
  /** The first line of its message; `""` before it has one. */
  message: string;
  /** When its message was begun; 0 before. */
  begun_at: number;
  /** Slack's time of its message; `?` when it may or may not stand in Slack; `""` when it has none. */
  ts: string;
  /** Slack shows it as it is to be, or never will. */
  is_said: number;
  /** No further line joins its message. */
  is_closed: number;
};

/** Makes the table of lines, and what a room says of how it is told. */
export const createLines: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_line')
    .addColumn('id', 'text', column => column.notNull().primaryKey())
    .addColumn('incident_id', 'text', column => column.notNull())
    .addColumn('seq', 'integer', column => column.notNull())
    .addColumn('actor', 'text', column => column.notNull())
    .addColumn('asked_at', 'integer', column => column.notNull())
    .addColumn('done_at', 'integer', column => column.notNull())
    .addColumn('words', 'text', column => column.notNull())
    .addColumn('is_alone', 'integer', column => column.notNull())
    .addColumn('undone_by', 'text', column => column.notNull())
    .addColumn('message', 'text', column => column.notNull())
    .addColumn('begun_at', 'integer', column => column.notNull())
    .addColumn('ts', 'text', column => column.notNull())
    .addColumn('is_said', 'integer', column => column.notNull())
    .addColumn('is_closed', 'integer', column => column.notNull())
    .execute();
  await db.schema.createIndex('bot_line_order').on('bot_line').columns(['incident_id', 'seq']).unique().execute();
  await db.schema.createIndex('bot_line_message').on('bot_line').column('message').execute();
  await db.schema
    .alterTable('bot_room')
    .addColumn('receipts', 'text', column => column.notNull().defaultTo(''))
    .execute();
};
