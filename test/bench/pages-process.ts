import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pino } from 'pino';
import { openDatabase } from '../../src/db/database.ts';
import { serveService } from '../../src/service/http/server.ts';
import { createService } from '../../src/service/service.ts';

/*
 * The service with open pages in a process of its own: `pages-process.ts <database>`. It sends its port. For each message it then sends how
 * long its event loop stood still since the one before, at most, in milliseconds.
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
process.on('message', () => {
  process.send?.(Math.max(0, delay.max / 1e6 - resolution));
  delay.reset();
});
process.send?.(server.port);
