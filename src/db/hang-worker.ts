import { writeFileSync, writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { processes } from './heart.ts';
import type { TablesOf } from './tables.ts';

/* The thread of {@link watchForHang}: it looks how much the process has computed since the other thread last paused. */

interface Watched {
  readonly turns: Int32Array;
  readonly hung: number;
  readonly url: string;
  readonly owner: string;
  readonly file: string;
}

const { turns, hung, url, owner, file } = workerData as Watched;
/** Milliseconds in which a Postgres takes the word that this process hung. */
const longest = 3000;

const computed = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
let last = Atomics.load(turns, 0);
let since = computed();

const timer = setInterval(() => {
  const turn = Atomics.load(turns, 0);
  if (turn !== last) [last, since] = [turn, computed()];
  if (computed() - since < hung) return;
  clearInterval(timer);
  const msg = `muster: computes for ${hung / 1000} seconds and answers nobody, so the process ends`;
  // The log belongs to the thread that hangs.
  writeSync(1, `${JSON.stringify({ level: 'fatal', time: new Date().toISOString(), msg })}\n`);
  const end = () => process.kill(process.pid, 'SIGKILL');
  setTimeout(end, longest);
  leaveWord().then(end, end);
}, hung / 20);

/** For the process that takes over: what this one worked on may be the cause. */
async function leaveWord(): Promise<void> {
  if (file !== '') return writeFileSync(file, owner);
  if (owner === '' || url.startsWith('sqlite:')) return;
  // Loaded only now: a thread has its own copy of what it loads.
  const { openDatabase } = await import('./database.ts');
  await using database = await openDatabase(url, { connections: 1 });
  await database.single<TablesOf<[typeof processes]>, unknown>(some =>
    some.updateTable('bot_process').set({ hung: 1 }).where('owner', '=', owner).execute(),
  );
}
