import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isUnavailable } from '../../db/failure.ts';

/** How long it is tried, and the longest pause between, in milliseconds. */
const patience = 60_000;
const longestPause = 2000;

/** Does it again for a minute while the database is away: what has happened must be known. Throws what it throws otherwise. */
export async function persistently<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + patience;
  for (let wait = 100; ; wait = Math.min(2 * wait, longestPause)) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > until) throw error;
      log.warn({ err: error }, 'the database is away, and it is tried again');
      await pause(wait);
    }
  }
}
