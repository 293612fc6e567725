import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '../simulate/random.ts';

/** How a request fails. From `half a body` on it takes effect all the same, and the answer is cut off or lost. */
export const faultKinds = [
  'refused',
  'stalled',
  '500',
  'HTML',
  '429',
  '429 with Retry-After',
  'half a body',
  'answer lost',
] as const;
/** One of {@link faultKinds}. */
export type FaultKind = (typeof faultKinds)[number];

/** How long connections are refused, in milliseconds. */
const refusing = 100;
/** The longest that a request is held before it is broken off, in milliseconds: longer than Muster waits for one. */
const longestStall = 8_000;

/** Stands between the bots and the service. */
export interface FailingApi extends AsyncDisposable {
  readonly url: string;
  /** How often each kind of failure came up. */
  readonly faults: Readonly<Record<FaultKind, number>>;
  /** Requests, failed or not. */
  readonly requests: number;
  /** From here on this share of the requests fails, in [0, 1]. With 0, what is stalled is broken off. */
  fail(share: number): void;
}

/** Opens a proxy in front of the service at `target` that fails nothing until it is told to. */
export async function openFailingApi(target: string, random: Random): Promise<FailingApi> {
  const faults = Object.fromEntries(faultKinds.map(kind => [kind, 0])) as Record<FaultKind, number>;
  const timers = new Map<NodeJS.Timeout, () => void>();
  let share = 0;
  let requests = 0;
  let port = 0;

  function later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.set(timer, work);
  }

  function refuse(): void {
    if (!server.listening) return;
    server.close();
    later(refusing, () => void server.listen(port, '127.0.0.1'));
  }

  function answerItself(kind: FaultKind, response: ServerResponse): void {
    switch (kind) {
      case 'refused':
        response.destroy();
        refuse();
        return;
      case 'stalled':
        later(random.whole(100, longestStall), () => response.destroy());
        return;
      case '500':
        // No reason in the form of the API: that would be a refusal, and final.
        response.writeHead(500, { 'content-type': 'text/plain' }).end('internal error');
        return;
      case 'HTML':
        response.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>Bad Gateway</h1></html>');
        return;
      case '429':
      case '429 with Retry-After': {
        const headers = kind === '429' ? {} : { 'retry-after': '1' };
        response.writeHead(429, { 'content-type': 'application/json', ...headers }).end('{"error":"slow down"}');
        return;
      }
      default:
        throw new Error(`“${kind}” needs the service’s answer.`);
    }
  }

  async function take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1;
    const kind = random.chance(share) ? random.pick(faultKinds) : undefined;
    if (kind) faults[kind] += 1;
    if (kind && kind !== 'half a body' && kind !== 'answer lost') return answerItself(kind, response);
    const reply = await forward(target, incoming);
    if (kind === 'answer lost') return void response.destroy();
    const headers = { 'content-type': reply.type, 'content-length': String(reply.body.length) };
    response.writeHead(reply.status, headers);
    if (kind === undefined) return void response.end(reply.body);
    response.write(reply.body.subarray(0, Math.floor(reply.body.length / 2)), () => response.destroy());
  }

  const server = createServer((incoming, response) => {
    response.on('error', () => undefined);
    take(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    get requests() {
      return requests;
    },
    fail: wanted => {
      share = wanted;
      if (wanted > 0) return;
      for (const [timer, work] of timers) {
        clearTimeout(timer);
        work();
      }
      timers.clear();
    },
    [Symbol.asyncDispose]: async () => {
      for (const timer of timers.keys()) clearTimeout(timer);
      server.closeAllConnections();
      if (server.listening) await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Passes a request on to `target`, and yields the answer. */
export async function forward(target: string, incoming: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { ...incoming.headers, 'content-length': String(body.length), connection: 'close' };
    const outgoing = request(`${target}${incoming.url}`, { method: incoming.method, headers, agent: false }, resolve);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
  const answer: Buffer[] = [];
  for await (const chunk of reply) answer.push(chunk);
  return {
    status: reply.statusCode ?? 502,
    type: reply.headers['content-type'] ?? 'application/json',
    body: Buffer.concat(answer),
  };
}
