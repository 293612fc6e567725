import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { openDatabase } from '../src/db/database.ts';
import { serveService } from '../src/service/http/server.ts';
import { createService } from '../src/service/service.ts';

/*
 * The service with open pages in a process of its own, with `--expose-gc`: `pages-process.ts <database>`. It sends its port. For each
 * message `stillness` it then sends how long its event loop stood still since the one before, at most, in milliseconds; for each `memory`
 * what it keeps once it has thrown away what nobody needs, in bytes.
 */

/** The step of the clock that watches the event loop, in milliseconds. */
const resolution = 1;

const [, , url = ''] = process.argv;
const log = pino({ level: 'silent' });
const database = await openDatabase(url);
const service = await createService({ database, log, clock: () => new Date(), options: { pages: 'open' } });
const server = await serveService({ service, port: 0, log });
const delay = monitorEventLoopDelay({ resolution });
delay.enable();
process.on('message', async message => {
  if (message === 'memory') {
    // What the first one frees may hold more.
    for (let round = 0; round < 3; round += 1) {
      globalThis.gc?.();
      await setImmediate();
    }
    const { heapUsed, external } = process.memoryUsage();
    process.send?.(heapUsed + external);
  } else {
    process.send?.(Math.max(0, delay.max / 1e6 - resolution));
    delay.reset();
  }
});
process.send?.(server.port);
