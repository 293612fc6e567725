import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { type BackoffPolicy, backoff } from '../../contract/backoff.ts';
import type { Db } from '../store/tables.ts';
import { daysBefore, toMicros } from '../store/time.ts';
import { deliverOnce } from './attempt.ts';
import {
  deleteEnded,
  findNext,
  findWaitingEndpoints,
  type NextDelivery,
  recordAttempt,
  returnLease,
  takeLease,
} from './queue.ts';
import { pause, type Timers } from './timers.ts';

/** Attempts that a delivery gets in all (docs/api-rules.md A11). */
export const maxAttempts = 3;
/** A second before the second attempt, five before the third (docs/api-rules.md A11). */
export const retryPolicy: BackoffPolicy = { first: 1000, longest: 5000, factor: 5, jitter: 0 };
/** How often, in milliseconds, the queue is looked at unasked: for what another process left behind. */
export const lookEvery = 4000;
/** How long, in milliseconds, an endpoint stays with a process that died. Longer than any attempt or wait between two. */
export const leaseTime = 20_000;
/** How long, in milliseconds, a stop waits for attempts that run. */
export const stopGrace = 3000;
/** How often, in milliseconds, old deliveries are forgotten. */
const forgetEvery = 3_600_000;

/** One attempt to deliver a webhook: after `again` there will be another, after `failed` there is none. */
export interface ObservedAttempt {
  readonly endpoint: number;
  readonly outcome: 'success' | 'again' | 'failed';
  readonly ms: number;
}

/** Delivers webhooks. Disposing lets attempts that run end, for at most {@link stopGrace}; the rest waits in the database. */
export interface Sender extends AsyncDisposable {
  /** Says that there may be something to send. Returns at once and never throws. */
  wake(): void;
}

/**
 * Starts to deliver what waits in the database: to each endpoint in order and one at a time, to different endpoints at the
 * same time. A delivery is made at least once: one whose answer was lost to a crash is made again, under the same id.
 */
export function createSender(deps: {
  db: Db;
  log: Logger;
  clock: () => Date;
  timers: Timers;
  /** For how many days the log keeps what has ended. */
  logDays: number;
  /** Told of each attempt that ended. */
  observe?: ((attempt: ObservedAttempt) => void) | undefined;
}): Sender {
  const { db, log, clock, timers } = deps;
  const holder = randomUUID();
  const halt = new AbortController();
  const cut = new AbortController();
  const serving = new Map<number, { again: boolean; ended: Promise<void> }>();
  let look: Promise<void> | undefined;
  let lookAgain = false;
  let callOffLook = () => {};
  let forgotten = -Infinity;

  function wake(): void {
    if (halt.signal.aborted) return;
    lookAgain = look !== undefined;
    look ??= lookAround();
  }

  async function lookAround(): Promise<void> {
    callOffLook();
    do {
      lookAgain = false;
      try {
        for (const id of await findWaitingEndpoints(db)) serve(id);
        await forgetOld();
      } catch (err) {
        log.warn({ err }, 'the queue of webhooks could not be read; it is tried again');
      }
    } while (lookAgain && !halt.signal.aborted);
    look = undefined;
    if (!halt.signal.aborted) callOffLook = timers.after(lookEvery, wake);
  }

  async function forgetOld(): Promise<void> {
    const now = clock();
    if (Math.abs(now.getTime() - forgotten) < forgetEvery) return;
    forgotten = now.getTime();
    await deleteEnded(db, daysBefore(now, deps.logDays));
  }

  function serve(endpointID: number): void {
    const known = serving.get(endpointID);
    if (known) {
      known.again = true;
      return;
    }
    const work = { again: true, ended: Promise.resolve() };
    serving.set(endpointID, work);
    work.ended = (async () => {
      while (work.again && !halt.signal.aborted) {
        work.again = false;
        await drain(endpointID);
      }
      serving.delete(endpointID);
    })();
  }

  /** Sends all that waits for an endpoint, if it is not another process's. */
  async function drain(endpointID: number): Promise<void> {
    try {
      if (!(await lease(endpointID))) return;
      for (
        let next = await findNext(db, endpointID, clock());
        next && !halt.signal.aborted;
        next = await findNext(db, endpointID, clock())
      ) {
        const wait = (next.next_at - toMicros(clock())) / 1000;
        // Longer than any wait there is: the clock was put back, and nothing may wait for it to catch up.
        if (wait > 0 && wait <= retryPolicy.longest) await pause(timers, wait, halt.signal);
        else await send(endpointID, next);
        if (!(await lease(endpointID))) return;
      }
      await returnLease(db, endpointID, holder);
    } catch (err) {
      log.warn({ err, endpoint: endpointID }, 'webhooks could not be sent; they are tried again');
    }
  }

  function lease(endpointID: number): Promise<boolean> {
    return takeLease(db, endpointID, { holder, now: clock(), ms: leaseTime });
  }

  async function send(endpointID: number, next: NextDelivery): Promise<void> {
    const begun = clock();
    const { verdict, outcome } = await deliverOnce(next, next.body, { timers, clock, stop: cut.signal });
    if (verdict === 'stopped') return;
    const attempts = next.attempts + 1;
    const wait = verdict === 'again' && attempts < maxAttempts ? backoff(attempts, retryPolicy) : undefined;
    const now = clock();
    const ms = Math.max(0, now.getTime() - begun.getTime());
    const ended = verdict === 'success' ? 'success' : wait === undefined ? 'failed' : 'again';
    deps.observe?.({ endpoint: endpointID, outcome: ended, ms });
    if (ended === 'again' && wait !== undefined) {
      const next_at = toMicros(new Date(now.getTime() + wait));
      await recordAttempt(db, next.seq, { status: 'todo', attempts, outcome, next_at }, now);
      return;
    }
    const status = ended === 'success' ? 'success' : 'failed';
    await recordAttempt(db, next.seq, { status, attempts, outcome }, now);
    if (status === 'failed') {
      log.warn({ endpoint: endpointID, event: next.event, attempts, outcome }, 'a webhook was not accepted');
    }
  }

  wake();
  return {
    wake,
    async [Symbol.asyncDispose]() {
      halt.abort();
      callOffLook();
      const callOff = timers.after(stopGrace, () => cut.abort());
      await look;
      await Promise.all([...serving.values()].map(each => each.ended));
      callOff();
    },
  };
}
