import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { NoTables } from '../../db/engine.ts';
import type { Heart } from '../../db/heart.ts';
import { retryWhileUnavailable } from '../../db/retry-while-unavailable.ts';
import { keepFor } from '../keep-for.ts';
import type { IntentTable } from '../schema/intents.ts';
import { type Coalesced, coalesce } from './coalesce.ts';
import { type Alongside, type Final, type JobKind, type Outcome, Stopped } from './intent.ts';
import { Callers, type Leases, openLeases, Waiters } from './lanes.ts';
import { createNotifier, type Listeners, type Notifier, type OpenCallers, openListeners } from './notifier.ts';
import { giveUpAfter } from './retry-policy.ts';
import {
  countByState,
  currentName,
  findAll,
  findAmbiguous,
  findByID,
  findByKey,
  findRegistration,
  findUnfinished,
  findUnregistered,
  type Intent,
  IntentReader,
  openRows,
  type Rows,
  type StateCount,
  senderOf,
} from './rows.ts';
import { Store } from './store.ts';
import { giveUp, purge } from './tidy.ts';
import { Worker, type WorkerDeps } from './worker.ts';

/** An intent to be submitted. `owner`, `origin` and `caller` are the embedding program's own; `origin` is plain JSON. */
export interface NewIntent<P> {
  /** A key takes effect once. It is derived from an act of the owner: a command, a press, a form or a message. */
  readonly key: string;
  /** An intent of this key that failed or was discarded before is tried again; otherwise its failure is final. */
  readonly renews: boolean;
  readonly payload: P;
  /** What it is about; `""` for nothing, or, without a lane, for an intent that brings its subject into being. */
  readonly subject: string;
  /** The queue it runs in; absent: that of its subject. */
  readonly lane?: string;
  /** Who asks for it; only they may retry or discard it. */
  readonly owner: string;
  readonly origin: unknown;
  /** The durable delivery whose handler submits it and will submit it again if it dies; `""`: only a failure is told. */
  readonly caller: string;
  /** Written in the transaction that stores the intent. */
  readonly also?: (trx: Kysely<NoTables>) => Promise<void>;
  /** Called once that transaction is committed. */
  readonly onStored?: () => void;
}

/**
 * Durable, ordered, exactly-once execution of intents. An intent is stored, then tried; its outcome is stored, then told. Intents
 * of one lane run one after the other. See docs/journal.md.
 */
export interface Journal<C, K> {
  /**
   * Stores an intent and returns its outcome: as soon as it is final, or `queued` when it cannot be done now. The caller answers
   * its owner and then calls {@link told} for every outcome that is final and not `repeated`. Throws {@link Stopped} when the
   * process stops first, and {@link AlreadyAnswered}.
   */
  submit<P, R>(kind: JobKind<C, P, R>, intent: NewIntent<P>): Promise<Outcome<R>>;
  /** Tries a failed or queued intent again for a caller; undefined when that owner has none of that id. */
  retry(id: string, owner: string, caller: string): Promise<Outcome<unknown> | undefined>;
  /** Gives an intent up: undefined when that owner has none of that id, false when it is too late; {@link Store.discard}. */
  discard(id: string, owner: string, options?: { readonly onlyUntried: boolean }): Promise<boolean | undefined>;
  /** A stored intent; undefined when that owner has none of that id, or this version does not know its kind. */
  find(id: string, owner: string): Promise<Intent<K> | undefined>;
  /** A stored intent by the key under which it was submitted; without `owner`, that of any owner. */
  findByKey(key: string, owner?: string): Promise<Intent<K> | undefined>;
  /** The stored intents of these ids, of any owner and in no order. There is at least one id. */
  findAll(ids: readonly string[]): Promise<readonly Intent<K>[]>;
  /** The owners of these have been told the outcome. `store` stores it, with more; absent: alone. */
  told(ids: readonly string[], store?: () => Promise<void>): Promise<void>;
  /** The owners of these could not be answered: they are told by a message. */
  tellLater(ids: readonly string[]): Promise<void>;
  /** Remembers something with an intent. */
  attach(id: string, attachment: string): Promise<void>;
  /** Whether a done intent of that kind brought a subject into being. */
  isRegistered(kind: JobKind<never>, subject: string): Promise<boolean>;
  /** The unfinished intents about a subject, in the order in which they will run. */
  unfinished(subject: string): Promise<readonly Intent<K>[]>;
  /** The unfinished intents that bring a subject into being, newest first. */
  unregistered(): Promise<readonly Intent<K>[]>;
  countByState(): Promise<readonly StateCount[]>;
  /** The API answers: postponed intents are tried at once. Resolves when they are claimed; never throws. */
  wake(): Promise<void>;
  /** Looks for due intents, dead processes and untold outcomes; happens once a second. */
  tick(): Promise<void>;
  /** Gives up intents that nobody will take up, and forgets some of those that ended long ago; returns how many it forgot. */
  purge(now: Date): Promise<number>;
  /** Resolves when no attempt goes on and everything due is told. */
  idle(): Promise<void>;
  /** Stops: callers get {@link Stopped}; attempts, and then telling, have `timeout` milliseconds to end and are then handed back. */
  stop(timeout: number): Promise<void>;
}

