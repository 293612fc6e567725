import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import { encodePeople, peopleHeader } from '../contract/acting.ts';
import { backoff } from '../contract/backoff.ts';
import { type Api, http, pluginIDs, rpc, rpcBase } from '../contract/contract.ts';
import type { CallOptions, Effect, Endpoint, Method } from '../contract/define.ts';
import { type ErrorCode, RpcError } from '../contract/errors.ts';
import { parseJson } from '../contract/exact-json.ts';
import { saysNothing, sparse } from '../contract/fields.ts';
import { incidentTypeHeader } from '../contract/incident-type.ts';
import { toFailure, toInvalidArgument, toInvalidResponse, withDetails } from './failure.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** How calls are made. Times are milliseconds. */
interface ClientOptions {
  readonly transport: Transport;
  /** Bearer token; goes into one header and nowhere else. Absent: no header, for a transport that needs none. */
  readonly token?: string | undefined;
  /** Default: the newer of the two that Grafana has (docs/api-rules.md A1). */
  readonly pluginID?: string | undefined;
  /** For one attempt. */
  readonly attemptTimeout: number;
  /** For a whole call with all its attempts, unless the call says otherwise (docs/api-rules.md A1, Timeout). */
  readonly budget: number;
  /** The longest wait between attempts that the API did not ask for; default 10,000. */
  readonly longestPause?: number;
  readonly breaker?: BreakerOptions;
  /** Whether calls carry the names of their people, which a Grafana has no use for; `if it says so`: where its answers carry the header too. Default: `yes`. */
  readonly takesPeople?: 'yes' | 'if it says so';
  /** pino's loggers fit. It receives methods, codes and error messages, never inputs, bodies or the token. */
  readonly log?: { debug(facts: object, message: string): void; warn(facts: object, message: string): void };
  /** Hears of each finished call, for metrics. */
  readonly observe?: (call: {
    /** `IncidentsService.GetIncident`, `Dashboards.get`. */
    readonly method: string;
    readonly outcome: 'ok' | ErrorCode;
    /** Milliseconds, attempts and waits together. */
    readonly ms: number;
    readonly attempts: number;
  }) => void;
  /** Milliseconds since the epoch that never step back. */
  readonly clock?: () => number;
  /** Resolves after some time; rejects as soon as the signal aborts. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>;
  /** In [0, 1). */
  readonly random?: () => number;
}

/**
 * Every method of the contract as a function. `health` tells whether the API answers at present; after `hurry` the next call tries it, though
 * it did not answer a moment ago.
 */
export type ApiClient = Api & { readonly health: () => BreakerState; readonly hurry: () => void };

/**
 * Makes every method of the contract callable: `client.IncidentsService.GetIncident({ incidentID })`. Each call is checked
 * against the contract before it is sent and when it is answered, and is repeated where that is safe. It rejects with RpcError
 * only. Throws TypeError when the token or plugin id cannot be sent.
 */
export function createClient(options: ClientOptions): ApiClient {
  const caller = new CallRunner(options);
  const pluginID = options.pluginID ?? pluginIDs[0];
  if (!/^[\w-]+$/.test(pluginID)) throw new TypeError('The plugin id may have letters, digits and hyphens only.');
  const headers = toHeaders(options.token);
  const toGroups = <M>(
    groups: Record<string, Record<string, M>>,
    toOperation: (name: string, method: M) => Operation,
  ) =>
    Object.entries(groups).map(([group, methods]) => {
      const calls = Object.entries(methods).map(([name, method]) => {
        const operation = toOperation(`${group}.${name}`, method);
        return [name, (input: unknown, call?: CallOptions) => caller.call(operation, input, call)] as const;
      });
      return [group, Object.fromEntries(calls)] as const;
    });
  const api = Object.fromEntries([
    ...toGroups<Method>(rpc, (name, method) => toRpcOperation(name, method, pluginID, headers)),
    ...toGroups<Endpoint>(http, (name, endpoint) => toHttpOperation(name, endpoint, headers)),
  ]) as Api;
  return { ...api, health: () => caller.health(), hurry: () => caller.hurry() };
}

function toHeaders(token: string | undefined): Record<string, string> {
  const headers = { accept: 'application/json', 'user-agent': 'muster' };
  if (token === undefined) return headers;
  if (!/^[\x21-\x7e]+$/.test(token)) throw new TypeError('The token has characters that a header cannot carry.');
  return { ...headers, authorization: `Bearer ${token}` };
}

