import { type Kysely, sql } from 'kysely';
import type { WebhookEvent } from '../../contract/webhooks.ts';
import { bigint, integer, nullable, type TablesOf, table, text } from '../../db/tables.ts';
import type { Db, Tables } from './tables.ts';

/** The state of a delivery (docs/api-rules.md A11, HookRun). */
export const deliveryStatuses = ['todo', 'success', 'failed'] as const;
/** One of {@link deliveryStatuses}. */
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** The status of a waiting delivery, as a literal: so every database sees that the index `webhook_delivery_to_do` answers the query. */
export const todo = sql.lit('todo' as const);

/** The tables of outgoing webhooks: endpoints, events, and the delivery of each event to each endpoint. */
export const webhookTables = [
  /** Endpoints. A removed one stays for the log of its deliveries. */
  table({
    name: 'webhook_endpoint',
    columns: {
      id: integer({ key: true }),
      url: text(),
      secret: text(),
      /** In the language of docs/api-rules.md A7; empty: every incident. */
      query: text(),
      /** Whether the settings or a command added it. */
      source: text<'setting' | 'command'>(),
      created_at: bigint(),
      removed_at: nullable(bigint()),
      /** The process that sends to it, `''` for none, and the number by which it shows that it is alive (db/leases.ts). */
      lease_owner: text(),
      heartbeat: bigint(),
      /** Whether it also gets events of private incidents: 0 or 1. */
      include_private: integer({ default: 0 }),
    },
  }),
  /** What happened, with the incident as it was then. */
  table({
    name: 'webhook_event',
    columns: {
      /** `webhook-out-<24 hex>`. */
      id: text({ key: true }),
      event: text<WebhookEvent>(),
      incident_id: integer(),
      /** JSON: the body to send. */
      body: text(),
      created_at: bigint(),
    },
    indexes: {
      webhook_event_by_time: ['created_at'],
      webhook_event_by_incident: { on: ['incident_id'], since: '012-incident-counts' },
    },
  }),
  /** An event for one endpoint; `seq` is the order in which it is sent there. */
  table({
    name: 'webhook_delivery',
    columns: {
      seq: bigint({ key: true }),
      endpoint_id: integer(),
      event_id: text(),
      status: text<DeliveryStatus>(),
      attempts: integer(),
      /** The next attempt is made no earlier. */
      next_at: bigint(),
      /** The result of the last attempt: `HTTP 200`, `connection failed (ECONNREFUSED)`; empty before the first. */
      outcome: text(),
      created_at: bigint(),
      /** Null before the first attempt. */
      tried_at: nullable(bigint()),
      /** Null while `todo`. */
      finished_at: nullable(bigint()),
      /** When an operator had it sent again; null when none did. */
      retried_at: nullable(bigint()),
    },
    indexes: {
      webhook_delivery_to_do: { on: ['endpoint_id', 'seq'], where: sql`status = ${todo}` },
      webhook_delivery_by_event: ['event_id'],
      webhook_delivery_by_end: ['finished_at'],
    },
  }),
] as const;

/** {@link webhookTables}, as Kysely sees them. */
export type WebhookTables = TablesOf<typeof webhookTables>;

/** One row of `webhook_endpoint`. */
export type EndpointRow = WebhookTables['webhook_endpoint'];
/** One row of `webhook_delivery`. */
export type DeliveryRow = WebhookTables['webhook_delivery'];

/** A connection or transaction with the tables of webhooks in view. */
export function toWebhookDb(db: Db): Kysely<Tables & WebhookTables> {
  return db.withTables<WebhookTables>();
}
