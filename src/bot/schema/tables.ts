import type { Migration } from '../../db/migrate.ts';
import { cardTurnsMigration } from '../incident/card-leases.ts';
import {
  coversMigration,
  endsMigration,
  type IntentTable,
  journalMigration,
  putOffMigration,
  runsMigration,
} from '../journal/table.ts';
import { askedMigration, type DeliveryTable, type IncidentTable, sightingsMigration } from './sightings.ts';

/** The bot's own tables. Times are RFC 3339; flags are 0 or 1. */
export type MemoryTables = {
  bot_room: {
    incident_id: string;
    team_id: string;
    channel_id: string;
    channel_name: string;
    is_private: number;
    card_ts: string;
    announcement_channel_id: string;
    announcement_ts: string;
    created_at: string;
    /** How often the incident was changed through Muster, and after how many of these its card was last brought up to date. */
    changes: number;
    shown: number;
    /** Who brings its card up to date; `""` for nobody. The mark changes for as long as they are alive. */
    turn_owner: string;
    turn_mark: number;
  };
  bot_draft: {
    id: string;
    team_id: string;
    user_id: string;
    content: string;
    created_at: string;
  };
  bot_intent: IntentTable;
  bot_incident: IncidentTable;
  bot_delivery: DeliveryTable;
};

/** Steps of the bot's schema. */
export const memoryMigrations: readonly Migration[] = [
  {
    name: '001-rooms-drafts-intents',
    up: async db => {
      await db.schema
        .createTable('bot_room')
        .addColumn('incident_id', 'text', column => column.notNull().primaryKey())
        .addColumn('team_id', 'text', column => column.notNull())
        .addColumn('channel_id', 'text', column => column.notNull())
        .addColumn('channel_name', 'text', column => column.notNull())
        .addColumn('is_private', 'integer', column => column.notNull())
        .addColumn('card_ts', 'text', column => column.notNull())
        .addColumn('announcement_channel_id', 'text', column => column.notNull())
        .addColumn('announcement_ts', 'text', column => column.notNull())
        .addColumn('created_at', 'text', column => column.notNull())
        .execute();
      await db.schema.createIndex('bot_room_channel').on('bot_room').columns(['team_id', 'channel_id']).execute();
      await db.schema
        .createTable('bot_draft')
        .addColumn('id', 'text', column => column.notNull().primaryKey())
        .addColumn('team_id', 'text', column => column.notNull())
        .addColumn('user_id', 'text', column => column.notNull())
        .addColumn('content', 'text', column => column.notNull())
        .addColumn('created_at', 'text', column => column.notNull())
        .execute();
      await db.schema.createIndex('bot_draft_age').on('bot_draft').column('created_at').execute();
      await db.schema
        .createTable('bot_intent')
        .addColumn('key', 'text', column => column.notNull().primaryKey())
        .addColumn('id', 'text', column => column.notNull().unique())
        .addColumn('kind', 'text', column => column.notNull())
        .addColumn('payload', 'text', column => column.notNull())
        .addColumn('people', 'text', column => column.notNull())
        .addColumn('team_id', 'text', column => column.notNull())
        .addColumn('user_id', 'text', column => column.notNull())
        .addColumn('channel_id', 'text', column => column.notNull())
        .addColumn('incident_id', 'text', column => column.notNull())
        .addColumn('state', 'text', column => column.notNull())
        .addColumn('attempts', 'integer', column => column.notNull())
        .addColumn('outcome', 'text', column => column.notNull())
        .addColumn('created_at', 'text', column => column.notNull())
        .addColumn('changed_at', 'text', column => column.notNull())
        .execute();
      await db.schema.createIndex('bot_intent_state').on('bot_intent').columns(['state', 'created_at']).execute();
    },
  },
  journalMigration,
  sightingsMigration,
  endsMigration,
  askedMigration,
  cardTurnsMigration,
  runsMigration,
  putOffMigration,
  coversMigration,
];
