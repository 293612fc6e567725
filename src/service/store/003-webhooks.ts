import { type Kysely, type Selectable, sql } from 'kysely';
import type { WebhookEvent } from '../../contract/webhooks.ts';
import type { Migration } from '../../db/migrate.ts';
import type { Db, Tables } from './tables.ts';

/** Where a delivery stands (docs/api-rules.md A11, HookRun). */
export const deliveryStatuses = ['todo', 'success', 'failed'] as const;
/** One of {@link deliveryStatuses}. */
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** The status of a waiting delivery, as a literal: so every database sees that the index `webhook_delivery_to_do` answers the query. */
export const todo = sql.lit('todo' as const);

/** The tables of outgoing webhooks: endpoints, events, and the delivery of each event to each endpoint. */
export type WebhookTables = {
  /** Endpoints. A removed one stays for the log of its deliveries. */
  webhook_endpoint: {
    id: number;
    url: string;
    secret: string;
    /** In the language of docs/api-rules.md A7; empty: every incident. */
    query: string;
    /** Whether the settings or a command added it. */
    source: 'setting' | 'command';
    /** Whether it also gets events of private incidents: 0 or 1. */
    include_private: number;
    created_at: number;
    removed_at: number | null;
    /** The process that sends to it, `''` for none, and the number by which it shows that it is alive (db/leases.ts). */
    lease_owner: string;
    heartbeat: number;
  };
  /** What happened, with the incident as it was then. */
  webhook_event: {
    /** `webhook-out-<24 hex>`. */
    id: string;
    event: WebhookEvent;
    incident_id: number;
    /** JSON: the body to send. */
    body: string;
    created_at: number;
  };
  /** An event for one endpoint; `seq` is the order in which it is sent there. */
  webhook_delivery: {
    seq: number;
    endpoint_id: number;
    event_id: string;
    status: DeliveryStatus;
    attempts: number;
    /** The next attempt is made no earlier. */
    next_at: number;
    /** The result of the last attempt: `HTTP 200`, `connection failed (ECONNREFUSED)`; empty before the first. */
    outcome: string;
    created_at: number;
    /** Null before the first attempt. */
    tried_at: number | null;
    /** Null while `todo`. */
    finished_at: number | null;
    /** When somebody had it sent again (007-webhook-retries.ts); null when nobody did. */
    retried_at: number | null;
  };
};

/** The database as webhooks see it. */
type WebhookDb = Kysely<Tables & WebhookTables>;
/** One row of `webhook_endpoint`. */
export type EndpointRow = Selectable<WebhookTables['webhook_endpoint']>;
/** One row of `webhook_delivery`. */
export type DeliveryRow = Selectable<WebhookTables['webhook_delivery']>;

/** The same connection or transaction with the tables of webhooks in view. */
export function toWebhookDb(db: Db): WebhookDb {
  return db.withTables<WebhookTables>();
}

/** Outgoing webhooks. */
export const webhooks: Migration = {
  name: '003-webhooks',
  async up(db) {
    await db.schema
      .createTable('webhook_endpoint')
      .addColumn('id', 'integer', column => column.primaryKey())
      .addColumn('url', 'text', column => column.notNull())
      .addColumn('secret', 'text', column => column.notNull())
      .addColumn('query', 'text', column => column.notNull())
      .addColumn('source', 'text', column => column.notNull())
      .addColumn('created_at', 'bigint', column => column.notNull())
      .addColumn('removed_at', 'bigint')
      .addColumn('lease_owner', 'text', column => column.notNull())
      .addColumn('heartbeat', 'bigint', column => column.notNull())
      .execute();

    await db.schema
      .createTable('webhook_event')
      .addColumn('id', 'text', column => column.primaryKey())
      .addColumn('event', 'text', column => column.notNull())
      .addColumn('incident_id', 'integer', column => column.notNull())
      .addColumn('body', 'text', column => column.notNull())
      .addColumn('created_at', 'bigint', column => column.notNull())
      .execute();
    await db.schema.createIndex('webhook_event_by_time').on('webhook_event').column('created_at').execute();

    await db.schema
      .createTable('webhook_delivery')
      .addColumn('seq', 'bigint', column => column.primaryKey())
      .addColumn('endpoint_id', 'integer', column => column.notNull())
      .addColumn('event_id', 'text', column => column.notNull())
      .addColumn('status', 'text', column => column.notNull())
      .addColumn('attempts', 'integer', column => column.notNull())
      .addColumn('next_at', 'bigint', column => column.notNull())
      .addColumn('outcome', 'text', column => column.notNull())
      .addColumn('created_at', 'bigint', column => column.notNull())
      .addColumn('tried_at', 'bigint')
      .addColumn('finished_at', 'bigint')
      .execute();
    await db.schema
      .createIndex('webhook_delivery_to_do')
      .on('webhook_delivery')
      .columns(['endpoint_id', 'seq'])
      .where(sql.ref('status'), '=', todo)
      .execute();
    await db.schema.createIndex('webhook_delivery_by_event').on('webhook_delivery').column('event_id').execute();
    await db.schema.createIndex('webhook_delivery_by_end').on('webhook_delivery').column('finished_at').execute();

    const counters = db.withTables<{ counter: { name: string; value: number } }>();
    await counters
      .insertInto('counter')
      .values([
        { name: 'webhook_endpoint', value: 0 },
        { name: 'webhook_delivery', value: 0 },
      ])
      .execute();
  },
};
