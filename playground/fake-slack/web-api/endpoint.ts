import { isJsonObject, type JsonObject, toText } from '../protocol/json.ts';
import { invalidPayload, SlackError } from '../protocol/slack-error.ts';
import type { ResponseUrls } from '../to-app/response-urls.ts';
import { isOfOrganisation, isOrgInstall, organisation } from '../workspace/grid.ts';
import { Arguments } from './arguments.ts';
import { documentedArguments, methodsOfOneTeam } from './documented-arguments.ts';
import type { Fault, Faults } from './faults.ts';
import { answerFile, takeUpload } from './files.ts';
import type { Backend, Method } from './method.ts';
import { methods } from './registry.ts';

/** A Web API call and its answer. */
export interface ApiCall {
  readonly method: string;
  /** The arguments without the token; structured ones parsed. */
  readonly args: JsonObject;
  readonly token: string | undefined;
  /** Slack's answer, even when a fault kept it from the app; `undefined` when a fault kept the call from running. */
  readonly response: JsonObject | undefined;
  readonly at: Date;
}

/** What the endpoint needs to answer calls. */
export interface EndpointOptions {
  readonly backend: Backend;
  readonly faults: Faults;
  readonly responseUrls: ResponseUrls;
  readonly botToken: string;
  readonly appToken: string;
  readonly configToken: string;
  readonly onCall: (call: ApiCall) => void;
  readonly observeCall?: ObserveCall | undefined;
}

/**
 * Hears of each call when it comes, its token left out; the function it returns hears of its end. A use of a `response_url` is a
 * call of the method `response_url`.
 */
export type ObserveCall = (call: Pick<ApiCall, 'method' | 'args'>) => (outcome: CallOutcome) => void;

