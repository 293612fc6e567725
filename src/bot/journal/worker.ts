import { setTimeout as pause } from 'node:timers/promises';
import { leaseTime } from '../../db/leases.ts';
import type { Pulse } from '../../db/pulse.ts';
import { retryWhileUnavailable } from '../../db/retry-while-unavailable.ts';
import { type AttemptDeps, type Attempted, attemptOnce } from './attempt.ts';
import { coalesce } from './coalesce.ts';
import type { Leases } from './leases.ts';
import type { IntentRow } from './rows.ts';
import type { Store } from './store.ts';
import type { Waiters } from './waiters.ts';

/** Lanes in which one process makes attempts at a time, beside those in which a caller waits. */
export const maxConcurrentLanes = 32;
/** How long an attempt that was cut off may take to notice, in milliseconds. */
const cutOffTime = 500;

/** What a worker needs. */
interface WorkerDeps<C> extends AttemptDeps<C> {
  readonly store: Store;
  readonly leases: Leases;
  readonly waiters: Waiters;
  readonly pulse: Pulse;
  /** An intent got its final outcome. */
  readonly onSettled: (row: IntentRow) => void;
  /** A lane has nothing more to run for now. */
  readonly onLaneEnd: () => void;
}

/** A lane that runs, and the intent it has come to. */
interface RunningLane {
  row: IntentRow;
}

/** Runs intents: each lane in order, the lanes beside each other. */
export class Worker<C = never> {
  readonly #deps: WorkerDeps<C>;
  readonly #lanes = new Map<Promise<void>, RunningLane>();
  /** Intents whose outcome could not be stored: another attempt must find out what they did. */
  readonly #orphans = new Set<string>();
  readonly #cutOff = new AbortController();
  readonly #looking = coalesce(() => this.#claimDue());
  readonly #waking = coalesce(() => this.#makeAllDue());
  readonly #heart: NodeJS.Timeout;
  #isStopped = false;
  /** More may be due than the last look could claim. */
  #mayBeMore = false;

  constructor(deps: WorkerDeps<C>) {
    this.#deps = deps;
    this.#heart = setInterval(() => void this.#beat(), leaseTime / 4).unref();
  }

  /** Runs an intent that is leased to this process, and after it the rest of its lane. */
  run(first: IntentRow): void {
    const lane = { row: first };
    const running = this.#runLane(lane)
      .catch(err => {
        this.#orphans.add(lane.row.id);
        this.#deps.log.error({ err, intent: lane.row.id }, 'journal: could not store an outcome');
      })
      .finally(() => {
        this.#lanes.delete(running);
        if (this.#mayBeMore) void this.look();
        this.#deps.onLaneEnd();
      });
    this.#lanes.set(running, lane);
  }

  /** Claims what is due and runs it; resolves when it is claimed. */
  look(): Promise<void> {
    return this.#looking.run();
  }

  /** The API answers again: every postponed intent is tried at once. */
  wake(): Promise<void> {
    return this.#waking.run();
  }

  /** The lanes in which an attempt goes on. */
  busyLanes(): ReadonlySet<string> {
    return new Set([...this.#lanes.values()].map(({ row }) => row.lane));
  }

  /** Hands back the intents whose outcome could not be stored. */
  async tidy(): Promise<void> {
    if (this.#orphans.size === 0) return;
    const ids = [...this.#orphans];
    await this.#deps.leases.handBack(ids);
    for (const id of ids) this.#orphans.delete(id);
  }

  /** Resolves when no attempt goes on. */
  async idle(): Promise<void> {
    const all = () =>
      [...this.#lanes.keys(), this.#looking.pending(), this.#waking.pending()].filter(each => each !== undefined);
    while (all().length > 0) await Promise.allSettled(all());
  }

  /** Starts no further attempt; cuts off, after `patience` milliseconds, those that go on, and hands them back. */
  async stop(patience: number): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#heart);
    const cut = setTimeout(() => this.#cutOff.abort(), patience);
    await Promise.race([this.idle(), pause(patience + cutOffTime, undefined, { ref: false })]);
    clearTimeout(cut);
    const { leases, log } = this.#deps;
    await leases.handBack().catch(err => log.warn({ err }, 'journal: could not hand back leases'));
  }

  async #beat(): Promise<void> {
    const { leases, log, pulse } = this.#deps;
    pulse.beat();
    await leases.beat().catch(err => log.warn({ err }, 'journal: could not renew leases'));
  }

  async #runLane(lane: RunningLane): Promise<void> {
    for (let row: IntentRow | undefined = lane.row; row && !this.#isStopped; ) {
      lane.row = row;
      const attempted: Attempted = await this.#attempt(row);
      row = attempted.state === 'postponed' ? await this.#postpone(row, attempted) : await this.#settle(row, attempted);
    }
  }

  #attempt(row: IntentRow): Promise<Attempted> {
    return this.#deps.pulse.run(() => attemptOnce(row, this.#deps, this.#cutOff.signal));
  }

  async #postpone(row: IntentRow, attempted: Extract<Attempted, { state: 'postponed' }>): Promise<undefined> {
    // This process has cut it off itself, and hands it back: the next one need not pause.
    if (this.#cutOff.signal.aborted) return;
    const { log, store, waiters } = this.#deps;
    await retryWhileUnavailable(log, () => store.postpone(row.id, attempted));
    waiters.postponed(row.lane);
  }

  /** Stores an outcome; returns the next intent of the lane, which is leased to this process. */
  async #settle(row: IntentRow, attempted: Exclude<Attempted, { state: 'postponed' }>): Promise<IntentRow | undefined> {
    const { log, onSettled, store, waiters } = this.#deps;
    const settled = await retryWhileUnavailable(log, () => store.settle(row.id, attempted));
    if (!settled) {
      log.warn({ intent: row.id }, 'journal: another process has taken over an intent');
      return undefined;
    }
    if (!settled.again) {
      waiters.settled(settled.row);
      onSettled(settled.row);
      if (attempted.followUps.length > 0 || attempted.registers !== '') void this.look();
    }
    return settled.next;
  }

  async #makeAllDue(): Promise<void> {
    try {
      await this.#deps.store.makeAllDue();
      await this.look();
    } catch (err) {
      this.#deps.log.warn({ err }, 'journal: could not wake postponed intents');
    }
  }

  async #claimDue(): Promise<void> {
    const room = maxConcurrentLanes - this.#lanes.size;
    if (this.#isStopped || room <= 0) return;
    try {
      const claimed = await this.#deps.leases.claimDue([...this.busyLanes()], room);
      this.#mayBeMore = claimed.length === room;
      for (const row of claimed) this.run(row);
    } catch (err) {
      this.#deps.log.warn({ err }, 'journal: could not claim due intents');
    }
  }
}
