import { sql } from 'kysely';
import type { Heart } from '../../db/heart.ts';
import { createLeaseWatch, hangsOf, leaseTime, lifeOf, nextHeartbeat, type SeenLease } from '../../db/leases.ts';
import { definePrepared } from '../../db/prepared.ts';
import type { Deadlines } from '../../deadlines.ts';
import { type IntentState, type IntentTable, isLeased, isPostponed, isUnfinished } from '../schema/intents.ts';
import { AlreadyAnswered, type Final, type Outcome, Stopped } from './intent.ts';
import type { Listeners } from './notifier.ts';
import { isProvisional, provisionalID, provisionalMark } from './provisional-id.ts';
import { longestAskedPause } from './retry-policy.ts';
import {
  currentName,
  currentSubject,
  type Db,
  decodeError,
  findByID,
  findHead,
  type Hold,
  isFinal,
  type JournalTables,
  nextSeq,
  type Rows,
  toTime,
  unleased,
  updateRow,
  uuidv7,
} from './rows.ts';

/** An intent to be stored. `lane` is absent for that of its subject. Without either it brings its subject into being. */
export interface NewIntent {
  readonly key: string;
  readonly kind: string;
  readonly payload: string;
  readonly subject: string;
  readonly lane?: string | undefined;
  readonly owner: string;
  readonly origin: string;
  readonly caller: string;
  /** An intent of this key that failed or was discarded is replaced by this one. */
  readonly renews: boolean;
}

/** A stored intent: whether this submission stored it, and whether this process is to run it now. */
export interface Added {
  readonly row: IntentTable;
  readonly isNew: boolean;
  /** `running`: leased to this process. `blocked`: the head of its lane waits for a later attempt. `waiting`: others run first. */
  readonly status: 'running' | 'waiting' | 'blocked' | 'final';
}

/** The place of an intent in its lane, and the process that runs it. */
interface Placed {
  readonly seq: number;
  readonly state: IntentState;
  readonly lease_owner: string;
}

/** Stores an intent at its place, at the end of its lane where `seq` is null. The first of a lane is leased to `runner` if it may run. */
const append = definePrepared<
  JournalTables,
  Omit<IntentTable, keyof Placed> & { seq: number | null; runner: string; mayRun: 0 | 1 },
  Placed
>((db, { seq, runner, mayRun, ...columns }) => {
  const last = db
    .selectFrom('bot_intent')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .where('lane', '=', columns.lane)
    .where(isUnfinished)
    .as('last');
  const isRun = sql<boolean>`last.seq is null and ${mayRun} = 1`;
  const row = Object.entries({
    ...columns,
    seq: sql<number>`coalesce(${seq}, floor(last.seq) + 1, 1)`,
    state: sql<IntentState>`case when ${isRun} then 'running' else 'pending' end`,
    lease_owner: sql<string>`case when ${isRun} then ${runner} else '' end`,
  });
  return db
    .insertInto('bot_intent')
    .columns(row.map(([name]) => name as keyof IntentTable))
    .expression(
      db
        .selectFrom(last)
        .select(row.map(([name, value]) => sql`${value}`.as(name)))
        // SQLite would take `on conflict` for the condition of a join (sqlite.org/lang_upsert.html, Parsing Ambiguity).
        .where(sql.lit(true)),
    )
    .onConflict(conflict => conflict.column('key').doNothing())
    .returning(['seq', 'state', 'lease_owner']);
});

const pending = { state: 'pending', ...unleased } as const;

/** Puts intents into their lanes, within the transactions of the store. */
export class LaneQueue {
  readonly #rows: Rows;
  readonly #leases: Leases;

  constructor(rows: Rows, leases: Leases) {
    this.#rows = rows;
    this.#leases = leases;
  }

