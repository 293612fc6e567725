import { sql } from 'kysely';
import type { Migration } from '../../db/migrate.ts';

/** What comes next in the room of an incident that is over. Flags are 0 or 1; times are epoch milliseconds. */
export type NextStepsTable = {
  incident_id: string;
  /** When the incident was closed, as the API says it: names the resolution; `""` before that is known. */
  resolution: string;
  /** The incident was over before Muster told rooms of what comes next, or may have been. */
  is_silent: number;
  /** When the present message was begun; while the resolution is not known, when Muster began to tell rooms. */
  begun_at: number;
  /** Slack's time of the message; `""` when it has none, `gone` when somebody deleted it. */
  ts: string;
  /** Digest of what the message shows; `""` when that is not known. */
  shown: string;
  /** When the channel is archived; 0 for never. */
  archive_at: number;
  /** The present message is the one that warns of it. */
  is_warned: number;
  /** A process archives the channel. */
  is_archiving: number;
  /** When Muster archived the channel; 0 when it did not. */
  archived_at: number;
  /** Why Muster could not archive it, as mrkdwn; `""` when nothing was wrong. */
  problem: string;
  /** When the room must be looked at next; 0 for never. */
  look_at: number;
};

/** Makes the table. Rooms of incidents that are over already get no such message. */
export const createNextSteps: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_next_steps')
    .addColumn('incident_id', 'text', column => column.notNull().primaryKey())
    .addColumn('resolution', 'text', column => column.notNull())
    .addColumn('is_silent', 'integer', column => column.notNull())
    .addColumn('begun_at', 'integer', column => column.notNull())
    .addColumn('ts', 'text', column => column.notNull())
    .addColumn('shown', 'text', column => column.notNull())
    .addColumn('archive_at', 'integer', column => column.notNull())
    .addColumn('is_warned', 'integer', column => column.notNull())
    .addColumn('is_archiving', 'integer', column => column.notNull())
    .addColumn('archived_at', 'integer', column => column.notNull())
    .addColumn('problem', 'text', column => column.notNull())
    .addColumn('look_at', 'integer', column => column.notNull())
    .execute();
  await db.schema.createIndex('bot_next_steps_look').on('bot_next_steps').column('look_at').execute();
  await sql`
    insert into bot_next_steps
      (incident_id, resolution, is_silent, begun_at, ts, shown, archive_at, is_warned, is_archiving, archived_at, problem, look_at)
    select incident_id, '', 1, ${Date.now()}, '', '', 0, 0, 0, 0, '', 0 from bot_room`.execute(db);
};
