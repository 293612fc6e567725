import { setTimeout as pause } from 'node:timers/promises';
import { leaseTime } from '../../db/leases.ts';
import { retryWhileUnavailable } from '../../db/retry-while-unavailable.ts';
import { type AttemptDeps, type Attempted, attemptOnce, isAway } from './attempt.ts';
import { decodeError } from './error-codec.ts';
import type { Leases } from './leases.ts';
import type { IntentRow } from './rows.ts';
import type { Store } from './store.ts';
import type { Waiters } from './waiters.ts';

/** Lanes in which one process makes attempts at a time, beside those in which a caller waits. */
export const maxConcurrentLanes = 32;
/** How long an attempt that was cut off may take to notice, in milliseconds. */
const cutOffTime = 500;

/** Runs intents: each lane in order, the lanes beside each other. */
export interface Worker {
  /** Runs an intent that is leased to this process, and after it the rest of its lane. */
  run(row: IntentRow): void;
  /** Claims what is due and runs it; resolves when it is claimed. */
  look(): Promise<void>;
  /** The API answers again: every postponed intent is tried at once. */
  wake(): Promise<void>;
  /** The lanes in which an attempt goes on. */
  busyLanes(): ReadonlySet<string>;
  /** Hands back what this process could not store the outcome of. */
  tidy(): Promise<void>;
  /** Resolves when no attempt goes on. */
  idle(): Promise<void>;
  /** Starts no further attempt; cuts off, after that many milliseconds, and hands back those that go on. */
  stop(patience: number): Promise<void>;
}

/** Opens the worker of one process. */
export function createWorker<C>(
  deps: AttemptDeps<C> & {
    readonly store: Store;
    readonly leases: Leases;
    readonly waiters: Waiters;
    /** An intent got its final outcome. */
    readonly onSettled: (row: IntentRow) => void;
    /** A lane has nothing more to run for now. */
    readonly onLaneEnd: () => void;
  },
): Worker {
  const { store, leases, waiters, log } = deps;
  /** What goes on, with the intent that each lane has come to. */
  const lanes = new Map<Promise<void>, { row: IntentRow }>();
  /** Intents whose outcome could not be stored: somebody must find out again what they did. */
  const orphans = new Set<string>();
  const cutOff = new AbortController();
  let isStopped = false;
  let isApiAway = false;
  let mayBeMore = false;
  const looking = coalesce(look);
  const waking = coalesce(makeAllDue);
  const heart = setInterval(() => void beat(), leaseTime / 4).unref();

  async function beat(): Promise<void> {
    await leases.beat().catch(err => log.warn({ err }, 'journal: could not renew leases'));
  }

  function run(first: IntentRow): void {
    const place = { row: first };
    const running = runLane(place)
      .catch(err => {
        orphans.add(place.row.id);
        log.error({ err, intent: place.row.id }, 'journal: could not store an outcome');
      })
      .finally(() => {
        lanes.delete(running);
        if (mayBeMore) void looking.run();
        deps.onLaneEnd();
      });
    lanes.set(running, place);
  }

  async function runLane(place: { row: IntentRow }): Promise<void> {
    for (let row: IntentRow | undefined = place.row; row && !isStopped; ) {
      place.row = row;
      const attempted: Attempted = await attemptOnce(row, deps, cutOff.signal);
      row = attempted.state === 'postponed' ? await postpone(row, attempted) : await settle(row, attempted);
    }
  }

  async function postpone(row: IntentRow, attempted: Extract<Attempted, { state: 'postponed' }>): Promise<undefined> {
    // This process has cut it off itself, and hands it back: the next one need not pause.
    if (cutOff.signal.aborted) return;
    await retryWhileUnavailable(log, () => store.postpone(row.id, attempted));
    isApiAway ||= attempted.isApiAway;
    waiters.postponed(row.lane);
  }

  /** Stores an outcome; returns the next intent of the lane, which is leased to this process. */
  async function settle(
    row: IntentRow,
    attempted: Exclude<Attempted, { state: 'postponed' }>,
  ): Promise<IntentRow | undefined> {
    const settled = await retryWhileUnavailable(log, () => store.settle(row.id, attempted));
    if (!settled) {
      log.warn({ intent: row.id }, 'journal: another process has taken over an intent');
      return undefined;
    }
    if (!settled.again) {
      waiters.settled(settled.row);
      deps.onSettled(settled.row);
      const isElsewhere = deps.reader.kinds.get(row.kind)?.isElsewhere === true;
      const wasAway = isApiAway || (row.attempts > 0 && isAway(decodeError(row.outcome)));
      if (wasAway && !isElsewhere) void waking.run();
      if (attempted.followUps.length > 0 || attempted.registers !== '') void looking.run();
    }
    return settled.next;
  }

  async function makeAllDue(): Promise<void> {
    isApiAway = false;
    try {
      await store.makeAllDue();
      await looking.run();
    } catch (err) {
      log.warn({ err }, 'journal: could not wake postponed intents');
    }
  }

  async function look(): Promise<void> {
    const room = maxConcurrentLanes - lanes.size;
    if (isStopped || room <= 0) return;
    try {
      const claimed = await leases.claimDue(
        [...lanes.values()].map(({ row }) => row.lane),
        room,
      );
      mayBeMore = claimed.length === room;
      for (const row of claimed) run(row);
    } catch (err) {
      log.warn({ err }, 'journal: could not claim due intents');
    }
  }

  async function idle(): Promise<void> {
    const all = () => [...lanes.keys(), looking.pending(), waking.pending()].filter(each => each !== undefined);
    while (all().length > 0) await Promise.allSettled(all());
  }

  return {
    run,
    look: looking.run,
    wake: waking.run,
    busyLanes: () => new Set([...lanes.values()].map(({ row }) => row.lane)),
    tidy: async () => {
      if (orphans.size === 0) return;
      const ids = [...orphans];
      await leases.handBack(ids);
      for (const id of ids) orphans.delete(id);
    },
    idle,
    stop: async patience => {
      isStopped = true;
      clearInterval(heart);
      const cut = setTimeout(() => cutOff.abort(), patience);
      await Promise.race([idle(), pause(patience + cutOffTime, undefined, { ref: false })]);
      clearTimeout(cut);
      await leases.handBack().catch(err => log.warn({ err }, 'journal: could not hand back leases'));
    },
  };
}

/** Work that runs one at a time. */
export interface Coalesced {
  /** Runs it from now on. Calls made while it runs share one more run. Resolves when that run has ended. */
  run(): Promise<void>;
  /** The last run that is going on or asked for; undefined when there is none. */
  pending(): Promise<void> | undefined;
}

/** For work that never throws. */
export function coalesce(work: () => Promise<void>): Coalesced {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function run(): Promise<void> {
    if (current) {
      next ??= current.then(() => {
        next = undefined;
        return run();
      });
      return next;
    }
    current = work().finally(() => {
      current = undefined;
    });
    return current;
  }

  return { run, pending: () => next ?? current };
}
