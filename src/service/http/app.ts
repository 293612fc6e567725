import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { getPath } from 'hono/utils/url';
import { z } from 'zod';
import { Dashboards, findExportProblem } from '../../contract/dashboards.ts';
import type { Endpoint, Implementation } from '../../contract/define.ts';
import { Discovery, Search } from '../../contract/discovery.ts';
import { errorCodes, RpcError } from '../../contract/errors.ts';
import { parseJson } from '../../contract/exact-json.ts';
import { Folders } from '../../contract/folders.ts';
import { ShortUrls } from '../../contract/short-urls.ts';
import { isObject, type JsonObject } from '../../json-object.ts';
import type { CallGate, CallRequirements } from '../call/admit.ts';
import { revokedReason } from '../call/bearer-auth.ts';
import type { CallOrigin, Context } from '../call/context.ts';
import { quote, toMessage, toProblem, toRpcError } from '../call/errors.ts';
import { hasMoreValues } from '../call/json-values.ts';
import type { ServiceOptions } from '../call/options.ts';
import type { AdmittedReader } from '../call/readers.ts';
import { dashboards } from '../dashboards/dashboards.ts';
import { discovery, search } from '../dashboards/discovery.ts';
import { folders } from '../dashboards/folders.ts';
import { createShortUrls } from '../dashboards/short-urls.ts';
import { errorPage } from '../pages/door.ts';
import { mountPages } from '../pages/pages.ts';
import { asksForPage, bareHeaders, toRedirect } from '../pages/responses.ts';
import { readBody, webBody } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import { mountIncomingWebhook } from './incoming-webhook.ts';
import { type AskedBody, answerRpc, jsonType, maxRpcBody, parseRpcPath } from './rpc.ts';

/** An address of the APIs behind what a proxy left before it. Reading it there would pass by what the proxy keeps inside. */
const misplaced = /^(\/.+?)\/(?:api|goto)\//;

/**
 * Everything that the service answers over HTTP: RPC calls, endpoints, incoming webhooks, pages. The Hono app, the fast path
 * (rpc-fast-path.ts) and calls from within the process (service.ts) each build a `CallOrigin` of their own and meet in
 * `answerRpc`.
 */
export function createHttpApp(gate: CallGate, bodies: BodyBudget): Hono {
  const app = new Hono({ getPath: request => toPlainPath(getPath(request)) });
  app.use('/api/*', compress({ encoding: 'gzip' }));
  mountIncomingWebhook(app, gate, bodies);
  app.all('/api/plugins/*', async c => {
    const request = c.req.raw;
    const { pluginID, name } = parseRpcPath(c.req.path);
    const origin: CallOrigin = { ...gate.originOf(request), pluginID };
    const asked = name || (/\/resources\/api(?:\/v1)?(?:\/(.*))?$/s.exec(c.req.path)?.[1] ?? '');
    const body: AskedBody = room => readBody(webBody(request), maxRpcBody, room);
    const answer = await answerRpc({ gate, bodies }, origin, asked, body, request.method);
    return new Response(answer.body, answer);
  });
  mountEndpoints(app, gate, bodies);
  mountPages(app, gate);
  app.notFound(async c => {
    if (asksForPage(c.req.raw)) return await nowhere(gate, c.req.raw);
    const [, below] = misplaced.exec(c.req.path) ?? [];
    const message =
      below === undefined ? 'Not found' : `Not found: the proxy must take ${quote(below)} off the address.`;
    return c.json({ message, error: message }, 404, bareHeaders);
  });
  app.onError(error => toResponse(error, gate));
  return app;
}

/** The page for an address where nothing is. People who may not read get the page that they get for every other address. */
async function nowhere(gate: CallGate, request: Request): Promise<Response> {
  let error = new RpcError('not_found', 'Not found');
  let reader: AdmittedReader | undefined;
  if (gate.options.pages === 'slack') {
    try {
      ({ reader } = (await gate.admit(gate.originOf(request), { access: 'reader', effect: 'read' })).caller);
    } catch (refusal) {
      error = toRpcError(refusal, gate.log);
    }
  }
  return await errorPage(gate.options, request, error, reader);
}

function toResponse(error: unknown, gate: CallGate): Response {
  const { status, body, headers } = toProblem(toRpcError(error, gate.log));
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, ...bareHeaders, 'content-type': jsonType },
  });
}

