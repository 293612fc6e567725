import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Letter, readLetter, sign } from '../simulate/post.ts';
import type { Random } from '../simulate/random.ts';
import { readAll } from './rough-proxy.ts';

/** Where Slack sends to: hands each request to a replica that takes connections, and events again until one has them. */
export interface Front extends AsyncDisposable {
  readonly url: string;
  /** How often an event was sent again. */
  readonly count: { again: number };
  /** Texts of the events that a replica has acknowledged, with the time. */
  readonly acknowledged: readonly { readonly text: string; readonly at: number }[];
}

/** How soon an event is sent again, in milliseconds; Slack takes longer over it. */
const pauses = [100, 500, 1000, 2000, 4000, 8000, 15_000, 30_000];

/** Opens the front on a free port, before replicas at those ports. */
export async function openFront(ports: readonly number[], secret: string, random: Random): Promise<Front> {
  const count = { again: 0 };
  const acknowledged: { text: string; at: number }[] = [];

  async function send(letter: Letter): Promise<Reply> {
    const order = random.chance(0.5) ? ports : ports.toReversed();
    for (const port of order) {
      const reply = await post(port, letter);
      if (reply !== 'no connection') return reply;
    }
    return broken;
  }

  async function sendEvent(letter: Letter): Promise<Reply> {
    const first = await send(letter);
    if (first.status === 200) note(letter);
    else void again(letter);
    return first;
  }

  async function again(letter: Letter): Promise<void> {
    for (const [number, milliseconds] of pauses.entries()) {
      await pause(milliseconds);
      count.again += 1;
      if ((await send(sign(letter, secret, Date.now(), number + 1))).status !== 200) continue;
      note(letter);
      return;
    }
  }

  function note(letter: Letter): void {
    acknowledged.push({ text: letter.body, at: Date.now() });
  }

  const server = createServer(async (incoming, outgoing) => {
    const letter = { headers: toHeaders(incoming), body: (await readAll(incoming)).toString() };
    const reply = await (readLetter(letter).isEvent ? sendEvent(letter) : send(letter));
    outgoing.writeHead(reply.status, { 'content-type': reply.type }).end(reply.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`,
    count,
    acknowledged,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const broken: Reply = { status: 502, type: 'text/plain', body: '' };

function toHeaders({ headers }: IncomingMessage): Record<string, string> {
  const kept = ['content-type', 'x-slack-request-timestamp', 'x-slack-signature', 'x-slack-retry-num'];
  return Object.fromEntries(kept.flatMap(name => (headers[name] ? [[name, String(headers[name])]] : [])));
}

function post(port: number, letter: Letter): Promise<Reply | 'no connection'> {
  return new Promise(resolve => {
    const options = { port, path: '/slack/events', method: 'POST', headers: letter.headers, host: '127.0.0.1' };
    const sent = request({ ...options, agent: false }, async answer => {
      try {
        const body = (await readAll(answer)).toString();
        resolve({ status: answer.statusCode ?? 502, type: answer.headers['content-type'] ?? 'text/plain', body });
      } catch {
        resolve(broken);
      }
    });
    sent.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? 'no connection' : broken),
    );
    sent.end(letter.body);
  });
}
