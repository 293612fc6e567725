import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fault, Faults } from './faults.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { SlackRefusal } from './refusal.ts';
import type { ResponseUrls } from './response-urls.ts';
import { Arguments } from './web-api/arguments.ts';
import type { Backend, Method } from './web-api/method.ts';
import { methods } from './web-api/registry.ts';

/** One Web API call as it arrived and how it was answered. */
export interface ApiCall {
  readonly method: string;
  /** The arguments without the token; structured ones parsed. */
  readonly args: JsonObject;
  readonly token: string | undefined;
  /** What Slack answered or would have, had the line held; `undefined` when a fault kept the call from running. */
  readonly response: JsonObject | undefined;
  readonly at: Date;
}

/** What the HTTP side of Slack needs. */
export interface EndpointOptions {
  readonly backend: Backend;
  readonly faults: Faults;
  readonly responseUrls: ResponseUrls;
  readonly botToken: string;
  readonly appToken: string;
  readonly onCall: (call: ApiCall) => void;
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly type: string;
  readonly headers?: Record<string, string>;
}

/** Answers `/api/<method>` and `/respond/<id>`, faults included. */
export async function handleRequest(
  options: EndpointOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://slack.invalid');
  const raw = { ...Object.fromEntries(url.searchParams), ...parseBody(await readBody(request), request) };
  if (url.pathname.startsWith('/api/')) {
    const method = url.pathname.slice('/api/'.length);
    const { token: tokenArgument, ...args } = raw;
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? tokenArgument;
    const presented = typeof token === 'string' ? token : undefined;
    const parsed = parseStructured(args);
    let answer: JsonObject | undefined;
    const run = (): Reply => {
      answer = callMethod(options, method, new Arguments(args), presented);
      return toJson(200, answer, { 'x-oauth-scopes': options.backend.scopes?.join(',') ?? '' });
    };
    const fault = options.faults.take(method, parsed);
    const record = (): void =>
      options.onCall({ method, args: parsed, token: presented, response: answer, at: options.backend.workspace.now() });
    return reply(response, fault, run, record);
  }
  if (url.pathname.startsWith('/respond/') && request.method === 'POST') {
    const id = url.pathname.slice('/respond/'.length);
    let answer: JsonObject | undefined;
    const run = (): Reply => {
      const { status, body } = options.responseUrls.respond(id, raw);
      answer = body === 'ok' ? { ok: true } : body;
      return body === 'ok' ? { status, body, type: 'text/html' } : toJson(status, body);
    };
    const fault = options.faults.take('response_url', raw);
    const record = (): void =>
      options.onCall({
        method: 'response_url',
        args: raw,
        token: undefined,
        response: answer,
        at: options.backend.workspace.now(),
      });
    return reply(response, fault, run, record);
  }
  send(response, { status: 404, body: 'Not Found', type: 'text/plain' });
}

/** Runs one method with all of Slack's checks; a refusal is an answer too. */
function callMethod(options: EndpointOptions, name: string, args: Arguments, token: string | undefined): JsonObject {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) return { ok: false, error: 'unknown_method', req_method: name };
  try {
    checkToken(options, method, args, token);
    return { ok: true, ...method.run(options.backend, args) };
  } catch (error) {
    if (error instanceof SlackRefusal) return { ok: false, error: error.code, ...error.details };
    throw error;
  }
}

function checkToken(options: EndpointOptions, method: Method, args: Arguments, token: string | undefined): void {
  const wanted = method.token ?? 'bot';
  if (wanted === 'none') return;
  if (token === undefined || token === '') throw new SlackRefusal('not_authed');
  if (token !== options.botToken && token !== options.appToken) throw new SlackRefusal('invalid_auth');
  if (token !== (wanted === 'app' ? options.appToken : options.botToken)) {
    throw new SlackRefusal('not_allowed_token_type');
  }
  const granted = options.backend.scopes;
  const needed = method.scopes?.(options.backend, args) ?? [];
  if (granted !== undefined && needed.length > 0 && !needed.some(scope => granted.includes(scope))) {
    throw new SlackRefusal('missing_scope', { needed: needed[0], provided: granted.join(',') });
  }
}

async function reply(
  response: ServerResponse,
  fault: Fault | undefined,
  run: () => Reply,
  record: () => void,
): Promise<void> {
  if (fault === undefined) {
    const answer = run();
    record();
    return send(response, answer);
  }
  if ('delayMs' in fault) {
    await delay(fault.delayMs, undefined, { ref: false });
    const answer = run();
    record();
    return send(response, answer);
  }
  if ('dropAfterEffect' in fault || 'halfBody' in fault) {
    const answer = run();
    record();
    if ('halfBody' in fault) {
      const bytes = Buffer.from(answer.body);
      response.writeHead(answer.status, { 'content-type': answer.type, 'content-length': bytes.length });
      await new Promise<void>(resolve => {
        response.write(bytes.subarray(0, bytes.length / 2), () => resolve());
      });
    }
    response.destroy();
    return;
  }
  record();
  if ('stall' in fault) return;
  if ('dropBefore' in fault) {
    response.destroy();
    return;
  }
  send(response, toFaultyReply(fault));
}

function toFaultyReply(
  fault: { error: string } | { rateLimited: number | 'no-header' } | { status: number; body: string },
) {
  if ('error' in fault) return toJson(200, { ok: false, error: fault.error });
  if ('status' in fault) {
    const type = fault.body.trimStart().startsWith('{') ? 'application/json' : 'text/html';
    return { status: fault.status, body: fault.body, type };
  }
  const headers: Record<string, string> =
    fault.rateLimited === 'no-header' ? {} : { 'retry-after': String(fault.rateLimited) };
  return toJson(429, { ok: false, error: 'ratelimited' }, headers);
}

function toJson(status: number, body: JsonObject, headers: Record<string, string> = {}): Reply {
  return { status, body: JSON.stringify(body), type: 'application/json; charset=utf-8', headers };
}

function send(response: ServerResponse, answer: Reply): void {
  response.writeHead(answer.status, { 'content-type': answer.type, ...answer.headers }).end(answer.body);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

function parseBody(body: string, request: IncomingMessage): JsonObject {
  if (body === '') return {};
  if (request.headers['content-type']?.startsWith('application/json')) {
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

/** For the record: form fields that hold JSON as what they hold. */
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
