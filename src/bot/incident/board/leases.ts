import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { Incident } from '../../../contract/incidents.ts';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import { createLeaseWatch, leaseTime, mayTake, nextHeartbeat, type SeenLease } from '../../../db/leases.ts';
import { definePrepared } from '../../../db/prepared.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { currentSubject, type JournalTables, laneLock } from '../../journal/rows.ts';
import { isPartRefused } from '../../schema/rooms.ts';
import type { BotTables } from '../../schema/tables.ts';
import type { Reception } from '../../slack/refusals.ts';
import { parseWrites, type Write } from '../lines/pace.ts';
import type { RoundLines } from '../lines/store.ts';
import {
  type BoardDigests,
  beingWritten,
  digestsOf,
  noDigests,
  toShownColumns,
  toWrittenColumns,
} from '../state/digests.ts';
import { countChange } from '../state/room-store.ts';

/** Cards looked at together. */
const mostCards = 200;

/** A card that this process renders: the version to show, and what Slack showed when it was taken. */
export interface LeasedCard {
  readonly incidentID: string;
  readonly version: number;
  readonly shown: BoardDigests;
  /** The writes of the last minute, of all processes. */
  readonly writes: readonly Write[];
  /** The last round of the incident came to its end; else it is unknown what it wrote. */
  readonly isSure: boolean;
  /** The digests as they are stored meanwhile. */
  readonly stored: BoardDigests;
}

/** The incident with which the API answered a change of Muster's own, and the version of its card that this change made. */
export interface ChangeAnswer {
  readonly incident: Incident;
  readonly version: number;
}

/** The outcome of a round. */
export interface Round {
  /** Digests of the parts that are there. */
  readonly shown: Partial<BoardDigests>;
  /** `later` when some of it may work soon, `refused` when Slack refuses some of it, and `taken` when all of it is there. */
  readonly reception: Reception;
}

/** The facts that a round stores when it ends. */
interface End {
  /** Digests of the parts that are known. */
  readonly shown?: Partial<BoardDigests>;
  /** The writes of the last minute; absent where they are not known. */
  readonly writes?: readonly Write[];
  /** The lines that the round has said. */
  readonly lines?: RoundLines;
}

/**
 * Decides which process renders a card. One process at a time reads an incident and shows it; otherwise an older reading that Slack takes late
 * would cover a newer one. A process that has the database for itself needs no lease: a change that is not shown says that a round may be under
 * way.
 */
export class CardLeases {
  readonly #database: Database;
  /** The name that the leases of this process bear. */
  readonly #owner: string;
  readonly #isSoleProcess: boolean;
  readonly #watch: ReturnType<typeof createLeaseWatch>;
  /** Leases whose holders have died, by incident. */
  #dead = new Map<string, SeenLease>();
  /** Leases of this process, as far as it knows. */
  readonly #mine = new Set<string>();
  /**
   * Cards that did not show the newest version when this process was opened, and the version that they showed. A process that had the database
   * alone, maybe before it was moved here, may have been showing them.
   */
  readonly #suspects: Map<string, number>;

  /** `monotonicNow`: milliseconds of a clock that never steps. `isSoleProcess`: no other process uses the database. */
  private constructor(deps: LeaseDeps, suspects: Map<string, number>) {
    this.#database = deps.database;
    this.#owner = deps.owner;
    this.#isSoleProcess = deps.isSoleProcess;
    this.#watch = createLeaseWatch(leaseTime, deps.monotonicNow);
    this.#suspects = suspects;
  }

  /** Opens the leases of one process. */
  static async open(deps: LeaseDeps): Promise<CardLeases> {
    const rooms = deps.database.as<BotTables>().selectFrom('bot_room').where(isUnfinished);
    const suspects = await rooms.select(['incident_id', 'rendered_version']).execute();
    return new CardLeases(deps, new Map(suspects.map(each => [each.incident_id, each.rendered_version])));
  }

