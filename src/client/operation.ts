import type { z } from 'zod';
import { rpcBase } from '../contract/contract.ts';
import type { Effect, Endpoint, Method } from '../contract/define.ts';
import { RpcError } from '../contract/errors.ts';
import { saysNothing, sparse } from '../contract/fields.ts';
import { toInvalidArgument } from './failure.ts';
import type { TransportRequest } from './transport.ts';

/** One method or endpoint of the contract, with everything prepared that is the same for each call. */
export interface Operation {
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
export function toRpcOperation(
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
export function toHttpOperation(
  name: string,
  endpoint: Endpoint,
  headers: Readonly<Record<string, string>>,
): Operation {
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