/** The most bytes of a request, except for dashboards. */
const maxEndpointBody = 1024 * 1024;
/** The most bytes of a request to save a dashboard. Real ones exceed the 1 MiB that suffices elsewhere. */
const maxDashboardBody = 10 * 1024 * 1024;

/** The most values in the JSON of a request, counted at every depth. The largest real dashboards have a few ten thousand. */
const mostValues = 100_000;

/** How one group of endpoints writes its errors. */
interface ErrorFormat {
  /** The error for a body that cannot be read; `details` names the member, where there is one. `members` is what it holds. */
  readonly invalidBody: (details: string, members?: Readonly<Record<string, unknown>>) => RpcError;
  readonly toBody: (error: RpcError, status: number) => object;
}

/** Grafana's plain errors (docs/api-rules.md C1). */
const grafanaErrors: ErrorFormat = {
  invalidBody: (_, members = {}) => toInvalid(findExportProblem(members) ?? 'bad request data'),
  toBody: ({ message, reason }) => (reason === undefined ? { message } : { message, status: reason }),
};

function toInvalid(details: string): RpcError {
  return new RpcError('invalid_argument', details);
}

/** The errors of short URLs (docs/api-rules.md B, Error body). */
const shortUrlErrors: ErrorFormat = {
  invalidBody: details => new RpcError('invalid_argument', details, { reason: 'shorturl.bad-request' }),
  toBody: ({ message, reason }, statusCode) =>
    statusCode === 404 ? { message } : { statusCode, messageId: reason ?? 'shorturl.failed', message, traceID: '' },
};

interface Route {
  readonly endpoint: Endpoint;
  readonly segments: readonly string[];
  readonly errors: ErrorFormat;
  /** Checks an input against the contract; throws `ZodError` when it does not fit. */
  readonly prepare: (input: object) => (context: Context) => unknown;
}

/** The endpoint of a request, with the members of its input that the path holds. */
interface EndpointMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Answers the HTTP endpoints of the contract and those of folders on an app. Every failure gets Grafana's error body for that
 * endpoint (docs/api-rules.md A1, B, C1). Requests for other paths pass on.
 */
function mountEndpoints(app: Hono, gate: CallGate, bodies: BodyBudget): void {
  const routes = [
    ...toRoutes(Dashboards, dashboards, grafanaErrors),
    ...toRoutes(Folders, folders, grafanaErrors),
    ...toRoutes(Search, search, { ...grafanaErrors, invalidBody: toInvalid }),
    ...toRoutes(Discovery, discovery, { ...grafanaErrors, invalidBody: toInvalid }),
    ...toRoutes(ShortUrls, createShortUrls(), shortUrlErrors),
  ];
  app.use(async (c, next) => {
    const match = matchEndpoint(routes, c.req.method, toPlainPath(new URL(c.req.url).pathname));
    return match ? await answerEndpoint({ gate, bodies }, match, c.req.raw) : await next();
  });
}

/**
 * The path with single slashes and none at its end. A base address with a trailing slash, joined with a path, has a double one, and
 * many clients end paths with one.
 */
function toPlainPath(path: string): string {
  const single = path.replace(/\/{2,}/g, '/');
  return single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single;
}

function toRoutes<G extends Readonly<Record<string, Endpoint>>>(
  group: G,
  answers: Implementation<G, Context>,
  errors: ErrorFormat,
): Route[] {
  return Object.keys(group).flatMap((name: keyof G) => {
    const endpoint = group[name];
    const answer = answers[name];
    if (!endpoint) return [];
    const schema: G[keyof G]['input'] = endpoint.input;
    const prepare: Route['prepare'] = input => {
      const parsed = z.parse(schema, input);
      return context => answer(context, parsed);
    };
    return [{ endpoint, segments: endpoint.path.split('/'), errors, prepare }];
  });
}

function matchEndpoint(routes: readonly Route[], method: string, pathname: string): EndpointMatch | undefined {
  const httpMethod = method === 'HEAD' ? 'GET' : method;
  const segments = pathname.split('/');
  for (const route of routes) {
    if (route.endpoint.httpMethod !== httpMethod) continue;
    const params = matchSegments(route.segments, segments);
    if (params) return { route, params };
  }
  return undefined;
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (!part.startsWith(':')) {
      if (part !== segment) return undefined;
      continue;
    }
    const value = decode(segment);
    if (value === undefined || value === '') return undefined;
    params[part.slice(1)] = value;
  }
  return params;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

