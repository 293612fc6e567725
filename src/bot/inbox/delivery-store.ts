import { type Kysely, type RawBuilder, sql } from 'kysely';
import { backoff } from '../../contract/backoff.ts';
import type { Database } from '../../db/database.ts';
import type { NoTables } from '../../db/engine.ts';
import type { Heart } from '../../db/heart.ts';
import { createLeaseWatch, hangsOf, leaseTime, lifeOf, nextHeartbeat } from '../../db/leases.ts';
import { definePrepared, definePreparedChanges } from '../../db/prepared.ts';
import type { Delivery } from '../dispatch/feature/delivery.ts';
import { storeVisit, type Visit } from '../incident/state/visits.ts';
import { tellNobody } from '../journal/notifier.ts';
import { keepFor } from '../keep-for.ts';
import { isBlocking, isOpen } from '../schema/deliveries.ts';
import type { BotTables } from '../schema/tables.ts';

/** Pauses before a delivery that failed is tried again, in milliseconds. */
const pauses = { first: 30_000, longest: 15 * 60_000, jitter: 0 };
/** Attempts before a delivery is given up: those that fail take an hour and a half, and with the others as many processes ended. */
export const maxAttempts = 11;
/** After so many it is tried alone: until then a process that ended is no proof, since it handled others too. */
const aloneFrom = 3;
/** The pause before a person who could not be answered is answered again, in milliseconds: Slack is back soon. */
const unansweredPause = 10_000;
/** How long that is tried, in milliseconds: as long as everything else. */
const unansweredFor = 90 * 60_000;
/** What processes tell each other of a channel begins so. */
const releasedWord = 'released/';
/** Rows deleted in one statement. */
const purgedTogether = 500;

/** What is stored in the transaction that ends a delivery. */
interface DeliveryEnd {
  /** Intents whose outcome the person has been told of. */
  readonly answered: readonly string[];
  /** When they were in an incident. */
  readonly visit: Visit | undefined;
}

/** The statements that end a delivery, with what comes with it. */
const prepareEnd = (isAnswered: boolean, isVisit: boolean) =>
  definePreparedChanges<BotTables, { key: string; ids: readonly string[] } & Visit>((db, { key, ids, ...visit }) => [
    db
      .updateTable('bot_delivery')
      .set({ state: 'done', body: '', lease_owner: '', blocks_order: 0 })
      .where('key', '=', key),
    ...(isAnswered ? [tellNobody(db as Kysely<NoTables>, { ids })] : []),
    ...(isVisit ? [storeVisit(db, visit)] : []),
  ]);
const ends = {
  plain: prepareEnd(false, false),
  answered: prepareEnd(true, false),
  visited: prepareEnd(false, true),
  both: prepareEnd(true, true),
};
const noVisit: Visit = { incident_id: '', user_id: '', seen_at: 0 };

const release = definePrepared<BotTables, { key: string }, never>((db, { key }) =>
  db.updateTable('bot_delivery').set({ blocks_order: 0 }).where('key', '=', key).where(isBlocking),
);

/** Some process handles it or is to take it up at once: it does not rest after a failure. */
const isTried = sql<boolean>`(lease_owner <> '' or next_at = 0)`;

const earlier = definePrepared<BotTables, { channelId: string; seq: number }, { seq: number }>(
  (db, { channelId, seq }) =>
    db
      .selectFrom('bot_delivery')
      .select('seq')
      .where('channel_id', '=', channelId)
      .where('seq', '<', seq)
      .where(isBlocking)
      .where(isTried)
      .limit(sql.lit(1)),
);

/** Whether processes may have ended because of a delivery: it is tried alone. */
function isSuspect({ hangs, attempts }: { readonly hangs: number; readonly attempts: number }): boolean {
  return hangs > 0 || attempts >= aloneFrom;
}

/** All deliveries that are not handled yet, in the order in which they came. */
const allOpen = definePrepared<
  BotTables,
  Record<never, never>,
  {
    key: string;
    attempts: number;
    lease_owner: string;
    heartbeat: number;
    next_at: number;
    is_urgent: number;
    life: number;
    hangs: number;
  }
>(db =>
  db
    .selectFrom('bot_delivery')
    .select(['key', 'attempts', 'lease_owner', 'heartbeat', 'next_at', 'is_urgent'])
    .select([lifeOf().as('life'), hangsOf().as('hangs')])
    .where(isOpen)
    .orderBy('seq')
    .orderBy('received_at'),
);