/** Adds the headers that the embedded service understands, and Grafana ignores. */
function withExtensions(
  headers: Record<string, string>,
  { incidentType, ...options }: CallOptions = {},
  takesPeople: boolean,
): Record<string, string> {
  const people = takesPeople ? options.people : undefined;
  if (people === undefined && incidentType === undefined) return headers;
  return {
    ...headers,
    ...(people === undefined ? {} : { [peopleHeader]: encodePeople(people) }),
    ...(incidentType === undefined ? {} : { [incidentTypeHeader]: incidentType }),
  };
}

/** Runs calls: attempts, waits and the breaker, the same for every operation. */
class CallRunner {
  readonly #options: ClientOptions & typeof usual;
  readonly #breaker: Breaker;
  #takesPeople: boolean;

  constructor(options: ClientOptions) {
    this.#options = { ...usual, ...options };
    this.#breaker = new Breaker(options.breaker);
    this.#takesPeople = options.takesPeople !== 'if it says so';
  }

  health(): BreakerState {
    return this.#breaker.state(this.#options.clock());
  }

  hurry(): void {
    this.#breaker.hurry(this.#options.clock());
  }

  async call(operation: Operation, input: unknown, options: CallOptions | undefined): Promise<unknown> {
    const { path, body } = operation.encode(input);
    const headers = withExtensions(operation.headers, options, this.#takesPeople);
    const signal = options?.signal;
    const { budget = this.#options.budget, patience = budget } = options ?? {};
    const begun = this.#options.clock();
    let maybeApplied = false;
    for (let attempt = 1; ; attempt += 1) {
      const now = attempt === 1 ? begun : this.#options.clock();
      const timeout = Math.max(1, Math.ceil(Math.min(this.#options.attemptTimeout, budget - (now - begun))));
      const held = signal?.aborted ? toCanceled(signal.reason) : this.#breaker.enter(now);
      const outcome =
        held ??
        (await this.#attempt(operation, { method: operation.httpMethod, path, headers, body, signal, timeout }));
      if (!(outcome instanceof RpcError)) {
        this.#options.observe?.({
          method: operation.name,
          outcome: 'ok',
          ms: this.#options.clock() - begun,
          attempts: attempt,
        });
        return outcome.data;
      }
      // A read changes nothing, however it ends.
      maybeApplied ||= outcome.maybeApplied && operation.effect !== 'read';
      let error = withDetails(outcome, { method: operation.name, maybeApplied });
      const delay =
        held === undefined ? this.#delay(operation, error, { attempt, begun, budget, patience }) : undefined;
      if (delay !== undefined) {
        this.#options.log?.debug({ method: operation.name, code: error.code, attempt, delay }, 'client: trying again');
        try {
          await this.#options.sleep(delay, signal);
          continue;
        } catch (reason) {
          error = withDetails(toCanceled(reason), { method: operation.name, maybeApplied });
        }
      }
      const attempts = held === undefined ? attempt : attempt - 1;
      this.#options.observe?.({
        method: operation.name,
        outcome: error.code,
        ms: this.#options.clock() - begun,
        attempts,
      });
      throw error;
    }
  }

  async #attempt(operation: Operation, request: TransportRequest): Promise<{ data: unknown } | RpcError> {
    let outcome: { data: unknown } | RpcError;
    try {
      const response = await this.#options.transport(request);
      this.#takesPeople ||= response.headers[peopleHeader] !== undefined;
      outcome = this.#read(operation, response);
    } catch (thrown) {
      const text = 'The call failed with an unexpected error.';
      outcome = thrown instanceof RpcError ? thrown : new RpcError('internal', text, { cause: thrown });
    }
    if (outcome instanceof RpcError) this.#judge(operation, outcome, request.timeout);
    else this.#breaker.answered(this.#options.clock());
    return outcome;
  }

  #delay(
    { effect }: Operation,
    error: RpcError,
    call: { readonly attempt: number; readonly budget: number; readonly patience: number; readonly begun: number },
  ): number | undefined {
    const { clock, longestPause, random } = this.#options;
    return nextDelay({ ...call, error, effect, elapsed: clock() - call.begun, longestPause, random });
  }

