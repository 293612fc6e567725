import type { Migration } from '../../db/migrate.ts';

/** An incident as the API last showed it. Moments are epoch milliseconds, so that they compare. */
export type IncidentTable = {
  incident_id: string;
  /** JSON. */
  snapshot: string;
  /** When the incident was declared; 0 when that is not known. */
  created_at: number;
  seen_at: number;
};

/** Makes the table of snapshots. */
export const createIncidents: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_incident')
    .addColumn('incident_id', 'text', column => column.notNull().primaryKey())
    .addColumn('snapshot', 'text', column => column.notNull())
    .addColumn('created_at', 'integer', column => column.notNull())
    .addColumn('seen_at', 'integer', column => column.notNull())
    .execute();
  await db.schema.createIndex('bot_incident_created').on('bot_incident').column('created_at').execute();
  await db.schema.createIndex('bot_incident_seen').on('bot_incident').column('seen_at').execute();
};
