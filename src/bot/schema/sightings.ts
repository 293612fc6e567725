import type { Migration } from '../../db/migrate.ts';

/** What has arrived from Slack, and when it last did. */
export type SightingTable = {
  /** `command /task`, `event app_mention`, or `delivery` for anything that came over signed HTTP. */
  name: string;
  /** RFC 3339. */
  seen_at: string;
};

/** Makes the table of sightings. */
export const createSightings: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_sighting')
    .addColumn('name', 'text', column => column.notNull().primaryKey())
    .addColumn('seen_at', 'text', column => column.notNull())
    .execute();
};