/** What a journal is made of. */
export interface JournalOptions<C, K extends JobKind<C>>
  extends Pick<WorkerDeps<C>, 'toContext' | 'deadlines' | 'clock' | 'landing'> {
  /** The payload for the subject as it is known now: it may have been submitted under a provisional id. */
  bindSubject(payload: unknown, subject: string): unknown;
  readonly log: Logger;
  readonly database: Database;
  /** No other process uses the database: the leases of a dead one are free at once. */
  readonly isSoleProcess?: boolean;
  readonly kinds: readonly K[];
  readonly alongside: Alongside;
  readonly openCallers: OpenCallers;
  /** Tells owners about outcomes that no caller waits for. Throws when some could not be told. */
  tell(ended: readonly Intent<K, Final>[]): Promise<void>;
  /** An intent about this subject was done. */
  onDone(subject: string): void;
  /** An intent about this subject could not be done now, and is tried again. */
  onPostponed(subject: string): void;
  /** A person wants an intent to be tried now. */
  onRetry(): void;
  /** Called once a second. */
  onTick(): Promise<void>;
  readonly random?: () => number;
  /** Milliseconds of a clock that never steps. */
  readonly monotonicNow?: () => number;
  /** The sign of life of its process. */
  readonly heart: Heart;
}

/** The pause between ticks, in milliseconds. */
const tickEvery = 1000;

/** Opens the journal of one process. */
export async function openJournal<C, K extends JobKind<C>>(options: JournalOptions<C, K>): Promise<Journal<C, K>> {
  const { monotonicNow = () => performance.now(), random = Math.random, clock, heart } = options;
  const { pulse, trials } = heart;
  const rows = openRows(options.database, clock, heart.owner);
  const leases = openLeases(rows, monotonicNow);
  const reader = new IntentReader<C, K>(options);
  const store = new Store(rows, leases, options.alongside);
  const listeners = openListeners(rows, options.openCallers);
  const waiters = new Waiters();
  /** An outcome that no caller waits for may be stored in a lane that still runs, or in one that just ended. */
  let isUntold = false;
  const onSettled = (row: IntentTable) => {
    if (row.state === 'done' && row.subject !== '') options.onDone(row.subject);
    if (row.tell !== 'nobody' && !callers.awaited.has(row.id)) isUntold = true;
  };
  // A lease of a dead process is over a lease after this process has first seen it.
  await (options.isSoleProcess ? leases.freeOthers() : leases.freeDead(new Set()));
  const ambiguous = await findAmbiguous(rows.db);
  // Another process may have sent a request until they were read.
  const before = { at: monotonicNow(), senders: new Map(ambiguous.map(row => [row.id, senderOf(row, row.heartbeat)])) };
  const worker = new Worker<C>({
    ...options,
    reader,
    random,
    rows,
    store,
    leases,
    waiters,
    pulse,
    trials,
    monotonicNow,
    sent: new Map(),
    before,
    onSettled,
    // A message waits until its lane ends: it tells all outcomes of the lane.
    onLaneEnd: () => {
      if (!isUntold) return;
      isUntold = worker.busyLanes().size > 0;
      void telling.run();
    },
  });
  const callers = new Callers({ ...options, rows, reader, listeners, waiters, worker, monotonicNow });
  const notifier = createNotifier({
    listeners,
    tell: some => options.tell(some.flatMap(row => reader.ended(row))),
    awaited: () => callers.awaited,
    busyLanes: () => worker.busyLanes(),
    monotonicNow,
    pulse,
    deadlines: options.deadlines,
    log: options.log,
  });
  const telling = coalesce(notifier.run);
  return toJournal(options, { rows, leases, reader, store, listeners, notifier, waiters, worker, callers, telling });
}

interface Parts<C, K extends JobKind<C>> {
  readonly rows: Rows;
  readonly leases: Leases;
  readonly reader: IntentReader<C, K>;
  readonly store: Store;
  readonly listeners: Listeners;
  readonly notifier: Notifier;
  readonly waiters: Waiters;
  readonly worker: Worker<C>;
  readonly callers: Callers;
  readonly telling: Coalesced;
}

