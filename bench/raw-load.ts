import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A request that is sent again and again. */
export interface RawRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a request `times` times in all over so many connections, each with one request under way, to a server on this machine whose answers
 * are all of one length; gives how many were answered per second. A real HTTP client takes as long over a request as a quick server does,
 * and would be what is measured; this one only counts bytes. The connections are new, since a server closes those on which nothing moves.
 */
export async function runRawLoad(
  { port, connections }: { readonly port: number; readonly connections: number },
  request: RawRequest,
  times: number,
): Promise<number> {
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
  try {
    const bytes = toBytes(request, port);
    let left = times;
    const began = performance.now();
    const take = () => left-- > 0;
    await Promise.all(sockets.map(socket => converse(socket, bytes, take)));
    return times / ((performance.now() - began) / 1000);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

function toBytes({ path, headers, body }: RawRequest, port: number): Buffer {
  const all = { host: `127.0.0.1:${port}`, ...headers, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** Asks again as soon as an answer is whole, while `take` lets it. The first answer is read; the others must be as long. */
function converse(socket: Socket, request: Buffer, take: () => boolean): Promise<void> {
  const done = Promise.withResolvers<void>();
  let length = 0;
  let received = 0;
  const next = () => {
    received = 0;
    if (take()) socket.write(request);
    else done.resolve();
  };
  const onData = (chunk: Buffer) => {
    try {
      if (received === 0) length = toLength(chunk, length);
      received += chunk.length;
      if (received > length) throw new Error('The answers are not all of one length, so nothing is measured.');
      if (received === length) next();
    } catch (error) {
      done.reject(error);
    }
  };
  socket.on('data', onData).once('error', done.reject).once('close', onClose);
  function onClose() {
    done.reject(new Error('The server closed a connection that was to be kept.'));
  }
  next();
  return done.promise.finally(() => socket.off('data', onData).off('error', done.reject).off('close', onClose));
}

const success = Buffer.from('HTTP/1.1 200 ');

function toLength(first: Buffer, known: number): number {
  if (!first.subarray(0, success.length).equals(success)) throw new Error(`It answered ${first.toString('utf8')}`);
  if (known > 0) return known;
  const head = first.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(first.toString('latin1', 0, head + 2))?.[1];
  if (head < 0 || length === undefined) throw new Error('An answer without its length in front cannot be counted.');
  return head + 4 + Number(length);
}
