import { peopleHeader } from '../../contract/acting.ts';
import { distance, plainName } from '../../contract/distance.ts';
import { RpcError } from '../../contract/errors.ts';
import type { CallGate, CallRequirements } from '../call/admit.ts';
import { type CallOrigin, type Context, defaultPluginID } from '../call/context.ts';
import { invalidArgument, quote, toProblem, toRpcError } from '../call/errors.ts';
import { hasMoreValues } from '../call/json-values.ts';
import type { ServiceOptions } from '../call/options.ts';
import type { CacheEntry, PreparedCall } from '../call/response-cache.ts';
import { bareHeaders } from '../pages/responses.ts';
import { parseStorableJson } from '../store/storable-text.ts';
import type { BodyBudget, BodyRoom } from './body-budget.ts';
import type { RpcRoute } from './rpc-routes.ts';

/** The most bytes of a request (docs/api-rules.md A1). */
export const maxRpcBody = 1024 * 1024;

/** The most values in the JSON of a request, counted at every depth. */
const mostValues = 20_000;

/** The content type of answers. */
export const jsonType = 'application/json; charset=utf-8';

/**
 * `/api/plugins/<id>/resources/api/v1/<Service>.<Operation>`, or without `v1`. Slashes may be doubled, the last one may be missing,
 * and one may follow (docs/api-rules.md A1, Base path).
 */
const path = /^\/+api\/+plugins\/+([^/]+)\/+resources\/+api(?:\/+v1)?\/*(?!v1\/*$)([^/?#]+)\/*$/;

/** The plugin id and operation of a path; `""` when the path names no operation. */
export function parseRpcPath(pathname: string): { pluginID: string; name: string } {
  const [, pluginID, name] = path.exec(pathname) ?? [];
  return { pluginID: pluginID ?? defaultPluginID, name: name ?? '' };
}

/** Loaded by the first call, so that the process starts without them. */
let routes: ReadonlyMap<string, RpcRoute> | undefined;

/** Reads the body of a call, once the caller is known. Its room is given back when the call has ended. */
export type AskedBody = (room: BodyRoom) => Promise<string>;

/** Answers one RPC call; every failure becomes an answer with the envelope of docs/api-rules.md A1. */
export async function answerRpc(
  { gate, bodies }: { gate: CallGate; bodies: BodyBudget },
  origin: CallOrigin,
  name: string,
  body: AskedBody,
  method = 'POST',
): Promise<{ readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }> {
  using room = bodies.open();
  try {
    routes ??= (await import('./rpc-routes.ts')).rpcRoutes;
    const route = method === 'POST' ? routes.get(name) : undefined;
    const requirements = route ? toRequirements(route, gate.options) : unknownRequirements;
    const admitted = await gate.admit(origin, requirements);
    if (!route) throw unknownOperation(name, method, [...routes.keys()]);
    const text = await body(room);
    const key = `${origin.pluginID} ${name} ${text}`;
    const cached = gate.cache.find(key);
    const answer = await room.carryOut(async () => {
      const call = cached?.call ?? route.prepare(toObject(text));
      return await admitted.run(context => computeOrReuse(context, call, cached));
    });
    if (answer !== cached && answer.validator !== undefined) {
      gate.cache.store(key, { ...answer, validator: answer.validator });
    }
    return { status: 200, headers: successHeaders, body: answer.text };
  } catch (error) {
    const problem = toProblem(toRpcError(error, gate.log));
    const wanted = origin.header('accept')?.includes('application/problem+json') ?? false;
    const headers = {
      ...problem.headers,
      ...bareHeaders,
      'content-type': wanted ? 'application/problem+json' : jsonType,
    };
    return { status: problem.status, headers, body: JSON.stringify(problem.body) };
  }
}

/** The cached answer while its validator still holds, else a new one. */
async function computeOrReuse(context: Context, call: PreparedCall, cached: CacheEntry | undefined) {
  const validator = await call.validator?.(context);
  if (cached && cached.validator === validator) return cached;
  return { call, validator, text: JSON.stringify(await call.answer(context)) };
}

/** Callers learn by it that this server takes the people of a call. */
const successHeaders = { 'content-type': jsonType, [peopleHeader]: 'taken' };
const unknownRequirements: CallRequirements = { access: 'Viewer', effect: 'read' };

function toRequirements({ method, isSearch, takesType }: RpcRoute, options: ServiceOptions): CallRequirements {
  const access = method.access === 'Admin' && !options.rolesNeedAdmin ? 'Editor' : method.access;
  return { access, effect: method.effect, isSearch, takesType };
}

/** Reads a body: an empty one is `{}`, and anything but an object is refused (docs/api-rules.md A1). */
function toObject(text: string): object {
  if (text.trim() === '') return {};
  if (hasMoreValues(text, mostValues))
    throw new RpcError('payload_too_large', `the body must have at most ${mostValues} values`);
  let value: unknown;
  try {
    value = parseStorableJson(text);
  } catch {
    throw invalidArgument('the body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidArgument('the body must be a JSON object');
  return value;
}

/** The error for an operation that does not exist, or is not called with POST. It says which one may be meant, or which there are. */
function unknownOperation(name: string, method: string, operations: readonly string[]): RpcError {
  const told = /^[\w./-]{1,100}$/.test(name) ? name : quote(name);
  const none = name === '' ? 'The address names no operation' : `There is no operation ${told}`;
  const near = findNear(name.slice(0, 100), operations);
  const [service] = name.split('.');
  const siblings = operations.filter(each => each.startsWith(`${service}.`)).map(each => each.split('.')[1]);
  const services = new Set(operations.map(each => each.split('.')[0]));
  const words = operations.includes(name)
    ? `${told} is called with POST, and this request is ${method}.`
    : near !== undefined
      ? `${none}. Did you mean ${near}?`
      : siblings.length > 0
        ? `${none}. ${service} has ${siblings.join(', ')}.`
        : `${none}. The services are ${[...services].join(', ')}.`;
  return new RpcError('not_found', words, { reason: 'common.not_found' });
}

/** The operation of the same name in another service, else the one with the fewest slips, at most one in four letters. */
function findNear(name: string, operations: readonly string[]): string | undefined {
  const wanted = plain(name);
  const last = wanted.slice(wanted.lastIndexOf('.') + 1);
  const same = operations.find(each => plain(each).endsWith(`.${last}`));
  if (same !== undefined) return same;
  const slips = new Map(operations.map(each => [each, distance(wanted, plain(each))]));
  const [near] = [...operations].sort((one, other) => (slips.get(one) ?? 0) - (slips.get(other) ?? 0));
  return near !== undefined && (slips.get(near) ?? 0) <= wanted.length / 4 ? near : undefined;
}

function plain(name: string): string {
  return plainName(name).replaceAll('/', '.');
}
