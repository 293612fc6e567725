import { sql } from 'kysely';
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
  /** While somebody has it, a mark that changes as long as they live; while nobody has, when it is taken up. */
  lease_until: number;
  received_at: number;
  /** The order in which everything was delivered, whatever the clocks said. */
  place: number;
  /** Where it was done; `""` for what was done in no channel. */
  channel_id: string;
  /** 1 until all that may come of it is in the journal in its place; what was asked for later in its channel waits for that. */
  holds_up: number;
};

/** What is asked for later in its channel waits for it. A condition of an index, so it is the same text wherever it stands. */
export const isAhead = sql<boolean>`holds_up = 1 and state = 'open'`;

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

/** Gives deliveries their places, and intents the place of what they come of. */
export const askedMigration: Migration = {
  name: '005-asked',
  up: async db => {
    for (const [table, name, type] of [
      ['bot_delivery', 'place', 'integer'],
      ['bot_delivery', 'channel_id', 'text'],
      ['bot_delivery', 'holds_up', 'integer'],
      ['bot_intent', 'asked', 'integer'],
    ] as const) {
      await db.schema
        .alterTable(table)
        .addColumn(name, type, column => column.notNull().defaultTo(type === 'text' ? '' : 0))
        .execute();
    }
    await db.schema.createIndex('bot_delivery_place').on('bot_delivery').column('place').execute();
    await sql`create index bot_delivery_ahead on bot_delivery (channel_id, place) where ${isAhead}`.execute(db);
  },
};
