import { randomUUID } from 'node:crypto';
import type { UpdateResult } from 'kysely';
import type { Logger } from 'pino';
import type { Timers } from '../../contract/timers.ts';
import type { Database } from '../../db/database.ts';
import { createLeaseWatch, leaseTime, mayTake, nextHeartbeat, type SeenLease } from '../../db/leases.ts';
import type { Tables } from '../store/tables.ts';
import { daysBefore } from '../store/time.ts';
import { todo, type WebhookTables } from '../store/webhooks.ts';
import { deliverOnce, type ObservedAttempt } from './attempt.ts';
import {
  type DeliveryChange,
  deleteEnded,
  deleteOrphanedEvents,
  findNext,
  type NextDelivery,
  recordAttempt,
} from './queue.ts';
import { isGivenUp, nextAttemptAt, timeUntilDue } from './retries.ts';

/**
 * How often the queue is looked at without being asked, in milliseconds: it finds what another process left behind, and shows
 * others that this one is alive.
 */
const lookEvery = 4000;
/** How long a stop waits for running attempts, in milliseconds. */
const stopGrace = 3000;
/** How often old deliveries are deleted, in milliseconds. */
const deleteEvery = 3_600_000;

/** The longest pause before an attempt that keeps the lease, in milliseconds. After a longer one, any process may go on. */
const longestPause = 5000;

interface SenderDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly clock: () => Date;
  readonly timers: Timers;
  /** For how many days the log keeps deliveries that have ended. */
  readonly logDays: number;
  /** For how many hours a delivery is tried. */
  readonly retryHours: number;
  /** Receives each attempt that ended. */
  readonly observe?: ((attempt: ObservedAttempt) => void) | undefined;
}

/**
 * Delivers the webhooks that wait in the database: to each endpoint in order and one at a time, to different endpoints at the same time. A
 * delivery is made at least once: when a crash loses its answer, it is made again under the same id. Disposing waits at most
 * {@link stopGrace} for running attempts; the rest stays in the database.
 */
export class Sender implements AsyncDisposable {
  readonly #deps: SenderDeps;
  readonly #leases: ReturnType<typeof createEndpointLeases>;
  readonly #health: ReturnType<typeof watchEndpoints>;
  /** Ends each drain after the attempt that runs. */
  readonly #halt = new AbortController();
  /** Breaks off running attempts. */
  readonly #cut = new AbortController();
  readonly #serving = new Map<number, { again: boolean; ended: Promise<void> }>();
  #look: Promise<void> | undefined;
  #lookAgain = false;
  #cancelLook = () => {};
  #deletedAt = -Infinity;

  constructor(deps: SenderDeps) {
    const { database, timers, log } = deps;
    this.#deps = deps;
    this.#leases = createEndpointLeases({ database, owner: randomUUID(), monotonicNow: timers.monotonicNow });
    this.#health = watchEndpoints(log);
    this.wake();
  }