/** Leases a delivery as it was seen; `life` is null where the heartbeat of the holder's process does not matter. */
const takeLeft = definePrepared<
  BotTables,
  { key: string; attempts: number; heartbeat: number; holder: string; life: number | null; owner: string },
  BotTables['bot_delivery']
>((db, { key, attempts, heartbeat, holder, life, owner }) =>
  db
    .updateTable('bot_delivery')
    .set({ lease_owner: owner, heartbeat: nextHeartbeat(), hangs: hangsOf() })
    .where('key', '=', key)
    .where(isOpen)
    .where('attempts', '=', attempts)
    .where('lease_owner', '=', holder)
    .where('heartbeat', '=', heartbeat)
    .where(sql<boolean>`${lifeOf()} = coalesce(${life}, ${lifeOf()})`)
    .returningAll(),
);

/** Which of these deliveries are still open, so that they will be handled again. */
export async function findOpen(db: Kysely<NoTables>, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const open = db.withTables<BotTables>().selectFrom('bot_delivery').select('key').where(isOpen);
  return new Set((await open.where('key', 'in', keys).execute()).map(row => row.key));
}

/**
 * The deliveries in the bot's database. A key stays for two days, so that a redelivery is recognised. A body stays until the
 * delivery is handled, so that another process can finish it. `hasOthers`: whether other processes use the database; `monotonicNow`: milliseconds of
 * a clock that never steps.
 */
export class DeliveryStore {
  readonly #database: Database;
  readonly #db: Kysely<BotTables>;
  readonly #owner: string;
  readonly #hasOthers: () => boolean;
  readonly #monotonicNow: () => number;
  readonly #watch: ReturnType<typeof createLeaseWatch>;
  /** Until when this process leaves a failed delivery alone. `next_at` may come from a wrong clock. */
  readonly #resting = new Map<string, number>();
  /** Since when Slack has kept this process from answering a delivery. */
  readonly #unanswered = new Map<string, number>();

  constructor(deps: { database: Database; owner: string; hasOthers?: () => boolean; monotonicNow?: () => number }) {
    this.#database = deps.database;
    this.#db = deps.database.as<BotTables>();
    this.#owner = deps.owner;
    this.#hasOthers = deps.hasOthers ?? (() => true);
    this.#monotonicNow = deps.monotonicNow ?? (() => performance.now());
    this.#watch = createLeaseWatch(leaseTime, this.#monotonicNow);
  }

  /**
   * Stores a delivery and leases it to this process, unless one of that key was stored before. `isOrdered`: later changes of its channel wait;
   * `isUrgent`: it wakes people; `isAgain`: this process tried to store it, and the answer may have been lost; `isLate`: others that came later
   * may be stored already, so that its place is when it came, by the clock of its process.
   */
  async keep(
    delivery: Delivery,
    isOrdered: boolean,
    now: Date,
    { isUrgent = false, isAgain = false, isLate = false } = {},
  ): Promise<StoredDelivery> {
    // A person waits for its acknowledgement.
    const [stored] = await this.#database.single<BotTables, Awaited<ReturnType<typeof put>>>(
      some =>
        (isLate ? putLate : put)(some, {
          ...toRow(delivery, isOrdered, this.#owner, now),
          is_urgent: isUrgent ? 1 : 0,
        }),
      { isUrgent: true },
    );
    if (stored) return { isNew: true, seq: stored.seq };
    const known = this.#db.selectFrom('bot_delivery').select(['seq', 'lease_owner']).where('key', '=', delivery.key);
    const { seq, lease_owner: owner } = await known.executeTakeFirstOrThrow();
    return { isNew: isAgain && owner === this.#owner, seq };
  }

  /** Gives a delivery that was stored late its place as `keep` does with `isLate`; returns it. */
  async moveBack(key: string): Promise<number> {
    const [row] = await this.#single(some =>
      this.#mine(some).set({ seq: sql<number>`received_at` }).where('key', '=', key).returning('seq').execute(),
    );
    return row?.seq ?? 0;
  }