async function answerEndpoint(
  { gate, bodies }: { gate: CallGate; bodies: BodyBudget },
  { route, params }: EndpointMatch,
  request: Request,
): Promise<Response> {
  using room = bodies.open();
  let reader: AdmittedReader | undefined;
  try {
    const origin = gate.originOf(request);
    const admitted = await gate.admit(origin, toRequirements(route.endpoint, gate.options, origin));
    ({ reader } = admitted.caller);
    if (reader?.seesDashboards === false) throw new RpcError('not_found', 'Not found');
    const most = route.endpoint === Dashboards.save ? maxDashboardBody : maxEndpointBody;
    const body = request.method === 'GET' ? '' : await readBody(webBody(request), most, room);
    const output = await room.carryOut(async () => {
      const work = readInput(route, body, { ...readQuery(request), ...params });
      return await admitted.run(context => work(context));
    });
    if (!route.endpoint.redirects) return toJson(200, withoutAlternative(output));
    return toRedirect(z.object({ location: z.string() }).parse(output).location);
  } catch (error) {
    const refusal = toRpcError(error, gate.log);
    const isPage = route.endpoint === ShortUrls.goto && asksForPage(request);
    return isPage ? await errorPage(gate.options, request, refusal, reader) : toRefusal(route.errors, refusal);
  }
}

/** Without a token, a short link may be followed by those who may read the pages, or by anyone, as the options say. */
function toRequirements(endpoint: Endpoint, options: ServiceOptions, origin: CallOrigin): CallRequirements {
  const { access, effect } = endpoint;
  if (endpoint !== ShortUrls.goto) return { access, effect, isSearch: endpoint === Search.find };
  if (options.pages === 'slack')
    return { access: origin.header('authorization') === undefined ? 'reader' : access, effect };
  return { access: options.publicGoto ? 'anyone' : access, effect };
}

/** The query of a `GET`: a parameter that is repeated is a list. */
function readQuery({ method, url }: Request): object {
  if (method !== 'GET' && method !== 'HEAD') return {};
  const { searchParams } = new URL(url);
  return Object.fromEntries(
    [...new Set(searchParams.keys())].map(name => {
      const [first, ...more] = searchParams.getAll(name);
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
}

/** For all endpoints, step 1 of docs/api-rules.md C2. */
function readInput(route: Route, body: string, params: object): (context: Context) => unknown {
  if (hasMoreValues(body, mostValues)) {
    throw new RpcError('payload_too_large', `the body must have at most ${mostValues} values`);
  }
  const members = readObject(body);
  if (!members) throw route.errors.invalidBody('bad request data');
  try {
    return route.prepare({ ...members, ...params });
  } catch (error) {
    throw error instanceof z.ZodError ? route.errors.invalidBody(toMessage(error), members) : error;
  }
}

function readObject(body: string): JsonObject | undefined {
  if (body.trim() === '') return {};
  try {
    const value = parseJson(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toJson(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const bare = status >= 400 ? bareHeaders : {};
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': jsonType, ...bare, ...headers } });
}

/** The home page is either a dashboard or an address; only that one is sent (docs/api-rules.md C4). */
function withoutAlternative(output: unknown): unknown {
  if (typeof output !== 'object' || output === null || !('redirectUri' in output)) return output;
  const { redirectUri, ...home } = output;
  return redirectUri === '' ? home : { redirectUri };
}

/** 401 and 403 are the same for all endpoints, because they arise before any endpoint is reached (docs/api-rules.md A1). */
function toRefusal(errors: ErrorFormat, error: RpcError): Response {
  const { status } = errorCodes[error.code];
  const { message, reason, retryAfter } = error;
  if (error.code === 'unauthenticated' && reason === revokedReason) {
    const body = { message, error: { id: reason, maxConcurrentSessions: 0 } };
    return toJson(status, body, { 'www-authenticate': 'Bearer' });
  }
  if (error.code === 'unauthenticated') {
    const body = { message, messageId: reason, statusCode: status, traceID: '' };
    return toJson(status, body, { 'www-authenticate': 'Bearer' });
  }
  if (error.code === 'permission_denied' && reason !== undefined) {
    return toJson(status, { title: 'Access denied', message, accessErrorId: reason });
  }
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return toJson(status, errors.toBody(error, status), headers);
}
