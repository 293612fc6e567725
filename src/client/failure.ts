import type { z } from 'zod';
import type { Effect } from '../contract/define.ts';
import { type ErrorCode, RpcError, type RpcErrorDetails, toErrorCode } from '../contract/errors.ts';
import { toObject } from '../json-object.ts';
import type { TransportResponse } from './transport.ts';

/** The most characters of a response body that an error keeps. */
const keptBody = 2000;
/** The most characters of the API's own words that a message repeats. */
const keptWords = 500;

/** The message when the API gave none. */
const plainWords: Partial<Record<ErrorCode, string>> = {
  invalid_argument: 'The API did not accept the request.',
  unauthenticated: 'The API did not accept the token.',
  permission_denied: 'The token is not allowed to do this.',
  not_found: 'The API does not know this.',
  conflict: 'The API says that this conflicts with what is there.',
  failed_precondition: 'The API says that something changed in the meantime.',
  payload_too_large: 'The API says that the request is too large.',
  unsupported_encoding: 'The API cannot read the encoding of the request.',
  resource_exhausted: 'The API asks to wait.',
  internal: 'The API failed inside.',
  unavailable: 'The API is not available.',
  deadline_exceeded: 'The API gave up waiting.',
};

/** The hint when the API gave none. */
const plainHints: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'Check that the token is the one of this installation and has not been revoked.',
  permission_denied: 'Use a token whose role allows it.',
};

/**
 * Reads a response as a failure, or gives undefined when it is a success: 2xx and no words in `error` (docs/incident-api.md,
 * call convention 4; docs/api-rules.md A1, Error envelope). Takes every form there is: `{error}` with any status, RFC 7807
 * problems, `{message, status}` of the dashboard API, plain text, and pages of proxies. The code follows from the status, and from whether the
 * answer has the form of the API: then it is a refusal, also with the status of a success or of a failure. `json` is the parsed body,
 * undefined when it is not JSON. `secret` is taken out of all text.
 */
export function toFailure(
  {
    name: method,
    effect,
    isRpc,
    isExtra,
  }: { readonly name: string; readonly effect: Effect; readonly isRpc: boolean; readonly isExtra: boolean },
  response: TransportResponse,
  json: unknown,
  now: number,
  secret?: string,
): RpcError | undefined {
  const envelope = toObject(json);
  const succeeded = response.status >= 200 && response.status < 300;
  const errorText = string(envelope.error);
  if (succeeded && errorText === undefined) return undefined;

  const isOwn = isOwnForm(envelope, isRpc);
  // The plugin says in plain text that it does not have an operation.
  const isLacking = isExtra && response.status === 404 && json === undefined && !isPage(response);
  const code = isLacking ? 'not_found' : toCode(response.status, envelope, { succeeded, isOwn, isRpc });
  const isDoubtful = code === 'invalid_argument' && !(response.status >= 400 && response.status < 500);
  const said = json === undefined ? plainText(response) : wordsOf(envelope);
  const elsewhere = code === 'invalid_response' ? json === undefined : response.status === 404 && !isOwn;
  const hint = string(envelope.hint) ?? (elsewhere ? notThisApi : plainHints[code]);
  const details: RpcErrorDetails = {
    method,
    status: response.status,
    body: clean(response.body.slice(0, keptBody), secret),
    // A refusal has no effect; after a failure of its own the API may have done part of the work.
    maybeApplied: isDoubtful
      ? effect === 'create' && !succeeded
      : response.status !== 404 && ['internal', 'unavailable', 'deadline_exceeded', 'invalid_response'].includes(code),
    isDoubtful,
  };
  const reason = reasonOf(envelope);
  if (reason !== undefined) details.reason = clean(reason, secret);
  if (hint !== undefined) details.hint = clean(hint, secret);
  if (typeof envelope.retryable === 'boolean') details.retryable = envelope.retryable;
  const retryAfter = toSeconds(response.headers['retry-after'], now);
  if (retryAfter !== undefined) details.retryAfter = retryAfter;
  const words =
    said ?? plainWords[code] ?? `The API answered with status ${response.status}, which means nothing here.`;
  return new RpcError(code, clean(cut(words, keptWords), secret), details);
}

const notThisApi = 'Check the address of the API and its plugin id: what answered is not the API itself.';

