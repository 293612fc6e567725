import { type Kysely, sql } from 'kysely';
import type { Incident } from '../../../contract/incidents.ts';
import type { Database } from '../../../db/database.ts';
import { createLeaseWatch, leaseTime, mayTake, nextHeartbeat, type SeenLease } from '../../../db/leases.ts';
import type { BotTables } from '../../schema/tables.ts';
import type { Reception } from '../../slack/refusals.ts';
import { parseWrites, type Write } from '../lines/pace.ts';
import { beingWritten, nothingShown, type Shown, toShown, toShownColumns, toWrittenColumns } from '../state/digests.ts';

/** Cards looked at together. */
const mostCards = 200;

/** A card that this process renders: the version to show, and what Slack showed when the lease was taken. */
export interface LeasedCard {
  readonly version: number;
  readonly shown: Shown;
  /** The writes of the last minute, of all processes. */
  readonly writes: readonly Write[];
}

/** An incident as a change of Muster's own was answered, and the version of its card that this change made. */
export interface Answered {
  readonly incident: Incident;
  readonly version: number;
}

/** What a round has shown. */
export interface Round {
  /** Digests of the parts that are there. */
  readonly shown: Partial<Shown>;
  /** `later` when some of it may work soon, `refused` when Slack refuses some of it, and `taken` when all of it is there. */
  readonly reception: Reception;
}

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

  /**
   * Leases an incident's card. Undefined while another process has the lease. Until the lease ends, nothing counts as shown: if this
   * process dies, nobody knows what it has written.
   */
  async take(incidentID: string): Promise<LeasedCard | undefined> {
    const taken = await this.#locked(incidentID, async trx => {
      await this.#countIfLost(trx, incidentID);
      const known = trx.selectFrom('bot_room').where('incident_id', '=', incidentID);
      const before = await known
        .select(['card_shown', 'announcement_shown', 'topic_shown', 'written'])
        .executeTakeFirst();
      const row = await trx
        .updateTable('bot_room')
        .set({ lease_owner: this.#owner, heartbeat: nextHeartbeat(), ...toShownColumns(beingWritten) })
        .where('incident_id', '=', incidentID)
        .where(mayTake(this.#owner, this.#dead.get(incidentID)))
        .returning('version')
        .executeTakeFirst();
      if (!before || !row) return undefined;
      return { version: row.version, shown: toShown(before), writes: parseWrites(before.written) };
    });
    if (taken) this.#mine.add(incidentID);
    else this.#mine.delete(incidentID);
    return taken;
  }

  /**
   * Slack shows that version now; `shown` are the digests of the parts that are there, `writes` those of the last minute. The lease ends, so
   * that another process may show what is urgent. False when there is a newer version to show, or when another process has the lease.
   */
  async shown(incidentID: string, version: number, shown: Partial<Shown>, writes?: readonly Write[]): Promise<boolean> {
    const row = await this.#locked(incidentID, trx =>
      trx
        .updateTable('bot_room')
        .set({
          rendered_version: version,
          lease_owner: '',
          ...toWrittenColumns(shown),
          ...toWritten(writes),
        })
        .where('incident_id', '=', incidentID)
        .where('lease_owner', '=', this.#owner)
        .returning('version')
        .executeTakeFirst(),
    );
    if (row) this.#mine.delete(incidentID);
    return row?.version === version;
  }

  /**
   * Ends the lease while the card is still behind; `shown` are the digests of the parts that are known. With `isBehind`, it counts as
   * behind even if the incident was not changed since.
   */
  async leave(
    incidentID: string,
    shown: Partial<Shown> = {},
    { isBehind = false, writes }: { readonly isBehind?: boolean; readonly writes?: readonly Write[] } = {},
  ): Promise<void> {
    await this.#locked(incidentID, async trx => {
      await this.#countIfLost(trx, incidentID);
      const next = sql<number>`case when version = rendered_version then version + 1 else version end`;
      const left = { lease_owner: '', ...toWrittenColumns(shown), ...toWritten(writes) };
      const ours = trx
        .updateTable('bot_room')
        .set({ ...left, ...(isBehind ? { version: next } : {}) })
        .where('lease_owner', '=', this.#owner);
      await ours.where('incident_id', '=', incidentID).execute();
    });
    this.#mine.delete(incidentID);
  }

  /** The writes about an incident within the last minute, of all processes. */
  async writes(incidentID: string): Promise<readonly Write[]> {
    const rooms = this.#database.as<BotTables>().selectFrom('bot_room').where('incident_id', '=', incidentID);
    return parseWrites((await rooms.select('written').executeTakeFirst())?.written ?? '');
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
      // Written as the index `bot_room_outdated` has it: a database does not see that a value of a parameter means the same.
      .where(({ or, eb, ref }) =>
        or([eb('lease_owner', '!=', sql.lit('')), eb('rendered_version', '<', ref('version'))]),
      )
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
      .set(({ eb }) => ({ version: eb('version', '+', 1), ...toShownColumns(nothingShown) }))
      .where('incident_id', '=', incidentID)
      .where('lease_owner', '!=', this.#owner)
      .execute();
  }
}

function toWritten(writes: readonly Write[] | undefined): { readonly written?: string } {
  return writes === undefined ? {} : { written: JSON.stringify(writes) };
}
