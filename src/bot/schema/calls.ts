import type { Migration } from '../../db/migrate.ts';

/** People called to an incident: by a person, or by a chain of the settings, target after target. Times are epoch milliseconds. */
export type CallTable = {
  id: string;
  /** Its incident, by its provisional id until it is registered. */
  incident_id: string;
  /** The chain that it follows: `severity critical`; `""` for a call by a person. */
  chain: string;
  /** JSON of the targets of the chain, in their order (`incident/state/call-chains.ts`); of a person's call, of those they named. */
  targets: string;
  /** The place of the target that was called last; -1 before the first. */
  step: number;
  /** When the next target is due; 0 for never. */
  next_at: number;
  /** `open`: people are asked. `answered`: somebody comes. `ended`: nobody of its chain does. `over`: nobody is needed. `withdrawn`. */
  state: 'open' | 'answered' | 'ended' | 'over' | 'withdrawn';
  /** Slack id of the caller; `""` for Muster. */
  caller: string;
  /** The caller's reason; `""` for none. */
  why: string;
  /** The line in the room that shows who comes; `""` before it has one. */
  line: string;
  begun_at: number;
};

/** Somebody who was called. */
export type CalledTable = {
  call_id: string;
  /** Slack id. */
  user_id: string;
  /** The order within the call. */
  seq: number;
  /** The place of the target that they belong to, and its name: `@sre`; `""` for a person who was named. */
  step: number;
  target: string;
  answer: 'none' | 'coming' | 'cannot' | 'there';
  /** Within how many minutes they come. */
  minutes: number;
  /** They are asked in a direct message; 0 for those who were mentioned alone. */
  is_asked: number;
  asked_at: number;
  /** The direct message; `""` before it is sent. */
  channel: string;
  ts: string;
};

/** Makes the tables of calls. */
export const createCalls: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_call')
    .addColumn('id', 'text', column => column.notNull().primaryKey())
    .addColumn('incident_id', 'text', column => column.notNull())
    .addColumn('chain', 'text', column => column.notNull())
    .addColumn('targets', 'text', column => column.notNull())
    .addColumn('step', 'integer', column => column.notNull())
    .addColumn('next_at', 'integer', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('caller', 'text', column => column.notNull())
    .addColumn('why', 'text', column => column.notNull())
    .addColumn('line', 'text', column => column.notNull())
    .addColumn('begun_at', 'integer', column => column.notNull())
    .execute();
  await db.schema.createIndex('bot_call_incident').on('bot_call').column('incident_id').execute();
  await db.schema.createIndex('bot_call_next').on('bot_call').column('next_at').execute();
  await db.schema
    .createTable('bot_called')
    .addColumn('call_id', 'text', column => column.notNull())
    .addColumn('user_id', 'text', column => column.notNull())
    .addColumn('seq', 'integer', column => column.notNull())
    .addColumn('step', 'integer', column => column.notNull())
    .addColumn('target', 'text', column => column.notNull())
    .addColumn('answer', 'text', column => column.notNull())
    .addColumn('minutes', 'integer', column => column.notNull())
    .addColumn('is_asked', 'integer', column => column.notNull())
    .addColumn('asked_at', 'integer', column => column.notNull())
    .addColumn('channel', 'text', column => column.notNull())
    .addColumn('ts', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('bot_called_pk', ['call_id', 'user_id'])
    .execute();
  await db.schema.createIndex('bot_called_user').on('bot_called').column('user_id').execute();
};
