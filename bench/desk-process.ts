import { once } from 'node:events';
import { maxConcurrentLanes } from '../src/bot/journal/worker.ts';
import { openHttpTransport } from '../src/client/transport.ts';
import { drain, openDesk } from './desk.ts';

/*
 * A process of several that work off a backlog. Arguments: the address of the database and of the API. It says that it is ready, waits for
 * a word, works until every outcome is told, and ends.
 */

const [url = '', baseUrl = ''] = process.argv.slice(2);
await using transport = openHttpTransport({ baseUrl, connections: maxConcurrentLanes });
await using desk = await openDesk(url, transport, false);
process.send?.('ready');
await once(process, 'message');
await drain(desk);
process.disconnect?.();
