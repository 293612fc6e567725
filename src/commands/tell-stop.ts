import type { Logger } from 'pino';
import { watchForHang } from '../operations/hang-watch.ts';

/**
 * Starts something, with one line in the log when a signal stops it, also while it starts, and one when it has stopped. Once it runs, the
 * process ends after `hung` milliseconds of computing without a pause. Throws what `start` throws.
 */
export async function tellStop<T extends AsyncDisposable>(
  start: () => Promise<T>,
  {
    subject,
    stopping,
    hung,
    log,
  }: {
    readonly subject: 'muster' | 'service';
    readonly stopping: AbortSignal;
    readonly hung: number;
    readonly log: Logger;
  },
): Promise<T> {
  const begin = () => {
    const { reason } = stopping;
    log.info({ signal: reason instanceof Error ? reason.message : '' }, `${subject}: stops`);
  };
  const end = () => log.info(`${subject}: stopped`);
  if (stopping.aborted) begin();
  else stopping.addEventListener('abort', begin, { once: true });
  const running = await start().catch(error => {
    if (stopping.aborted) end();
    // The sentence on standard error does not reach a reader of the log.
    else log.fatal({ err: error }, `${subject}: does not start`);
    throw error;
  });
  const watch = watchForHang(hung);
  return {
    ...running,
    async [Symbol.asyncDispose]() {
      await using _ = watch;
      await running[Symbol.asyncDispose]();
      end();
    },
  };
}
