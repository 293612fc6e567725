import { gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import type { Report } from '../../src/conformance/report.ts';
import { runChecks } from '../../src/conformance/run.ts';
import { toWebListener } from '../../src/service/http/fetch-listener.ts';
import { serveHttp } from '../../src/service/http/server.ts';
import { patient } from './deadlines.ts';
import { type OpenedService, openService, tokens } from './service.ts';

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> | string;
  readonly location?: string;
}

/** Changes answers on their way out of a server. */
export type Meddling = (seen: {
  /** The last segment of the path. */
  readonly operation: string;
  /** Method and path of the request, as in `GET /api/dashboards/home`. */
  readonly request: string;
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** Gives the first value that came under a name. */
  readonly remember: <T>(name: string, value: T) => T;
  /** What the server answers to an operation that nobody has. */
  readonly unknown: Answer;
}) => Answer;

/** The embedded service over HTTP, its answers meddled with. */
export interface Served extends OpenedService {
  /** Where it listens. */
  readonly address: string;
}

/** Serves the embedded service on a free port. */
export async function serve(meddling?: Meddling): Promise<Served> {
  const opened = await openService();
  const first = new Map<string, unknown>();
  const remember = <T>(name: string, value: T): T => {
    if (!first.has(name)) first.set(name, value);
    return first.get(name) as T;
  };
  const answer = async (request: Request): Promise<Response> => {
    const response = await opened.service.fetch(request);
    if (!meddling || request.headers.get('accept-encoding') === 'gzip') return response;
    const { pathname } = new URL(request.url);
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = String(response.headers.has('content-encoding') ? gunzipSync(bytes) : bytes);
    const unknown = { status: 404, body: { error: 'nothing here', message: 'nothing here' } };
    const body = text === '' ? {} : JSON.parse(text);
    const operation = pathname.split('/').at(-1) ?? '';
    const changed: Answer = /NoSuchOperation$/.test(operation)
      ? unknown
      : meddling({
          operation,
          request: `${request.method} ${pathname}`,
          status: response.status,
          body,
          remember,
          unknown,
        });
    const headers = new Headers(response.headers);
    headers.delete('content-encoding');
    headers.delete('content-length');
    if (changed.location && headers.has('location')) headers.set('location', changed.location);
    const written = typeof changed.body === 'string' ? changed.body : JSON.stringify(changed.body);
    return new Response(written, { status: changed.status, headers });
  };
  const listener = toWebListener(answer);
  const server = await serveHttp({ listener, port: 0, deadlines: atOnce, log: pino({ level: 'silent' }) });
  const close = opened[Symbol.asyncDispose].bind(opened);
  return Object.assign(opened, {
    address: `http://127.0.0.1:${server.port}`,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await close();
    },
  });
}

let runs = 0;

/** The service lists at once what was changed. */
const atOnce = patient({ conformance: { search: 0 } });

/** Runs the kit against a served service. */
export async function checkServer(
  server: Pick<Served, 'address'>,
  options: Partial<Parameters<typeof runChecks>[0]> = {},
): Promise<Report> {
  runs += 1;
  const both = { token: tokens.Admin, viewerToken: tokens.Viewer };
  return await runChecks({ url: server.address, ...both, run: `test${runs}`, deadlines: atOnce, ...options });
}
