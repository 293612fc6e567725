import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a request came with. */
interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** How one request is treated, badly as a rule. */
export type Treatment = (response: ServerResponse, request: Received) => void;

/** A real server on a free port that treats each request as the next entry of a list says; the last entry counts from then on. */
export interface RoughServer extends AsyncDisposable {
  readonly baseUrl: string;
  readonly received: Received[];
  /** Resolves when a request has come in whole. */
  readonly arrival: () => Promise<unknown>;
}

/** Starts the server. */
export async function openRoughServer(...treatments: Treatment[]): Promise<RoughServer> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body };
    received.push(one);
    const treat = treatments[Math.min(received.length, treatments.length) - 1];
    treat?.(response, one);
    server.emit('arrived');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    arrival: () => once(server, 'arrived'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers like a well-behaved server. */
export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Treatment {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return response => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
    response.end(text);
  };
}

/** Takes the request and hangs up without a word. */
export const hangUp: Treatment = response => {
  response.socket?.destroy();
};

/** Takes the request and never says anything. */
export const stall: Treatment = () => {};

/** Promises more than it sends. */
export const cutBody: Treatment = response => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"incident":{"incidentID":"7","ti', () => response.socket?.destroy());
};

/** Breaks off between two chunks. */
export const cutChunks: Treatment = response => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"incident":{"incidentID":"7","ti', () => response.socket?.destroy());
};

/** Sends a byte now and then and never ends. */
export const trickle: Treatment = response => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 5);
  response.once('close', () => clearInterval(timer));
};
