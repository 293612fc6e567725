import { type RawBuilder, sql } from 'kysely';
import type { Migration } from '../../db/migrate.ts';

/** Where an intent stands. The last three are final, unless somebody retries it. */
export const intentStates = ['pending', 'running', 'done', 'failed', 'discarded'] as const;
/** Where an intent stands. */
export type IntentState = (typeof intentStates)[number];

/**
 * Who has still to be told of an intent's outcome: the `caller` that waits for it, its owner by a `message`, its owner by a
 * message only of a `failure`, or `nobody` any more.
 */
type Listener = 'caller' | 'message' | 'failure' | 'nobody';

/** An intent of the journal. Moments that are compared are epoch milliseconds, the others RFC 3339; flags are 0 or 1. */
export type IntentTable = {
  /** The same key never takes effect twice. */
  key: string;
  /** A UUID of version 7, so that rows made together lie together. */
  id: string;
  kind: string;
  /** JSON. */
  payload: string;
  /** What it is about: an incident's id, or a provisional one. */
  subject: string;
  /** The queue in which it runs in order. */
  lane: string;
  /** Its position in the lane. Follow-ups have fractions, so that they come right after their cause. */
  seq: number;
  /** Who asked for it; only they may retry or discard it. */
  owner: string;
  /** Facts that the submitter gets back when the intent runs and when its outcome is told, as JSON. */
  origin: string;
  /** The delivery whose handler waits for the outcome; `""` when nobody ever did. */
  caller: string;
  /** What the submitter attached to it later; `""` for nothing. */
  attachment: string;
  state: IntentState;
  attempts: number;
  /** 1 when an earlier attempt may have taken effect although its answer was lost. */
  ambiguous: number;
  /** A pending intent is not tried before this moment; 0: at once. */
  next_at: number;
  /** The process that runs it, or that tells its outcome; `""` for none. */
  lease_owner: string;
  /** Changes as long as that process lives. */
  heartbeat: number;
  tell: Listener;
  /** JSON: the result of a done intent, else the last error; `""` before the first attempt ends. */
  outcome: string;
  created_at: string;
  changed_at: string;
};

/** Not final. A condition of an index, so it is the same text wherever it stands. */
export const isUnfinished = sql<boolean>`state in ('pending', 'running')`;
/** Final, and somebody has still to be told. A condition of an index. */
export const isUntold = sql<boolean>`state in ('done', 'failed') and tell <> 'nobody'`;
/** A process holds its lease. A condition of an index. */
export const isLeased = sql<boolean>`lease_owner <> ''`;
/** Put off until later. A condition of an index. */
export const isPostponed = sql<boolean>`state = 'pending' and next_at > 0`;

/** Makes the journal's table. Its indexes hold only what is still to be done, which is little beside what is finished. */
export const createIntents: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_intent')
    .addColumn('key', 'text', column => column.notNull().primaryKey())
    .addColumn('id', 'text', column => column.notNull().unique())
    .addColumn('kind', 'text', column => column.notNull())
    .addColumn('payload', 'text', column => column.notNull())
    .addColumn('subject', 'text', column => column.notNull())
    .addColumn('lane', 'text', column => column.notNull())
    .addColumn('seq', 'double precision', column => column.notNull())
    .addColumn('owner', 'text', column => column.notNull())
    .addColumn('origin', 'text', column => column.notNull())
    .addColumn('caller', 'text', column => column.notNull())
    .addColumn('attachment', 'text', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('attempts', 'integer', column => column.notNull())
    .addColumn('ambiguous', 'integer', column => column.notNull())
    .addColumn('next_at', 'integer', column => column.notNull())
    .addColumn('lease_owner', 'text', column => column.notNull())
    .addColumn('heartbeat', 'integer', column => column.notNull())
    .addColumn('tell', 'text', column => column.notNull())
    .addColumn('outcome', 'text', column => column.notNull())
    .addColumn('created_at', 'text', column => column.notNull())
    .addColumn('changed_at', 'text', column => column.notNull())
    .execute();
  const index = (name: string, columns: string, condition: RawBuilder<boolean>) =>
    sql`create index ${sql.id(name)} on bot_intent (${sql.raw(columns)}) where ${condition}`.execute(db);
  await index('bot_intent_lane', 'lane, seq, id', isUnfinished);
  await index('bot_intent_untold', 'changed_at, lane, seq', isUntold);
  await index('bot_intent_leased', 'lease_owner', isLeased);
  await index('bot_intent_postponed', 'next_at', isPostponed);
  await db.schema.createIndex('bot_intent_subject').on('bot_intent').columns(['subject', 'kind']).execute();
  await db.schema.createIndex('bot_intent_changed').on('bot_intent').columns(['state', 'changed_at']).execute();
};

/**
 * Puts the time first in the index of changes. SQLite, which keeps no statistics here, took the states for rare, and looked through all
 * that had ended to find the few that somebody had still to be told of.
 */
export const putTimeFirst: Migration['up'] = async db => {
  await db.schema.dropIndex('bot_intent_changed').execute();
  await db.schema.createIndex('bot_intent_changed').on('bot_intent').columns(['changed_at', 'state']).execute();
};

/** Finds intents by their kind: each edit of a message asks whether that message is noted. */
export const addKindIndex: Migration['up'] = async db => {
  await db.schema.createIndex('bot_intent_kind').on('bot_intent').columns(['kind', 'key']).execute();
};

/** Puts the workspace into the keys of messages on a timeline: `note/7/C1/1.2` becomes `note/7/T1/C1/1.2`. */
export const addTeamToMessageKeys: Migration['up'] = async plain => {
  const db = plain.withTables<{ bot_intent: IntentTable }>();
  const rows = await db
    .selectFrom('bot_intent')
    .select(['id', 'key', 'owner'])
    .where('kind', '=', 'timeline.add')
    .where('key', 'like', 'note/%')
    .execute();
  for (const { id, key, owner } of rows) {
    const [note, incident, channel = '', ...rest] = key.split('/');
    if (!/^[CDG]/.test(channel)) continue;
    const renewed = [note, incident, owner.split('/')[0], channel, ...rest].join('/');
    await db.updateTable('bot_intent').set({ key: renewed }).where('id', '=', id).execute();
  }
};
