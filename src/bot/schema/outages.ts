import type { Migration } from '../../db/migrate.ts';

/** An outage of the API that a room was told of, while it goes on. Times are epoch milliseconds. */
export type OutageTable = {
  incident_id: string;
  /** Its line in the room. */
  line_id: string;
  since: number;
  /** How many changes wait for its end, as the line says. */
  saved: number;
};

/** Makes the table of outages. */
export const createOutages: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_outage')
    .addColumn('incident_id', 'text', column => column.notNull().primaryKey())
    .addColumn('line_id', 'text', column => column.notNull())
    .addColumn('since', 'integer', column => column.notNull())
    .addColumn('saved', 'integer', column => column.notNull())
    .execute();
};