  /** The response as the contract describes it, or the failure that it is. */
  #read(operation: Operation, response: TransportResponse): { data: unknown } | RpcError {
    const { status } = response;
    if (operation.redirects) {
      const location = response.headers.location;
      if (status >= 300 && status < 400 && typeof location === 'string') return { data: { location } };
      // Grafana shows its front page for an address it does not know (docs/api-rules.md B, GET /goto/:uid).
      if (status >= 200 && status < 300) {
        return new RpcError('not_found', 'There is no such short address.', { status, maybeApplied: false });
      }
    }
    let json: unknown;
    try {
      json = parseJson(response.body);
    } catch {
      json = undefined;
    }
    const failure = toFailure(operation, response, json, this.#options.clock(), this.#options.token);
    if (failure !== undefined) return failure;
    if (json === undefined) return toInvalidResponse(operation.name, response, 'not-json', this.#options.token);
    const parsed = operation.output.safeParse(json);
    // A member of the contract may be a number that is kept as its text.
    const read = parsed.success ? parsed : operation.output.safeParse(JSON.parse(response.body));
    return read.success ? read : toInvalidResponse(operation.name, response, read.error, this.#options.token);
  }

  /** Reports the outcome to the breaker. A deadline that the caller shortened shows nothing about the API. */
  #judge(operation: Operation, error: RpcError, timeout: number): void {
    const tooSlow = error.code === 'deadline_exceeded';
    if (error.code === 'canceled' || (tooSlow && timeout < this.#options.attemptTimeout)) this.#breaker.dropped();
    else if (error.code !== 'unavailable' && !tooSlow) this.#breaker.answered(this.#options.clock());
    else if (this.#breaker.failed(this.#options.clock(), error.message, operation.name)) {
      this.#options.log?.warn(
        { method: operation.name, code: error.code },
        `client: the API does not answer: ${error.message}`,
      );
    }
  }
}

function toCanceled(reason: unknown): RpcError {
  return new RpcError('canceled', 'The call was given up.', { maybeApplied: false, cause: reason });
}

/** What is known when an attempt has failed. Times are milliseconds. */
interface FailedAttempt {
  /** How many attempts have been made, the failed one included. */
  readonly attempt: number;
  readonly error: RpcError;
  readonly effect: Effect;
  /** Time since the call began. */
  readonly elapsed: number;
  /** Time that the whole call may take. */
  readonly budget: number;
  /** The longest wait that the API may ask for. */
  readonly patience: number;
  /** The longest wait between attempts that the API did not ask for. */
  readonly longestPause: number;
  /** In [0, 1). */
  readonly random: () => number;
}

const firstBackoff = 200;
const maxAttempts = 6;

/**
 * Milliseconds to wait before the next attempt; undefined when there is none. Full jitter over a doubling ceiling, never sooner
 * than the API asked for, and never later than patience and budget allow. A `create` is sent again only when it certainly had no effect.
 * A failure inside the API (`internal`) is repeated once, and so is a doubtful refusal: older installations refuse for good with the status
 * of a failure (docs/api-rules.md A1, Error envelope).
 */
export function nextDelay(failed: FailedAttempt): number | undefined {
  const { attempt, error, effect, elapsed, budget, patience, longestPause: longest, random } = failed;
  if (!(error.retryable || error.isDoubtful) || attempt >= maxAttempts) return undefined;
  if (effect === 'create' && error.maybeApplied) return undefined;
  if ((error.code === 'internal' || error.isDoubtful) && attempt >= 2) return undefined;
  const asked = (error.retryAfter ?? 0) * 1000;
  if (asked > patience) return undefined;
  const wait = asked + backoff(attempt, { first: firstBackoff, longest }, random);
  return elapsed + wait < budget ? wait : undefined;
}

/** One method or endpoint of the contract, with everything prepared that is the same for each call. */
interface Operation {
  /** `IncidentsService.GetIncident`, `Dashboards.get`: as in logs, metrics and errors. */
  readonly name: string;
  readonly effect: Effect;
  /** It is one of the incident API, and not of Grafana's own. */
  readonly isRpc: boolean;
  /** A server that keeps to the document of the incident API may not have it. */
  readonly isExtra: boolean;
  readonly httpMethod: TransportRequest['method'];
  readonly headers: Readonly<Record<string, string>>;
  readonly output: z.ZodType;
  readonly redirects: boolean;
  /** Path and JSON body for an input; throws RpcError `invalid_argument` when the contract refuses it. */
  readonly encode: (input: unknown) => { readonly path: string; readonly body: string | undefined };
}

/** Methods that the document does not describe (docs/api-rules.md A10), or calls deprecated. */
const extra = /^(?:UsersService\.|IncidentsService\.(?:Get(?:Homescreen|Incident)Version|QueryIncidents)$)/;

/** An RPC method as it is called: `POST {base}/<Service>.<Operation>` (docs/incident-api.md, call convention 1–3). */
function toRpcOperation(
  name: string,
  method: Method,
  pluginID: string,
  headers: Readonly<Record<string, string>>,
): Operation {
  const path = `${rpcBase(pluginID)}/${name}`;
  const read = toReader(name, method.input);
  return {
    name,
    effect: method.effect,
    isRpc: true,
    isExtra: extra.test(name),
    httpMethod: 'POST',
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    output: method.output,
    redirects: false,
    encode: input => ({ path, body: JSON.stringify(read(input)) }),
  };
}

/** An HTTP endpoint as it is called. Members of the input fill the `:names` of its path; the rest is the body, or the query. */
function toHttpOperation(name: string, endpoint: Endpoint, headers: Readonly<Record<string, string>>): Operation {
  const hasBody = endpoint.httpMethod === 'POST' || endpoint.httpMethod === 'PATCH';
  const read = toReader(name, endpoint.input);
  return {
    name,
    effect: endpoint.effect,
    isRpc: false,
    isExtra: false,
    httpMethod: endpoint.httpMethod,
    headers: hasBody ? { ...headers, 'content-type': 'application/json' } : headers,
    output: endpoint.output,
    redirects: endpoint.redirects ?? false,
    encode: input => {
      const rest = { ...read(input) };
      const path = endpoint.path.replace(/:(\w+)/g, (_, member: string) => {
        const segment = toSegment(name, member, String(rest[member]));
        delete rest[member];
        return segment;
      });
      return hasBody ? { path, body: JSON.stringify(rest) } : { path: `${path}${toQuery(rest)}`, body: undefined };
    },
  };
}

/** Members as a query, an array as a name that is repeated; what is empty stays away. `""` where nothing is left. */
function toQuery(members: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(members).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter(each => each !== undefined && each !== null && each !== '')
      .map(each => `${encodeURIComponent(name)}=${encodeURIComponent(String(each).toWellFormed())}`),
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** A member as one segment of a path. Servers resolve segments of dots alone, and would reach another endpoint. */
function toSegment(method: string, member: string, value: string): string {
  if (value === '.' || value === '..' || !value.isWellFormed()) {
    throw new RpcError('invalid_argument', `${member} cannot be part of an address`, { method, maybeApplied: false });
  }
  return encodeURIComponent(value);
}

function toReader(name: string, schema: z.ZodType): (input: unknown) => Record<string, unknown> {
  const prune = toPruner(schema);
  return input => {
    const parsed = schema.safeParse(input);
    if (!parsed.success) throw toInvalidArgument(name, parsed.error);
    const value = parsed.data as Record<string, unknown>;
    prune?.(value);
    return value;
  };
}

/** A function that removes, in place, the `ifSet` members that are empty; undefined when there are none. */
function toPruner(schema: z.core.$ZodType): ((value: unknown) => void) | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return toObjectPruner(def.shape);
    case 'array': {
      const each = toPruner(def.element);
      return each && (value => Array.isArray(value) && value.forEach(each));
    }
    case 'pipe':
      return toPruner(def.in);
    case 'optional':
    case 'nullable':
      return toPruner(def.innerType);
    default:
      return undefined;
  }
}

function toObjectPruner(shape: Readonly<Record<string, z.core.$ZodType>>): ((value: unknown) => void) | undefined {
  const droppable: string[] = [];
  const nested: [string, (value: unknown) => void][] = [];
  for (const [member, schema] of Object.entries(shape)) {
    const inner = toPruner(schema);
    if (sparse.has(schema as z.ZodType)) droppable.push(member);
    if (inner !== undefined) nested.push([member, inner]);
  }
  if (droppable.length === 0 && nested.length === 0) return undefined;
  return value => {
    const members = value as Record<string, unknown>;
    for (const [member, inner] of nested) inner(members[member]);
    for (const member of droppable) if (saysNothing(members[member])) delete members[member];
  };
}

/** An operation that fails so many times as often opens the breaker though others were answered just before. */
const mostOfOne = 3;

/** When a breaker opens, and for how long. */
interface BreakerOptions {
  /** Failures in a row that open it; default 5. */
  readonly failures?: number;
  /** Milliseconds until one call may try again; default 10,000. */
  readonly coolDown?: number;
}

/** `closed`: calls go through. `open`: calls fail at once. `half-open`: one call finds out whether the API is back. */
interface BreakerState {
  readonly state: 'closed' | 'open' | 'half-open';
  /** Milliseconds since the epoch of the first failure in the row; undefined when the last call got an answer. */
  readonly failingSince: number | undefined;
  /** The words of the last failure. */
  readonly lastFailure: string | undefined;
}

/**
 * Keeps calls away from an API that does not answer, so that people hear at once and the API can recover. Only silence counts:
 * `unavailable` and `deadline_exceeded`. Any answer, a refusal too, closes it. One operation that fails just after others were answered
 * does not open it: a proxy that blocks that operation must not hold up the others.
 */
export class Breaker {
  readonly #failures: number;
  readonly #coolDown: number;
  #row = 0;
  /** What failed in the row. */
  readonly #operations = new Set<string>();
  #answeredAt = Number.NEGATIVE_INFINITY;
  #since: number | undefined;
  #openedAt: number | undefined;
  #probing = false;
  #lastFailure: string | undefined;

