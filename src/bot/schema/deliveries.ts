import { type Kysely, sql } from 'kysely';
import type { NoTables } from '../../db/engine.ts';
import type { Migration } from '../../db/migrate.ts';

/** A delivery of Slack's: a command, a press, a form, a shortcut, a mention, or the edit of one. Moments are epoch milliseconds; flags are 0 or 1. */
export type DeliveryTable = {
  /** Names what the person did, for ever; holds no secret. */
  key: string;
  kind: string;
  /** What is to be done, as JSON, until it is done; then `""`. */
  body: string;
  state: 'open' | 'done' | 'given up';
  attempts: number;
  /** The process that handles it; `""` for none. */
  lease_owner: string;
  /** Changes as long as that process lives. */
  heartbeat: number;
  /** A delivery that failed is not tried again before this moment. */
  next_at: number;
  received_at: number;
  /** Its position in the order of all deliveries, whatever the clocks say. */
  seq: number;
  /** The channel in which it happened; `""` for none. */
  channel_id: string;
  /** 1 while it may still submit a change: until then no later change of its channel is started, except while it rests after a failure. */
  blocks_order: number;
  /** 1 once it has made the one change that is no intent. Carried out again, it does not make that again. */
  has_changed: number;
};

/**
 * Whether a delivery makes its change that is no intent for the first time. It is asked in the transaction that stores the change, and noted
 * there. An earlier attempt may have made the change, and people may have chosen otherwise since.
 */
export type IsFirst = (trx: Kysely<NoTables>) => Promise<boolean>;

/** Later changes of its channel wait for it, unless it rests. A condition of an index, so it is the same text wherever it stands. */
export const isBlocking = sql<boolean>`blocks_order = 1 and state = 'open'`;
/** Not handled yet. A condition of an index. */
export const isOpen = sql<boolean>`state = 'open'`;

/** Makes the table of deliveries. */
export const createDeliveries: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_delivery')
    .addColumn('key', 'text', column => column.notNull().primaryKey())
    .addColumn('kind', 'text', column => column.notNull())
    .addColumn('body', 'text', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('attempts', 'integer', column => column.notNull())
    .addColumn('lease_owner', 'text', column => column.notNull())
    .addColumn('heartbeat', 'integer', column => column.notNull())
    .addColumn('next_at', 'integer', column => column.notNull())
    .addColumn('received_at', 'integer', column => column.notNull())
    .addColumn('seq', 'integer', column => column.notNull())
    .addColumn('channel_id', 'text', column => column.notNull())
    .addColumn('blocks_order', 'integer', column => column.notNull())
    .execute();
  await sql`create index bot_delivery_open on bot_delivery (seq) where ${isOpen}`.execute(db);
  await sql`create index bot_delivery_blocking on bot_delivery (channel_id, seq) where ${isBlocking}`.execute(db);
  await db.schema.createIndex('bot_delivery_seq').on('bot_delivery').column('seq').execute();
  await db.schema.createIndex('bot_delivery_age').on('bot_delivery').column('received_at').execute();
};

/** Adds whether a delivery has made its change that is no intent. A process of the version before leaves that as it is. */
export const addHasChanged: Migration['up'] = async db => {
  await db.schema
    .alterTable('bot_delivery')
    .addColumn('has_changed', 'integer', column => column.notNull().defaultTo(0))
    .execute();
};