/** A success whose body does not fit the contract: no JSON, cut off, or of another shape. */
export function toInvalidResponse(
  method: string,
  response: TransportResponse,
  problem: z.ZodError | 'not-json',
  secret?: string,
): RpcError {
  const what =
    problem !== 'not-json'
      ? `an unexpected answer: ${toIssues(problem)}`
      : response.body === ''
        ? 'an empty answer'
        : isPage(response)
          ? 'a web page instead of an answer'
          : 'an answer that is not complete JSON';
  const details: RpcErrorDetails = {
    method,
    status: response.status,
    body: clean(response.body.slice(0, keptBody), secret),
    maybeApplied: true,
  };
  if (problem !== 'not-json') details.cause = problem;
  else if (isPage(response)) details.hint = notThisApi;
  return new RpcError('invalid_response', `The API sent ${what}.`, details);
}

/** An input that the contract refuses. Nothing was sent. */
export function toInvalidArgument(method: string, problem: z.ZodError): RpcError {
  return new RpcError('invalid_argument', toIssues(problem), { method, cause: problem, maybeApplied: false });
}

/** The failure with the facts that only the client knows. */
export function withDetails(error: RpcError, facts: { method: string; maybeApplied: boolean }): RpcError {
  if (error.method === facts.method && error.maybeApplied === facts.maybeApplied) return error;
  const { retryable, isDoubtful } = error;
  const details: RpcErrorDetails = { ...facts, retryable, isDoubtful, cause: error.cause ?? error };
  for (const name of ['reason', 'hint', 'status', 'body', 'retryAfter'] as const) {
    if (error[name] !== undefined) Object.assign(details, { [name]: error[name] });
  }
  return new RpcError(error.code, error.message, details);
}

/**
 * The seconds of a `Retry-After` header, given as seconds or as an HTTP date (RFC 9110, 10.2.3); undefined when it is neither.
 */
export function toSeconds(value: string | string[] | undefined, now: number): number | undefined {
  const first = Array.isArray(value) ? value[0] : value;
  if (first === undefined || first.trim() === '') return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(first)) return Number(first);
  const date = Date.parse(first);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

/** Statuses of proxies that got no answer from the API. */
const ofProxies: readonly number[] = [502, 503, 504];

function toCode(
  status: number,
  envelope: Readonly<Record<string, unknown>>,
  { succeeded, isOwn, isRpc }: { readonly succeeded: boolean; readonly isOwn: boolean; readonly isRpc: boolean },
): ErrorCode {
  // While the plugin is updated or turned off, Grafana itself answers in its place.
  if (status === 404 && !isOwn) return 'unavailable';
  const isFailure = status >= 500 && !ofProxies.includes(status);
  const isRefusal = succeeded || (isFailure && isRpc && isOwn && typeof envelope.retryable !== 'boolean');
  if (!isRefusal) return toErrorCode(status);
  const inside = envelope.status;
  return typeof inside === 'number' && inside >= 400 && inside < 500 ? toErrorCode(inside) : 'invalid_argument';
}

/** Whether an answer has the form of the API: `error` or an RFC 7807 problem of the RPC API, `message` of the others. */
function isOwnForm(envelope: Readonly<Record<string, unknown>>, isRpc: boolean): boolean {
  if (!isRpc) return string(envelope.message) !== undefined;
  const isProblem =
    typeof envelope.status === 'number' && (string(envelope.detail) ?? string(envelope.title)) !== undefined;
  return string(envelope.error) !== undefined || isProblem;
}

function wordsOf(envelope: Readonly<Record<string, unknown>>): string | undefined {
  for (const member of ['detail', 'error', 'message', 'title']) {
    const words = string(envelope[member]);
    if (words !== undefined) return words;
  }
  return undefined;
}

/** `code` of a problem, `status` of a dashboard's 412, `messageId` of the short-URL API, `error.id` of a revoked token. */
function reasonOf(envelope: Readonly<Record<string, unknown>>): string | undefined {
  return (
    string(envelope.code) ??
    string(envelope.status) ??
    string(envelope.messageId) ??
    string(toObject(envelope.error).id)
  );
}

function plainText(response: TransportResponse): string | undefined {
  if (isPage(response)) return `A web page came instead of an answer (status ${response.status}).`;
  return string(response.body.split('\n', 1)[0]);
}

function isPage(response: TransportResponse): boolean {
  return /^text\/html/i.test(String(response.headers['content-type'] ?? '')) || /^\s*</.test(response.body);
}

function toIssues(problem: z.ZodError): string {
  const issues = problem.issues.slice(0, 5).map(issue => {
    const path = issue.path.join('.');
    return path === '' ? issue.message : `${path} ${issue.message}`;
  });
  return cut(issues.join('; '), keptWords);
}

function string(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function cut(words: string, most: number): string {
  return words.length <= most ? words : `${words.slice(0, most - 1)}…`;
}

function clean(words: string, secret: string | undefined): string {
  return secret === undefined || secret === '' ? words : words.replaceAll(secret, '[token]');
}
