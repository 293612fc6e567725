import { readFileSync, rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { toDatabaseFile } from './database-name.ts';

/** After how many milliseconds a process ends, and where it leaves word of that for the next one: the database, and the name of its leases. */
interface HangWatch {
  readonly hung: number;
  readonly log: Logger;
  readonly url?: string;
  readonly owner?: string;
}

/**
 * Ends this process when its thread has computed for `hung` milliseconds without a pause: it answers nobody then, and hears no signal. Its
 * supervisor starts it again. Time in which it waits for a disk or a core does not count. Disposing ends the watch.
 */
export function watchForHang({ hung, log, url = '', owner = '' }: HangWatch): AsyncDisposable {
  const turns = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { turns, hung, url, owner, file: hungFile(url) };
  const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 };
  const worker = new Worker(new URL('hang-worker.ts', import.meta.url), { workerData, resourceLimits });
  worker.unref();
  // A machine without room for another thread has a Muster without this watch.
  worker.on('error', err => log.warn({ err }, 'hang: this process has no watch'));
  const timer = setInterval(() => Atomics.add(turns, 0, 1), hung / 10).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await worker.terminate();
    },
  };
}

/** The file next to a SQLite database that names a process that hung: its database may be locked by it. */
const hungFile = (url: string) => (/^sqlite:(?!:memory:)/.test(url) ? `${toDatabaseFile(url)}-hung` : '');

/**
 * The owner of the last process's leases, if that process hung on a SQLite database; else `""`. The call deletes the word, so the next one knows
 * nothing. A Postgres keeps it in its table of processes.
 */
export function takeHung(url: string): string {
  const file = hungFile(url);
  try {
    const owner = file === '' ? '' : readFileSync(file, 'utf8');
    if (file !== '') rmSync(file);
    return owner;
  } catch {
    return '';
  }
}
