import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import type { Logger } from 'pino';
import { type Deadlines, deadlines as usualDeadlines } from '../../deadlines.ts';
import { toWebListener } from './fetch-listener.ts';
import { inTurn } from './in-turn.ts';
import { explainListen } from './listen-problem.ts';
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
  service: {
    readonly fetch: (request: Request) => Promise<Response>;
    readonly fastPath?: FastPath;
  };
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

/** The address, in place of “all addresses” that of the loopback; as it stands in a URL. */
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
