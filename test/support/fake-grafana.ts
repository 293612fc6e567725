import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { peopleHeader } from '../../src/contract/acting.ts';
import type { KnownPerson } from '../../src/contract/define.ts';
import { openDatabase } from '../../src/db/database.ts';
import { toWebListener } from '../../src/service/http/fetch-listener.ts';
import { serveHttp } from '../../src/service/http/server.ts';
import { createService } from '../../src/service/service.ts';
import { serviceLock, type Tables } from '../../src/service/store/tables.ts';
import { addEndpoint, listDeliveries, removeEndpoint } from '../../src/service/webhooks/endpoints.ts';
import { patient } from './deadlines.ts';
import { openWatchedLog } from './watched-log.ts';

/** What goes wrong with requests whose verb and path match. */
export interface GrafanaFault {
  /** Of `POST /api/short-urls`. */
  readonly when: RegExp;
  readonly answer:
    | { readonly status: number; readonly body: string; readonly headers?: Record<string, string> }
    /** The request waits for what this returns, then takes effect and is answered. */
    | { readonly until: () => Promise<unknown> }
    | 'stall'
    | 'hang up'
    | 'half a body';
  /** The request takes effect, and then the answer above is sent in place of the real one. */
  readonly afterEffect?: boolean;
  /** After it nothing is answered until the faults are healed. */
  readonly thenAway?: boolean;
  /** How often; always when absent. */
  times?: number;
}

/**
 * A Grafana on a free port: the embedded service over HTTP, as a stranger's, with faults. Closed when the test ends. `users` are
 * those it knows beforehand. With `spacesTimes` it writes times as the samples of the incident document do. With `ownIds` it has ids of its
 * own for the people whom others send by their Slack ids, and lists nobody. With `keepsFields` false it keeps no fields of notes and links.
 */
