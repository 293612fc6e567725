import { setTimeout as wait } from 'node:timers/promises';
import { encodePeople, peopleHeader } from '../contract/acting.ts';
import { type Api, http, pluginIDs, rpc } from '../contract/contract.ts';
import type { CallOptions, Endpoint, Method } from '../contract/define.ts';
import { type ErrorCode, RpcError } from '../contract/errors.ts';
import { parseJson } from '../contract/exact-json.ts';
import { incidentTypeHeader } from '../contract/incident-type.ts';
import { Breaker, type BreakerOptions, type BreakerState } from './breaker.ts';
import { toFailure, toInvalidResponse, withDetails } from './failure.ts';
import { type Operation, toHttpOperation, toRpcOperation } from './operation.ts';
import { type FailedAttempt, nextDelay } from './retry.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** One finished call, for metrics. */
export interface ObservedCall {
  /** `IncidentsService.GetIncident`, `Dashboards.get`. */
  readonly method: string;
  readonly outcome: 'ok' | ErrorCode;
  /** Milliseconds, attempts and waits together. */
  readonly ms: number;
  readonly attempts: number;
}

/**
 * What the client logs to; pino's loggers fit. It receives methods, codes and error messages, never inputs, bodies or the
 * token.
 */
interface ClientLog {
  debug(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** How calls are made. Times are milliseconds. */
export interface ClientOptions {
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
  readonly log?: ClientLog;
  readonly observe?: (call: ObservedCall) => void;
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

const steadyClock = () => performance.timeOrigin + performance.now();

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

/** What a client does unless its options say otherwise. */
const usual = {
  longestPause: 10_000,
  clock: steadyClock,
  sleep: (ms: number, signal: AbortSignal | undefined): Promise<unknown> => wait(ms, undefined, { signal }),
  random: Math.random,
};

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
      outcome = thrown instanceof RpcError ? thrown : toUnexpected(thrown);
    }
    if (outcome instanceof RpcError) this.#judge(operation, outcome, request.timeout);
    else this.#breaker.answered(this.#options.clock());
    return outcome;
  }

  #delay(
    { effect }: Operation,
    error: RpcError,
    { begun, ...call }: Pick<FailedAttempt, 'attempt' | 'budget' | 'patience'> & { readonly begun: number },
  ): number | undefined {
    const { clock, longestPause, random } = this.#options;
    const elapsed = clock() - begun;
    return nextDelay({ ...call, error, effect, elapsed, longestPause, random });
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

function toUnexpected(thrown: unknown): RpcError {
  return new RpcError('internal', 'The call failed with an unexpected error.', { cause: thrown });
}
