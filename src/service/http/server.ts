import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { type Deadlines, deadlines as usualDeadlines } from '../../deadlines.ts';
import { toWebListener } from './fetch-listener.ts';
import type { FastPath } from './rpc-fast-path.ts';

/** A server that listens. Disposing stops it: running requests are answered, idle connections are closed. */
export interface HttpServer extends AsyncDisposable {
  /** The port it listens on, which differs from the one asked for when that was 0. */
  readonly port: number;
  /** Where this machine reaches it: `http://<address>:<port>`. */
  readonly url: string;
}

/** Serves the API alone over HTTP. Rejects when the port is not available. */
export async function serveService(deps: {
  service: { readonly fetch: (request: Request) => Promise<Response>; readonly fastPath?: FastPath };
  port: number;
  host?: string;
  deadlines?: Deadlines;
  log: Logger;
}): Promise<HttpServer> {
  const { fetch, fastPath } = deps.service;
  const rest = toWebListener(fetch);
  const listener: RequestListener = (request, response) => {
    if (!fastPath?.(request, response)) rest(request, response);
  };
  return serveHttp({ ...deps, listener });
}

/**
 * Listens on a port, 0 for a free one, at one address of the machine, or at all of them when the host is absent or empty. Rejects
 * with a sentence when it may not; the sentence names the setting that the port comes from.
 */
export async function serveHttp(deps: {
  listener: RequestListener;
  port: number;
  host?: string;
  setting?: 'PORT' | 'METRICS_PORT' | 'PAGES_PORT';
  /** Absent: those of Muster. */
  deadlines?: Deadlines;
  log: Logger;
}): Promise<HttpServer> {
  const { port: asked, host = '', setting = 'PORT', deadlines = usualDeadlines } = deps;
  const { headers, request, look, silence } = deadlines.service;
  const server = createServer(
    { headersTimeout: headers, requestTimeout: request, connectionsCheckingInterval: look },
    inTurn(deps.listener),
  );
  // A connection ends on which nothing moves, though an answer is due.
  server.timeout = silence;
  const stop = createStop(server);
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(asked, host || undefined, listening.resolve);
  await listening.promise.catch((cause: NodeJS.ErrnoException) => {
    throw explainListen(cause, { port: asked, host, setting });
  });
  server.off('error', listening.reject);
  server.on('error', err => deps.log.error({ err }, 'http: the server failed'));
  const { address, port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${toReachable(address)}:${port}`,
    [Symbol.asyncDispose]: stop,
  };
}

/** The address for a URL; `0.0.0.0` and `::` become the loopback address. */
function toReachable(address: string): string {
  if (address === '::' || address === '0.0.0.0') return '127.0.0.1';
  return isIPv6(address) ? `[${address}]` : address;
}

/** The function that stops a server. A connection that is kept alive is closed as soon as its request is answered. */
function createStop(server: Server): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  server.on('request', (_request, response) => {
    response.once('close', () => {
      if (stopped) setImmediate(() => server.closeIdleConnections());
    });
  });
  return () => {
    stopped ??= new Promise((resolve, reject) => {
      server.close(error => (error ? reject(error) : resolve()));
      server.closeIdleConnections();
    });
    return stopped;
  };
}

/** The most requests of a connection that wait before it is read no further. One read may bring some more. */
const mostWaiting = 8;

/** When `together` requests of all connections wait, those connections end on which `many` wait. */
interface Limits {
  readonly together: number;
  readonly many: number;
}

const usual: Limits = { together: 10_000, many: 100 };

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/**
 * Hands the requests of each connection to a listener one after another, as a client that does not pipeline sends them. Between
 * two of them other connections have their turn. What waits when the client goes is not begun.
 */
export function inTurn(listener: RequestListener, limits = usual): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  const all = { ...limits, waiting: 0 };
  return (request, response) => {
    const { socket } = request;
    let line = lines.get(socket);
    if (!line) {
      line = new Line(socket, listener, all);
      lines.set(socket, line);
    }
    line.take([request, response]);
  };
}

/** How many requests of all connections wait. */
interface AllLines extends Limits {
  waiting: number;
}

/** The requests of one connection. */
class Line {
  readonly #socket: Socket;
  readonly #listener: RequestListener;
  readonly #all: AllLines;
  readonly #waiting: Exchange[] = [];
  #busy = false;
  #watched = false;
  #ends = false;

  constructor(socket: Socket, listener: RequestListener, all: AllLines) {
    this.#socket = socket;
    this.#listener = listener;
    this.#all = all;
  }

  take(exchange: Exchange): void {
    // Nothing of a connection is processed after an answer that closes it (RFC 9112, 9.6).
    if (this.#ends) return;
    if (!this.#busy) this.#begin(exchange);
    else if (this.#all.waiting >= this.#all.together && this.#waiting.length >= this.#all.many) this.#socket.destroy();
    else this.#keep(exchange);
  }

  #keep(exchange: Exchange): void {
    if (this.#socket.destroyed) return;
    this.#waiting.push(exchange);
    this.#all.waiting += 1;
    if (!this.#isFull()) return;
    this.#watch();
    this.#socket.pause();
  }

  #begin([request, response]: Exchange): void {
    this.#busy = true;
    response.once('close', () => {
      this.#ends = !response.shouldKeepAlive;
      if (this.#waiting.length > 0) setImmediate(() => this.#goOn());
      else this.#busy = false;
    });
    this.#listener(request, response);
  }

  #goOn(): void {
    if (this.#ends || this.#socket.destroyed) {
      this.#all.waiting -= this.#waiting.length;
      this.#waiting.length = 0;
    }
    const wasFull = this.#isFull();
    const next = this.#waiting.shift();
    if (!next) return;
    this.#all.waiting -= 1;
    this.#begin(next);
    if (wasFull && !this.#isFull()) this.#socket.resume();
  }

  #isFull(): boolean {
    return this.#waiting.length >= mostWaiting;
  }

  /** Node's server resumes a connection whenever a request's body is read. */
  #watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    this.#socket.on('resume', () => {
      if (this.#isFull()) this.#socket.pause();
    });
  }
}

/** Why a server cannot listen, as one sentence for the person who starts it, and one on what to do. */
export function explainListen(
  cause: NodeJS.ErrnoException,
  {
    port,
    host,
    setting,
  }: {
    readonly port: number;
    /** Absent or `""`: at all addresses. */
    readonly host?: string;
    readonly setting: string;
  },
): Error {
  const { reason, remedy } = toWords(cause, setting, port);
  const place = host ? `${host}, port ${port}` : `port ${port}`;
  const message = `Muster cannot listen at ${place} (${setting}): ${reason}. ${remedy}`;
  return Object.assign(new Error(message, { cause }), { code: cause.code });
}

function toWords(cause: NodeJS.ErrnoException, setting: string, port: number): { reason: string; remedy: string } {
  switch (cause.code) {
    case 'EADDRINUSE':
      return {
        reason: 'another program listens there',
        remedy: `Stop that program, or set ${setting} to another port.`,
      };
    case 'EACCES':
    case 'EPERM':
      return port < 1024
        ? {
            reason: 'this user may not open a port below 1024',
            remedy: `Set ${setting} to a port from 1024 on, and let a proxy listen on ${port}.`,
          }
        : { reason: 'the system does not let this user', remedy: `Set ${setting} to another port.` };
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return {
        reason: 'this machine has no such address',
        remedy: 'Set HOST to an address of this machine, or leave it empty for all of them.',
      };
    default:
      return { reason: cause.message, remedy: `Set ${setting} to another port.` };
  }
}
