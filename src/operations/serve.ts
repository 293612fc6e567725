import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Hono } from 'hono';
import { tryDecodeURI } from 'hono/utils/url';
import type { Logger } from 'pino';
import type { Deadlines } from '../deadlines.ts';
import { toWebListener } from '../service/http/fetch-listener.ts';
import { type HttpServer, serveHttp } from '../service/http/server.ts';
import { notFound } from './answers.ts';
import type { StatusParts } from './health.ts';

/** What a process serves in addition to health and metrics. */
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
  readonly pagesPort: number;
}

/** The addresses that programs ask, apart from health and metrics: the APIs, Slack's, webhooks. People open all others in a browser. */
const isOfPrograms = /^\/(api\/|hooks\/|slack\/events$)/;

const statusPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Serves an application with its pages, health and metrics: at its own port, or at ports of their own, where the application's port does
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
  readonly deadlines: Deadlines;
  readonly log: Logger;
}): Promise<Served> {
  const { application, config, deadlines, log } = deps;
  const { host, metricsPort, pagesPort } = config;
  await using stack = new AsyncDisposableStack();
  const status = toStatusListener(deps.status);
  const own =
    metricsPort === undefined
      ? undefined
      : stack.use(
          await serveHttp({ listener: status, port: metricsPort, host, setting: 'METRICS_PORT', deadlines, log }),
        );
  const rest = toWebListener(request => application.fetch(request));
  const nowhere = (response: ServerResponse) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(notFound));
  };
  const toPages = (request: IncomingMessage, response: ServerResponse) => {
    const path = toPath(request);
    if (isOfPrograms.test(path) || statusPaths.has(path)) nowhere(response);
    else rest(request, response);
  };
  const pages =
    pagesPort === undefined
      ? undefined
      : stack.use(await serveHttp({ listener: toPages, port: pagesPort, host, setting: 'PAGES_PORT', deadlines, log }));
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const path = toPath(request);
    if (!own && statusPaths.has(path)) status(request, response);
    else if (pages && !isOfPrograms.test(path)) nowhere(response);
    else if (!application.take(request, response)) rest(request, response);
  };
  const { url, port } = stack.use(await serveHttp({ listener, port: config.port, host, deadlines, log }));
  const running = stack.move();
  return {
    ...{ url, port },
    metricsPort: own?.port ?? port,
    pagesPort: pages?.port ?? port,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The path of a request as the service reads it, in any way of writing. */
function toPath(request: IncomingMessage): string {
  const { pathname = '' } = URL.parse(`http://here${request.url}`) ?? {};
  return tryDecodeURI(pathname).replace(/\/{2,}/g, '/');
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
