import { parentPort } from 'node:worker_threads';
import { clock } from './line-schedule.ts';

/*
 * A thread that waits until the exact moment; a timer of an event loop counts whole milliseconds. It gets moments in their order, and
 * answers each when it has come.
 */

const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

parentPort?.on('message', (moment: number) => {
  Atomics.wait(never, 0, 0, Math.max(0, moment - clock()));
  parentPort?.postMessage(undefined);
});
