import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { RpcError } from '../../contract/errors.ts';
import { isUnavailable } from '../../db/failure.ts';
import type { Heart } from '../../db/heart.ts';
import { mostHangs } from '../../db/leases.ts';
import type { Pulse } from '../../db/pulse.ts';
import { retryWhileUnavailable } from '../../db/retry-while-unavailable.ts';
import type { Deadlines } from '../../deadlines.ts';
import type { IntentTable } from '../schema/intents.ts';
import { coalesce } from './coalesce.ts';
import { type Attempt, type JobKind, RetryLater } from './intent.ts';
import type { Leases, Waiters } from './lanes.ts';
import { giveUpAfter, isRetried, pauseAfter } from './retry-policy.ts';
import {
  decodeError,
  encodeError,
  findResults,
  hung,
  type IntentReader,
  type LostRequest,
  type Rows,
  requestOf,
  senderOf,
  toRpcError,
} from './rows.ts';
import type { Postponement, Settlement, Store } from './store.ts';

/** A process claims no further lane while it runs this many. An intent that a caller waits for starts in any case. */
export const maxConcurrentLanes = 32;

/** What a worker needs. `C` is the context that the embedding program makes for its kinds. */
export interface WorkerDeps<C> {
  readonly reader: IntentReader<C, JobKind<C>>;
  readonly rows: Rows;
  readonly store: Store;
  readonly leases: Leases;
  readonly waiters: Waiters;
  readonly pulse: Pulse;
  readonly trials: Heart['trials'];
  /** Makes the context of one attempt. */
  toContext(attempt: Attempt, intent: { readonly kind: string; readonly subject: string; readonly origin: string }): C;
  /** An intent got its final outcome. */
  onSettled(row: IntentTable): void;
  /** An intent about this subject was put off. */
  onPostponed(subject: string): void;
  /** A lane has nothing more to run for now. */
  onLaneEnd(): void;
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  /** Milliseconds of a clock that never steps. */
  readonly monotonicNow: () => number;
  /**
   * The latest moment at which a request whose answer was lost can have gone out, by intent and by the steady clock. It holds as long as `sender` is
   * the last lease of the intent that may have sent one.
   */
  readonly sent: Map<string, { readonly since: number; readonly sender: number }>;
  /** The intents whose answer was lost before this process began, each with the last of its leases that may have sent it. */
  readonly before: { readonly at: number; readonly senders: ReadonlyMap<string, number> };
  /** How long a request whose answer was lost may still take effect, in milliseconds. */
  readonly landing: number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
}

/** A lane that runs, and the intent it has come to. */
interface RunningLane {
  row: IntentTable;
}

/** Runs intents: each lane in order, the lanes at the same time. */
export class Worker<C = never> {
  readonly #deps: WorkerDeps<C>;
  readonly #lanes = new Map<Promise<void>, RunningLane>();
  /** Intents whose outcome could not be stored: another attempt must find out what they did. */
  readonly #orphans = new Set<string>();
  readonly #cutOff = new AbortController();
  readonly #looking = coalesce(() => this.#claimDue());
  #isStopped = false;
  /** More may be due than the last look could claim. */
  #mayBeMore = false;

  constructor(deps: WorkerDeps<C>) {
    this.#deps = deps;
  }

