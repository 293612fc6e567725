import { pino } from 'pino';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { ServiceOptions } from '../../src/service/call/options.ts';
import { createService, type Service } from '../../src/service/service.ts';
import type { Db, Tables } from '../../src/service/store/tables.ts';
import { serviceLock } from '../../src/service/store/tables.ts';
import { addEndpoint, type EndpointSetting, listDeliveries } from '../../src/service/webhooks/endpoints.ts';
import { makeDatabase } from './databases/fresh.ts';
import { patient } from './deadlines.ts';
import { TestTimers } from './timers.ts';

/** A process that serves: one of several, or one after another, on the desk's database. */
export interface Replica extends AsyncDisposable {
  readonly service: Service;
  readonly timers: TestTimers;
}

/** A database, a clock, and as many services on them as a test starts. */
export interface WebhookDesk extends AsyncDisposable {
  now: Date;
  readonly database: Database;
  /** Everything that was logged, as text. */
  readonly log: string[];
  /** Starts a service; the desk stops it at the end unless the test does. */
  start(settings?: readonly EndpointSetting[], options?: Partial<ServiceOptions>): Promise<Replica>;
  /** Adds an endpoint as the command does; its secret is `secret`. */
  add(url: string, query?: string, options?: { readonly includePrivate: boolean }): Promise<number>;
  /** Does something in a turn of the service. */
  change<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** The delivery log, oldest first. */
  deliveries(): ReturnType<typeof listDeliveries>;
}

/** Opens a desk on a database that disposal removes. */
export async function openDesk(): Promise<WebhookDesk> {
  const fresh = await makeDatabase();
  const { url } = fresh;
  const database = await openDatabase(url, { deadlines: patient() });
  const log: string[] = [];
  const replicas: Replica[] = [];
  const change = <T>(work: (db: Db) => Promise<T>) => database.withLock<Tables, T>(serviceLock, work);
  const desk: WebhookDesk = {
    now: new Date('2026-09-19T09:30:00.123Z'),
    database,
    log,
    async start(settings = [], options = {}) {
      const timers = new TestTimers(ms => {
        desk.now = new Date(desk.now.getTime() + ms);
      });
      const own = await openDatabase(url, { deadlines: patient() });
      const service = await createService({
        database: own,
        deadlines: patient(),
        log: pino({ level: 'trace' }, { write: line => log.push(line) }),
        clock: () => desk.now,
        webhooks: settings,
        options,
        timers,
      });
      const stack = new AsyncDisposableStack();
      stack.use(own);
      stack.use(service);
      const replica = { service, timers, [Symbol.asyncDispose]: () => stack.disposeAsync() };
      replicas.push(replica);
      return replica;
    },
    add: (address, query = '', options) =>
      change(db => addEndpoint(db, { url: address, secret: 'secret', query, ...options }, desk.now)),
    change,
    async deliveries() {
      return (await listDeliveries(database.as<Tables>(), { limit: 1000 })).toReversed();
    },
    async [Symbol.asyncDispose]() {
      for (const replica of replicas) await replica[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      await fresh[Symbol.asyncDispose]();
    },
  };
  return desk;
}
