import type { Logger } from 'pino';
import type { Timers } from '../../contract/timers.ts';
import type { Database } from '../../db/database.ts';
import type { Tables } from '../store/tables.ts';
import { deliverOnce, type ObservedAttempt } from './attempt.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import type { EndpointLeases } from './endpoint-leases.ts';
import { type DeliveryChange, findNext, type NextDelivery, recordAttempt } from './queue.ts';
import { isGivenUp, nextAttemptAt, timeUntilDue } from './retries.ts';

/** The longest pause before an attempt that keeps the lease, in milliseconds. After a longer one, any process may go on. */
const longestPause = 5000;

/** What draining works with. */
export interface DrainDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly clock: () => Date;
  readonly timers: Timers;
  /** For how many hours a delivery is tried. */
  readonly retryHours: number;
  /** Receives each attempt that ended. */
  readonly observe?: ((attempt: ObservedAttempt) => void) | undefined;
}

/** What one drain works with. */
interface EndpointDrainDeps extends DrainDeps {
  readonly leases: EndpointLeases;
  readonly health: EndpointHealth;
  /** Ends the drain after the attempt that runs. */
  readonly halt: AbortSignal;
  /** Breaks off a running attempt. */
  readonly cut: AbortSignal;
}

/**
 * Sends the waiting deliveries of an endpoint, in order, until none is due soon or another process has the endpoint. Failures of
 * the database are logged; the deliveries wait for the next look.
 */
export async function drainEndpoint(deps: EndpointDrainDeps, endpointID: number): Promise<void> {
  const { database, log, clock, timers, leases, halt } = deps;
  // In turn with the writers, because it fails what waits for an endpoint that was removed.
  const next = () => database.single<Tables, NextDelivery | undefined>(db => findNext(db, endpointID, clock()));
  try {
    if (!(await leases.hold(endpointID))) return;
    for (let delivery = await next(); delivery && !halt.aborted; delivery = await next()) {
      const wait = timeUntilDue(delivery, clock());
      if (wait > longestPause) break;
      if (wait > 0) await pause(timers, wait, halt);
      else await send(deps, endpointID, delivery);
      if (!(await leases.hold(endpointID))) return;
    }
    await leases.release(endpointID);
  } catch (err) {
    log.warn({ err, endpoint: endpointID }, 'webhooks: the database failed while sending; the deliveries stay queued');
  }
}

/** Resolves after `ms`, or as soon as the signal aborts. */
async function pause(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = () => resolve();
  const cancel = timers.after(ms, stop);
  signal.addEventListener('abort', stop);
  await promise;
  cancel();
  signal.removeEventListener('abort', stop);
}

async function send(deps: EndpointDrainDeps, endpointID: number, next: NextDelivery) {
  const { clock, health, retryHours, timers, cut } = deps;
  const begun = timers.steady();
  const { verdict, outcome } = await deliverOnce(next, next.body, { timers, clock, stop: cut });
  if (verdict === 'stopped') return;
  const attempts = next.attempts + 1;
  const result = verdict === 'again' && isGivenUp({ ...next, attempts }, retryHours, clock()) ? 'failed' : verdict;
  deps.observe?.({ endpoint: endpointID, outcome: result, ms: timers.steady() - begun });
  await store(deps, next.seq, toChange(result, attempts, outcome, clock()));
  health.attempted(endpointID, next, { result, outcome });
}

function toChange(result: ObservedAttempt['outcome'], attempts: number, outcome: string, now: Date): DeliveryChange {
  if (result !== 'again') return { status: result, attempts, outcome };
  return { status: 'todo', attempts, outcome, next_at: nextAttemptAt(attempts, now) };
}

async function store({ database, clock }: DrainDeps, seq: number, change: DeliveryChange): Promise<void> {
  await database.single<Tables, void>(db => recordAttempt(db, seq, change, clock()));
}