  /** Runs an intent that is leased to this process, and after it the rest of its lane. */
  run(first: IntentTable): void {
    // The word that it was leased came so late that it was leased once more meanwhile.
    if (this.running().has(first.id)) return;
    const lane = { row: first };
    const running = this.#runLane(lane)
      .catch(err => {
        this.#orphans.add(lane.row.id);
        this.#deps.log.error({ err, intent: lane.row.id }, 'journal: could not store an outcome');
      })
      .finally(() => {
        this.#lanes.delete(running);
        this.#deps.trials.end(first.id);
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
  async wake(): Promise<void> {
    try {
      await this.#deps.store.makeAllDue();
      await this.look();
    } catch (err) {
      this.#deps.log.warn({ err }, 'journal: could not wake postponed intents');
    }
  }

  /** The lanes in which an attempt goes on. */
  busyLanes(): ReadonlySet<string> {
    return new Set([...this.#lanes.values()].map(({ row }) => row.lane));
  }

  /** The intents in which an attempt goes on. */
  running(): ReadonlySet<string> {
    return new Set([...this.#lanes.values()].map(({ row }) => row.id));
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
    const all = () => [...this.#lanes.keys(), this.#looking.pending()].filter(each => each !== undefined);
    while (all().length > 0) await Promise.allSettled(all());
  }

  /** Starts no further attempt; cuts off, after `timeout` milliseconds, those that go on, and hands them back. */
  async stop(timeout: number): Promise<void> {
    this.#isStopped = true;
    const { deadlines, leases, log } = this.#deps;
    const cut = setTimeout(() => this.#cutOff.abort(), timeout);
    await Promise.race([this.idle(), pause(timeout + deadlines.stop.cutOff, undefined, { ref: false })]);
    clearTimeout(cut);
    await leases.handBack().catch(err => log.warn({ err }, 'journal: could not hand back leases'));
  }

  async #runLane(lane: RunningLane): Promise<void> {
    for (let row: IntentTable | undefined = lane.row; row && !this.#isStopped; ) {
      lane.row = row;
      const attempted: Attempted = await this.#attempt(row);
      const next: IntentTable | undefined =
        attempted.state === 'postponed' ? await this.#postpone(row, attempted) : await this.#settle(row, attempted);
      // The rest of its lane is no trial.
      if (row.hangs > 0 && next && next.id !== row.id) return this.run(next);
      row = next;
    }
  }

  #attempt(row: IntentTable): Promise<Attempted> {
    const { signal } = this.#cutOff;
    return this.#deps.pulse.run(() => attemptOnce(row, this.#deps, signal), signal);
  }

  async #postpone(row: IntentTable, attempted: Postponement): Promise<undefined> {
    // This process has cut it off itself, and hands it back: the next one need not pause.
    if (this.#cutOff.signal.aborted) return;
    const { onPostponed, store, waiters } = this.#deps;
    await retryWhileUnavailable(this.#deps, () => store.postpone(row.id, attempted));
    waiters.postponed(row.lane);
    if (row.subject !== '') onPostponed(row.subject);
  }

  /** Stores an outcome; returns the next intent of the lane, which is leased to this process. */
  async #settle(row: IntentTable, attempted: Settlement): Promise<IntentTable | undefined> {
    const { log, onSettled, store, waiters } = this.#deps;
    const settled = await retryWhileUnavailable(this.#deps, () => store.settle(row, attempted));
    if (!settled) {
      log.warn({ intent: row.id }, 'journal: another process has taken over an intent');
      return undefined;
    }
    this.#deps.sent.delete(row.id);
    if (!settled.again) {
      waiters.settled(settled.row);
      onSettled(settled.row);
      if (attempted.consequences.length > 0 || attempted.registers !== '') void this.look();
    }
    return settled.next;
  }

  async #claimDue(): Promise<void> {
    const room = maxConcurrentLanes - this.#lanes.size;
    if (this.#isStopped || room <= 0) return;
    try {
      const claimed = await this.#deps.leases.claimDue([...this.busyLanes()], room, this.#deps.trials);
      this.#mayBeMore = claimed.length === room;
      for (const row of claimed) this.run(row);
    } catch (err) {
      this.#deps.log.warn({ err }, 'journal: could not claim due intents');
    }
  }
}

/** What one attempt came to: a final outcome to be stored, or a pause before the next attempt. */
type Attempted = Settlement | ({ readonly state: 'postponed' } & Postponement);

/**
 * Tries an intent once: looks for the effect of an earlier attempt if there may be one, else performs it, unless the earlier attempt may
 * still take effect. Never throws: a fault of ours is a failure that may have taken effect.
 */
async function attemptOnce<C>(row: IntentTable, deps: WorkerDeps<C>, signal: AbortSignal): Promise<Attempted> {
  let known = row;
  try {
    const kind = deps.reader.kinds.get(row.kind);
    if (!kind) throw new RpcError('failed_precondition', `this version of Muster does not know “${row.kind}”`);
    if (row.hangs >= mostHangs) throw hung;
    const payload = deps.reader.payload(kind, row);
    const isAmbiguous = row.ambiguous === 1;
    const context = deps.toContext(toAttempt(row, kind, deps, signal), row);
    let found = isAmbiguous ? await look(kind, context, payload) : undefined;
    if (isAmbiguous && kind.reconcile && found === undefined && untilLanded(row, deps) > 0) return toWaiting(row, deps);
    let result: unknown;
    try {
      result = found ?? (await kind.run(context, payload));
    } catch (refusal) {
      if (!(refusal instanceof RpcError && refusal.isDoubtful && refusal.maybeApplied)) throw refusal;
      // The API said no to a call that makes something each time, so the client has not asked again.
      known = { ...row, ambiguous: 1, outcome: encodeError(refusal, { sentAt: 0 }) };
      const again = deps.toContext(toAttempt(known, kind, deps, signal), row);
      found = await look(kind, again, payload);
      result = found ?? (await kind.run(again, payload));
    }
    const twin =
      isAmbiguous && found === undefined ? await kind.findTwin?.(context, payload, result).catch(unknown) : '';
    deps.log.info({ ...nameOf(row), attempts: row.attempts + 1 }, 'journal: intent done');
    return {
      state: 'done',
      outcome: JSON.stringify(result),
      ambiguous: isAmbiguous && found === undefined,
      registers: kind.declares?.subject(result) ?? '',
      consequences: (kind.consequences?.(result, payload) ?? []).map(
        ({ kind: own, payload: given, name, key, lane }) => {
          return { kind: own.kind, payload: JSON.stringify(own.payload.parse(given)), name, key, lane };
        },
      ),
      isTold: kind.isTold?.(result) ?? false,
      isFound: found !== undefined,
      twin: twin ?? '',
    };
  } catch (thrown) {
    return toFailure(known, thrown, deps);
  }
}

/** The effect of an earlier attempt. Until the API lets it be looked for, nobody knows whether it happened: a doubtful refusal waits. */
async function look<C>(kind: JobKind<C>, context: C, payload: unknown): Promise<unknown> {
  try {
    return await kind.reconcile?.(context, payload);
  } catch (error) {
    if (!(error instanceof RpcError && error.isDoubtful)) throw error;
    throw new RpcError('internal', error.message, { maybeApplied: false, cause: error });
  }
}

/** The API could not tell. */
const unknown = () => '';

/**
 * When the request whose answer was lost can have gone out at the latest, by the steady clock of this process, and the last lease that may have sent
 * it. By no wall clock, which may have been set since: one of another process counts from when the first one looked for its effect, or from the
 * beginning of this process where the request is older. So a lane that a restored backup left waits once, and not once for each of its intents.
 */
function findSending<C>(row: IntentTable, { sent, before, monotonicNow }: WorkerDeps<C>) {
  const { sentAt, looked } = requestOf(row);
  const now = monotonicNow();
  const sender = senderOf(row, row.heartbeat - 1);
  const own = sent.get(row.id);
  const since = Math.min(
    own?.sender === sender ? own.since : now,
    looked?.lease === row.heartbeat - 1 ? now - looked.ms : now,
    before.senders.get(row.id) === sender ? before.at : now,
  );
  sent.set(row.id, { since, sender });
  return { sentAt, since, sender };
}

/** How long a request whose answer was lost may still take effect, in milliseconds. */
function untilLanded<C>(row: IntentTable, deps: WorkerDeps<C>): number {
  const { sentAt, since } = findSending(row, deps);
  // It was answered.
  if (sentAt === 0) return 0;
  return Math.ceil(deps.landing - (deps.monotonicNow() - since));
}

/** The lost request as the next process finds it, after this one has looked for its effect. */
function toLooked<C>(row: IntentTable, deps: WorkerDeps<C>): LostRequest {
  const { sentAt, since, sender } = findSending(row, deps);
  return { sentAt, looked: { lease: row.heartbeat, sender, ms: deps.monotonicNow() - since } };
}

/**
 * The longest pause between two looks for an effect, in milliseconds. Another process may look next, which does not know how long this one has
 * waited since.
 */
const longestLook = 5000;

/** It is looked for again, and is not sent before its first request can take effect no more. */
function toWaiting<C>(row: IntentTable, deps: WorkerDeps<C>): Attempted {
  const error = decodeError(row.outcome);
  const pause = pauseAfter(row.attempts + 1, error, deps.random());
  return {
    state: 'postponed',
    outcome: encodeError(error, toLooked(row, deps)),
    ambiguous: true,
    nextAt: deps.clock().getTime() + Math.min(pause, longestLook, untilLanded(row, deps)),
  };
}

function toAttempt<C>(row: IntentTable, kind: JobKind<C>, deps: WorkerDeps<C>, signal: AbortSignal): Attempt {
  return {
    id: row.id,
    askedAt: new Date(row.created_at),
    isAmbiguous: row.ambiguous === 1,
    isRetry: row.attempts > 0 || row.ambiguous === 1,
    signal,
    siblingResults: async () => {
      const results = await findResults(deps.rows.db, row.kind, row.subject);
      return results.map(each => kind.result.parse(JSON.parse(each)));
    },
  };
}

function toFailure<C>(row: IntentTable, thrown: unknown, deps: WorkerDeps<C>): Attempted {
  // A kind that loses the database in the middle cannot tell how far it got.
  const error = isUnavailable(thrown) ? databaseAway : thrown;
  const now = deps.clock();
  if (isRetried(error) && now.getTime() - Date.parse(row.created_at) < giveUpAfter) {
    const known = error instanceof RetryLater ? toRpcError(error) : error;
    deps.log.warn({ ...nameOf(row), err: error, attempts: row.attempts + 1 }, 'journal: intent queued');
    return {
      state: 'postponed',
      outcome: encodeError(known, toLost(row, known, deps)),
      ambiguous: row.ambiguous === 1 || known.maybeApplied,
      nextAt: now.getTime() + pauseAfter(row.attempts + 1, error, deps.random()),
    };
  }
  const failure = toFinalError(error);
  if (error instanceof RpcError && error !== hung)
    deps.log.warn({ ...nameOf(row), err: error }, 'journal: intent failed');
  else deps.log.error({ ...nameOf(row), err: error }, 'journal: intent failed because of a bug in Muster');
  return {
    state: 'failed',
    outcome: encodeError(failure),
    // An answer came, and said no twice.
    ambiguous: failure.maybeApplied && !failure.isDoubtful,
    registers: '',
    consequences: [],
    isTold: true,
    isFound: false,
    twin: '',
  };
}

/** The request that may have taken effect: an earlier one that may, or this one, unless a whole answer came to it. */
function toLost<C>(row: IntentTable, { maybeApplied, status, code }: RpcError, deps: WorkerDeps<C>): LostRequest {
  const { heartbeat: lease } = row;
  if (maybeApplied && (status === undefined || code === 'deadline_exceeded')) {
    deps.sent.set(row.id, { since: deps.monotonicNow(), sender: lease });
    return { sentAt: deps.clock().getTime(), looked: { lease, sender: lease, ms: 0 } };
  }
  return row.ambiguous === 1 ? toLooked(row, deps) : { sentAt: 0 };
}

const databaseAway = new RpcError('unavailable', 'Muster’s own database cannot be reached.', { maybeApplied: true });

function toFinalError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof RetryLater) return toRpcError(error);
  return new RpcError('internal', 'Muster itself failed', { maybeApplied: true, retryable: true });
}

function nameOf(row: IntentTable) {
  return { intent: row.id, kind: row.kind, subject: row.subject };
}
