import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.ts';

/** A port of this machine in front of a server, which can be taken away. */
export interface Cut extends AsyncDisposable {
  readonly port: number;
  /** Breaks every connection, and refuses new ones. */
  cut(): Promise<void>;
  /** Takes connections again. */
  fix(): Promise<void>;
}

/**
 * Opens a port in front of another one; at first it takes connections. Where the server ends one, the client hears of it `linger`
 * milliseconds after the last words.
 */
export async function openCut(target: number, linger = 0): Promise<Cut> {
  const port = await freePort();
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  const keep = (socket: Socket) => sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));

  async function fix(): Promise<void> {
    const opened = createServer(socket => {
      keep(socket);
      const beyond = connect(target, '127.0.0.1').on('close', () => setTimeout(() => socket.destroy(), linger));
      keep(beyond);
      socket.on('close', () => beyond.destroy());
      socket.pipe(beyond).pipe(socket, { end: linger === 0 });
    });
    server = opened.listen(port, '127.0.0.1');
    await once(opened, 'listening');
  }

  async function cut(): Promise<void> {
    const closed = server;
    server = undefined;
    for (const socket of sockets) socket.destroy();
    if (closed) await new Promise(resolve => closed.close(resolve));
  }

  await fix();
  return { port, cut, fix, [Symbol.asyncDispose]: cut };
}