/** A request from any transport. Header names are in lower case. */
export interface IncomingCall {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** An HTTP answer for any transport. */
interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result for the caller: an answer, half of one, a connection broken with a system error, or no answer ever. */
export type CallOutcome =
  | { readonly answer: HttpAnswer }
  | { readonly halfOf: HttpAnswer }
  | { readonly broken: 'ECONNRESET' | 'ECONNREFUSED' | 'ENOTFOUND' }
  | { readonly silence: true };

/** Answers `/api/<method>`, `/respond/<id>`, `/files-pri/…` and `/upload/v1/…`, with the faults set for them. */
export async function answerCall(options: EndpointOptions, incoming: IncomingCall): Promise<CallOutcome> {
  const url = new URL(incoming.path, 'http://slack.invalid');
  const raw = { ...Object.fromEntries(url.searchParams), ...parseBody(incoming) };
  const at = () => options.backend.workspace.now();
  if (url.pathname.startsWith('/api/')) {
    const method = url.pathname.slice('/api/'.length);
    const { token: tokenArgument, ...args } = raw;
    const token = /^Bearer (.+)$/.exec(toText(incoming.headers.authorization))?.[1] ?? tokenArgument;
    const presented = typeof token === 'string' ? token : undefined;
    const parsed = parseStructured(args);
    let answer: JsonObject | undefined;
    const run = (): HttpAnswer => {
      answer = callMethod(options, method, new Arguments(args), presented);
      return toJson(200, answer, { date: at().toUTCString(), ...toScopeHeaders(options, presented) });
    };
    const record = (): void => options.onCall({ method, args: parsed, token: presented, response: answer, at: at() });
    return runObserved(options, { method, args: parsed }, run, record);
  }
  if (url.pathname.startsWith('/respond/') && incoming.method === 'POST') {
    const id = url.pathname.slice('/respond/'.length);
    let answer: JsonObject | undefined;
    const run = (): HttpAnswer => {
      const { status, body } = options.responseUrls.respond(id, raw);
      answer = body === 'ok' ? { ok: true } : body;
      return body === 'ok' ? { status, body, headers: { 'content-type': 'text/html' } } : toJson(status, body);
    };
    const record = (): void =>
      options.onCall({ method: 'response_url', args: raw, token: undefined, response: answer, at: at() });
    return runObserved(options, { method: 'response_url', args: raw }, run, record);
  }
  if (url.pathname.startsWith('/files-pri/') && incoming.method === 'GET') {
    const presented = /^Bearer (.+)$/.exec(toText(incoming.headers.authorization))?.[1];
    let status = 0;
    const run = (): HttpAnswer => {
      const answer = answerFile(options.backend, url.pathname, presented === options.botToken);
      status = answer.status;
      return answer;
    };
    const args = { path: url.pathname };
    const record = (): void =>
      options.onCall({ method: 'url_private', args, token: presented, response: { ok: status === 200 }, at: at() });
    return runObserved(options, { method: 'url_private', args }, run, record);
  }
  if (url.pathname.startsWith('/upload/v1/') && incoming.method === 'POST') {
    let isTaken = false;
    const run = (): HttpAnswer => {
      isTaken = takeUpload(options.backend, url.pathname, incoming.body);
      return { status: isTaken ? 200 : 400, headers: { 'content-type': 'text/plain' }, body: isTaken ? 'OK' : 'Bad' };
    };
    const args = { path: url.pathname };
    const record = (): void =>
      options.onCall({ method: 'upload_url', args, token: undefined, response: { ok: isTaken }, at: at() });
    return runObserved(options, { method: 'upload_url', args }, run, record);
  }
  return { answer: { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Not Found' } };
}

/** Runs one method with Slack's checks. A refusal becomes the answer. */
function callMethod(options: EndpointOptions, name: string, args: Arguments, token: string | undefined): JsonObject {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) return { ok: false, error: 'unknown_method', req_method: name };
  try {
    checkToken(options, method, args, token);
    checkNames(name, args);
    checkTeam(options.backend, name, args);
    return { ok: true, ...method.run(options.backend, args) };
  } catch (error) {
    if (error instanceof SlackError) return { ok: false, error: error.code, ...error.details };
    throw error;
  }
}

/** The scopes of the bot token, as Slack tells them with every answer to it. When everything is granted, there is no list to tell. */
function toScopeHeaders({ backend, botToken }: EndpointOptions, token: string | undefined): Record<string, string> {
  return token === botToken && backend.scopes ? { 'x-oauth-scopes': backend.scopes.join(',') } : {};
}

function checkToken(options: EndpointOptions, method: Method, args: Arguments, token: string | undefined): void {
  const wanted = method.token ?? 'bot';
  if (wanted === 'none') return;
  if (token === undefined || token === '') throw new SlackError('not_authed');
  const tokens = { bot: options.botToken, app: options.appToken, config: options.configToken };
  if (!Object.values(tokens).includes(token)) throw new SlackError('invalid_auth');
  if (token !== tokens[wanted]) {
    throw new SlackError('not_allowed_token_type');
  }
  const { tokenRefusal } = options.backend.workspace;
  if (wanted === 'bot' && tokenRefusal !== undefined) throw new SlackError(tokenRefusal);
  const granted = options.backend.scopes;
  const needed = method.scopes?.(options.backend, args) ?? [];
  if (granted !== undefined && needed.length > 0 && !needed.some(scope => granted.includes(scope))) {
    throw new SlackError('missing_scope', { needed: needed[0], provided: granted.join(',') });
  }
}

/** Refuses arguments that Slack does not document, by their names. */
function checkNames(method: string, { raw }: Arguments): void {
  // Slack's client adds the workspace to every call of an app that may be in several (docs/slack.md 1).
  const names = ['team_id', ...(documentedArguments[method] ?? [])];
  const undocumented = Object.keys(raw).filter(name => !names.includes(name));
  if (undocumented.length === 0) return;
  throw invalidPayload(
    'invalid_arguments',
    undocumented.map(name => `undocumented argument: ${name} [json-pointer:/${name}]`),
  );
}

/** A token of an organisation names the workspace, and only one to which the app was added (docs/slack.md 3). */
function checkTeam({ workspace: { grid } }: Backend, method: string, args: Arguments): void {
  if (!isOrgInstall(grid) || !methodsOfOneTeam.has(method)) return;
  const teamId = args.text('team_id') ?? '';
  if (teamId === '') throw new SlackError('missing_argument', { arg: 'team_id' });
  if (method === 'bots.info' && teamId === organisation.id) return;
  if (!isOfOrganisation(grid, teamId)) throw new SlackError('team_not_found');
  if (!grid?.granted.includes(teamId)) throw new SlackError('team_access_not_granted');
}

async function runObserved(
  { faults, observeCall }: EndpointOptions,
  call: Pick<ApiCall, 'method' | 'args'>,
  run: () => HttpAnswer,
  record: () => void,
): Promise<CallOutcome> {
  const end = observeCall?.(call);
  const outcome = await runWithFault(faults.take(call.method, call.args), run, record);
  end?.(outcome);
  return outcome;
}

/** Runs a call with its fault, if any. Records the call when Slack hears of it, with the answer if it takes effect. */
async function runWithFault(fault: Fault | undefined, run: () => HttpAnswer, record: () => void): Promise<CallOutcome> {
  if (fault !== undefined && 'delayMs' in fault) await delay(fault.delayMs);
  if (fault !== undefined && 'until' in fault) await fault.until();
  if (fault === undefined || 'delayMs' in fault || 'until' in fault) {
    const answer = run();
    record();
    return { answer };
  }
  if ('dropAfterEffect' in fault || 'halfBody' in fault || 'stallAfterEffect' in fault) {
    const answer = run();
    record();
    if ('halfBody' in fault) return { halfOf: answer };
    return 'stallAfterEffect' in fault ? { silence: true } : { broken: 'ECONNRESET' };
  }
  if ('unreachable' in fault) return { broken: fault.unreachable };
  record();
  if ('stall' in fault) return { silence: true };
  if ('dropBefore' in fault) return { broken: 'ECONNRESET' };
  return { answer: toFaultyAnswer(fault) };
}

function delay(ms: number): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, ms).unref();
  });
}

