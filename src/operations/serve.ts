import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Hono } from 'hono';
import type { Logger } from 'pino';
import { toWebListener } from '../service/http/fetch-listener.ts';
import { type HttpServer, serveHttp } from '../service/http/server.ts';
import type { StatusParts } from './health.ts';

/** What a process serves beside health and metrics. */
export interface Application {
  /** Answers a request that has a way of its own; false when it has none. */
  take(request: IncomingMessage, response: ServerResponse): boolean;
  /** Answers every other request. */
  fetch(request: Request): Promise<Response>;
}

/** A process that listens. Disposing stops it. */
export interface Served extends HttpServer {
  /** The port of health and metrics. */
  readonly metricsPort: number;
}

/** The addresses of health and metrics. */
const statusPaths: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Serves an application with health and metrics: beside it, or at a port of their own, where the application's port does not know
 * them. Rejects with a sentence when a port may not be used.
 */
export async function serveWithStatus(deps: {
  readonly application: Application;
  readonly status: StatusParts;
  readonly config: { readonly port: number; readonly host: string; readonly metricsPort: number | undefined };
  readonly log: Logger;
}): Promise<Served> {
  const { application, config, log } = deps;
  const { host, metricsPort } = config;
  await using stack = new AsyncDisposableStack();
  const status = toStatusListener(deps.status);
  const own =
    metricsPort === undefined
      ? undefined
      : stack.use(await serveHttp({ listener: status, port: metricsPort, host, setting: 'METRICS_PORT', log }));
  const rest = toWebListener(request => application.fetch(request));
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    if (!own && statusPaths.has(request.url?.split('?', 1)[0])) status(request, response);
    else if (!application.take(request, response)) rest(request, response);
  };
  const { url, port } = stack.use(await serveHttp({ listener, port: config.port, host, log }));
  const running = stack.move();
  return {
    ...{ url, port },
    metricsPort: own?.port ?? port,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Loads the library of the status pages when one is first asked for, so that a start does without it. */
function toStatusListener(parts: StatusParts): (request: IncomingMessage, response: ServerResponse) => void {
  let app: Hono | undefined;
  return toWebListener(async request => {
    const { createStatusApp } = await import('./health.ts');
    app ??= createStatusApp(parts);
    return await app.fetch(request);
  });
}