export async function openFakeGrafana({
  port = 0,
  users = [] as readonly KnownPerson[],
  spacesTimes = false,
  ownIds = false,
  keepsFields = true,
} = {}) {
  const stack = new AsyncDisposableStack();
  const { log } = openWatchedLog({ close: () => stack.disposeAsync() });
  const database = stack.use(await openDatabase('sqlite::memory:'));
  const token = 'glsa_test';
  const faults: GrafanaFault[] = [];
  const requests: string[] = [];
  const named: string[] = [];
  const options = { rootUrl: 'https://grafana.example.com', users };
  const tokens = [{ token, role: 'Editor' as const }];
  const deadlines = patient();
  const service = stack.use(
    await createService({ database, deadlines, clock: () => new Date(), log, options, tokens }),
  );
  const bodies: string[] = [];
  const listener = toWebListener(async request => {
    const body = await request.clone().text();
    bodies.push(body);
    if (!ownIds || body === '') return written(await service.fetch(request));
    const { url, method, headers } = request;
    const kept = [...headers].filter(([name]) => name !== 'content-length');
    return written(await service.fetch(new Request(url, { method, headers: kept, body: toKnown(body) })));
  });
  const toKnown = (body: string) => body.replace(/"grafana-incident:user-(\w+)"/g, '"slack:$1"');
  const withoutFields = (text: string) => {
    const empty = (_: string, value: { activityKind?: string }) =>
      ['userNote', 'contextAttached'].includes(value?.activityKind ?? '') ? { ...value, fieldValues: {} } : value;
    return text.startsWith('{') ? JSON.stringify(JSON.parse(text, empty)) : text;
  };
  const written = async (answer: Response) => {
    // A real Grafana does not say that it takes it.
    answer.headers.delete(peopleHeader);
    if (!spacesTimes && !ownIds && keepsFields) return answer;
    const toSpaced = (_: string, date: string, clock: string, fraction = '') =>
      `"${date} ${clock}.${fraction.padEnd(6, '0')}"`;
    const said = keepsFields ? await answer.text() : withoutFields(await answer.text());
    const known = ownIds ? said.replace(/"slack:(\w+)"/g, '"grafana-incident:user-$1"') : said;
    const body = !spacesTimes
      ? known
      : known.replace(/"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z"/g, toSpaced);
    const { status, headers } = answer;
    return new Response(body === '' ? null : body, {
      status,
      headers: [...headers].filter(([name]) => name !== 'content-length'),
    });
  };
  /** The service's answer, which is not sent yet. */
  const pass = async (request: IncomingMessage) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { authorization = `Bearer ${token}` } = request.headers;
    const headers = { 'content-type': 'application/json', authorization };
    const method = request.method ?? 'POST';
    const sent = Buffer.concat(chunks).toString();
    const asked = new Request(`http://test${request.url}`, { method, headers, body: ownIds ? toKnown(sent) : sent });
    return written(await service.fetch(asked));
  };
  /** A real Grafana names ten holders of roles in an incident, and fills the list up with empty ones (docs/api-rules.md A3). */
  const sendWithSlots = async (request: IncomingMessage, response: ServerResponse) => {
    const answer = await pass(request);
    const body = (await answer.json()) as { incident?: { incidentMembership?: { assignments: unknown[] } } };
    const membership = body.incident?.incidentMembership;
    if (membership) {
      const user = { userID: '', name: '', photoURL: '' };
      const slots = Array.from(
        { length: 10 },
        (_, at) => membership.assignments[at] ?? { user, role: { roleID: 0, name: '' }, roleID: 0 },
      );
      membership.assignments = slots;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const line = `${request.method} ${request.url}`;
    requests.push(line);
    // A real Grafana knows nothing of our header.
    if (request.headers[peopleHeader] !== undefined) named.push(line);
    const at = request.rawHeaders.findIndex(name => name.toLowerCase() === peopleHeader);
    if (at >= 0) request.rawHeaders.splice(at, 2);
    if (ownIds && line.endsWith('QueryUsers')) {
      const nobody = { users: [], cursor: { hasMore: false, nextValue: '' }, error: '' };
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(nobody));
    }
    const fault = faults.find(each => each.when.test(line) && (each.times ?? 1) > 0);
    if (!fault && /IncidentsService\.GetIncident$/.test(line)) return sendWithSlots(request, response);
    if (!fault) return listener(request, response);
    if (fault.times !== undefined) fault.times -= 1;
    if (fault.thenAway) faults.unshift({ when: /./, answer: 'hang up' });
    if (fault.afterEffect) await pass(request);
    if (fault.answer === 'stall') return;
    if (typeof fault.answer === 'object' && 'until' in fault.answer) {
      await fault.answer.until();
      return listener(request, response);
    }
    if (fault.answer === 'hang up') return request.socket.destroy();
    if (fault.answer === 'half a body') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"incident":{"incidentID":"7","ti', () => response.socket?.destroy());
      return;
    }
    const { status, body, headers } = fault.answer;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
  const server = await serveHttp({
    listener: (request, response) => void take(request, response),
    port,
    deadlines,
    log,
  });
  stack.use(server);
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    settings: { GRAFANA_URL: url, GRAFANA_TOKEN: token },
    requests,
    /** The requests that said for whom they were made. */
    named,
    /** Sends webhooks to an address from here on, ends that, and waits until every address has taken all that has happened. */
    webhooks: {
      add: (to: string, secret: string) =>
        database.withLock<Tables, number>(serviceLock, db =>
          addEndpoint(db, { url: to, secret, query: '' }, new Date()),
        ),
      remove: (id: number) => database.withLock<Tables, void>(serviceLock, db => removeEndpoint(db, id, new Date())),
      taken: () =>
        expect
          .poll(async () => (await listDeliveries(database.as<Tables>(), { limit: 1000 })).map(each => each.status))
          .not.toContain('todo'),
    },
    /** The bodies of the requests that took effect without a fault. */
    bodies,
    fail: (fault: GrafanaFault) => {
      faults.unshift(fault);
    },
    heal: () => {
      faults.length = 0;
    },
  };
}
