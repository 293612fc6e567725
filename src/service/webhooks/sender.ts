import { randomUUID } from 'node:crypto';
import type { Tables } from '../store/tables.ts';
import { daysBefore } from '../store/time.ts';
import { type DrainDeps, drainEndpoint } from './drain.ts';
import { watchEndpoints } from './endpoint-health.ts';
import { createEndpointLeases } from './endpoint-leases.ts';
import { deleteEnded, deleteOrphanedEvents } from './queue.ts';

/**
 * How often the queue is looked at without being asked, in milliseconds: it finds what another process left behind, and shows
 * others that this one is alive.
 */
export const lookEvery = 4000;
/** How long a stop waits for running attempts, in milliseconds. */
export const stopGrace = 3000;
/** How often old deliveries are deleted, in milliseconds. */
const deleteEvery = 3_600_000;

/** Delivers webhooks. Disposing waits at most {@link stopGrace} for running attempts; the rest stays in the database. */
export interface Sender extends AsyncDisposable {
  /** Says that there may be something to send. Returns at once and never throws. */
  wake(): void;
}

/**
 * Starts to deliver the webhooks that wait in the database: to each endpoint in order and one at a time, to different endpoints
 * at the same time. A delivery is made at least once: when a crash loses its answer, it is made again under the same id.
 */
export function createSender(
  deps: DrainDeps & {
    /** For how many days the log keeps deliveries that have ended. */
    readonly logDays: number;
  },
): Sender {
  const { database, log, clock, timers } = deps;
  const leases = createEndpointLeases({ database, owner: randomUUID(), steady: timers.steady });
  const health = watchEndpoints(log);
  const halt = new AbortController();
  const cut = new AbortController();
  const serving = new Map<number, { again: boolean; ended: Promise<void> }>();
  let look: Promise<void> | undefined;
  let lookAgain = false;
  let cancelLook = () => {};
  let deletedAt = -Infinity;

  function wake(): void {
    if (halt.signal.aborted) return;
    lookAgain = look !== undefined;
    look ??= lookAround();
  }

  async function lookAround(): Promise<void> {
    cancelLook();
    do {
      lookAgain = false;
      try {
        for (const id of await leases.look(clock())) serve(id);
        await deleteOld();
      } catch (err) {
        log.warn({ err }, 'webhooks: could not read the queue; the next look tries again');
      }
    } while (lookAgain && !halt.signal.aborted);
    look = undefined;
    if (!halt.signal.aborted) cancelLook = timers.after(lookEvery, wake);
  }

  async function deleteOld(): Promise<void> {
    const now = clock();
    if (Math.abs(now.getTime() - deletedAt) < deleteEvery) return;
    deletedAt = now.getTime();
    const before = daysBefore(now, deps.logDays);
    await database.single<Tables, void>(db => deleteEnded(db, before));
    await database.single<Tables, void>(db => deleteOrphanedEvents(db, before));
  }

  /** Drains an endpoint. When it is being drained already, it is drained once more, since the sender may be past the new delivery. */
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
        await drainEndpoint({ ...deps, leases, health, halt: halt.signal, cut: cut.signal }, endpointID);
      }
      serving.delete(endpointID);
    })();
  }

  wake();
  return {
    wake,
    async [Symbol.asyncDispose]() {
      halt.abort();
      cancelLook();
      const cancelCut = timers.after(stopGrace, () => cut.abort());
      await look;
      await Promise.all([...serving.values()].map(each => each.ended));
      cancelCut();
    },
  };
}
