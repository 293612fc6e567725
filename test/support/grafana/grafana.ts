import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openDashboardApi } from './dashboard-api.ts';
import { decode, requests as documented, newerMembers, type Requests, undocumented } from './documents.ts';
import type { Failure, Reply } from './failures.ts';
import { type KnownUser, openIncidentApi, Refusal } from './incident-api.ts';
import { dress, type Oddities, plain } from './oddities.ts';

/** A request, and what became of it. */
export interface Taken {
  readonly method: string;
  /** As it came, with its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** `IncidentsService.GetIncident`, `GET /api/dashboards/uid/:uid`; another address is its method and path. */
  readonly operation: string;
  /** Members of its body that the documents do not have. */
  readonly beyond: readonly string[];
}

/** How a Grafana differs from the usual. */
export interface GrafanaOptions {
  readonly oddities?: Partial<Oddities>;
  readonly now?: () => Date;
  /** The people whom it knows; absent: nobody. */
  readonly users?: () => readonly KnownUser[];
  /** The path below which it is served, such as `/grafana`; absent: none. */
  readonly subPath?: string;
  /** The address that people open; absent: that of the server. */
  readonly rootUrl?: string | undefined;
}

/** A failure of some requests. */
interface Fault {
  readonly when: string | RegExp;
  readonly failure: Failure;
  times: number;
}

const text = (status: number, body: string): Reply => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
});
const json = (status: number, body: object, type = 'application/json; charset=utf-8'): Reply => ({
  status,
  headers: { 'content-type': type },
  body: JSON.stringify(body),
});
const plugins = ['grafana-irm-app', 'grafana-incident-app'];
const operations = { ...documented, ...undocumented };

/** The names that docs/operations.md gives the endpoints, so that a failure is named alike for both APIs. */
const endpointNames: Readonly<Record<string, string>> = {
  'POST /api/short-urls': 'ShortUrls.create',
  'POST /api/dashboards/db': 'Dashboards.save',
};

/**
 * A Grafana with the incident plugin, on a free port, in memory, made from the two API documents and the vendor's published samples alone: it
 * shares no code with Muster. It does whatever a token of role Admin may.
 */