  /**
   * Takes an incident's card, whose row is this one. Undefined while another process has it. Until the round ends, nothing counts as shown: if
   * this process dies, it is unknown what it has written.
   */
  async take(row: BotTables['bot_room']): Promise<LeasedCard | undefined> {
    const taken = await (this.#isSoleProcess ? this.#takeAsSole(row) : this.#lease(row.incident_id));
    if (taken) this.#mine.add(row.incident_id);
    else this.#mine.delete(row.incident_id);
    return taken;
  }

  async #takeAsSole(row: BotTables['bot_room']): Promise<LeasedCard> {
    const { incident_id: incidentID, lease_owner, written } = row;
    const isSure = lease_owner === '' && !this.#isSuspect(row) && !(await this.#isOpen(incidentID));
    // A round that shows no change counts one, so that it is seen if it does not end.
    const isMarked = row.version !== row.rendered_version;
    if (!isMarked) await this.#database.single<NoTables, void>(db => countChange(db, incidentID));
    return {
      incidentID,
      version: isMarked ? row.version : row.version + 1,
      shown: isSure ? digestsOf(row) : beingWritten,
      stored: digestsOf(row),
      writes: parseWrites(written),
      isSure,
    };
  }

  /** Whether a round of this process did not end, also one under the id that the incident had before it was registered. */
  async #isOpen(incidentID: string): Promise<boolean> {
    const intents = this.#database.as<JournalTables>();
    for (const id of this.#mine) {
      if (id !== incidentID && (!isProvisional(id) || (await currentSubject(intents, id)) !== incidentID)) continue;
      this.#mine.delete(id);
      return true;
    }
    return false;
  }

  async #lease(incidentID: string): Promise<LeasedCard | undefined> {
    return await this.#locked(incidentID, async trx => {
      await this.#countIfLost(trx, incidentID);
      const known = trx.selectFrom('bot_room').where('incident_id', '=', incidentID);
      const before = await known
        .select(['incident_id', 'rendered_version', 'written', 'lease_owner'])
        .select(['card_shown', 'announcement_shown', 'topic_shown'])
        .executeTakeFirst();
      const row = await trx
        .updateTable('bot_room')
        .set({ lease_owner: this.#owner, heartbeat: nextHeartbeat(), ...toShownColumns(beingWritten) })
        .where('incident_id', '=', incidentID)
        .where(mayTake(this.#owner, this.#dead.get(incidentID)))
        .returning('version')
        .executeTakeFirst();
      if (!before || !row) return undefined;
      const isSure = before.lease_owner === '' && !this.#isSuspect(before);
      const writes = parseWrites(before.written);
      return { incidentID, version: row.version, shown: digestsOf(before), stored: beingWritten, writes, isSure };
    });
  }

  /**
   * Slack shows that version now. The lease ends, so that another process may show what is urgent. False when there is a newer version to show,
   * or when another process has the lease.
   */
  async shown(leased: LeasedCard, end: End): Promise<boolean> {
    const row = await this.#ending(leased, end, trx =>
      trx
        .updateTable('bot_room')
        .set({ rendered_version: leased.version, ...this.#toColumns(leased, end) })
        .where('incident_id', '=', leased.incidentID)
        .where(this.#isOurs())
        .returning('version')
        .executeTakeFirst(),
    );
    // Alone, it has its turn even where the incident was registered meanwhile.
    if (row || this.#isSoleProcess) this.#forget(leased);
    return row?.version === leased.version;
  }

  /** Ends the lease while the card is still behind. With `isBehind`, it counts as behind even if the incident was not changed since. */
  async leave(
    leased: LeasedCard,
    { isBehind = false, ...end }: End & { readonly isBehind?: boolean } = {},
  ): Promise<void> {
    const next = sql<number>`case when version = rendered_version then version + 1 else version end`;
    await this.#ending(leased, end, async trx => {
      if (!this.#isSoleProcess) await this.#countIfLost(trx, leased.incidentID);
      return await trx
        .updateTable('bot_room')
        .set({ ...this.#toColumns(leased, end), ...(isBehind ? { version: next } : {}) })
        .where('incident_id', '=', leased.incidentID)
        .where(this.#isOurs())
        .returning('version')
        .executeTakeFirst();
    });
    this.#forget(leased);
  }

  /** No round of it has ended since this process was opened. */
  #isSuspect(row: { readonly incident_id: string; readonly rendered_version: number }): boolean {
    return this.#suspects.get(row.incident_id) === row.rendered_version;
  }

  #forget({ incidentID }: LeasedCard): void {
    this.#mine.delete(incidentID);
    this.#suspects.delete(incidentID);
  }

  #isOurs() {
    return ({ eb, lit }: ExpressionBuilder<BotTables, 'bot_room'>) =>
      this.#isSoleProcess ? lit(true) : eb('lease_owner', '=', this.#owner);
  }

  #toColumns({ stored }: LeasedCard, { shown = {}, writes }: End) {
    const written = writes === undefined ? {} : { written: JSON.stringify(writes) };
    return { lease_owner: '', ...toWrittenColumns(shown, stored), ...written };
  }

  /** Stores the end of a round and its lines together, or that another process has its turn. An undo marks lines under their lock. */
  #ending<T>(
    { incidentID }: LeasedCard,
    { lines }: End,
    work: (trx: Kysely<BotTables>) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    if (!lines?.hasSaid) return this.#locked(incidentID, work);
    return this.#database.withLock<NoTables, T | undefined>(laneLock([incidentID]), async trx => {
      const ended = await work(trx.withTables<BotTables>());
      await (ended !== undefined || this.#isSoleProcess ? lines.keep(trx) : lines.lose(trx));
      return ended;
    });
  }

  /** Tells the other processes that this one lives. */
  async hold(): Promise<void> {
    if (this.#isSoleProcess || this.#mine.size === 0) return;
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
    const rows = await findUnfinished(this.#database.as<BotTables>(), {});
    const held = rows.filter(row => row.lease_owner !== '' && row.lease_owner !== this.#owner);
    const seen = held.map(row => ({ key: row.incident_id, owner: row.lease_owner, mark: row.heartbeat }));
    this.#dead = new Map(this.#watch.findDead(seen).map(each => [each.key, each]));
    const isFree = (row: (typeof rows)[number]) =>
      row.lease_owner === '' || this.#isSoleProcess || this.#dead.has(row.incident_id);
    return rows
      .filter(row => row.lease_owner === this.#owner || ((row.missing > 0 || this.#isSoleProcess) && isFree(row)))
      .map(row => row.incident_id);
  }

  /** Channels in which Slack refused to show a part of an incident, those of the newest rooms first. */
  async refusing(most: number): Promise<readonly string[]> {
    const db = this.#database.as<BotTables>();
    const rows = db.selectFrom('bot_room').select(['channel_id', 'announcement_channel_id']).where(isPartRefused);
    const newest = await rows.orderBy('created_at', 'desc').limit(most).execute();
    return newest.flatMap(each => [each.channel_id, each.announcement_channel_id]);
  }

  /** Counts a change of each incident in a channel where Slack refused to show a part of it. Returns these incidents. */
  async outdate(channelId: string): Promise<readonly string[]> {
    const db = this.#database.as<BotTables>();
    const rows = db.selectFrom('bot_room').select('incident_id').where(isPartRefused);
    const isHere = ({ or, eb }: ExpressionBuilder<BotTables, 'bot_room'>) =>
      or([eb('channel_id', '=', channelId), eb('announcement_channel_id', '=', channelId)]);
    const ids = (await rows.where(isHere).execute()).map(each => each.incident_id);
    for (const id of ids) await this.#database.single<NoTables, void>(some => countChange(some, id));
    return ids;
  }

  #locked<T>(incidentID: string, work: (trx: Kysely<BotTables>) => Promise<T>): Promise<T> {
    return this.#database.withLock<BotTables, T>(`card ${incidentID}`, work);
  }

  /** A late call of this process may cover a card that another one has shown since: the card is shown once more. */
  async #countIfLost(trx: Kysely<BotTables>, incidentID: string): Promise<void> {
    if (!this.#mine.has(incidentID)) return;
    await trx
      .updateTable('bot_room')
      .set(({ eb }) => ({ version: eb('version', '+', 1), ...toShownColumns(noDigests) }))
      .where('incident_id', '=', incidentID)
      .where('lease_owner', '!=', this.#owner)
      .execute();
  }
}

const findUnfinished = definePrepared<
  BotTables,
  Record<never, never>,
  { incident_id: string; lease_owner: string; heartbeat: number; missing: number }
>(db =>
  db
    .selectFrom('bot_room')
    .select(['incident_id', 'lease_owner', 'heartbeat', sql<number>`version - rendered_version`.as('missing')])
    .where(isUnfinished)
    .orderBy('lease_owner', 'desc')
    .limit(sql.lit(mostCards)),
);

interface LeaseDeps {
  readonly database: Database;
  readonly owner: string;
  readonly isSoleProcess: boolean;
  readonly monotonicNow?: () => number;
}

/**
 * The card does not show the newest version, or a process renders it. Written as the index `bot_room_outdated` has it: a database does not see
 * that a value of a parameter means the same.
 */
function isUnfinished({ or, eb, ref }: ExpressionBuilder<BotTables, 'bot_room'>) {
  return or([eb('lease_owner', '!=', sql.lit('')), eb('rendered_version', '<', ref('version'))]);
}
