import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

/* The thread of {@link watchForHang}: it looks how much the process has computed since the other thread last paused. */

const { turns, hung } = workerData as { readonly turns: Int32Array; readonly hung: number };

const computed = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
let last = Atomics.load(turns, 0);
let since = computed();

setInterval(() => {
  const turn = Atomics.load(turns, 0);
  if (turn !== last) [last, since] = [turn, computed()];
  if (computed() - since < hung) return;
  const msg = `muster: computes for ${hung / 1000} seconds and answers nobody, so the process ends`;
  // The log belongs to the thread that hangs.
  writeSync(1, `${JSON.stringify({ level: 'fatal', time: new Date().toISOString(), msg })}\n`);
  process.kill(process.pid, 'SIGKILL');
}, hung / 20);
