import { type Kysely, sql } from 'kysely';
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
export class CardLeases {
  readonly #database: Database;
  /** The name that the leases of this process bear. */
  readonly #owner: string;
  readonly #watch: ReturnType<typeof createLeaseWatch>;
  /** Leases whose holders have died, by incident. */
  #dead = new Map<string, SeenLease>();
  /** Leases of this process, as far as it knows. */
  readonly #mine = new Set<string>();

  /** `steady`: milliseconds of a clock that never steps. */
  constructor(deps: { database: Database; owner: string; steady?: () => number }) {
    this.#database = deps.database;
    this.#owner = deps.owner;
    this.#watch = createLeaseWatch(leaseTime, deps.steady);
  }

  /** Leases an incident's card; returns the incident's version. Undefined while another process has the lease. */
  async take(incidentID: string): Promise<number | undefined> {
    const row = await this.#locked(incidentID, async trx => {
      await this.#countIfLost(trx, incidentID);
      return trx
        .updateTable('bot_room')
        .set({ lease_owner: this.#owner, heartbeat: nextHeartbeat() })
        .where('incident_id', '=', incidentID)
        .where(mayTake(this.#owner, this.#dead.get(incidentID)))
        .returning('version')
        .executeTakeFirst();
    });
    if (row) this.#mine.add(incidentID);
    else this.#mine.delete(incidentID);
    return row?.version;
  }

  /** The card shows that version, and the lease ends. False when there is a newer version to show. */
  async shown(incidentID: string, version: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#locked(incidentID, trx =>
      trx
        .updateTable('bot_room')
        .set({ rendered_version: version, lease_owner: '' })
        .where('incident_id', '=', incidentID)
        .where('lease_owner', '=', this.#owner)
        .where('version', '=', version)
        .executeTakeFirst(),
    );
    if (numUpdatedRows > 0n) this.#mine.delete(incidentID);
    return numUpdatedRows > 0n;
  }

  /** Ends the lease while the card is still behind. */
  async leave(incidentID: string): Promise<void> {
    await this.#locked(incidentID, async trx => {
      await this.#countIfLost(trx, incidentID);
      const ours = trx.updateTable('bot_room').set({ lease_owner: '' }).where('lease_owner', '=', this.#owner);
      await ours.where('incident_id', '=', incidentID).execute();
    });
    this.#mine.delete(incidentID);
  }

  /** Tells the other processes that this one lives. */
  async hold(): Promise<void> {
    if (this.#mine.size === 0) return;
    const ids = [...this.#mine];
    await this.#locked(this.#owner, trx =>
      trx
        .updateTable('bot_room')
        .set({ heartbeat: nextHeartbeat() })
        .where('lease_owner', '=', this.#owner)
        .where('incident_id', 'in', ids)
        .execute(),
    );
  }

  /** Incidents whose card shows an old version, and whose lease is free. */
  async outdated(): Promise<readonly string[]> {
    const rows = await this.#database
      .as<BotTables>()
      .selectFrom('bot_room')
      .select(['incident_id', 'lease_owner', 'heartbeat', sql<number>`version - rendered_version`.as('missing')])
      .where('incident_id', 'not like', `${provisionalMark}%`)
      .where(({ or, eb, ref }) => or([eb('lease_owner', '!=', ''), eb('rendered_version', '<', ref('version'))]))
      .orderBy('lease_owner', 'desc')
      .limit(mostCards)
      .execute();
    const held = rows.filter(row => row.lease_owner !== '' && row.lease_owner !== this.#owner);
    const seen = held.map(row => ({ key: row.incident_id, owner: row.lease_owner, mark: row.heartbeat }));
    this.#dead = new Map(this.#watch.look(seen).map(each => [each.key, each]));
    const isFree = (row: (typeof rows)[number]) => row.lease_owner === '' || this.#dead.has(row.incident_id);
    return rows
      .filter(row => row.lease_owner === this.#owner || (row.missing > 0 && isFree(row)))
      .map(row => row.incident_id);
  }

  #locked<T>(incidentID: string, work: (trx: Kysely<BotTables>) => Promise<T>): Promise<T> {
    return this.#database.withLock<BotTables, T>(`card ${incidentID}`, work);
  }

  /** A late call of this process may cover a card that another one has shown since: the card is shown once more. */
  async #countIfLost(trx: Kysely<BotTables>, incidentID: string): Promise<void> {
    if (!this.#mine.has(incidentID)) return;
    await trx
      .updateTable('bot_room')
      .set(({ eb }) => ({ version: eb('version', '+', 1) }))
      .where('incident_id', '=', incidentID)
      .where('lease_owner', '!=', this.#owner)
      .execute();
  }
}
