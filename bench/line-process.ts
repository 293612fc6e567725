import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { clock, LineSchedule } from './line-schedule.ts';

/*
 * A process that stands before a server and passes everything on a little later, as a network does. Arguments: the server's port, and how
 * long a way and back takes, in milliseconds. It sends its port. For each message it then sends how long a way and back took since the
 * message before, in milliseconds: twice the median of the ways.
 *
 * Another thread does the waiting, so that this one hears at once of what comes meanwhile.
 */

const [port = 0, roundTrip = 0] = process.argv.slice(2).map(Number);

const schedule = new LineSchedule(roundTrip / 2);
const alarm = new Worker(new URL('./line-alarm.ts', import.meta.url));
const onLine: (() => void)[] = [];
/** How long the pieces were on the line, in nanoseconds. */
const taken = createHistogram();
alarm.on('message', () => {
  onLine.shift()?.();
  taken.record(Math.max(1, Math.round(schedule.leave(clock()) * 1e6)));
});

function send(pass: () => void): void {
  onLine.push(pass);
  alarm.postMessage(schedule.come(clock()));
}

/** Passes on what comes from one side to the other, and its end. */
function carry(from: Socket, to: Socket): void {
  from.on('data', data => send(() => to.writable && to.write(data)));
  from.on('end', () => send(() => to.end()));
  from.on('error', () => to.destroy());
  from.setNoDelay(true);
}

// Each side may end while something is on its way to it.
const allowHalfOpen = true;
const server = createServer({ allowHalfOpen }, near => {
  const far = connect({ port, host: '127.0.0.1', allowHalfOpen });
  carry(near, far);
  carry(far, near);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.((server.address() as AddressInfo).port);
process.on('message', () => {
  process.send?.((2 * taken.percentile(50)) / 1e6);
  taken.reset();
});
process.on('disconnect', () => process.exit());
