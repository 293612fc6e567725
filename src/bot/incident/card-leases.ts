import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { createLeaseWatch, leaseTime, mayTake, nextHeartbeat, type SeenLease } from '../../db/leases.ts';
import { provisionalMark } from '../journal/provisional-id.ts';
import type { BotTables } from '../schema/tables.ts';

/** Cards looked at together. */
const mostCards = 200;

/**
 * Who renders a card. One process at a time reads an incident and shows it; otherwise an older reading that Slack takes late would
 * cover a newer one.
 */
export interface CardLeases {
  /** Leases an incident's card; returns the incident's version. Undefined while another process has the lease. */
  take(incidentID: string): Promise<number | undefined>;
  /** The card shows that version, and the lease ends. False when there is a newer version to show. */
  shown(incidentID: string, version: number): Promise<boolean>;
  /** Ends the lease; the card does not show everything. */
  leave(incidentID: string): Promise<void>;
  /** Shows the others that this process lives. */
  hold(): Promise<void>;
  /** Incidents whose card shows an old version, and whose lease is free. */
  outdated(): Promise<readonly string[]>;
}

/** The leases in the bot's database, as the process `owner` sees them. `steady`: milliseconds of a clock that never steps. */
export function createCardLeases(deps: { database: Database; owner: string; steady?: () => number }): CardLeases {
  const { database, owner } = deps;
  const db = database.as<BotTables>();
  const watch = createLeaseWatch(leaseTime, deps.steady);
  /** Leases whose holders have died, by incident. */
  let left = new Map<string, SeenLease>();
  /** Leases of this process, as far as it knows. */
  const mine = new Set<string>();

  const withLock = <T>(incidentID: string, work: (trx: typeof db) => Promise<T>) =>
    database.withLock<BotTables, T>(`card ${incidentID}`, work);

  /** A late call of this process may cover what another one has shown since it lost the lease: the card is shown once more. */
  async function countIfLost(trx: typeof db, incidentID: string): Promise<void> {
    if (!mine.has(incidentID)) return;
    await trx
      .updateTable('bot_room')
      .set(({ eb }) => ({ version: eb('version', '+', 1) }))
      .where('incident_id', '=', incidentID)
      .where('lease_owner', '!=', owner)
      .execute();
  }

  return {
    take: async incidentID => {
      const dead = left.get(incidentID);
      const row = await withLock(incidentID, async trx => {
        await countIfLost(trx, incidentID);
        return trx
          .updateTable('bot_room')
          .set({ lease_owner: owner, heartbeat: nextHeartbeat() })
          .where('incident_id', '=', incidentID)
          .where(mayTake(owner, dead))
          .returning('version')
          .executeTakeFirst();
      });
      if (row) mine.add(incidentID);
      else mine.delete(incidentID);
      return row?.version;
    },
    shown: async (incidentID, version) => {
      const { numUpdatedRows } = await withLock(incidentID, trx =>
        trx
          .updateTable('bot_room')
          .set({ rendered_version: version, lease_owner: '' })
          .where('incident_id', '=', incidentID)
          .where('lease_owner', '=', owner)
          .where('version', '=', version)
          .executeTakeFirst(),
      );
      if (numUpdatedRows > 0n) mine.delete(incidentID);
      return numUpdatedRows > 0n;
    },
    leave: async incidentID => {
      await withLock(incidentID, async trx => {
        await countIfLost(trx, incidentID);
        const ours = trx.updateTable('bot_room').set({ lease_owner: '' }).where('lease_owner', '=', owner);
        await ours.where('incident_id', '=', incidentID).execute();
      });
      mine.delete(incidentID);
    },
    hold: async () => {
      if (mine.size === 0) return;
      const ids = [...mine];
      await withLock(owner, trx =>
        trx
          .updateTable('bot_room')
          .set({ heartbeat: nextHeartbeat() })
          .where('lease_owner', '=', owner)
          .where('incident_id', 'in', ids)
          .execute(),
      );
    },
    outdated: async () => {
      const rows = await db
        .selectFrom('bot_room')
        .select(['incident_id', 'lease_owner', 'heartbeat', sql<number>`version - rendered_version`.as('missing')])
        .where('incident_id', 'not like', `${provisionalMark}%`)
        .where(({ or, eb, ref }) => or([eb('lease_owner', '!=', ''), eb('rendered_version', '<', ref('version'))]))
        .orderBy('lease_owner', 'desc')
        .limit(mostCards)
        .execute();
      const held = rows.filter(row => row.lease_owner !== '' && row.lease_owner !== owner);
      const seen = held.map(row => ({ key: row.incident_id, owner: row.lease_owner, mark: row.heartbeat }));
      left = new Map(watch.look(seen).map(each => [each.key, each]));
      return rows
        .filter(row => row.lease_owner === owner || (row.missing > 0 && isFree(row)))
        .map(row => row.incident_id);
    },
  };

  function isFree(row: { readonly incident_id: string; readonly lease_owner: string }): boolean {
    return row.lease_owner === '' || left.has(row.incident_id);
  }
}
