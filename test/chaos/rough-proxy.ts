import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '../simulate/random.ts';

/** An HTTP server in front of the API that lets half of the calls go wrong, until it is told to be gentle. */
export interface RoughProxy extends AsyncDisposable {
  readonly url: string;
  /** From now on everything goes well. */
  calmDown(): void;
  /** How many calls went well and how many did not. */
  readonly count: { well: number; badly: number };
}

/** What goes wrong, and how often in a hundred calls. */
const faults = { refuse: 12, fail: 12, page: 6, cut: 5, lose: 12, stall: 3 } as const;
type Fault = keyof typeof faults;

/** Opens the proxy on a free port. */
export async function openRoughProxy(target: string, random: Random): Promise<RoughProxy> {
  let isRough = true;
  const count = { well: 0, badly: 0 };
  const draw = (): Fault | undefined => {
    let number = isRough ? random.unit() * 100 : 100;
    return (Object.keys(faults) as Fault[]).find(fault => {
      number -= faults[fault];
      return number < 0;
    });
  };
  const server = createServer((incoming, outgoing) => {
    const fault = draw();
    count[fault ? 'badly' : 'well'] += 1;
    handle(fault, target, incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count,
    calmDown: () => {
      isRough = false;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function handle(
  fault: Fault | undefined,
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = await readAll(incoming);
  switch (fault) {
    case 'refuse':
      outgoing.destroy();
      return;
    case 'fail':
      outgoing.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"kaput"}');
      return;
    case 'page':
      outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<html>login</html>');
      return;
    case 'stall':
      return;
    case 'lose':
      await forward(target, incoming, body);
      outgoing.destroy();
      return;
    default: {
      const answer = await forward(target, incoming, body);
      outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length });
      if (fault === 'cut') outgoing.write(answer.body.subarray(0, answer.body.length / 2), () => outgoing.destroy());
      else outgoing.end(answer.body);
    }
  }
}

async function forward(target: string, incoming: IncomingMessage, body: Buffer) {
  const { transfer: _, ...headers } = { ...incoming.headers, host: new URL(target).host };
  const sent = request(new URL(incoming.url ?? '/', target), { method: incoming.method, headers });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const { 'transfer-encoding': _chunked, connection: _connection, ...rest } = answer.headers;
  return { status: answer.statusCode ?? 502, headers: rest, body: await readAll(answer) };
}

/** The whole body of a message. */
export async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