  constructor(options: BreakerOptions = {}) {
    this.#failures = options.failures ?? 5;
    this.#coolDown = options.coolDown ?? 10_000;
  }

  /** Lets a call through, or gives the error to fail with. Each call let through must be `answered`, `failed` or `dropped`. */
  enter(now: number): RpcError | undefined {
    if (this.#openedAt === undefined) return undefined;
    const left = this.#openedAt + this.#coolDown - now;
    if (left <= 0 && !this.#probing) {
      this.#probing = true;
      return undefined;
    }
    const since = new Date(this.#since ?? this.#openedAt).toISOString();
    return new RpcError(
      'unavailable',
      `The API has not answered since ${since}. ${this.#lastFailure ?? ''}`.trimEnd(),
      {
        hint: 'Muster tries again every few seconds.',
        retryAfter: Math.max(1, Math.ceil(left / 1000)),
        maybeApplied: false,
      },
    );
  }

  /** Lets the next call through, though the rest is not over: a caller asks for it. */
  hurry(now: number): void {
    if (this.#openedAt !== undefined) this.#openedAt = Math.min(this.#openedAt, now - this.#coolDown);
  }

  /** The API answered. */
  answered(now: number): void {
    this.#answeredAt = now;
    if (this.#row === 0 && this.#openedAt === undefined) return;
    this.#row = 0;
    this.#operations.clear();
    this.#since = undefined;
    this.#openedAt = undefined;
    this.#probing = false;
    this.#lastFailure = undefined;
  }

  /** The API did not answer an operation. True when this opened the breaker. */
  failed(now: number, words: string, operation = ''): boolean {
    this.#row += 1;
    this.#operations.add(operation);
    this.#since ??= now;
    this.#lastFailure = words;
    const wasOpen = this.#openedAt !== undefined;
    const isOneOfMany = this.#operations.size === 1 && this.#since - this.#answeredAt < this.#coolDown;
    const enough = isOneOfMany ? mostOfOne * this.#failures : this.#failures;
    if (!this.#probing && (wasOpen || this.#row < enough)) return false;
    this.#openedAt = now;
    this.#probing = false;
    return !wasOpen;
  }

  /** The call ended without showing whether the API answers. */
  dropped(): void {
    this.#probing = false;
  }

  state(now: number): BreakerState {
    const open = this.#openedAt;
    const state = open === undefined ? 'closed' : this.#probing || now >= open + this.#coolDown ? 'half-open' : 'open';
    return { state, failingSince: this.#since, lastFailure: this.#lastFailure };
  }
}

/** What a client does unless its options say otherwise. */
const usual = {
  longestPause: 10_000,
  clock: () => performance.timeOrigin + performance.now(),
  sleep: (ms: number, signal: AbortSignal | undefined): Promise<unknown> => wait(ms, undefined, { signal }),
  // Asked each time: the simulation replaces it.
  random: () => Math.random(),
};
