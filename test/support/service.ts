import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { z } from 'zod';
import { officialShapes } from '../../src/conformance/shape-watch.ts';
import { encodePeople, peopleHeader } from '../../src/contract/acting.ts';
import { type rpc, rpcBase } from '../../src/contract/contract.ts';
import type { Method, People } from '../../src/contract/define.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { Deadlines } from '../../src/deadlines.ts';
import type { ServiceOptions } from '../../src/service/call/options.ts';
import { createService, type Service } from '../../src/service/service.ts';
import { makeDatabase } from './databases/fresh.ts';
import { patient } from './deadlines.ts';
import { tokens } from './tokens.ts';

export { tokens };

/** A service on a database of its own, at a time that the test sets. */
export interface OpenedService extends AsyncDisposable {
  readonly service: Service;
  /** The open database, for reading what is stored. */
  readonly database: Database;
  /** The address of that database. */
  readonly url: string;
  /** The time it is; tests move it. */
  now: Date;
  /** Lines of level error that the service wrote. A test that expects one takes it out; what is left fails disposal. */
  readonly errors: Record<string, unknown>[];
}

/** Where a service is opened, and when. */
export interface Circumstances {
  /** A database that stays; absent: one that disposal removes. */
  readonly url?: string | undefined;
  readonly now?: Date;
  readonly deadlines?: Deadlines;
}

/** Opens a service. */
export async function openService(
  options: Partial<ServiceOptions> = {},
  { url: given, now = new Date('2026-09-19T09:30:00.123Z'), deadlines = patient() }: Circumstances = {},
): Promise<OpenedService> {
  await using stack = new AsyncDisposableStack();
  const url = given ?? stack.use(await makeDatabase()).url;
  const database = stack.use(await openDatabase(url, { deadlines }));
  const errors: Record<string, unknown>[] = [];
  const sink = new Writable({
    write(line, _encoding, done) {
      errors.push(JSON.parse(String(line)));
      done();
    },
  });
  const time = { now };
  const service = stack.use(
    await createService({
      database,
      deadlines,
      log: pino({ level: 'error' }, sink),
      clock: () => time.now,
      options,
      tokens: [
        { token: tokens.Viewer, role: 'Viewer', name: 'viewer' },
        { token: tokens.Editor, role: 'Editor', name: 'editor' },
        { token: tokens.Admin, role: 'Admin', name: 'admin' },
      ],
    }),
  );
  const opened = stack.move();
  return Object.assign(time, {
    service,
    database,
    url,
    errors,
    async [Symbol.asyncDispose]() {
      await opened.disposeAsync();
      if (errors.length > 0) throw new Error(`the service wrote errors to the log: ${JSON.stringify(errors)}`);
    },
  });
}

type Rpc = typeof rpc;
/** Every operation as `<Service>.<Operation>`. */
export type Operation = { [S in keyof Rpc]: `${S}.${keyof Rpc[S] & string}` }[keyof Rpc];
type MethodOf<O extends Operation> = O extends `${infer S extends keyof Rpc}.${infer M}`
  ? M extends keyof Rpc[S]
    ? Rpc[S][M]
    : never
  : never;
type OutputOf<O extends Operation> = MethodOf<O> extends Method<z.ZodType, infer T> ? z.output<T> : never;

/** How a call is made: with which token (absent: within the process), in whose name, under which plugin id. */
export interface Manner {
  readonly token?: string;
  readonly people?: People;
  readonly pluginID?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came back, the body read as JSON. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/**
 * Calls an operation and reads the answer, whatever it is: over HTTP with a token, else within the process. A success must
 * have the shape that official clients accept, a failure the error envelope (docs/api-rules.md A1).
 */
export async function request(
  { service }: Pick<OpenedService, 'service'>,
  operation: Operation | (string & {}),
  body: unknown = {},
  manner: Manner = {},
): Promise<Answered> {
  const path = `${rpcBase(manner.pluginID ?? 'grafana-irm-app')}/${operation}`;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = {
    'content-type': 'application/json',
    ...(manner.token === undefined ? {} : { authorization: `Bearer ${manner.token}` }),
    ...(manner.people === undefined ? {} : { [peopleHeader]: encodePeople(manner.people) }),
    ...manner.headers,
  };
  const answer =
    manner.token === undefined
      ? await service.handle({ method: 'POST', path, headers, body: text })
      : await toPlain(await service.fetch(new Request(`http://test${path}`, { method: 'POST', headers, body: text })));
  const answered = { ...answer, headers: new Headers(answer.headers), body: JSON.parse(answer.body) };
  if (answer.status === 200) officialShapes[operation]?.parse(answered.body);
  else checkEnvelope(answered);
  return answered;
}

async function toPlain(response: Response) {
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

function checkEnvelope({ status, body }: Answered): void {
  const { error, message, detail, title, type, code } = body;
  const sound =
    typeof error === 'string' && error !== '' && message === error && detail === error && body.status === status;
  if (!sound || !title || !type || !code) throw new Error(`not the error envelope: ${JSON.stringify(body)}`);
}

/** Calls an operation that must succeed, and gives its answer. */
export async function call<O extends Operation>(
  opened: Pick<OpenedService, 'service'>,
  operation: O,
  body: unknown = {},
  manner: Manner = {},
): Promise<OutputOf<O>> {
  const answer = await request(opened, operation, body, manner);
  if (answer.status !== 200) throw new Error(`${operation} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body as OutputOf<O>;
}
