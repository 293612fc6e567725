import type { Logger } from 'pino';
import { type BackoffPolicy, backoff } from '../../contract/backoff.ts';
import type { Timers } from '../../contract/timers.ts';
import type { Database } from '../../db/database.ts';
import type { Tables } from '../store/tables.ts';
import { toMicros } from '../store/time.ts';
import { deliverOnce } from './attempt.ts';
import type { EndpointLeases } from './endpoint-leases.ts';
import { type DeliveryChange, findNext, type NextDelivery, recordAttempt } from './queue.ts';

/** Attempts that a delivery gets in all (docs/api-rules.md A11). */
const maxAttempts = 3;
/** A second before the second attempt, five before the third (docs/api-rules.md A11). */
const retryPolicy: BackoffPolicy = { first: 1000, longest: 5000, factor: 5, jitter: 0 };

/** One attempt to deliver a webhook: after `again` there will be another, after `failed` there is none. */
export interface ObservedAttempt {
  readonly endpoint: number;
  readonly outcome: 'success' | 'again' | 'failed';
  readonly ms: number;
}

/** What draining works with. */
export interface DrainDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly clock: () => Date;
  readonly timers: Timers;
  /** Receives each attempt that ended. */
  readonly observe?: ((attempt: ObservedAttempt) => void) | undefined;
}

/**
 * Sends the waiting deliveries of an endpoint, in order, until none is left, another process has the endpoint, or `halt` aborts.
 * `cut` breaks off a running attempt. Failures of the database are logged; the deliveries wait for the next look.
 */
export async function drainEndpoint(
  deps: DrainDeps & { readonly leases: EndpointLeases; readonly halt: AbortSignal; readonly cut: AbortSignal },
  endpointID: number,
): Promise<void> {
  const { database, log, clock, timers, leases, halt } = deps;
  // In turn with the writers, because it fails what waits for an endpoint that was removed.
  const next = () => database.single<Tables, NextDelivery | undefined>(db => findNext(db, endpointID, clock()));
  try {
    if (!(await leases.hold(endpointID))) return;
    for (let delivery = await next(); delivery && !halt.aborted; delivery = await next()) {
      const wait = (delivery.next_at - toMicros(clock())) / 1000;
      // A wait longer than any of ours means that the clock was put back. Nothing waits for it to catch up.
      if (wait > 0 && wait <= retryPolicy.longest) await pause(timers, wait, halt);
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

async function send(deps: DrainDeps & { readonly cut: AbortSignal }, endpointID: number, next: NextDelivery) {
  const { clock, log, timers, cut } = deps;
  const begun = timers.steady();
  const { verdict, outcome } = await deliverOnce(next, next.body, { timers, clock, stop: cut });
  if (verdict === 'stopped') return;
  const attempts = next.attempts + 1;
  const result = verdict === 'again' && attempts >= maxAttempts ? 'failed' : verdict;
  deps.observe?.({ endpoint: endpointID, outcome: result, ms: timers.steady() - begun });
  await store(deps, next.seq, toChange(result, attempts, outcome, clock()));
  if (result === 'failed') {
    log.warn({ endpoint: endpointID, event: next.event, attempts, outcome }, 'webhooks: delivery failed for good');
  }
}

function toChange(result: ObservedAttempt['outcome'], attempts: number, outcome: string, now: Date): DeliveryChange {
  if (result !== 'again') return { status: result, attempts, outcome };
  const next_at = toMicros(new Date(now.getTime() + backoff(attempts, retryPolicy)));
  return { status: 'todo', attempts, outcome, next_at };
}

async function store({ database, clock }: DrainDeps, seq: number, change: DeliveryChange): Promise<void> {
  await database.single<Tables, void>(db => recordAttempt(db, seq, change, clock()));
}
