import { sql } from 'kysely';
import { double, integer, type RowOf, table, text } from '../../db/tables.ts';

/** Where an intent stands. The last three are final, unless a person retries it. */
export const intentStates = ['pending', 'running', 'done', 'failed', 'discarded'] as const;
/** The state of an intent. */
export type IntentState = (typeof intentStates)[number];

/** Not final. A condition of an index, so it is the same text wherever it stands. */
export const isUnfinished = sql<boolean>`state in ('pending', 'running')`;
/** Final, and a person must still be told. A condition of an index. */
export const isUntold = sql<boolean>`state in ('done', 'failed') and tell <> 'nobody'`;
/** A process holds its lease. A condition of an index. */
export const isLeased = sql<boolean>`lease_owner <> ''`;
/** Put off until later. A condition of an index. */
export const isPostponed = sql<boolean>`state = 'pending' and next_at > 0`;

/** An intent of the journal. Moments that are compared are epoch milliseconds, the others RFC 3339; flags are 0 or 1. */
export const intents = table({
  name: 'bot_intent',
  columns: {
    /** A key takes effect once. */
    key: text({ key: true }),
    /** A UUID of version 7, so that rows made together lie together. */
    id: text({ unique: true }),
    kind: text(),
    /** JSON. */
    payload: text(),
    /** What it is about: an incident's id, or a provisional one. */
    subject: text(),
    /** The queue in which it runs in order. */
    lane: text(),
    /** Its position in the lane. Consequences have fractions, so that they come right after their cause. */
    seq: double(),
    /** Who asked for it; only they may retry or discard it. */
    owner: text(),
    /** Facts of the submitter, as JSON. They come back when the intent runs and when its outcome is told. */
    origin: text(),
    /** The delivery whose handler waits for the outcome; `""` when nobody ever did. */
    caller: text(),
    /** What the submitter attached to it later; `""` for nothing. */
    attachment: text(),
    state: text<IntentState>(),
    attempts: integer(),
    /** How many processes in a row hung while they ran it. */
    hangs: integer({ default: 0, since: '040-hung' }),
    /** 1 when an earlier attempt may have taken effect although its answer was lost. */
    ambiguous: integer(),
    /** A pending intent is not tried before this moment; 0: at once. */
    next_at: integer(),
    /** The process that runs it, or that tells its outcome; `""` for none. */
    lease_owner: text(),
    /** Changes with each process that leases it. */
    heartbeat: integer(),
    /**
     * The listener who must still hear its outcome: the `caller` that waits for it, its owner by a `message`, its owner by a message only of a
     * `failure`, or `nobody` any more.
     */
    tell: text<'caller' | 'message' | 'failure' | 'nobody'>(),
    /** JSON: the result of a done intent, else the last error; `""` before the first attempt ends. */
    outcome: text(),
    created_at: text(),
    changed_at: text(),
  },
  // Most hold only open intents, which are few among those that are finished.
  indexes: {
    bot_intent_lane: { on: ['lane', 'seq', 'id'], where: isUnfinished },
    bot_intent_untold: { on: ['changed_at', 'lane', 'seq'], where: isUntold },
    bot_intent_leased: { on: ['lease_owner'], where: isLeased },
    bot_intent_postponed: { on: ['next_at'], where: isPostponed },
    bot_intent_subject: ['subject', 'kind'],
    // The time first: SQLite, which keeps no statistics here, takes the states for rare, and would look through all that has ended to find the
    // few that a person must still be told.
    bot_intent_changed: ['changed_at', 'state'],
  },
});
/** A row of {@link intents}. */
export type IntentTable = RowOf<typeof intents>;