  /** Counts an attempt, of a delivery that was left: what only waited for its turn in a process that ended is not to blame for it. */
  async begin(key: string): Promise<void> {
    const more = { attempts: sql<number>`attempts + 1` };
    await this.#single(some => this.#mine(some).set(more).where('key', '=', key).execute());
  }

  /**
   * Stores an edited message and leases it to this process, in one transaction. The message itself is delivered now when it was not before: Slack
   * repeats what it could not deliver, so an edit may come first, and an edit may also be the first mention of the bot. An edit that comes after a
   * newer one counts as delivered. Both may change something.
   */
  keepEdited({ message, edit, writtenAt }: EditedMessage, isOrdered: boolean, now: Date): Promise<StoredEdit> {
    return this.#database.withLock<BotTables, StoredEdit>(`delivery ${message.key}`, async trx => {
      const keys = trx.selectFrom('bot_delivery').select(['key', 'seq']);
      const edits = await keys.where('key', 'like', `${message.key}/%`).execute();
      const newest = edits.find(each => each.key >= edit.key);
      if (newest) return { as: 'edit', isNew: false, seq: newest.seq };
      const isForgotten = now.getTime() - writtenAt.getTime() > knownFor;
      const [first] = isForgotten ? [] : await put(trx, toRow(message, isOrdered, this.#owner, now));
      const row = toRow(edit, true, this.#owner, now);
      const handled = { ...row, state: 'done', body: '', lease_owner: '', blocks_order: 0 } as const;
      const [stored] = await put(trx, first ? handled : row);
      if (first) return { as: 'message', isNew: true, seq: first.seq };
      return { as: 'edit', isNew: true, seq: stored?.seq ?? 0 };
    });
  }

  /** Whether an earlier delivery of the channel may still submit a change. */
  async hasEarlier(channelId: string, seq: number): Promise<boolean> {
    return (await earlier(this.#db, { channelId, seq })).length > 0;
  }

  /** Lets later changes of the delivery's channel start. */
  async release(key: string): Promise<void> {
    await this.#single(some => release(some, { key }));
  }

  /** Lets them start in the transaction that stores the delivery's last intent. */
  async releaseWithin(trx: Kysely<NoTables>, key: string): Promise<void> {
    await release(trx.withTables<BotTables>(), { key });
  }

  /** The {@link IsFirst} of a delivery. One that could not be stored is handled once, so its change is the first. */
  async isFirst(trx: Kysely<NoTables>, key: string): Promise<boolean> {
    const db = trx.withTables<BotTables>();
    const unchanged = db.updateTable('bot_delivery').set({ has_changed: 1 }).where('has_changed', '=', 0);
    const { numUpdatedRows } = await unchanged.where('key', '=', key).executeTakeFirst();
    if (numUpdatedRows > 0n) return true;
    return !(await db.selectFrom('bot_delivery').select('key').where('key', '=', key).executeTakeFirst());
  }

  /** Another process whose delivery waits in this channel hears that it may look. */
  tellReleased(channelId: string): void {
    // A process that has just started is not known yet. It looks without a word, after two seconds at most.
    if (!this.#hasOthers()) return;
    const waits = this.#db
      .selectFrom('bot_delivery')
      .select('seq')
      .where('channel_id', '=', channelId)
      .where(isBlocking)
      .where('lease_owner', 'not in', ['', this.#owner]);
    this.#database.words.say(`${releasedWord}${channelId}`, sql<boolean>`exists (${waits})`);
  }

  /** Calls back when another process has released a channel. */
  onReleased(listener: (channelId: string) => void): void {
    this.#database.words.hear(word => {
      if (word.startsWith(releasedWord)) listener(word.slice(releasedWord.length));
    });
  }

  /** Whether such calls reach this process. */
  isToldOfReleases(): boolean {
    return this.#database.words.isHeard();
  }

  /** The delivery is handled. Its body is removed, its key stays. */
  async done(key: string, { answered, visit }: DeliveryEnd = { answered: [], visit: undefined }): Promise<void> {
    const isAnswered = answered.length > 0;
    const end = visit ? (isAnswered ? ends.both : ends.visited) : isAnswered ? ends.answered : ends.plain;
    // A list of a statement has a member; no intent is called so.
    const ids = isAnswered ? answered : [''];
    await this.#single(some => end(some, { key, ids, ...(visit ?? noVisit) }));
  }

  /**
   * An attempt failed. Says whether another one follows after a pause, in which the delivery blocks nothing. `unanswered`: Slack or
   * the database was away. Such an attempt does not count, and its pause is short: the answer comes soon after they are back.
   */
  failed(key: string, now: Date, why: 'failed' | 'unanswered' = 'failed'): Promise<'later' | 'given up'> {
    return this.#database.withLock<BotTables, 'later' | 'given up'>(`delivery ${key}`, async trx => {
      const row = await trx.selectFrom('bot_delivery').selectAll().where('key', '=', key).executeTakeFirst();
      // The process that has taken it over ends it.
      if (row && row.lease_owner !== this.#owner) return 'later';
      const attempts = row?.attempts ?? maxAttempts;
      const isAway = row !== undefined && why === 'unanswered';
      const monotonicNow = this.#monotonicNow();
      const since = this.#unanswered.get(key) ?? monotonicNow;
      if (isAway) this.#unanswered.set(key, since);
      const isLast = isAway ? monotonicNow - since >= unansweredFor : attempts >= maxAttempts;
      const pause = isAway ? unansweredPause : backoff(attempts, pauses);
      const later = { next_at: now.getTime() + pause, attempts: isAway ? attempts - 1 : attempts, hangs: 0 };
      const change = isLast ? ({ state: 'given up', body: '' } as const) : later;
      await trx
        .updateTable('bot_delivery')
        .set({ ...change, lease_owner: '' })
        .where('key', '=', key)
        .execute();
      this.#resting.set(key, monotonicNow + pause);
      return isLast ? 'given up' : 'later';
    });
  }

  /**
   * Leases some deliveries that no process handles, other than those named; returns their rows. Those that wake people come first, then the
   * others in the order in which they came. Of those with which a process may have ended, one comes at most; it has begun among the `trials`.
   */
  async takeUp(
    now: Date,
    except: ReadonlySet<string>,
    most: number,
    trials?: Heart['trials'],
  ): Promise<readonly BotTables['bot_delivery'][]> {
    const all = (await this.#findLeft(now, except)).filter(row => !except.has(row.key));
    // The first one: it waits for no other suspect of its channel.
    const suspect = all.find(row => isSuspect(row) && trials?.begin(row.key, row.key) !== false);
    const left = all
      .filter(row => !isSuspect(row) || row === suspect)
      .toSorted((one, other) => other.is_urgent - one.is_urgent);
    const taken: BotTables['bot_delivery'][] = [];
    try {
      for (const { key, attempts, lease_owner: holder, heartbeat, life } of left.slice(0, most)) {
        const as = { key, attempts, holder, heartbeat, life: holder === this.#owner ? null : life };
        const [ours] = await this.#single(some => takeLeft(some, { ...as, owner: this.#owner }));
        if (ours) taken.push(ours);
      }
      return taken;
    } finally {
      if (suspect && !taken.some(row => row.key === suspect.key)) trials?.end(suspect.key);
    }
  }

  /**
   * Hands back what this process holds, all of it or one delivery: the process that looks next takes it up at once. It keeps its
   * place in the order of its channel, and the attempt does not count.
   */
  async handBack(key?: string): Promise<void> {
    const free = {
      lease_owner: '',
      next_at: 0,
      attempts: sql<number>`case when attempts > 0 then attempts - 1 else 0 end`,
    };
    await this.#single(some => {
      const mine = this.#mine(some).set(free);
      return (key === undefined ? mine : mine.where('key', '=', key)).execute();
    });
  }

  /** Frees what every other process holds, for a database that no other process uses. */
  async freeOthers(): Promise<void> {
    await this.#single(some => {
      const theirs = some.updateTable('bot_delivery').where(isOpen).where('lease_owner', 'not in', ['', this.#owner]);
      return theirs.set({ lease_owner: '', hangs: hangsOf() }).execute();
    });
  }

  /** Nobody handles it again. */
  async setAside(key: string): Promise<void> {
    const end = { state: 'given up', body: '', lease_owner: '' } as const;
    await this.#single(some => some.updateTable('bot_delivery').set(end).where('key', '=', key).execute());
  }

  /** Deletes some deliveries that are handled and older than two days; returns how many. */
  async purge(now: Date): Promise<number> {
    const old = this.#db.selectFrom('bot_delivery').select('key').where('state', '!=', 'open');
    const some = old.where('received_at', '<', now.getTime() - keepFor.deliveries).limit(purgedTogether);
    const keys = (await some.execute()).map(row => row.key);
    if (keys.length > 0) await this.#single(db => db.deleteFrom('bot_delivery').where('key', 'in', keys).execute());
    return keys.length;
  }

  #single<T>(statement: (some: Kysely<BotTables>) => Promise<T>): Promise<T> {
    return this.#database.single<BotTables, T>(statement);
  }

  #mine(some: Kysely<BotTables>) {
    return some.updateTable('bot_delivery').where(isOpen).where('lease_owner', '=', this.#owner);
  }

  async #findLeft(now: Date, handled: ReadonlySet<string>) {
    const open = await allOpen(this.#db, {});
    // Those of this process too: one that it could not finish is not handled any more.
    const leased = open.filter(row => row.lease_owner !== '' && !handled.has(row.key));
    const seen = leased.map(({ key, lease_owner: owner, heartbeat: mark, life }) => ({
      ...{ key, owner, mark },
      // This process lives, and that says nothing of what it does not handle.
      ...(owner === this.#owner ? {} : { life }),
    }));
    const dead = new Set(this.#watch.findDead(seen).map(each => each.key));
    const keys = new Set(open.map(row => row.key));
    for (const past of [this.#resting, this.#unanswered])
      for (const key of past.keys()) if (!keys.has(key)) past.delete(key);
    return open.filter(row => (row.lease_owner === '' ? this.#isDue(row, now.getTime()) : dead.has(row.key)));
  }

  /** No pause is that long: the clock was set back, so the pause is over. */
  #isDue({ key, next_at: nextAt }: { key: string; next_at: number }, now: number): boolean {
    return (nextAt <= now || nextAt > now + pauses.longest) && (this.#resting.get(key) ?? 0) <= this.#monotonicNow();
  }
}

/** A message to the bot that its author has edited. Either of the two deliveries is carried out. */
export interface EditedMessage {
  /** The message itself, with the words that it has now. */
  readonly message: Delivery;
  readonly edit: Delivery;
  /** When the message was written. */
  readonly writtenAt: Date;
}

/** What an edited message was stored as: the `message`, or the `edit` of one that was delivered before. */
interface StoredEdit extends StoredDelivery {
  readonly as: 'message' | 'edit';
}

/** An older message counts as delivered, in milliseconds: its key may be forgotten. Less than that, since Slack's clock is another one. */
const knownFor = keepFor.deliveries * 0.75;

/** A delivery that is stored. */
export interface StoredDelivery {
  /** It was stored now, and this process handles it. */
  readonly isNew: boolean;
  /** Its position in the order of all deliveries; 0 when it could not be stored. */
  readonly seq: number;
  /** It was kept until the database took it. */
  readonly isLate?: boolean;
}

/** Stores a delivery, unless one of its key is stored. */
const preparePut = (place: (receivedAt: unknown) => RawBuilder<number>) =>
  definePrepared<BotTables, Omit<BotTables['bot_delivery'], 'seq'>, { seq: number }>((db, row) =>
    db
      .insertInto('bot_delivery')
      .values({ ...row, seq: place(row.received_at) })
      .onConflict(conflict => conflict.column('key').doNothing())
      .returning('seq'),
  );
/** Behind all others. */
const put = preparePut(
  receivedAt => sql<number>`(select max(seq) from (
    select cast(${receivedAt} as bigint) as seq union all select max(seq) + 1 from bot_delivery
  ) as places)`,
);
/** Where it came. */
const putLate = preparePut(receivedAt => sql<number>`cast(${receivedAt} as bigint)`);

/** A delivery as it is stored when it comes, leased to `owner`. */
function toRow(
  { key, ...stored }: Delivery,
  isOrdered: boolean,
  owner: string,
  now: Date,
): Omit<BotTables['bot_delivery'], 'seq'> {
  const { channelId } = stored.location;
  return {
    ...{ key, kind: stored.act.kind, body: JSON.stringify(stored), state: 'open' as const },
    ...{ attempts: 1, lease_owner: owner, heartbeat: 0, next_at: 0, has_changed: 0, hangs: 0 },
    ...{ is_urgent: 0, received_at: now.getTime() },
    channel_id: channelId,
    blocks_order: isOrdered && channelId !== '' ? 1 : 0,
  };
}