  /** Says that there may be something to send. Returns at once and never throws. */
  wake(): void {
    if (this.#halt.signal.aborted) return;
    this.#lookAgain = this.#look !== undefined;
    this.#look ??= this.#lookAround();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#halt.abort();
    this.#cancelLook();
    const cancelCut = this.#deps.timers.after(stopGrace, () => this.#cut.abort());
    await this.#look;
    await Promise.all([...this.#serving.values()].map(each => each.ended));
    cancelCut();
  }

  async #lookAround(): Promise<void> {
    this.#cancelLook();
    do {
      this.#lookAgain = false;
      try {
        for (const id of await this.#leases.look(this.#deps.clock())) this.#serve(id);
        await this.#deleteOld();
      } catch (err) {
        this.#deps.log.warn({ err }, 'webhooks: could not read the queue; the next look tries again');
      }
    } while (this.#lookAgain && !this.#halt.signal.aborted);
    this.#look = undefined;
    if (!this.#halt.signal.aborted) this.#cancelLook = this.#deps.timers.after(lookEvery, () => this.wake());
  }

  async #deleteOld(): Promise<void> {
    const { database, clock, logDays } = this.#deps;
    const now = clock();
    if (Math.abs(now.getTime() - this.#deletedAt) < deleteEvery) return;
    this.#deletedAt = now.getTime();
    const before = daysBefore(now, logDays);
    await database.single<Tables, void>(db => deleteEnded(db, before));
    await database.single<Tables, void>(db => deleteOrphanedEvents(db, before));
  }

  /** Drains an endpoint. When it is being drained already, it is drained once more, since the sender may be past the new delivery. */
  #serve(endpointID: number): void {
    const known = this.#serving.get(endpointID);
    if (known) {
      known.again = true;
      return;
    }
    const work = { again: true, ended: Promise.resolve() };
    this.#serving.set(endpointID, work);
    work.ended = (async () => {
      while (work.again && !this.#halt.signal.aborted) {
        work.again = false;
        await this.#drain(endpointID);
      }
      this.#serving.delete(endpointID);
    })();
  }

  /**
   * Sends the waiting deliveries of an endpoint, in order, until none is due soon or another process has the endpoint. Failures of
   * the database are logged; the deliveries wait for the next look.
   */
  async #drain(endpointID: number): Promise<void> {
    const { database, log, clock, timers } = this.#deps;
    const halt = this.#halt.signal;
    // In turn with the writers, because it fails what waits for an endpoint that was removed.
    const next = () => database.single<Tables, NextDelivery | undefined>(db => findNext(db, endpointID, clock()));
    try {
      if (!(await this.#leases.hold(endpointID))) return;
      for (let delivery = await next(); delivery && !halt.aborted; delivery = await next()) {
        const wait = timeUntilDue(delivery, clock());
        if (wait > longestPause) break;
        if (wait > 0) await pause(timers, wait, halt);
        else await this.#send(endpointID, delivery);
        if (!(await this.#leases.hold(endpointID))) return;
      }
      await this.#leases.release(endpointID);
    } catch (err) {
      log.warn(
        { err, endpoint: endpointID },
        'webhooks: the database failed while sending; the deliveries stay queued',
      );
    }
  }

  async #send(endpoint: number, next: NextDelivery): Promise<void> {
    const { database, clock, retryHours, timers, observe } = this.#deps;
    const begun = timers.monotonicNow();
    const { verdict, outcome } = await deliverOnce(next, next.body, { timers, clock, stop: this.#cut.signal });
    if (verdict === 'stopped') return;
    const attempts = next.attempts + 1;
    const now = clock();
    const result = verdict === 'again' && isGivenUp({ ...next, attempts }, retryHours, now) ? 'failed' : verdict;
    observe?.({ endpoint, outcome: result, ms: timers.monotonicNow() - begun });
    const change: DeliveryChange =
      result === 'again'
        ? { status: 'todo', attempts, outcome, next_at: nextAttemptAt(attempts, now) }
        : { status: result, attempts, outcome };
    await database.single<Tables, void>(db => recordAttempt(db, next.seq, change, now));
    this.#health.attempted(endpoint, next, { result, outcome });
  }
}

/**
 * Watches the endpoints that one process sends to: it logs when one begins to fail, when it recovers, and each delivery given up. An address
 * is logged without its path, which may hold a secret.
 */
function watchEndpoints(log: Logger) {
  const failing = new Set<number>();
  return {
    attempted(
      endpoint: number,
      { seq, url, event, attempts }: NextDelivery,
      { result, outcome }: { readonly result: ObservedAttempt['outcome']; readonly outcome: string },
    ) {
      const facts = { endpoint, origin: new URL(url).origin, delivery: seq, event, attempts: attempts + 1, outcome };
      if (result === 'success') {
        if (failing.delete(endpoint)) log.info(facts, 'webhooks: the endpoint takes deliveries again');
        return;
      }
      if (result === 'failed') {
        log.warn(facts, 'webhooks: delivery failed for good; `muster webhooks retry` sends it again');
        return;
      }
      if (failing.has(endpoint)) return;
      failing.add(endpoint);
      log.warn(facts, 'webhooks: the endpoint fails; its deliveries wait and are tried again');
    },
  };
}

/**
 * Which process sends to which endpoint, as the process named `owner` sees it. Deliveries of an endpoint keep their order, so one process
 * at a time serves it, by a lease on its row (db/leases.ts). `monotonicNow`: milliseconds of a clock that never steps.
 */
function createEndpointLeases(deps: {
  readonly database: Database;
  readonly owner: string;
  readonly monotonicNow: () => number;
}) {
  const { database, owner } = deps;
  const db = database.as<WebhookTables>();
  const watch = createLeaseWatch(leaseTime, deps.monotonicNow);
  /** Leases whose owners have died, by endpoint. */
  let dead = new Map<string, SeenLease>();
  const mine = new Set<number>();

  async function showLife(): Promise<void> {
    if (mine.size === 0) return;
    await database.single<WebhookTables, unknown>(some =>
      some
        .updateTable('webhook_endpoint')
        .set({ heartbeat: nextHeartbeat() })
        .where('id', 'in', [...mine])
        .where('lease_owner', '=', owner)
        .execute(),
    );
  }

  return {
    /** Shows that this process is alive, and finds the endpoints with a delivery due that no other living process serves. */
    async look(now: Date) {
      await showLife();
      const rows = await db
        .selectFrom('webhook_endpoint as endpoint')
        .leftJoin('webhook_delivery as next', join =>
          join.on(({ eb, selectFrom }) =>
            eb(
              'next.seq',
              '=',
              selectFrom('webhook_delivery as waiting')
                .select(({ fn }) => fn.min('waiting.seq').as('seq'))
                .whereRef('waiting.endpoint_id', '=', 'endpoint.id')
                .where('waiting.status', '=', todo),
            ),
          ),
        )
        .select(['endpoint.id', 'endpoint.lease_owner', 'endpoint.heartbeat', 'next.attempts', 'next.next_at'])
        .orderBy('endpoint.id')
        .execute();
      const others = rows.filter(row => row.lease_owner !== '' && row.lease_owner !== owner);
      const leases = others.map(row => ({ key: String(row.id), owner: row.lease_owner, mark: row.heartbeat }));
      dead = new Map(watch.findDead(leases).map(lease => [lease.key, lease]));
      const living = new Set(leases.map(lease => lease.key).filter(key => !dead.has(key)));
      // Null columns mean that no delivery waits.
      const isDue = ({ attempts, next_at }: (typeof rows)[number]) =>
        attempts !== null && next_at !== null && timeUntilDue({ attempts, next_at }, now) === 0;
      return rows.filter(row => isDue(row) && !living.has(String(row.id))).map(row => row.id);
    },
    /** Takes the lease of an endpoint, or keeps it. False when another process holds it. */
    async hold(endpointID: number) {
      const { numUpdatedRows } = await database.single<WebhookTables, UpdateResult>(some =>
        some
          .updateTable('webhook_endpoint')
          .set({ lease_owner: owner, heartbeat: nextHeartbeat() })
          .where('id', '=', endpointID)
          .where(mayTake(owner, dead.get(String(endpointID))))
          .executeTakeFirst(),
      );
      if (numUpdatedRows > 0n) mine.add(endpointID);
      else mine.delete(endpointID);
      return numUpdatedRows > 0n;
    },
    /** Gives the lease of an endpoint back. */
    async release(endpointID: number) {
      mine.delete(endpointID);
      await database.single<WebhookTables, unknown>(some =>
        some
          .updateTable('webhook_endpoint')
          .set({ lease_owner: '' })
          .where('id', '=', endpointID)
          .where('lease_owner', '=', owner)
          .execute(),
      );
    },
  };
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
