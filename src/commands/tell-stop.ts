import type { Logger } from 'pino';

/** The same, with one line in the log when a signal stops it, and one when it has stopped. */
export function tellStop(
  running: AsyncDisposable,
  {
    subject,
    stopping,
    log,
  }: { readonly subject: 'muster' | 'service'; readonly stopping: AbortSignal; readonly log: Logger },
): AsyncDisposable {
  const begin = () => {
    const { reason } = stopping;
    log.info({ signal: reason instanceof Error ? reason.message : '' }, `${subject}: stops`);
  };
  if (stopping.aborted) begin();
  else stopping.addEventListener('abort', begin, { once: true });
  return {
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      log.info(`${subject}: stopped`);
    },
  };
}
