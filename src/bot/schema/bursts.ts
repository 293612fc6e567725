import type { Migration } from '../../db/migrate.ts';

/** An incident that was made elsewhere and is announced. Flags are 0 or 1; times are epoch milliseconds. */
export type FoundTable = {
  incident_id: string;
  found_at: number;
  /** When it was made, as the API says. */
  created_time: string;
  /** The message that names it among others, by the id of its row among the rooms; `""`: it is announced alone. */
  burst: string;
  /** The line that names it there, as mrkdwn. */
  line: string;
  /** It has no room and goes on (`free`), has a room (`taken`), or is over. */
  state: 'free' | 'taken' | 'over';
  /** What follows from the decision was begun: its room is being made. */
  is_settled: number;
  /** People who read the message may know nothing of it any more. */
  is_hidden: number;
};

/** Makes the table, and what a room knows of the message that announces its incident among others. */
export const createBursts: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_found')
    .addColumn('incident_id', 'text', column => column.notNull().primaryKey())
    .addColumn('found_at', 'integer', column => column.notNull())
    .addColumn('created_time', 'text', column => column.notNull())
    .addColumn('burst', 'text', column => column.notNull())
    .addColumn('line', 'text', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('is_settled', 'integer', column => column.notNull())
    .addColumn('is_hidden', 'integer', column => column.notNull())
    .execute();
  await db.schema.createIndex('bot_found_burst').on('bot_found').column('burst').execute();
  await db.schema.createIndex('bot_found_at').on('bot_found').column('found_at').execute();
  await db.schema
    .alterTable('bot_room')
    .addColumn('burst', 'text', it => it.notNull().defaultTo(''))
    .execute();
};