export async function openGrafana(options: GrafanaOptions = {}) {
  const { now = () => new Date(), users = () => [], subPath = '' } = options;
  const oddities: Oddities = { ...plain, ...options.oddities };
  const token = 'glsa_0123456789abcdefghijklmnopqrstuv_01234567';
  const taken: Taken[] = [];
  const faults: Fault[] = [];
  let held: readonly { readonly at: number; readonly run: () => void }[] = [];
  let onHeld = Promise.withResolvers<void>();
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${subPath}`;
  const incidentApi = openIncidentApi({ now, oddities, users });
  const dashboardApi = openDashboardApi({ now, oddities, rootUrl: options.rootUrl ?? url });

  function refuse({ status, code, message }: Refusal, operation: string): Reply {
    switch (oddities.refusals) {
      case 'status 200':
        return json(200, { error: message });
      case 'status 500':
        return json(status === 404 && operation.endsWith('.GetIncident') ? 404 : 500, { error: message });
      case 'problem': {
        const title = { 400: 'Bad Request', 404: 'Not Found', 409: 'Conflict' }[status];
        const problem = { type: 'about:blank', title, status, detail: message, code, retryable: false, error: message };
        return json(status, problem, 'application/problem+json');
      }
    }
  }

  /** What a request asks for: its operation, and how it is done. */
  function route({ method, path, body }: Pick<Taken, 'method' | 'path' | 'body'>) {
    const own = path.startsWith(`${subPath}/`) ? path.slice(subPath.length) : undefined;
    const [pathname = ''] = (own ?? path).split('?');
    const [, pluginID = '', name = ''] =
      /^\/api\/plugins\/([\w-]+)\/resources\/api\/v1\/([\w.]+)$/.exec(pathname) ?? [];
    const lost = { operation: `${method} ${pathname}`, beyond: [] };
    if (own === undefined) return { ...lost, answer: () => text(404, '404 page not found\n') };
    if (pathname.startsWith('/api/plugins/')) {
      const isThere = plugins.includes(pathname.split('/')[3] ?? '');
      const zero = Reflect.get(oddities.usersService ? operations : documented, name) as object | undefined;
      if (!isThere) {
        const missing = { message: 'Plugin not found', messageId: 'plugin.notFound', statusCode: 404, traceID: '' };
        return { ...lost, operation: name, answer: () => json(404, missing) };
      }
      if (method !== 'POST' || zero === undefined) {
        return { ...lost, operation: name, answer: () => text(404, '404 page not found\n') };
      }
      const given = readJson(body);
      const { value, wrong, beyond } = decode({ ...zero, ...newerMembers[name] }, given);
      const answer = () => {
        try {
          if (given === undefined) throw new Refusal(400, 'unexpected end of JSON input');
          if (wrong[0] !== undefined) throw new Refusal(400, wrong[0]);
          const result = incidentApi.call(name as keyof Requests, value as never, pluginID);
          return json(200, dress({ ...result, error: '' }, oddities));
        } catch (error) {
          if (error instanceof Refusal) return refuse(error, name);
          throw error;
        }
      };
      const { beyond: unread } = decode(zero, given);
      return { operation: name, beyond: beyond.length > 0 ? beyond : unread, answer };
    }
    const pattern = `${method} ${pathname.replace(/^(\/(?:api\/dashboards\/uid|goto)\/)[^/]+/, '$1:uid')}`;
    const asked = { method, path: own, body: readJson(body) };
    const answer = () => dashboardApi.answer(asked) ?? json(404, { message: 'Not found', traceID: '' });
    return { operation: endpointNames[pattern] ?? pattern, beyond: [], answer };
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const body = Buffer.concat(chunks).toString('utf8');
    const { operation, beyond, answer } = route({ method, path, body });
    taken.push({ method, path, headers, body, operation, beyond });
    const isPage = method === 'GET' && !path.startsWith(`${subPath}/api/`);
    if (headers.authorization !== `Bearer ${token}`) {
      const login = { status: 302, headers: { location: `${subPath}/login` }, body: '' };
      return send(response, isPage ? login : json(401, { message: 'Unauthorized', messageId: 'auth.unauthorized' }));
    }
    const fault = faults.find(({ when, times }) => {
      const isMeant = typeof when === 'string' ? operation.endsWith(when) : when.test(operation);
      return times > 0 && isMeant;
    });
    if (!fault) return send(response, answer());
    fault.times -= 1;
    const { effect, reply } = fault.failure;
    if (typeof effect === 'object') {
      const came = now().getTime();
      const { after, cut = after } = effect;
      held = [...held, { at: came + after * 1000, run: () => send(response, answer()) }];
      if (cut < after) held = [...held, { at: came + cut * 1000, run: () => request.socket.destroy() }];
      onHeld.resolve();
      onHeld = Promise.withResolvers();
      return;
    }
    const real = effect === 'at once' ? answer() : undefined;
    if (reply === 'reset') return void request.socket.resetAndDestroy();
    if (reply === 'half')
      return sendHalf(response, real ?? json(200, { incident: { incidentID: '1', title: 'x' }, error: '' }));
    send(response, reply?.() ?? real ?? answer());
  }

  return {
    url,
    token,
    settings: { GRAFANA_URL: url, GRAFANA_TOKEN: token },
    /** Every request, the oldest first. */
    taken: taken as readonly Taken[],
    /** What it holds. */
    incidents: incidentApi.incidents,
    roles: incidentApi.roles,
    account: incidentApi.account,
    /** Resolves when the next request is held. */
    holds: () => onHeld.promise,
    /** Time has passed: what is due takes effect, and is answered where somebody still waits for the answer. */
    tick: (): void => {
      const isDue = ({ at }: { readonly at: number }) => at <= now().getTime();
      const due = held.filter(isDue).toSorted((one, other) => one.at - other.at);
      held = held.filter(each => !isDue(each));
      for (const { run } of due) run();
    },
    /** Somebody else does something, whatever fails meanwhile. Throws {@link Refusal}. */
    call: <O extends keyof Requests>(operation: O, request: Partial<Requests[O]>): object =>
      incidentApi.call(operation, decode(operations[operation] as Requests[O], request).value, 'grafana-irm-app'),
    /** Somebody saves a dashboard. */
    saveDashboard: (dashboard: { readonly uid: string; readonly title: string }): void => {
      dashboardApi.answer({ method: 'POST', path: '/api/dashboards/db', body: { dashboard, overwrite: true } });
    },
    /** From here on, the requests of operations whose name ends so, or fits, fail in this way, so many times; the newest failure counts. */
    fail: (when: string | RegExp, failure: Failure, times = Number.POSITIVE_INFINITY): void => {
      faults.unshift({ when, failure, times });
    },
    /** No request fails any more. */
    heal: (): void => {
      faults.length = 0;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body === '' ? '{}' : body);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers }).end(body);
}

/** Sends the first half of an answer, and breaks the connection. */
function sendHalf(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
  response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
}
