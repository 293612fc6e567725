import { readFileSync } from 'node:fs';
import type { ServiceOptions } from '../../src/service/call/options.ts';
import type { DashboardTables } from '../../src/service/store/dashboards.ts';
import { openService, tokens } from './service.ts';

/** An answer with its body read. */
export interface Reply {
  status: number;
  headers: Headers;
  body: ReturnType<typeof JSON.parse>;
}

/** The embedded service on a fresh database or the one of a given address, and a clock that the test sets. */
export async function openDesk(options: Partial<ServiceOptions> = {}, url?: string) {
  const opened = await openService(
    { rootUrl: 'https://muster.example', ...options },
    { url, now: new Date('2026-03-01T12:00:00Z') },
  );
  const call = async (method: string, path: string, body?: unknown, token: string = tokens.Editor): Promise<Reply> => {
    const response = await opened.service.fetch(
      new Request(`http://test${path}`, {
        method,
        headers: token === '' ? {} : { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  return {
    service: opened.service,
    tables: opened.database.as<DashboardTables>(),
    /** Its `now` may be set. */
    clock: opened,
    call,
    save: (dashboard: object, rest: object = {}) => call('POST', '/api/dashboards/db', { dashboard, ...rest }),
    get: (uid: string) => call('GET', `/api/dashboards/uid/${uid}`),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** A dashboard as its authors publish it. */
export function readFixture(name: 'nginx-ingress-controller' | 'request-handling-performance') {
  const file = new URL(`./fixtures/dashboards/${name}.dashboard.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown> & { uid: string; title: string };
}
