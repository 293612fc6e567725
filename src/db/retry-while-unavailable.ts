import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Deadlines } from '../deadlines.ts';
import { isUnavailable } from './failure.ts';

/**
 * Repeats work for up to a minute while the database is away, or until it `isOver`, with pauses of at most `longestPause` milliseconds. Throws
 * every other error, and the last one then.
 */
export async function retryWhileUnavailable<T>(
  { deadlines, log }: { readonly deadlines: Deadlines; readonly log: Logger },
  work: () => Promise<T>,
  { isOver, longestPause = 2000 }: { readonly isOver?: () => boolean; readonly longestPause?: number } = {},
): Promise<T> {
  const until = performance.now() + deadlines.databaseStart;
  for (let wait = 100; ; wait = Math.min(2 * wait, longestPause)) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || (isOver ? isOver() : performance.now() > until)) throw error;
      log.warn({ err: error }, 'database: away, trying again');
      await pause(wait);
    }
  }
}
