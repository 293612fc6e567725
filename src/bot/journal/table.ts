import { type RawBuilder, sql } from 'kysely';
import type { Migration } from '../../db/migrate.ts';

/** What may be done with an intent next: `waiting` and `trying` are unfinished, the others are not touched by themselves. */
export const intentStates = ['waiting', 'trying', 'done', 'refused', 'discarded'] as const;
/** One of {@link intentStates}. */
export type IntentState = (typeof intentStates)[number];

/*
 * Conditions of the indexes. A database uses such an index only where it reads the very same condition in a statement, and
 * not with values that are filled in later.
 */

/** Something is still to be done. */
export const isUnfinished = sql<boolean>`state in ('waiting', 'trying')`;
/** Nobody is at it. */
export const isWaiting = sql<boolean>`state = 'waiting'`;
/** The first of its lane was tried in vain, and waits for its next attempt. */
export const isPutOff = sql<boolean>`state = 'waiting' and next_at > 0`;
/** Somebody is at it, or was; found among what is unfinished. */
export const isTrying = sql<boolean>`state in ('waiting', 'trying') and state = 'trying'`;
/** It ended, and was not given up. */
export const isOver = sql<boolean>`state in ('done', 'refused')`;
/** What must follow, or the answer, is due. */
export const hasAftermath = sql<boolean>`aftermath = 1`;

/** `aftermath` of what is due as long as it is due for the first of its run, whose id is in `lease_owner`. */
export const covered = 2;

/** The columns of an intent that nobody holds. */
export const free = { lease_owner: '', lease_until: 0 };

/** `late` of what comes of another intent. */
export const quiet = 2;
/** `late` of something that nobody waits for any more. */
export const toldLater = sql<number>`case when late = 0 then 1 else late end`;

/** An intent as it is stored. Moments that are compared are epoch milliseconds, those that are shown RFC 3339. */
export type IntentTable = {
  /** What happens once. */
  key: string;
  id: string;
  /** What it is done in order with: an incident's id, `~<id>` of the declaration while the incident is not registered. */
  lane: string;
  /** Its place among the unfinished ones of its lane. */
  seq: number;
  /** The place of the delivery that asked for it; 0 for what comes of another one, is tried again, or declares an incident. */
  asked: number;
  kind: string;
  payload: string;
  people: string;
  team_id: string;
  user_id: string;
  channel_id: string;
  thread_ts: string;
  incident_id: string;
  /** What was typed for it, among the drafts; `""` when nothing is kept. */
  draft_id: string;
  state: IntentState;
  attempts: number;
  /** 1 when an earlier attempt may have taken effect although its answer was lost. */
  doubt: number;
  /** When what was tried in vain is tried again, epoch milliseconds; 0 for all else: it is due when it is the first of its lane. */
  next_at: number;
  lease_owner: string;
  lease_until: number;
  /** While it is tried: those behind it in its lane up to this place were claimed with it, and its lease is theirs. */
  claimed_to: number;
  /** The result of what is done, else the error of what is refused or kept; `""` before. */
  outcome: string;
  /** 1 while what must follow in Slack, or the answer to the person, is due; or {@link covered}. */
  aftermath: number;
  /** Ids of those that were claimed with it and are {@link covered} by it when they end, separated by spaces. */
  covers: string;
  /** 0: somebody waits for its end. 1: they were told that it is kept, and are told its end. {@link quiet}: only of a refusal. */
  late: number;
  created_at: string;
  changed_at: string;
};

/** Gives intents what is needed to keep, order and share them. */
export const journalMigration: Migration = {
  name: '002-journal',
  up: async db => {
    const columns = {
      lane: 'text',
      seq: 'double precision',
      thread_ts: 'text',
      draft_id: 'text',
      doubt: 'integer',
      next_at: 'integer',
      lease_owner: 'text',
      lease_until: 'integer',
      aftermath: 'integer',
      late: 'integer',
    } as const;
    for (const [name, type] of Object.entries(columns)) {
      await db.schema
        .alterTable('bot_intent')
        .addColumn(name, type, column => column.notNull().defaultTo(type === 'text' ? '' : 0))
        .execute();
    }
    for (const name of ['changes', 'shown']) {
      await db.schema
        .alterTable('bot_room')
        .addColumn(name, 'integer', column => column.notNull().defaultTo(0))
        .execute();
    }
    // What an earlier version left in the middle may have taken effect.
    await db
      .withTables<{ bot_intent: IntentTable }>()
      .updateTable('bot_intent')
      .set({ doubt: 1 })
      .where('state', '=', 'trying')
      .execute();
    await db.schema.dropIndex('bot_intent_state').execute();
    // Only what is still to be done is looked for, and it is little beside what is finished.
    const index = (name: string, columns: string, which: RawBuilder<boolean>) =>
      sql`create index ${sql.id(name)} on bot_intent (${sql.raw(columns)}) where ${which}`.execute(db);
    await index('bot_intent_lane', 'lane, seq, id', isUnfinished);
    await index('bot_intent_waiting', 'next_at', isWaiting);
    await index('bot_intent_aftermath', 'lease_until', hasAftermath);
  },
};

/** Finds what is to be told in the order in which it ended, without touching the index when somebody takes it on. */
export const endsMigration: Migration = {
  name: '004-ends',
  up: async db => {
    await db.schema.dropIndex('bot_intent_aftermath').execute();
    await sql`create index bot_intent_aftermath on bot_intent (changed_at, lane, seq) where ${hasAftermath}`.execute(
      db,
    );
  },
};

/** Lets one lease stand for several of a lane. */
export const runsMigration: Migration = {
  name: '007-runs',
  up: async db => {
    await db.schema
      .alterTable('bot_intent')
      .addColumn('claimed_to', 'double precision', column => column.notNull().defaultTo(0))
      .execute();
  },
};

/** Finds what was put off without touching the index for what never was. */
export const putOffMigration: Migration = {
  name: '008-put-off',
  up: async db => {
    await db.schema.dropIndex('bot_intent_waiting').execute();
    await sql`create index bot_intent_put_off on bot_intent (lane) where ${isPutOff}`.execute(db);
  },
};

/** Lets what one end is due to stand for several of a lane. */
export const coversMigration: Migration = {
  name: '009-covers',
  up: async db => {
    await db.schema
      .alterTable('bot_intent')
      .addColumn('covers', 'text', column => column.notNull().defaultTo(''))
      .execute();
  },
};
