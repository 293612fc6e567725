import { Worker } from 'node:worker_threads';

/**
 * Ends this process when its thread has computed for `hung` milliseconds without a pause: it answers nobody then, and hears no signal. Its
 * supervisor starts it again. Time in which it waits for a disk or a core does not count. Disposing ends the watch.
 */
export function watchForHang(hung: number): AsyncDisposable {
  const turns = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('hang-worker.ts', import.meta.url), { workerData: { turns, hung } });
  worker.unref();
  // A machine without room for another thread has a Muster without this watch.
  worker.on('error', () => {});
  const timer = setInterval(() => Atomics.add(turns, 0, 1), hung / 10).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await worker.terminate();
    },
  };
}
