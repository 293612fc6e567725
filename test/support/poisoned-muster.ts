import { Socket } from 'node:net';
import { run } from '../../src/main.ts';
import { withPauses } from './deadlines.ts';

/*
 * `muster` that computes without end once it sends the word “poison” to Slack or to the API, and ends after a second of that. A test that needs a
 * delivery with which processes hang runs this in place of `src/main.ts`.
 */

const { write } = Socket.prototype as { write(this: Socket, ...given: [string | Uint8Array]): boolean };
const { port: databasePort } = new URL(process.env.DATABASE_URL ?? 'postgres://');

Socket.prototype.write = function (this: Socket, ...given: [string | Uint8Array]) {
  const isSent = this.remotePort !== undefined && String(this.remotePort) !== databasePort;
  while (isSent && Buffer.from(given[0]).includes('poison'));
  return write.apply(this, given);
};

await run({ deadlines: { ...withPauses, hung: 1000 } });
