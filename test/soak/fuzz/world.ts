import { Agent } from 'node:http';
import { openDatabase } from '../../../src/db/database.ts';
import { openLog } from '../../../src/operations/log.ts';
import { serveService } from '../../../src/service/http/server.ts';
import { createService } from '../../../src/service/service.ts';
import { serviceLock } from '../../../src/service/store/tables.ts';
import { addEndpoint } from '../../../src/service/webhooks/endpoints.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { call, tokens } from '../../support/service.ts';
import { findViolations } from '../../support/soundness/rules.ts';
import type { AllTables } from '../../support/soundness/snapshot.ts';
import { check, type FuzzAnswer } from './check.ts';
import { overHttp } from './over-http.ts';
import type { FuzzRequest } from './requests.ts';
import { cursorMark } from './values.ts';

/** A service with a little of everything in it, to send requests to. */
export interface FuzzWorld extends AsyncDisposable {
  /** Sends a request and throws unless its answer is one that it may have. */
  send(request: FuzzRequest): Promise<FuzzAnswer>;
  /** Throws unless the database is whole and the log has no errors and no tokens. */
  inspect(): Promise<void>;
}

/** Opens a world on a database of its own. Its clock goes on by a second with each call. */
export async function openWorld(): Promise<FuzzWorld> {
  await using stack = new AsyncDisposableStack();
  const fresh = stack.use(await makeDatabase());
  const database = stack.use(await openDatabase(fresh.url));
  const lines: string[] = [];
  let time = Date.UTC(2026, 8, 19, 9, 30);
  const service = stack.use(
    await createService({
      database,
      log: openLog('trace', { write: line => void lines.push(line) }),
      clock: () => {
        time += 1000;
        return new Date(time);
      },
      options: { pages: 'open', rootUrl: 'https://muster.example.com' },
      tokens: Object.entries(tokens).map(([name, token]) => ({ token, role: name as keyof typeof tokens, name })),
      timers: { after: () => () => {}, monotonicNow: () => 0 },
    }),
  );
  const server = stack.use(await serveService({ service, port: 0, log: openLog('silent') }));
  const agent = stack.adopt(new Agent({ keepAlive: true }), each => each.destroy());

  const endpoint = { url: 'http://127.0.0.1:9/', secret: 's', includePrivate: true };
  await database.withLock<AllTables, number>(serviceLock, db => addEndpoint(db.withTables(), endpoint, new Date(time)));
  const at = { incidentID: '1' };
  for (const title of ['One', 'Two', 'Three']) await call({ service }, 'IncidentsService.CreateIncident', { title });
  for (const text of ['fix', 'tell']) await call({ service }, 'TasksService.AddTask', { ...at, text });
  for (const body of ['first', 'see https://example.com/']) {
    await call({ service }, 'ActivityService.AddActivity', { ...at, body });
  }
  await call({ service }, 'IncidentsService.AddLabel', { ...at, label: { label: 'db' } });
  await call({ service }, 'IncidentsService.AssignRole', { ...at, userID: 'user:a', role: 'commander' });
  const post = async (path: string, body: object) => {
    const answer = await service.handle({ method: 'POST', path, headers: {}, body: JSON.stringify(body) });
    if (answer.status !== 200) throw new Error(answer.body);
  };
  await post('/api/folders', { uid: 'team', title: 'Team' });
  await post('/api/dashboards/db', { dashboard: { uid: 'board', title: 'Board', tags: ['a'] } });
  await post('/api/dashboards/db', { dashboard: { uid: 'other', title: 'Other' }, folderUid: 'team' });
  await post('/api/short-urls', { path: 'd/board/board', uid: 'short' });

  let cursor = '';

  async function answer({ way, method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
    if (way === 'HTTP') return await overHttp(agent, server.port, { method, path, headers, body });
    if (way === 'in process') {
      const text = body?.toString('utf8');
      const answered = await service.handle({ method, path, headers, body: text });
      return { status: answered.status, headers: new Headers(answered.headers), text: answered.body };
    }
    const bodiless = body === undefined || /^(GET|HEAD)$/i.test(method);
    const request = new Request(`http://service${path}`, {
      method,
      headers: { ...headers, 'accept-encoding': 'identity' },
      ...(bodiless ? {} : { body: new Uint8Array(body) }),
    });
    const response = await service.fetch(request);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  const open = stack.move();
  return {
    async send(request) {
      const body = request.body?.includes(cursorMark)
        ? Buffer.from(request.body.toString('utf8').replaceAll(cursorMark, cursor))
        : request.body;
      const before = process.threadCpuUsage();
      const answered = await answer({ ...request, body });
      const { user, system } = process.threadCpuUsage(before);
      check(request, answered, (user + system) / 1000);
      cursor = /"nextValue":"([\w-]+)"/.exec(answered.text)?.[1] ?? cursor;
      return answered;
    },
    async inspect() {
      const violations = await findViolations(database, { plain: false });
      if (violations.length > 0) throw new Error(`the database is not whole: ${violations.join('; ')}`);
      const wrong = lines.find(each => /"level":"(?:error|fatal)"/.test(each) || each.includes('glsa_'));
      if (wrong !== undefined) throw new Error(`this is in the log: ${wrong}`);
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
