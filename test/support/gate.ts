import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';

/** A port of this machine in front of a server. Until it is opened nobody listens there; `stall` takes connections and says nothing. */
export async function openGate(target: { readonly port: number }) {
  const port = await freePort();
  const sockets = new Set<Socket>();
  let isOpen = false;
  const server = createServer(socket => {
    sockets.add(socket.on('error', () => {}));
    if (!isOpen) return;
    const beyond = connect(target.port, '127.0.0.1').on('error', () => socket.destroy());
    sockets.add(beyond);
    socket.pipe(beyond).pipe(socket);
  });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const listen = async () => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  return {
    port,
    open: async () => {
      isOpen = true;
      await listen();
    },
    stall: listen,
    connected: () => sockets.size,
  };
}
