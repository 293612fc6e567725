import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Logger } from 'pino';
import { z } from 'zod';
import { errorCodes, RpcError } from '../../contract/errors.ts';
import { isCutShort, isUnavailable } from '../../db/failure.ts';

/** The `code` of the envelope for errors that bring no reason (docs/api-rules.md A1, known codes). */
const reasons: Partial<Record<RpcError['code'], string>> = {
  invalid_argument: 'common.validation_failed',
  unauthenticated: 'common.unauthenticated',
  permission_denied: 'common.permission_denied',
  not_found: 'common.not_found',
  conflict: 'common.conflict',
  payload_too_large: 'common.payload_too_large',
  internal: 'common.internal_error',
};

/**
 * Any failure as an `RpcError`. Findings of zod become `invalid_argument`, a database that is away or that ended a search
 * `unavailable`. Any other
 * failure becomes `internal`; its message gives only the reference under which the log has the details.
 */
export function toRpcError(error: unknown, log: Logger): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof z.ZodError) return new RpcError('invalid_argument', toMessage(error));
  if (isCutShort(error)) {
    log.warn({ err: error }, 'service: the database ended a search that took too long');
    return new RpcError('unavailable', 'The search took the database too long. Search for less, or in another way.', {
      retryable: false,
    });
  }
  if (isUnavailable(error)) {
    log.error({ err: error }, 'service: a call failed, because the database is unavailable');
    return new RpcError('unavailable', 'The database cannot be used right now. Try again in a moment.');
  }
  const reference = randomUUID();
  log.error({ err: error, reference }, 'service: a call failed unexpectedly');
  return new RpcError(
    'internal',
    `The service failed unexpectedly. Ask its operators to look for ${reference} in the log.`,
  );
}

/** The envelope of RPC failures: problem members, `error`, and `message` the same (docs/api-rules.md A1). */
export function toProblem(error: RpcError): {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
} {
  const { status } = errorCodes[error.code];
  const denied = error.code === 'permission_denied';
  const unknown = error.code === 'unauthenticated';
  return {
    status,
    headers: {
      ...(unknown ? { 'www-authenticate': 'Bearer' } : {}),
      ...(error.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) }),
    },
    body: {
      type: 'about:blank',
      title: denied ? 'Access denied' : (STATUS_CODES[status] ?? 'Error'),
      status,
      detail: error.message,
      code: denied || unknown ? reasons[error.code] : (error.reason ?? reasons[error.code] ?? `common.${error.code}`),
      retryable: error.retryable,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      ...(denied ? { accessErrorId: error.reason } : {}),
      ...(unknown ? { messageId: error.reason, statusCode: status, traceID: '' } : {}),
      error: error.message,
      message: error.message,
    },
  };
}

/** The problems of an input, each with its member: `title is required; labels.0.label must be a string`. */
export function toMessage(error: z.ZodError): string {
  const { issues } = error;
  const more = issues.length > maxIssues ? `; and ${issues.length - maxIssues} more` : '';
  return `${issues.slice(0, maxIssues).map(toSentence).join('; ')}${more}`;
}

/** The most problems that a message lists. A list may have one in each of its members. */
const maxIssues = 10;

/** A text of a request within a sentence: quoted and short. */
export function quote(text: string): string {
  const characters = Array.from(text.slice(0, 2 * maxQuoted));
  const whole = characters.length <= maxQuoted && text.length <= 2 * maxQuoted;
  return JSON.stringify(whole ? text : `${characters.slice(0, maxQuoted).join('')}…`);
}

const maxQuoted = 100;

function toSentence(issue: z.core.$ZodIssue): string {
  const member = issue.path.map(String).join('.') || 'the body';
  if (issue.code === 'invalid_type' && !/^(is|must) /.test(issue.message)) {
    const absent = /received (undefined|null)$/.test(issue.message);
    return absent ? `${member} is required` : `${member} must be ${words[issue.expected] ?? `a ${issue.expected}`}`;
  }
  return /^(is|must) /.test(issue.message) ? `${member} ${issue.message}` : `${member}: ${issue.message}`;
}

const words: Partial<Record<z.core.$ZodIssueInvalidType['expected'], string>> = {
  array: 'a list',
  object: 'an object',
  record: 'an object',
  int: 'a whole number',
};

/** Refuses an argument: `invalid_argument` with the sentence. */
export function invalidArgument(sentence: string): RpcError {
  return new RpcError('invalid_argument', sentence);
}

/** The error for a thing that does not exist: `not_found`, with a reason such as `incidents.not_found`. */
export function notFound(
  thing: 'incident' | 'activity item' | 'task' | 'role' | 'user',
  name: string | number,
): RpcError {
  const word = { incident: 'incidents', 'activity item': 'activity', task: 'tasks', role: 'roles', user: 'users' }[
    thing
  ];
  return new RpcError('not_found', `${thing} ${typeof name === 'string' ? quote(name) : name} was not found`, {
    reason: `${word}.not_found`,
  });
}
