import type { Method } from '../../contract/define.ts';
import { RpcError } from '../../contract/errors.ts';
import {
  type Calls,
  type CallTerms,
  type Context,
  defaultPluginID,
  type Origin,
  type ServiceOptions,
} from '../call/context.ts';
import { refuse, toProblem, toRpcError } from '../call/errors.ts';
import type { Kept, Question } from '../call/response-cache.ts';
import type { Operations } from './rpc-routes.ts';

/** The most bytes of a request (docs/api-rules.md A1). */
export const maxBody = 1024 * 1024;

/** An answer as it is sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `/api/plugins/<id>/resources/api/v1/<Service>.<Operation>`, slashes doubled, or the one before the service missing (A1). */
const path = /^\/+api\/+plugins\/+([^/]+)\/+resources\/+api\/+v1\/*([A-Za-z]+\.[A-Za-z]+)$/;

/** The plugin id and operation that a path addresses; an operation that nobody has is `""`. */
export function toOperation(pathname: string): { pluginID: string; name: string } {
  const [, pluginID, name] = path.exec(pathname) ?? [];
  return { pluginID: pluginID ?? defaultPluginID, name: name ?? '' };
}

/** Loaded with the first call: no start needs them. */
let operations: Operations | undefined;

/** Answers one RPC call; every failure becomes an answer with the envelope of docs/api-rules.md A1. */
export async function answerRpc(
  calls: Calls,
  origin: Origin,
  name: string,
  body: () => Promise<string>,
): Promise<Answer> {
  try {
    operations ??= (await import('./rpc-routes.ts')).operations;
    const operation = operations.get(name);
    const admission = await calls.admit(origin, operation ? toTerms(operation.method, calls.options) : unknownTerms);
    if (!operation) throw new RpcError('not_found', 'There is no such operation', { reason: 'common.not_found' });
    const text = await body();
    const key = `${origin.pluginID} ${name} ${text}`;
    const kept = calls.answers.find(key);
    const question = kept?.question ?? operation.prepare(toObject(text));
    const answer = await admission.run(context => toAnswer(context, question, kept));
    if (answer !== kept && answer.stamp !== undefined) calls.answers.keep(key, { ...answer, stamp: answer.stamp });
    return { status: 200, headers: successHeaders, body: answer.text };
  } catch (error) {
    const problem = toProblem(toRpcError(error, calls.log));
    const wanted = origin.header('accept')?.includes('application/problem+json') ?? false;
    const headers = { ...problem.headers, 'content-type': wanted ? 'application/problem+json' : contentType };
    return { status: problem.status, headers, body: JSON.stringify(problem.body) };
  }
}

/** Answers again what was answered before, when it is still true. */
async function toAnswer(context: Context, question: Question, before: Kept | undefined) {
  const stamp = await question.stamp?.(context);
  if (before && before.stamp === stamp) return before;
  return { question, stamp, text: JSON.stringify(await question.answer(context)) };
}

const contentType = 'application/json; charset=utf-8';
const successHeaders = { 'content-type': contentType };
const unknownTerms: CallTerms = { access: 'Viewer', effect: 'read' };

function toTerms(method: Method, options: ServiceOptions): CallTerms {
  const access = method.access === 'Admin' && !options.rolesNeedAdmin ? 'Editor' : method.access;
  return { access, effect: method.effect };
}

/** Reads a body: an empty one is `{}`, and anything but an object is refused (docs/api-rules.md A1). */
function toObject(text: string): object {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = unstorable.test(text) ? JSON.parse(text, (_, member) => toStorable(member)) : JSON.parse(text);
  } catch {
    throw refuse('the body must be JSON, and it cannot be read as such');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse('the body must be a JSON object');
  return value;
}

/** Escapes of what no database can store: NUL, and half a surrogate pair. */
const unstorable = /\\u(0000|d[89a-f])/i;

function toStorable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;
}