  /** The lane of an intent, and what it is about. A registration has a lane of its own, which no other process knows yet. */
  async #laneOf(
    trx: Db,
    hold: Hold,
    id: string,
    wanted: { readonly subject: string; readonly lane?: string | undefined },
  ) {
    const own = provisionalID(id);
    if (wanted.subject === '' && wanted.lane === undefined) return { subject: own, lane: own, isRegistration: true };
    const subject = await currentSubject(trx, wanted.subject);
    const lane = wanted.lane === undefined ? subject : await currentName(trx, wanted.lane);
    hold(lane, subject);
    return { subject, lane, isRegistration: lane === own };
  }

  /**
   * Stores a new intent, a registration at the front of its lane, everything else at the end or where `seq` says; undefined when another one
   * has its key. `isRunHere`: this process runs it at once if it is the first of its lane.
   */
  async insert(
    trx: Db,
    hold: Hold,
    wanted: NewIntent,
    { isRunHere, ...given }: { readonly isRunHere: boolean; lane?: string; seq?: number; created_at?: string },
  ): Promise<Added | undefined> {
    const now = this.#rows.now();
    const id = uuidv7(now);
    const { isRegistration, ...place } = await this.#laneOf(trx, hold, id, wanted);
    const { kind, payload, owner, origin, caller } = wanted;
    const row = {
      ...{ id, key: await currentName(trx, wanted.key), kind, payload, owner, origin, caller, attachment: '' },
      ...{ attempts: 0, hangs: 0, ambiguous: 0, next_at: 0, heartbeat: 0, outcome: '' },
      ...({ created_at: toTime(now), changed_at: toTime(now), tell: caller === '' ? 'failure' : 'caller' } as const),
      ...place,
      ...given,
    };
    const mayRun = isRunHere && (isRegistration || !isProvisional(row.lane));
    const seq = isRegistration ? 0 : (given.seq ?? null);
    const [placed] = await append(trx, { ...row, seq, runner: this.#rows.owner, mayRun: mayRun ? 1 : 0 });
    if (!placed) return undefined;
    const stored = { ...row, ...placed };
    const head = isRunHere && placed.state === 'pending' ? await findHead(trx, row.lane) : undefined;
    return { row: stored, isNew: true, status: this.#statusOf(stored, head) };
  }

  /** Puts a failed intent at the end of its lane once more. */
  async enqueueAgain(
    trx: Db,
    hold: Hold,
    row: IntentTable,
    { isRunHere, ...change }: Partial<IntentTable> & { readonly isRunHere: boolean },
  ): Promise<Added> {
    const lane = row.lane === row.subject ? undefined : row.lane;
    const { isRegistration, ...place } = await this.#laneOf(trx, hold, row.id, { subject: row.subject, lane });
    const head = isRegistration ? undefined : await findHead(trx, place.lane);
    const seq = isRegistration ? 0 : head ? await nextSeq(trx, place.lane) : 1;
    const isRun = isRunHere && !head && (isRegistration || !isProvisional(place.lane));
    const lease = isRun ? ({ state: 'running', lease_owner: this.#rows.owner } as const) : pending;
    const news = { next_at: 0, hangs: 0, ...change, ...place, seq, ...lease };
    const again = await updateRow(trx, row, news, this.#rows.now());
    return { row: again, isNew: true, status: this.#statusOf(again, head) };
  }

  /** A submission whose key is known: its caller asks again, or another person asks for the same thing. */
  async recognise(trx: Db, hold: Hold, known: IntentTable, caller: string): Promise<Added> {
    hold(known.lane, known.subject);
    if (isFinal(known)) {
      if (known.tell !== 'caller' || known.caller !== caller) return { row: known, isNew: false, status: 'final' };
      const ours = await updateRow(trx, known, { lease_owner: this.#rows.owner }, Date.parse(known.changed_at));
      return { row: ours, isNew: false, status: 'final' };
    }
    const head = await findHead(trx, known.lane);
    const claimed = head?.id === known.id ? await this.#leases.claimHead(trx, known.lane) : undefined;
    if (claimed) return { row: claimed, isNew: false, status: 'running' };
    const status = this.#statusOf(known, head);
    // An attempt that this process makes already is not begun once more.
    return { row: known, isNew: false, status: status === 'running' ? 'waiting' : status };
  }

  #statusOf(row: IntentTable, head: IntentTable | undefined): Added['status'] {
    if (isFinal(row)) return 'final';
    if (row.state === 'running') return row.lease_owner === this.#rows.owner ? 'running' : 'waiting';
    const first = head ?? row;
    if (first.state !== 'pending') return 'waiting';
    const isPostponed = first.attempts > 0 || first.next_at > this.#rows.now();
    return isPostponed || isProvisional(row.lane) ? 'blocked' : 'waiting';
  }
}

/**
 * Who runs an intent, or tells its outcome. A lease of a process that has died is freed (db/leases.ts), and so is one of this process that it
 * does not hear of, since the answer was lost.
 */
export interface Leases {
  /**
   * Leases the first intent of a lane to run it, if it is due and no process hung with it; undefined otherwise. Within a transaction that holds
   * the lane.
   */
  claimHead(trx: Db, lane: string): Promise<IntentTable | undefined>;
  /**
   * Leases the first intents of some due lanes, the longest waiting first, other than those of the lanes named. Of those with which a process
   * hung it leases one at most, which has begun among the `trials`: its act is that of the delivery that waits for it.
   */
  claimDue(except: readonly string[], most: number, trials: Heart['trials']): Promise<readonly IntentTable[]>;
  /** Frees the leases of the dead, and those under which this process is said to run something and does not run it. */
  freeDead(running: ReadonlySet<string>): Promise<void>;
  /** Frees the leases of every other process, for a database that no other process uses. */
  freeOthers(): Promise<void>;
  /** Frees the leases under which this process runs intents: those of `ids`, or all. Attempts that were cut off become ambiguous. */
  handBack(ids?: readonly string[]): Promise<void>;
}

/** Leases pending intents that are due, at any place of their lanes. */
const claim = definePrepared<
  JournalTables,
  { ids: readonly string[]; owner: string; at: string; now: number; tooLate: number },
  IntentTable
>((db, { ids, owner, at, now, tooLate }) =>
  db
    .updateTable('bot_intent')
    .set({ state: sql.lit('running'), lease_owner: owner, changed_at: at, heartbeat: nextHeartbeat() })
    .where('id', 'in', ids)
    .where('state', '=', sql.lit('pending'))
    .where('lease_owner', '=', sql.lit(''))
    // No pause is that long: the clock was set back, so the pause is over.
    .where(({ or, eb }) => or([eb('next_at', '<=', now), eb('next_at', '>', tooLate)]))
    .returningAll(),
);

/** Leases the first intent of a lane if it is due; in a provisional lane only the registration itself, which has the place 0, can run. */
const claimFirst = definePrepared<
  JournalTables,
  { lane: string; owner: string; at: string; now: number; tooLate: number; last: number },
  IntentTable
>((db, { lane, owner, at, now, tooLate, last }) =>
  db
    .updateTable('bot_intent')
    .set({ state: sql.lit('running'), lease_owner: owner, changed_at: at, heartbeat: nextHeartbeat() })
    .where('id', '=', some =>
      some
        .selectFrom('bot_intent')
        .select('id')
        .where('lane', '=', lane)
        .where(isUnfinished)
        .orderBy('seq')
        .orderBy('id')
        .limit(sql.lit(1)),
    )
    .where('state', '=', sql.lit('pending'))
    .where('lease_owner', '=', sql.lit(''))
    .where('hangs', '=', sql.lit(0))
    .where('seq', '<=', last)
    .where(({ or, eb }) => or([eb('next_at', '<=', now), eb('next_at', '>', tooLate)]))
    .returningAll(),
);

/** All leases. They are few: each lane that runs has one, and each outcome that is being told. */
const allLeased = definePrepared<
  JournalTables,
  Record<never, never>,
  { id: string; state: IntentState; lease_owner: string; heartbeat: number; life: number }
>(db =>
  db
    .selectFrom('bot_intent')
    .select(['id', 'state', 'lease_owner', 'heartbeat', lifeOf().as('life')])
    .where(isLeased),
);

/** Opens the leases of one process. `monotonicNow`: milliseconds of a clock that never steps. */
export function openLeases({ db, single, now, owner }: Rows, monotonicNow?: () => number): Leases {
  const watch = createLeaseWatch(leaseTime, monotonicNow);

  const leased = (whose: 'mine' | 'others') => (some: Db) =>
    some
      .updateTable('bot_intent')
      .where(isLeased)
      .where('lease_owner', whose === 'mine' ? '=' : '!=', owner);
  /** An intent that ran may or may not have taken effect. */
  const cutOff = { state: 'pending', ambiguous: 1, next_at: 0, ...unleased } as const;
  const died = { ...cutOff, hangs: hangsOf() };

  async function freeOne({ key: id, owner: holder, mark, life }: SeenLease): Promise<void> {
    const lease = (some: Db) => {
      const seen = some.updateTable('bot_intent').where('id', '=', id).where('lease_owner', '=', holder);
      const still = seen.where('heartbeat', '=', mark);
      return life === undefined ? still : still.where(lifeOf(), '=', life);
    };
    await single(some => lease(some).set(died).where('state', '=', 'running').execute());
    await single(some => lease(some).set(unleased).execute());
  }

  return {
    claimHead: async (trx, lane) => {
      const last = isProvisional(lane) ? 0 : Number.MAX_SAFE_INTEGER;
      const times = { at: toTime(now()), now: now(), tooLate: now() + longestAskedPause };
      return (await claimFirst(trx, { lane, owner, last, ...times }))[0];
    },
    claimDue: async (except, most, trials) => {
      const times = { now: now(), tooLate: now() + longestAskedPause };
      // No lane has an empty name.
      const due = await dueHeads(db, { ...times, except: ['', ...except], most });
      const suspect = due.find(row => row.hangs > 0 && trials.begin(row.id, row.caller || row.id));
      const ids = due.filter(row => row.hangs === 0 || row === suspect).map(row => row.id);
      let claimed: readonly IntentTable[] = [];
      try {
        // They stay the first until they are final, since what comes to a lane comes behind them, so no lane is held: where another process
        // was quicker, nothing changes.
        if (ids.length > 0) claimed = await single(some => claim(some, { ids, owner, at: toTime(now()), ...times }));
        return claimed;
      } finally {
        if (suspect && !claimed.some(row => row.id === suspect.id)) trials.end(suspect.id);
      }
    },
    freeDead: async running => {
      // This process goes on with what it has leased where it runs it, or where its notifier finds the outcome to tell.
      const isKnown = (id: string, state: IntentState) => state !== 'running' || running.has(id);
      const all = await allLeased(db, {});
      const leases = all.filter(({ id, state, lease_owner }) => lease_owner !== owner || !isKnown(id, state));
      const seen = leases.map(({ id: key, lease_owner, heartbeat: mark, life }) => ({
        ...{ key, owner: lease_owner, mark },
        // This process lives, and that says nothing of what it does not know.
        ...(lease_owner === owner ? {} : { life }),
      }));
      for (const each of watch.findDead(seen)) await freeOne(each);
    },
    freeOthers: async () => {
      await single(some => leased('others')(some).set(died).where('state', '=', 'running').execute());
      await single(some => leased('others')(some).set(unleased).execute());
    },
    handBack: async ids => {
      await single(some => {
        const cut = leased('mine')(some).set(cutOff).where('state', '=', 'running');
        return (ids === undefined ? cut : cut.where('id', 'in', ids)).execute();
      });
    },
  };
}

/** The first intents of lanes, where they are due and nobody runs them; last those with which a process hung. There is at least one in `except`. */
const dueHeads = definePrepared<
  JournalTables,
  { now: number; tooLate: number; except: readonly string[]; most: number },
  Pick<IntentTable, 'id' | 'caller' | 'hangs'>
>((db, { now, tooLate, except, most }) =>
  db
    .with('ranked', all =>
      all
        .selectFrom('bot_intent')
        .select(['id', sql<number>`row_number() over (partition by lane order by seq, id)`.as('rank')])
        .where(isUnfinished),
    )
    .selectFrom('ranked')
    .innerJoin('bot_intent as head', 'head.id', 'ranked.id')
    .select(['head.id', 'head.caller', 'head.hangs'])
    .where('ranked.rank', '=', sql.lit(1))
    .where('head.state', '=', sql.lit('pending'))
    .where('head.lease_owner', '=', sql.lit(''))
    .where(({ or, eb }) => or([eb('head.next_at', '<=', now), eb('head.next_at', '>', tooLate)]))
    // In a provisional lane only the registration itself can run.
    .where(({ or, eb }) =>
      or([eb('head.lane', 'not like', sql.lit(`${provisionalMark}%`)), eb('head.seq', '=', sql.lit(0))]),
    )
    .where('head.lane', 'not in', except)
    .orderBy(sql`case when head.hangs = 0 then 0 else 1 end`)
    .orderBy('head.created_at')
    .limit(most),
);

/** Lets postponed intents run at once: those of a lane, or all. */
export async function makeDue(db: Db, lane?: string): Promise<void> {
  const postponed = db.updateTable('bot_intent').set({ next_at: 0 }).where(isPostponed);
  await (lane === undefined ? postponed : postponed.where('lane', '=', lane)).execute();
}

/** How often a caller looks whether another process has settled its intent, in milliseconds. */
const pollEvery = 250;

interface CallerDeps {
  readonly rows: Rows;
  readonly reader: { final(row: IntentTable, repeated: boolean): Final };
  readonly listeners: Listeners;
  readonly waiters: Waiters;
  readonly worker: { run(row: IntentTable): void; look(): Promise<void> };
  readonly deadlines: Deadlines;
  readonly monotonicNow: () => number;
}

/** Gives callers the outcome of their intents. */
export class Callers {
  /** Intents whose caller is in this process and has not been answered. */
  readonly awaited = new Set<string>();
  readonly #deps: CallerDeps;

  constructor(deps: CallerDeps) {
    this.#deps = deps;
  }

  /** The outcome for a caller. Where the caller cannot take it, a message tells the owner. */
  async outcomeOf(added: Added, caller: string): Promise<Outcome<unknown>> {
    const { row } = added;
    const repeated = !added.isNew && !(caller !== '' && row.caller === caller);
    if (!repeated) this.awaited.add(row.id);
    try {
      const outcome = await this.#wait(added, repeated);
      if (outcome.state === 'queued') this.awaited.delete(row.id);
      return outcome;
    } catch (error) {
      this.awaited.delete(row.id);
      throw error;
    }
  }

  async #wait({ row, status }: Added, repeated: boolean): Promise<Outcome<unknown>> {
    const { rows, monotonicNow, waiters, worker, deadlines } = this.#deps;
    if (status === 'final') return this.#toFinal(row, repeated);
    if (status === 'blocked') return this.#queue(row, repeated);
    using waiter = waiters.open(row);
    if (status === 'running') worker.run(row);
    else void worker.look();
    // After it the caller hears `queued`.
    const timeout = deadlines.api.budget + deadlines.lateCall;
    const until = monotonicNow() + timeout;
    for (let left = timeout; left > 0; left = until - monotonicNow()) {
      const event = await firstWithin(Math.min(pollEvery, left), waiter.event);
      if (event?.kind === 'stopped') throw new Stopped();
      if (event?.kind === 'settled') return this.#toFinal(event.row, repeated);
      const now = await findByID(rows.db, row.id);
      if (now && isFinal(now)) return this.#toFinal(now, repeated);
      if (event?.kind === 'postponed' || (now?.state === 'pending' && now.attempts > row.attempts)) break;
    }
    return this.#queue(row, repeated);
  }

  async #queue(row: IntentTable, repeated: boolean): Promise<Outcome<unknown>> {
    const { listeners, rows } = this.#deps;
    const now = (repeated ? await findByID(rows.db, row.id) : await listeners.tellByMessage(row.id)) ?? row;
    if (isFinal(now)) return this.#toFinal(now, repeated);
    return { state: 'queued', id: row.id, error: decodeError(now.outcome), repeated };
  }

  /** Throws {@link AlreadyAnswered} when a message tells the outcome: it may be on its way, so the caller must not tell it too. */
  #toFinal(row: IntentTable, repeated: boolean): Final {
    const { reader } = this.#deps;
    const isTold = row.caller !== '' && row.tell !== 'caller' && row.state !== 'discarded';
    if (isTold && !repeated) throw new AlreadyAnswered(reader.final(row, true));
    return reader.final(row, repeated);
  }
}

/** What a waiter hears: its intent got a final outcome, the head of its lane was put off, or the process stops. */
type Event = { readonly kind: 'settled'; readonly row: IntentTable } | { readonly kind: 'postponed' | 'stopped' };

interface Waiter {
  readonly id: string;
  readonly lane: string;
  hear(event: Event): void;
}

/** The events of this process that callers wait for. */
export class Waiters {
  readonly #waiters = new Set<Waiter>();
  #isStopped = false;

  /** The first event about an intent or its lane from now on, until it is disposed. */
  open({ id, lane }: IntentTable): { readonly event: Promise<Event> } & Disposable {
    const { promise: event, resolve: hear } = Promise.withResolvers<Event>();
    const waiter = { id, lane, hear };
    if (this.#isStopped) hear({ kind: 'stopped' });
    this.#waiters.add(waiter);
    return { event, [Symbol.dispose]: () => void this.#waiters.delete(waiter) };
  }

  /** An intent got its final outcome. */
  settled(row: IntentTable): void {
    for (const waiter of this.#waiters) if (waiter.id === row.id) waiter.hear({ kind: 'settled', row });
  }

  /** The head of a lane was put off. */
  postponed(lane: string): void {
    for (const waiter of this.#waiters) if (waiter.lane === lane) waiter.hear({ kind: 'postponed' });
  }

  /** Ends all waiting, now and later. */
  stop(): void {
    this.#isStopped = true;
    for (const waiter of this.#waiters) waiter.hear({ kind: 'stopped' });
  }
}

/** The event, or undefined after `ms`. */
async function firstWithin(ms: number, event: Promise<Event>): Promise<Event | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, ms, undefined);
  const first = await Promise.race([event, late]);
  clearTimeout(timer);
  return first;
}
