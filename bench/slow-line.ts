import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/*
 * A process that stands before a server and passes everything on a little later, as a network does. Arguments: the server's port, and how
 * long a way and back takes, in milliseconds. It sends its port to its parent.
 */

const [port = 0, roundTrip = 0] = process.argv.slice(2).map(Number);

/** Passes on what comes, each piece half a round trip later and in order. */
function delay(from: Socket, to: Socket): void {
  from.on('data', data => setTimeout(() => to.writable && to.write(data), roundTrip / 2));
  from.on('end', () => setTimeout(() => to.end(), roundTrip / 2));
  from.on('error', () => to.destroy());
  from.setNoDelay(true);
}

const server = createServer(near => {
  const far = connect(port, '127.0.0.1');
  delay(near, far);
  delay(far, near);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.((server.address() as AddressInfo).port);
