import type { Migration } from '../../db/migrate.ts';

/** An incident as the API last showed it. Moments are epoch milliseconds, so that they compare. */
export type IncidentTable = {
  incident_id: string;
  snapshot: string;
  /** When the incident was declared; 0 when that is not known. */
  created_at: number;
  seen_at: number;
};

/** A delivery of Slack's. Moments are epoch milliseconds. */
export type DeliveryTable = {
  /** Names what somebody did, for ever; holds no secret. */
  key: string;
  kind: string;
  /** What is to be done, as JSON, for as long as it is not done; then `""`. */
  body: string;
  state: 'open' | 'done' | 'given up';
  attempts: number;
  /** Who does it, or did; `""` when anybody may. */
  lease_owner: string;
  /** Until when nobody else takes it up. */
  lease_until: number;
  received_at: number;
};

/** Makes the tables of what was seen: incidents of the API, deliveries of Slack. */
export const sightingsMigration: Migration = {
  name: '003-incidents-deliveries',
  up: async db => {
    await db.schema
      .createTable('bot_incident')
      .addColumn('incident_id', 'text', column => column.notNull().primaryKey())
      .addColumn('snapshot', 'text', column => column.notNull())
      .addColumn('created_at', 'integer', column => column.notNull())
      .addColumn('seen_at', 'integer', column => column.notNull())
      .execute();
    await db.schema.createIndex('bot_incident_created').on('bot_incident').column('created_at').execute();
    await db.schema.createIndex('bot_incident_seen').on('bot_incident').column('seen_at').execute();
    await db.schema
      .createTable('bot_delivery')
      .addColumn('key', 'text', column => column.notNull().primaryKey())
      .addColumn('kind', 'text', column => column.notNull())
      .addColumn('body', 'text', column => column.notNull())
      .addColumn('state', 'text', column => column.notNull())
      .addColumn('attempts', 'integer', column => column.notNull())
      .addColumn('lease_owner', 'text', column => column.notNull())
      .addColumn('lease_until', 'integer', column => column.notNull())
      .addColumn('received_at', 'integer', column => column.notNull())
      .execute();
    await db.schema.createIndex('bot_delivery_due').on('bot_delivery').columns(['state', 'lease_until']).execute();
    await db.schema.createIndex('bot_delivery_age').on('bot_delivery').column('received_at').execute();
  },
};
