import type { Logger } from 'pino';
import type { Timers } from '../contract/timers.ts';
import type { Database } from '../db/database.ts';
import { deleteOldIncidents } from './incidents/delete-old.ts';
import { serviceLock, type Tables } from './store/tables.ts';
import { daysBefore } from './store/time.ts';

/** How often old incidents are deleted, in milliseconds. */
export const deleteEvery = 3_600_000;

/** Deletes resolved incidents once they are so many days old, at once and then every hour. Nothing waits for it. */
export function startIncidentRetention(deps: {
  readonly database: Database;
  readonly log: Logger;
  readonly clock: () => Date;
  readonly timers: Timers;
  /** 0: incidents are kept for ever. */
  readonly days: number;
}): AsyncDisposable {
  const { database, log, clock, timers, days } = deps;
  let stopped = false;
  let cancel = () => {};
  let running = Promise.resolve();

  async function deleteOld(): Promise<void> {
    let count = 0;
    try {
      for (let deleted = await deleteSome(); deleted > 0; deleted = await deleteSome()) count += deleted;
    } catch (err) {
      log.warn({ err }, 'retention: could not delete old incidents; the next hour tries again');
    }
    if (count > 0) {
      log.info({ incidents: count, days }, 'retention: deleted old incidents');
      await database.shrink('some').catch(err => log.warn({ err }, 'retention: could not shrink the database'));
    }
    if (!stopped) cancel = timers.after(deleteEvery, begin);
  }

  async function deleteSome(): Promise<number> {
    if (stopped) return 0;
    const before = daysBefore(clock(), days);
    const ids = await database.withLock<Tables, readonly number[]>(serviceLock, db => deleteOldIncidents(db, before));
    return ids.length;
  }

  function begin(): void {
    running = deleteOld();
  }

  if (days > 0) begin();
  return {
    [Symbol.asyncDispose]: async () => {
      stopped = true;
      cancel();
      await running;
    },
  };
}
