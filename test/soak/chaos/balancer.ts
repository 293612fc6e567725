import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Life, Replica } from './processes.ts';

/** How long a delivery waits for somebody to take the connection, in milliseconds: Slack itself waits for three seconds. */
const patience = 2_500;

/** What became of one delivery. */
export interface Answered {
  /** The body, as it was sent. */
  readonly body: string;
  readonly status: number;
  /** Who answered; undefined when nobody did. */
  readonly life: Life | undefined;
  /** When the answer was passed on, in epoch milliseconds. */
  readonly at: number;
}

/** Stands in front of the replicas as a load balancer does. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Every delivery, in the order in which it was answered. */
  readonly answered: readonly Answered[];
}

/**
 * Opens a load balancer: each request goes to one replica after the other, and to the next one when the connection is refused.
 * One that was taken and not answered is answered with 502, and never sent twice.
 */
export async function openBalancer(replicas: readonly Replica[]): Promise<Balancer> {
  const answered: Answered[] = [];
  let turn = 0;

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAll(incoming);
    const began = performance.now();
    while (performance.now() - began < patience) {
      turn += 1;
      const lives = replicas.flatMap((_, index) => replicas[(turn + index) % replicas.length]?.life ?? []);
      for (const life of lives) {
        const answer = await ask(life, incoming, body);
        if (answer === 'refused') continue;
        answered.push({ body: body.toString('utf8'), status: answer.status, life, at: Date.now() });
        response.writeHead(answer.status, answer.headers).end(answer.body);
        return;
      }
      await wait(20);
    }
    answered.push({ body: body.toString('utf8'), status: 503, life: undefined, at: Date.now() });
    response.writeHead(503).end();
  }

  const server = createServer((incoming, response) => {
    pass(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

type Reply = { readonly status: number; readonly headers: Record<string, string>; readonly body: Buffer };

function ask(life: Life, incoming: IncomingMessage, body: Buffer): Promise<Reply | 'refused'> {
  const { promise, resolve } = Promise.withResolvers<Reply | 'refused'>();
  const broken: Reply = { status: 502, headers: {}, body: Buffer.alloc(0) };
  const headers = { ...incoming.headers, 'content-length': String(body.length), connection: 'close' };
  const outgoing = request(`${life.url}${incoming.url}`, { method: incoming.method, headers, agent: false });
  outgoing.on('response', reply => {
    readAll(reply).then(
      content => {
        const type = reply.headers['content-type'];
        resolve({ status: reply.statusCode ?? 502, headers: type ? { 'content-type': type } : {}, body: content });
      },
      () => resolve(broken),
    );
  });
  outgoing.on('error', error => {
    resolve('code' in error && error.code === 'ECONNREFUSED' ? 'refused' : broken);
  });
  outgoing.end(body);
  return promise;
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
