import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { openDatabase } from '../../src/db/database.ts';
import type { ServiceOptions } from '../../src/service/call/options.ts';
import { createService } from '../../src/service/service.ts';
import type { DashboardTables } from '../../src/service/store/002-dashboards.ts';
import { makeDatabase } from './databases/fresh.ts';

/** An answer with its body read. */
export interface Reply {
  status: number;
  headers: Headers;
  body: ReturnType<typeof JSON.parse>;
}

/** The embedded service on a fresh database or the one of a given address, with a token for each role and a clock that the test sets. */
export async function openDesk(options: Partial<ServiceOptions> = {}, url = '') {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(url || stack.use(await makeDatabase()).url));
  const clock = { now: new Date('2026-03-01T12:00:00Z') };
  const service = stack.use(
    await createService({
      database,
      log: pino({ enabled: false }),
      clock: () => clock.now,
      options: { rootUrl: 'https://muster.example', ...options },
      tokens: [
        { token: 'v', role: 'Viewer' },
        { token: 'e', role: 'Editor', name: 'editor' },
        { token: 'a', role: 'Admin' },
      ],
    }),
  );
  const call = async (method: string, path: string, body?: unknown, token = 'e'): Promise<Reply> => {
    const response = await service.fetch(
      new Request(`http://test${path}`, {
        method,
        headers: token === '' ? {} : { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  const opened = stack.move();
  return {
    service,
    tables: database.as<DashboardTables>(),
    clock,
    call,
    save: (dashboard: object, rest: object = {}) => call('POST', '/api/dashboards/db', { dashboard, ...rest }),
    get: (uid: string) => call('GET', `/api/dashboards/uid/${uid}`),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** A dashboard as its authors publish it. */
export function readFixture(name: 'nginx-ingress-controller' | 'request-handling-performance') {
  const file = new URL(`./fixtures/dashboards/${name}.dashboard.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown> & { uid: string; title: string };
}
