import { createServer, type ServerResponse } from 'node:http';
import { OutgoingWebhookPayload } from '../../src/contract/webhooks.ts';

/** What a receiver does with a request: answers with a status, says nothing, begins an answer, hangs up, or waits for the test. */
export type Behaviour = number | 'hang' | 'trickle' | 'drop' | Promise<number>;

/** A request that came in. */
interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly payload: OutgoingWebhookPayload;
}

/** A real HTTP server on a free port that is told webhooks. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** Everything that came, in order. */
  readonly received: readonly Received[];
  /** The events that came, in order. */
  readonly events: string[];
  /** Resolves with the first `count` requests as soon as they have come. */
  first(count: number): Promise<readonly Received[]>;
}

/** Opens a receiver; `behave` says what it does with its requests in turn, the last for all that follow. */
export const openReceiver = (...behave: readonly Behaviour[]) => openReceiverAt(0, ...behave);

/** Opens a receiver on a port of its own. */
export async function openReceiverAt(wanted: number, ...behave: readonly Behaviour[]): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const behaviour = behave[Math.min(received.length, behave.length - 1)] ?? 200;
    received.push({
      path: request.url ?? '',
      headers: request.headers,
      body,
      payload: OutgoingWebhookPayload.parse(JSON.parse(body)),
    });
    for (const look of waiting) look();
    await answer(response, behaviour);
  });
  await new Promise<void>(resolve => server.listen(wanted, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    get events() {
      return received.map(each => each.payload.event.replace('grafana.incident.', ''));
    },
    async first(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = () => received.length >= count && resolve();
      waiting.add(look);
      look();
      await promise;
      waiting.delete(look);
      return received.slice(0, count);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

async function answer(response: ServerResponse, behaviour: Behaviour): Promise<void> {
  if (behaviour === 'hang') return;
  if (behaviour === 'trickle') {
    response.socket?.write('HTTP/1.1 200 OK\r\ndate: ');
    return;
  }
  if (behaviour === 'drop') {
    response.destroy();
    return;
  }
  const status = await behaviour;
  response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {});
  response.end('thanks');
}
