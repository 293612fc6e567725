/**
 * Every way a call can fail: the code that callers branch on, the HTTP status the service answers with, and whether the same
 * call may succeed later. The client makes the last three itself; our service never sends them. A server may answer
 * `unavailable` when it cannot reach its database.
 */
export const errorCodes = {
  invalid_argument: { status: 400, retryable: false },
  unauthenticated: { status: 401, retryable: false },
  permission_denied: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  conflict: { status: 409, retryable: false },
  failed_precondition: { status: 412, retryable: false },
  payload_too_large: { status: 413, retryable: false },
  unsupported_encoding: { status: 415, retryable: false },
  resource_exhausted: { status: 429, retryable: true },
  internal: { status: 500, retryable: true },
  unavailable: { status: 503, retryable: true },
  deadline_exceeded: { status: 504, retryable: true },
  canceled: { status: 499, retryable: false },
  invalid_response: { status: 502, retryable: false },
} as const satisfies Record<string, { status: number; retryable: boolean }>;

/** One row of {@link errorCodes}. */
export type ErrorCode = keyof typeof errorCodes;

/** Codes that any method may answer with, also where it does not declare them. */
export const commonErrors = [
  'invalid_argument',
  'unauthenticated',
  'permission_denied',
  'payload_too_large',
  'unsupported_encoding',
  'resource_exhausted',
  'internal',
  'unavailable',
] as const satisfies readonly ErrorCode[];

/** Extra facts about a failure; all optional. */
export interface RpcErrorDetails {
  /** The method or endpoint that was called: `IncidentsService.GetIncident`, `Dashboards.get`. */
  method?: string;
  /** What the API itself said about trying again, where it did. */
  retryable?: boolean;
  /** The machine word that the API sent with the text, as sent: `roles.not_found`, `version-mismatch`, `shorturl.absolute-path`. */
  reason?: string;
  /** What the API suggests doing about it. */
  hint?: string;
  /** The HTTP status as received; for logs, never for decisions. */
  status?: number;
  /** The response body as received, cut; for logs at debug level. */
  body?: string;
  /** Seconds the API asked to wait. */
  retryAfter?: number;
  /** False when the call certainly had no effect (never sent, or refused), so that even a `create` may be sent again. */
  maybeApplied?: boolean;
  /** It says no with the status of a failure, as older servers do: a failure that passes looks alike, so it is asked once more. */
  isDoubtful?: boolean;
  cause?: unknown;
}

/**
 * The one error of the API, thrown by the client and by the service alike. `message` is a sentence a person can read;
 * `code` is what programs branch on; `String(error)` is the line for a log, with method and code before the words. `body` is
 * left out when the error is enumerated, so that a logger does not write what people typed.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly method: string | undefined;
  readonly reason: string | undefined;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  declare readonly body: string | undefined;
  readonly retryAfter: number | undefined;
  readonly maybeApplied: boolean;
  readonly isDoubtful: boolean;

  constructor(code: ErrorCode, message: string, details: RpcErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.retryable = details.retryable ?? errorCodes[code].retryable;
    this.method = details.method;
    this.reason = details.reason;
    this.hint = details.hint;
    this.status = details.status;
    Object.defineProperty(this, 'body', { value: details.body, enumerable: false });
    this.retryAfter = details.retryAfter;
    this.maybeApplied = details.maybeApplied ?? this.retryable;
    this.isDoubtful = details.isDoubtful ?? false;
  }

  override toString(): string {
    return this.method === undefined
      ? `${this.code}: ${this.message}`
      : `${this.method}: ${this.code}: ${this.message}`;
  }
}

/**
 * Failures that say nothing against the request: the API is away, too slow, too busy or broken, something in front of it
 * answered in its place, or the caller stopped waiting.
 */
const transientCodes: ReadonlySet<ErrorCode> = new Set([
  'unavailable',
  'deadline_exceeded',
  'resource_exhausted',
  'internal',
  'invalid_response',
  'canceled',
]);

/** Whether the API says that the thing is not there. */
export function isNotFound(error: unknown): error is RpcError {
  return error instanceof RpcError && error.code === 'not_found';
}

/**
 * Whether a failure is temporary, so that the same call may be stored and made again later. This is wider than `retryable`, the
 * rule for repeating within one call: it includes an answer that did not come from the API (`invalid_response`) and a call that
 * was given up (`canceled`). An `internal` failure that the API marks as final (docs/api-rules.md A1, Error envelope) is not
 * temporary.
 */
export function isTransient(error: unknown): error is RpcError {
  if (!(error instanceof RpcError)) return false;
  return transientCodes.has(error.code) && (error.code !== 'internal' || error.retryable);
}

/**
 * Whether a read failed although nothing is said against it: it is temporary, or a refusal with the status of a failure. The remembered
 * answer is used instead.
 */
export function isUnread(error: unknown): error is RpcError {
  return isTransient(error) || (error instanceof RpcError && error.isDoubtful);
}

/** The code whose HTTP status this is; statuses outside the table fall back to their class (4xx, 5xx). */
export function toErrorCode(status: number): ErrorCode {
  switch (status) {
    case 400:
    case 405:
    case 422:
      return 'invalid_argument';
    case 401:
      return 'unauthenticated';
    case 403:
      return 'permission_denied';
    case 404:
      return 'not_found';
    case 408:
    case 504:
      return 'deadline_exceeded';
    case 409:
      return 'conflict';
    case 412:
      return 'failed_precondition';
    case 413:
      return 'payload_too_large';
    case 415:
      return 'unsupported_encoding';
    case 429:
      return 'resource_exhausted';
    case 502:
    case 503:
      return 'unavailable';
    default:
      return status >= 500 ? 'internal' : status >= 400 ? 'invalid_argument' : 'invalid_response';
  }
}