function toFaultyAnswer(
  fault: { error: string } | { rateLimited: number | 'no-header' } | { status: number; body: string },
): HttpAnswer {
  if ('error' in fault) return toJson(200, { ok: false, error: fault.error });
  if ('status' in fault) {
    const type = fault.body.trimStart().startsWith('{') ? 'application/json' : 'text/html';
    return { status: fault.status, body: fault.body, headers: { 'content-type': type } };
  }
  const headers: Record<string, string> =
    fault.rateLimited === 'no-header' ? {} : { 'retry-after': String(fault.rateLimited) };
  return toJson(429, { ok: false, error: 'ratelimited' }, headers);
}

function toJson(status: number, body: JsonObject, headers: Record<string, string> = {}): HttpAnswer {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, body: JSON.stringify(body), headers: { ...type, ...headers } };
}

function parseBody({ body, headers }: IncomingCall): JsonObject {
  if (body === '') return {};
  if (toText(headers['content-type']).startsWith('application/json')) {
    try {
      const parsed: unknown = JSON.parse(body);
      return isJsonObject(parsed) ? parsed : {};
    } catch {
      return {};
    }
  }
  return Object.fromEntries(new URLSearchParams(body));
}

/** Arguments that clients send as JSON text in form fields. */
const structured: ReadonlySet<string> = new Set(['attachments', 'blocks', 'metadata', 'view']);

/** The arguments for the record, with JSON in form fields parsed. */
function parseStructured(args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      if (typeof value !== 'string' || !structured.has(name)) return [name, value];
      try {
        return [name, JSON.parse(value)];
      } catch {
        return [name, value];
      }
    }),
  );
}
