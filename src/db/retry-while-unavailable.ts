import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Deadlines } from '../deadlines.ts';
import { isUnavailable } from './failure.ts';

const longestPause = 2000;

/** Repeats work for up to a minute while the database is away. Throws every other error, and the last one after that minute. */
export async function retryWhileUnavailable<T>(
  { deadlines, log }: { readonly deadlines: Deadlines; readonly log: Logger },
  work: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + deadlines.databaseStart;
  for (let wait = 100; ; wait = Math.min(2 * wait, longestPause)) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > until) throw error;
      log.warn({ err: error }, 'database: away, trying again');
      await pause(wait);
    }
  }
}
