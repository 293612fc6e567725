import type { Migration } from '../../db/migrate.ts';

/** What a person has seen of an incident. Times are epoch milliseconds; 0 for never. */
export type VisitTable = {
  incident_id: string;
  /** Slack id of the person. */
  user_id: string;
  /** When they last looked at it or acted in it. */
  seen_at: number;
  /** When they were offered to be caught up, as somebody who joined its room late. */
  offered_at: number;
};

/** Makes the table of visits. */
export const createVisits: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_visit')
    .addColumn('incident_id', 'text', column => column.notNull())
    .addColumn('user_id', 'text', column => column.notNull())
    .addColumn('seen_at', 'integer', column => column.notNull())
    .addColumn('offered_at', 'integer', column => column.notNull())
    .addPrimaryKeyConstraint('bot_visit_person', ['incident_id', 'user_id'])
    .execute();
  await db.schema.createIndex('bot_visit_seen').on('bot_visit').column('seen_at').execute();
};
