import type { UpdateResult } from 'kysely';
import type { Database } from '../../db/database.ts';
import { createLeaseWatch, leaseTime, mayTake, nextHeartbeat, type SeenLease } from '../../db/leases.ts';
import { todo, type WebhookTables } from '../store/003-webhooks.ts';
import { timeUntilDue } from './retries.ts';

/**
 * Which process sends to which endpoint. Deliveries of an endpoint keep their order, so one process at a time serves it, by a
 * lease on its row (db/leases.ts).
 */
export interface EndpointLeases {
  /** Shows that this process is alive, and finds the endpoints with a delivery due that no other living process serves. */
  look(now: Date): Promise<readonly number[]>;
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
    async look(now) {
      await showLife();
      const rows = await db
        .selectFrom('webhook_endpoint as endpoint')
        .leftJoin('webhook_delivery as next', join =>
          join.on(({ eb, selectFrom }) =>
            eb(
              'next.seq',
              '=',
              selectFrom('webhook_delivery as waiting')
                .select(({ fn }) => fn.min('waiting.seq').as('seq'))
                .whereRef('waiting.endpoint_id', '=', 'endpoint.id')
                .where('waiting.status', '=', todo),
            ),
          ),
        )
        .select(['endpoint.id', 'endpoint.lease_owner', 'endpoint.heartbeat', 'next.attempts', 'next.next_at'])
        .orderBy('endpoint.id')
        .execute();
      const others = rows.filter(row => row.lease_owner !== '' && row.lease_owner !== owner);
      const leases = others.map(row => ({ key: String(row.id), owner: row.lease_owner, mark: row.heartbeat }));
      dead = new Map(watch.look(leases).map(lease => [lease.key, lease]));
      const living = new Set(leases.map(lease => lease.key).filter(key => !dead.has(key)));
      return rows.filter(row => isDue(row, now) && !living.has(String(row.id))).map(row => row.id);
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

/** Whether the first waiting delivery of an endpoint is due; null columns mean that none waits. */
function isDue({ attempts, next_at }: { attempts: number | null; next_at: number | null }, now: Date): boolean {
  return attempts !== null && next_at !== null && timeUntilDue({ attempts, next_at }, now) === 0;
}
