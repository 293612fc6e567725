import { type Kysely, sql } from 'kysely';
import type { NoTables } from '../../db/engine.ts';
import { integer, table, text } from '../../db/tables.ts';

/**
 * Whether a delivery makes its change that is no intent for the first time. It is asked in the transaction that stores the change, and noted
 * there. An earlier attempt may have made the change, and people may have chosen otherwise since.
 */
export type IsFirst = (trx: Kysely<NoTables>) => Promise<boolean>;

/** Later changes of its channel wait for it, unless it rests. A condition of an index, so it is the same text wherever it stands. */
export const isBlocking = sql<boolean>`blocks_order = 1 and state = 'open'`;
/** Not handled yet. A condition of an index. */
export const isOpen = sql<boolean>`state = 'open'`;

/** A delivery of Slack's: a command, a press, a form, a shortcut, a mention, or the edit of one. Moments are epoch milliseconds; flags are 0 or 1. */
export const deliveries = table({
  name: 'bot_delivery',
  columns: {
    /** Names the act of the person, without end; holds no secret. */
    key: text({ key: true }),
    kind: text(),
    /** The act, as JSON, until it is done; then `""`. */
    body: text(),
    state: text<'open' | 'done' | 'given up'>(),
    /** How often it was begun, and neither ended nor handed back: a process ended with it, or it failed. */
    attempts: integer(),
    /** The process that handles it; `""` for none. */
    lease_owner: text(),
    /** Changes with each process that leases it. */
    heartbeat: integer(),
    /** A delivery that failed is not tried again before this moment. */
    next_at: integer(),
    received_at: integer(),
    /** Its position in the order of all deliveries, whatever the clocks say. */
    seq: integer(),
    /** The channel in which it happened; `""` for none. */
    channel_id: text(),
    /** 1 while it may still submit a change: until then no later change of its channel is started, except while it rests after a failure. */
    blocks_order: integer(),
    /** 1 once it has made the one change that is no intent. Carried out again, it does not make that again. */
    has_changed: integer({ default: 0, since: '039-changes-of-deliveries' }),
    /** How many processes in a row hung while they handled it. */
    hangs: integer({ default: 0, since: '040-hung' }),
    /** 1 where it wakes people: of what a process left it is taken up first, and it blocks nothing. */
    is_urgent: integer({ default: 0, since: '043-urgent' }),
  },
  indexes: {
    bot_delivery_open: { on: ['seq'], where: isOpen },
    bot_delivery_blocking: { on: ['channel_id', 'seq'], where: isBlocking },
    bot_delivery_seq: ['seq'],
    bot_delivery_age: ['received_at'],
  },
});

/** What a person typed and could not finish. Times are RFC 3339. */
export const drafts = table({
  name: 'bot_draft',
  columns: {
    id: text({ key: true }),
    team_id: text(),
    user_id: text(),
    /** JSON. */
    content: text(),
    created_at: text(),
  },
  indexes: { bot_draft_age: ['created_at'] },
});