async function tick<C, K extends JobKind<C>>(
  { log, onTick }: JournalOptions<C, K>,
  { worker, leases, telling }: Parts<C, K>,
): Promise<void> {
  try {
    await worker.tidy();
    await leases.freeDead(worker.running());
  } catch (err) {
    log.warn({ err }, 'journal: could not look for dead processes');
  }
  await worker.look();
  // Slack takes its time, and no lane waits for it.
  void telling.run();
  await onTick().catch(err => log.warn({ err }, 'journal: a chore failed'));
}

async function findOwn({ db }: Rows, id: string, owner: string): Promise<IntentTable | undefined> {
  const row = await findByID(db, id);
  return row?.owner === owner ? row : undefined;
}

/** The questions that a journal answers about stored intents. */
function questionsOf<C, K extends JobKind<C>>(rows: Rows, reader: IntentReader<C, K>) {
  const { db } = rows;
  return {
    find: async (id, owner) => {
      const row = await findOwn(rows, id, owner);
      return row && reader.intent(row);
    },
    findByKey: async (key, owner) => {
      const row = await findByKey(db, await currentName(db, key));
      return row && (owner ?? row.owner) === row.owner ? reader.intent(row) : undefined;
    },
    findAll: async ids => (await findAll(db, ids)).flatMap(row => reader.intent(row) ?? []),
    isRegistered: async ({ kind }, subject) => (await findRegistration(db, kind, subject)) !== undefined,
    unfinished: async subject => (await findUnfinished(db, subject)).flatMap(row => reader.intent(row) ?? []),
    unregistered: async () => (await findUnregistered(db)).flatMap(row => reader.intent(row) ?? []),
    countByState: () => countByState(db),
  } satisfies Partial<Journal<C, K>>;
}

function toJournal<C, K extends JobKind<C>>(options: JournalOptions<C, K>, parts: Parts<C, K>): Journal<C, K> {
  const { rows, store, listeners, worker, callers, telling } = parts;
  let isStopped = false;
  const ticking = coalesce(() => tick(options, parts));
  const timer = setInterval(() => void ticking.run(), tickEvery).unref();
  /** No caller waits for these any more. */
  const release = (ids: readonly string[], stored: Promise<void>) =>
    stored.finally(() => {
      for (const id of ids) callers.awaited.delete(id);
    });

  return {
    ...questionsOf<C, K>(rows, parts.reader),
    submit: async <P, R>(kind: JobKind<C, P, R>, intent: NewIntent<P>) => {
      // It would be leased to a process that ends; the next one stores it.
      if (isStopped) throw new Stopped();
      const { payload, origin, also, onStored, ...plain } = intent;
      const stored = JSON.stringify(kind.payload.parse(payload));
      const wanted = { ...plain, kind: kind.kind, payload: stored, origin: JSON.stringify(origin) };
      const added = await store.add(wanted, also);
      onStored?.();
      // The kind parsed the result, so its type is R.
      return (await callers.outcomeOf(added, intent.caller)) as Outcome<R>;
    },
    retry: async (id, owner, caller) => {
      if (isStopped) throw new Stopped();
      options.onRetry();
      const added = (await findOwn(rows, id, owner)) && (await store.retry(id, caller));
      return added && callers.outcomeOf(added, caller);
    },
    discard: async (id, owner, options) => {
      if (!(await findOwn(rows, id, owner))) return undefined;
      return (await store.discard(id, options)) !== undefined;
    },
    told: (ids, store = () => listeners.told(ids)) => release(ids, retryWhileUnavailable(options, store)),
    tellLater: ids => release(ids, listeners.tellLater(ids)),
    attach: (id, attachment) => store.attach(id, attachment),
    wake: () => worker.wake(),
    tick: ticking.run,
    purge: async now => {
      await giveUp(rows, new Date(now.getTime() - giveUpAfter));
      return await purge(rows, { before: new Date(now.getTime() - keepFor.intents) });
    },
    idle: async () => {
      await worker.idle();
      for (let rest = telling.pending(); rest; rest = telling.pending()) {
        await rest;
        await worker.idle();
      }
    },
    stop: async timeout => {
      isStopped = true;
      clearInterval(timer);
      await stop(options, parts, timeout);
    },
  };
}

async function stop<C, K extends JobKind<C>>(
  { log }: JournalOptions<C, K>,
  { waiters, worker, notifier, telling, listeners }: Parts<C, K>,
  timeout: number,
): Promise<void> {
  waiters.stop();
  await worker.stop(timeout);
  notifier.stop();
  // What this process is telling, no other one tells.
  await Promise.race([telling.pending(), pause(timeout, undefined, { ref: false })]);
  notifier.cutOff();
  await listeners.handBack().catch(err => log.warn({ err }, 'journal: could not hand back outcomes'));
}
