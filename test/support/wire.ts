import { once } from 'node:events';
import { connect } from 'node:net';

/** A connection that sends bytes as they are written, which no client of HTTP would. */
export interface Wire {
  /** What has come back so far. */
  readonly received: string;
  /** What came back, once the connection is closed by either side. */
  readonly closed: Promise<string>;
  write(text: string): void;
  /** Breaks the connection off. */
  breakOff(): void;
}

/** Connects to a port of this machine. */
export async function openWire(port: number): Promise<Wire> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  // A server that does not read everything resets the connection.
  socket.on('error', () => undefined);
  const closed = new Promise<string>(resolve => socket.once('close', () => resolve(received)));
  await once(socket, 'connect');
  return {
    get received() {
      return received;
    },
    closed,
    write: text => void socket.write(text, 'latin1'),
    breakOff: () => socket.destroy(),
  };
}
