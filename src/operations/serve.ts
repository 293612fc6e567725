import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Hono } from 'hono';
import type { Logger } from 'pino';
import { toWebListener } from '../service/http/fetch-listener.ts';
import { type HttpServer, serveHttp } from '../service/http/server.ts';
import { notFound } from './answers.ts';
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
  /** The port of the pages. */
  readonly pagesPort: number;
}

/** What people open in a browser: the pages, their door, short links and the reference. */
const isOfPages =
  /^\/($|incidents(\.csv|\/|$)|a(\/|$)|d(\/|$)|dashboards(\/|$)|goto\/|door\/|sign-out$|pages\/|reference\/?$|openapi\.json$|favicon\.ico$)/;

/** The addresses of health and metrics. */
const statusPaths: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Serves an application with its pages, health and metrics: beside it, or at ports of their own, where the application's port does
 * not know them. Rejects with a sentence when a port may not be used.
 */
export async function serveWithStatus(deps: {
  readonly application: Application;
  readonly status: StatusParts;
  readonly config: {
    readonly port: number;
    readonly host: string;
    readonly metricsPort: number | undefined;
    readonly pagesPort: number | undefined;
  };
  readonly log: Logger;
}): Promise<Served> {
  const { application, config, log } = deps;
  const { host, metricsPort, pagesPort } = config;
  await using stack = new AsyncDisposableStack();
  const status = toStatusListener(deps.status);
  const own =
    metricsPort === undefined
      ? undefined
      : stack.use(await serveHttp({ listener: status, port: metricsPort, host, setting: 'METRICS_PORT', log }));
  const rest = toWebListener(request => application.fetch(request));
  const nowhere = (response: ServerResponse) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(notFound));
  };
  const toPages = (request: IncomingMessage, response: ServerResponse) =>
    isOfPages.test(toPath(request)) ? rest(request, response) : nowhere(response);
  const pages =
    pagesPort === undefined
      ? undefined
      : stack.use(await serveHttp({ listener: toPages, port: pagesPort, host, setting: 'PAGES_PORT', log }));
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    if (pages && isOfPages.test(toPath(request))) return nowhere(response);
    if (!own && statusPaths.has(request.url?.split('?', 1)[0])) status(request, response);
    else if (!application.take(request, response)) rest(request, response);
  };
  const { url, port } = stack.use(await serveHttp({ listener, port: config.port, host, log }));
  const running = stack.move();
  return {
    ...{ url, port },
    metricsPort: own?.port ?? port,
    pagesPort: pages?.port ?? port,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The path of a request as the service reads it: slashes may be doubled, and one may be at its end. */
function toPath(request: IncomingMessage): string {
  return (request.url?.split('?', 1)[0] ?? '').replace(/\/{2,}/g, '/');
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
