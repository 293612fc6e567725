import type { Migration } from '../../db/migrate.ts';

/** The state of an incident that its readers know. */
export type KnownStateTable = {
  incident_id: string;
  /** JSON of the state that they know; `""` when none is known yet. */
  state: string;
};

/** The row that all processes share to look for changes made elsewhere. Flags are 0 or 1. */
export type PollTable = {
  name: string;
  /** RFC 3339: when Muster first started. Incidents from before are history. */
  since: string;
  /** The number of polls begun. A process begins one only if the number is still the one it read. */
  turns: number;
  /** The home screen's version that the last poll brought over; -1 before the first. */
  version: number;
  /** The newest change that the last poll brought over, as the API wrote its time; `""` before the first. */
  modified_time: string;
  /** Batches of webhooks that came, and their number at the last poll that found a change. */
  heard: number;
  heard_before: number;
  /** Webhooks tell of changes, so that polls may be rarer. */
  is_rare: number;
};

/** Makes the tables for changes that are made elsewhere. */
export const createSync: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_told')
    .addColumn('incident_id', 'text', column => column.notNull().primaryKey())
    .addColumn('facts', 'text', column => column.notNull())
    .addColumn('line_id', 'text', column => column.notNull())
    .addColumn('line_from', 'text', column => column.notNull())
    .addColumn('line_at', 'integer', column => column.notNull())
    .addColumn('line_ts', 'text', column => column.notNull())
    .addColumn('is_said', 'integer', column => column.notNull())
    .execute();
  await db.schema
    .createTable('bot_look')
    .addColumn('name', 'text', column => column.notNull().primaryKey())
    .addColumn('since', 'text', column => column.notNull())
    .addColumn('turns', 'integer', column => column.notNull())
    .addColumn('version', 'integer', column => column.notNull())
    .addColumn('modified_time', 'text', column => column.notNull())
    .addColumn('heard', 'integer', column => column.notNull())
    .addColumn('heard_before', 'integer', column => column.notNull())
    .addColumn('is_rare', 'integer', column => column.notNull())
    .execute();
};

/** Names the table by what it is about: the poll of the API. */
export const renameLook: Migration['up'] = async db => {
  await db.schema.alterTable('bot_look').renameTo('bot_poll').execute();
};

/** Names the table of known states, and its column, by what they hold. */
export const renameTold: Migration['up'] = async db => {
  await db.schema.alterTable('bot_told').renameTo('bot_known_state').execute();
  await db.schema.alterTable('bot_known_state').renameColumn('facts', 'state').execute();
};
