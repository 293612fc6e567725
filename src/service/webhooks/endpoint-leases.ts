import { sql, type UpdateResult } from 'kysely';
import type { Database } from '../../db/database.ts';
import { createLeaseWatch, leaseTime, mayTake, nextHeartbeat, type SeenLease } from '../../db/leases.ts';
import { todo, type WebhookTables } from '../store/003-webhooks.ts';

/**
 * Which process sends to which endpoint. Deliveries of an endpoint keep their order, so one process at a time serves it, by a
 * lease on its row (db/leases.ts).
 */
export interface EndpointLeases {
  /** Shows that this process is alive, and finds the endpoints with waiting deliveries that no other living process serves. */
  look(): Promise<readonly number[]>;
  /** Takes the lease of an endpoint, or keeps it. False when another process holds it. */
  hold(endpointID: number): Promise<boolean>;
  /** Gives the lease of an endpoint back. */
  release(endpointID: number): Promise<void>;
}

/** The leases as the process named `owner` sees them. `steady`: milliseconds of a clock that never steps. */
export function createEndpointLeases(deps: {
  readonly database: Database;
  readonly owner: string;
  readonly steady: () => number;
}): EndpointLeases {
  const { database, owner } = deps;
  const db = database.as<WebhookTables>();
  const watch = createLeaseWatch(leaseTime, deps.steady);
  /** Leases whose owners have died, by endpoint. */
  let dead = new Map<string, SeenLease>();
  const mine = new Set<number>();

  async function showLife(): Promise<void> {
    if (mine.size === 0) return;
    await database.single<WebhookTables, unknown>(some =>
      some
        .updateTable('webhook_endpoint')
        .set({ heartbeat: nextHeartbeat() })
        .where('id', 'in', [...mine])
        .where('lease_owner', '=', owner)
        .execute(),
    );
  }

  return {
    async look() {
      await showLife();
      const rows = await db
        .selectFrom('webhook_endpoint as endpoint')
        .select(['endpoint.id', 'endpoint.lease_owner', 'endpoint.heartbeat'])
        .select(({ exists, selectFrom }) =>
          sql<number>`case when ${exists(
            selectFrom('webhook_delivery')
              .select('seq')
              .whereRef('endpoint_id', '=', 'endpoint.id')
              .where('status', '=', todo),
          )} then 1 else 0 end`.as('waits'),
        )
        .orderBy('endpoint.id')
        .execute();
      const others = rows.filter(row => row.lease_owner !== '' && row.lease_owner !== owner);
      const leases = others.map(row => ({ key: String(row.id), owner: row.lease_owner, mark: row.heartbeat }));
      dead = new Map(watch.look(leases).map(lease => [lease.key, lease]));
      const living = new Set(leases.map(lease => lease.key).filter(key => !dead.has(key)));
      return rows.filter(row => row.waits === 1 && !living.has(String(row.id))).map(row => row.id);
    },
    async hold(endpointID) {
      const { numUpdatedRows } = await database.single<WebhookTables, UpdateResult>(some =>
        some
          .updateTable('webhook_endpoint')
          .set({ lease_owner: owner, heartbeat: nextHeartbeat() })
          .where('id', '=', endpointID)
          .where(mayTake(owner, dead.get(String(endpointID))))
          .executeTakeFirst(),
      );
      if (numUpdatedRows > 0n) mine.add(endpointID);
      else mine.delete(endpointID);
      return numUpdatedRows > 0n;
    },
    async release(endpointID) {
      mine.delete(endpointID);
      await database.single<WebhookTables, unknown>(some =>
        some
          .updateTable('webhook_endpoint')
          .set({ lease_owner: '' })
          .where('id', '=', endpointID)
          .where('lease_owner', '=', owner)
          .execute(),
      );
    },
  };
}
