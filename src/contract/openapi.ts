import { z } from 'zod';
import { ActivityItem, ActivityQuery, Attachment } from './activity.ts';
import { http, pluginIDs, rpc, rpcBase, unversionedBase } from './contract.ts';
import { DashboardMeta, DashboardModel, TagCount } from './dashboards.ts';
import type { Endpoint, HttpContract, Method, RpcContract } from './define.ts';
import { Discovery } from './discovery.ts';
import { commonErrors, type ErrorCode, errorCodes } from './errors.ts';
import { Cursor, meaningOf, sparse, UserPreview } from './fields.ts';
import { Folder, Folders } from './folders.ts';
import { IncidentPreviewsQuery, IncidentsQuery } from './incident-queries.ts';
import {
  CustomMetadataFieldValue,
  Incident,
  IncidentMembership,
  IncidentMembershipPreview,
  IncidentPreview,
} from './incidents.ts';
import { IncidentLabel, LabelInput } from './labels.ts';
import { Assignment, AssignmentPreview, Role } from './roles.ts';
import { Task, TaskList } from './tasks.ts';
import { unversioned } from './unversioned.ts';
import { User } from './users.ts';
import {
  IncomingWebhookResponse,
  incomingWebhookParameters,
  incomingWebhookPath,
  OutgoingWebhookPayload,
} from './webhooks.ts';

/** The paths served over HTTP without RPC, and what clients of other servers must not count on. */
const endpoints = { ...http, Folders, Discovery } as const satisfies HttpContract;

const responseNames = {
  ActivityItem,
  Assignment,
  AssignmentPreview,
  Attachment,
  Cursor,
  CustomMetadataFieldValue,
  DashboardMeta,
  DashboardModel,
  Folder,
  Incident,
  IncidentLabel,
  IncidentMembership,
  IncidentMembershipPreview,
  IncidentPreview,
  IncomingWebhookResponse,
  OutgoingWebhookPayload,
  Role,
  TagCount,
  Task,
  TaskList,
  User,
  UserPreview,
};

const requestNames = {
  ActivityQuery,
  CursorInput: Cursor,
  IncidentLabelInput: LabelInput,
  IncidentPreviewsQuery,
  IncidentsQuery,
};

const meanings: Record<ErrorCode, string> = {
  invalid_argument: 'The request is malformed, or a member is missing or not allowed.',
  unauthenticated: 'There is no token, or it is not valid.',
  permission_denied: 'The role of the token is too low.',
  not_found: 'What the request names does not exist.',
  conflict: 'The request conflicts with what is there.',
  failed_precondition: 'What the request builds on has changed, or belongs to somebody else.',
  payload_too_large: 'The request is larger than 1 MiB.',
  unsupported_encoding: 'The body has another content encoding than gzip.',
  resource_exhausted: 'Too many requests; `Retry-After` says how long to wait.',
  internal: 'The service failed.',
  unavailable: 'The service cannot reach what it needs; the same call may succeed in a moment.',
  deadline_exceeded: 'The service was too slow.',
  canceled: 'The caller gave up.',
  invalid_response: 'The answer was not understood.',
};

const text = { type: 'string' } as const;

/**
 * The contract as an OpenAPI 3.1 document, ready for JSON: every method under the newer plugin id, every endpoint, the webhooks
 * of both directions, and all objects by name. The same contract gives the same document, member for member.
 */
export function toOpenApi(): Readonly<Record<string, unknown>> {
  const schemas = new Map<string, JsonSchema>([
    ['RpcProblem', RpcProblem],
    ['HttpProblem', HttpProblem],
  ]);
  const requests = new Components(requestNames, 'request', schemas);
  const responses = new Components(responseNames, 'response', schemas);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, method] of listMethods<Method>(rpc)) {
    paths[`${rpcBase(pluginIDs[0])}/${name}`] = { post: toRpc(name, method, requests, responses) };
  }
  for (const [name, method] of listMethods<Method>(unversioned)) {
    paths[`${unversionedBase(pluginIDs[0])}/${name}`] = { post: toRpc(name, method, requests, responses) };
  }
  for (const [name, endpoint] of listMethods<Endpoint>(endpoints)) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.httpMethod.toLowerCase()]: toHttp(name, endpoint, requests, responses) };
  }
  paths[`${rpcBase(pluginIDs[0])}${incomingWebhookPath}`] = { post: toIncomingWebhook(responses) };
  const payload = responses.toJsonSchema(OutgoingWebhookPayload);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Incidents, short URLs and dashboards',
      version: '1',
      description:
        `Every RPC method is served alike under the plugin ids ${pluginIDs.map(id => `\`${id}\``).join(' and ')}, with \`v1\` in its path and without. ` +
        'Null or absent members of a request read as empty. Names of members are read whatever their case. An unknown member is ignored by a read; where something is changed, it is refused unless it is empty. Words of a list may grow.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [...Object.keys({ ...rpc, ...unversioned }), ...Object.keys(endpoints), incomingGroup].map(name => ({
      name,
    })),
    paths,
    webhooks: {
      incidentChanged: {
        post: {
          operationId: 'webhooks.incidentChanged',
          summary: 'Sent to the addresses that asked for it when an incident changes.',
          security: [],
          requestBody: { required: true, content: json(payload) },
          responses: { '2XX': { description: 'Taken.' } },
        },
      },
    },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A service account token.' },
        token: { type: 'apiKey', in: 'query', name: 'token', description: 'The same, where no header can be set.' },
      },
      responses: { ...toErrorResponses('Rpc', 'RpcProblem'), ...toErrorResponses('Http', 'HttpProblem') },
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

/** Method names as on the wire and in logs, each with its method, in the contract's order. */
function listMethods<M extends Method>(groups: Readonly<Record<string, Readonly<Record<string, M>>>>): [string, M][] {
  return Object.entries(groups).flatMap(([group, methods]) =>
    Object.entries(methods).map(([name, method]): [string, M] => [`${group}.${name}`, method]),
  );
}

function toRpc(name: string, method: Method, requests: Components, responses: Components): object {
  return {
    ...toOperation(name, method),
    requestBody: { required: true, content: json(requests.toJsonSchema(method.input)) },
    responses: {
      200: { description: 'Done; `error` is empty.', content: json(responses.toJsonSchema(method.output)) },
      ...toErrors('Rpc', method.errors),
    },
  };
}

function toHttp(name: string, endpoint: Endpoint, requests: Components, responses: Components): object {
  const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].map(match => match[1] ?? '');
  const input = requests.toJsonSchema(endpoint.input);
  const body = withoutMembers(input, inPath);
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(endpoint.httpMethod);
  const inQuery = endpoint.httpMethod === 'GET' ? Object.entries(membersOf(body)) : [];
  const done = endpoint.redirects
    ? { 302: { description: 'The full address.', headers: { Location: { required: true, schema: text } } } }
    : { 200: { description: 'Done.', content: json(responses.toJsonSchema(endpoint.output)) } };
  return {
    ...toOperation(name, endpoint),
    ...(inPath.length + inQuery.length > 0 && {
      parameters: [
        ...inPath.map(name => toParameter(name, 'path', membersOf(input)[name])),
        ...inQuery.map(([name, schema]) => toParameter(name, 'query', schema)),
      ],
    }),
    ...(hasBody && { requestBody: { required: endpoint.httpMethod !== 'PATCH', content: json(body) } }),
    responses: { ...done, ...toErrors('Http', endpoint.errors) },
  };
}

/** A member in the address: there it is a text. */
function toParameter(name: string, place: 'path' | 'query', schema: JsonSchema = text): object {
  const { description, ...plain } = schema;
  return { name, in: place, required: place === 'path', description, schema: place === 'path' ? text : plain };
}

function membersOf({ properties }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (properties ?? {}) as Readonly<Record<string, JsonSchema>>;
}

/** The group of the incoming webhook. It is no method: its parameters are in the address, and its body is free. */
const incomingGroup = 'IncomingWebhooks';

function toIncomingWebhook(responses: Components): object {
  const terms = {
    summary:
      'Declare an incident with the parameters of an address. The body becomes a note. A parameter that cannot be used gets its default, and `processingErrors` says so.',
    effect: 'create',
    access: 'Editor',
    errors: [],
  } as const;
  return {
    ...toOperation(`${incomingGroup}.createIncident`, terms),
    security: [{ bearer: [] }, { token: [] }],
    parameters: Object.entries(incomingWebhookParameters).map(([name, description]) => ({
      name,
      in: 'query',
      required: name === 'title',
      description,
      schema: text,
    })),
    requestBody: { required: false, content: json({}) },
    responses: {
      200: { description: 'Declared.', content: json(responses.toJsonSchema(IncomingWebhookResponse)) },
      ...toErrors('Rpc', terms.errors),
    },
  };
}

function toOperation(name: string, method: Pick<Method, 'summary' | 'effect' | 'access'>): object {
  return {
    operationId: name,
    tags: [name.slice(0, name.indexOf('.'))],
    summary: method.summary,
    'x-muster-effect': method.effect,
    'x-muster-access': method.access,
  };
}

function withoutMembers(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const { required, ...rest } = schema as { properties?: Record<string, unknown>; required?: string[] };
  const left = required?.filter(name => !names.includes(name)) ?? [];
  const properties = Object.entries(rest.properties ?? {}).filter(([name]) => !names.includes(name));
  return { ...rest, properties: Object.fromEntries(properties), ...(left.length > 0 && { required: left }) };
}

function toErrors(kind: 'Rpc' | 'Http', errors: Method['errors']): object {
  const codes = [...new Set([...errors, ...commonErrors])];
  return Object.fromEntries(
    codes.map(code => [errorCodes[code].status, { $ref: `#/components/responses/${kind}.${code}` }]),
  );
}

function toErrorResponses(kind: 'Rpc' | 'Http', schema: string): object {
  const groups: RpcContract | HttpContract = kind === 'Rpc' ? { ...rpc, ...unversioned } : endpoints;
  const declared = listMethods<Method>(groups).flatMap(([, method]) => method.errors);
  const codes = [...new Set([...commonErrors, ...declared])].sort(
    (a, b) => errorCodes[a].status - errorCodes[b].status,
  );
  return Object.fromEntries(
    codes.map(code => [
      `${kind}.${code}`,
      {
        description: meanings[code],
        ...(code === 'resource_exhausted' && {
          headers: { 'Retry-After': { description: 'Seconds, or an HTTP date.', schema: text } },
        }),
        content: json({ $ref: `#/components/schemas/${schema}` }),
      },
    ]),
  );
}

function json(schema: JsonSchema): object {
  return { 'application/json': { schema } };
}

/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 embeds it. */
type JsonSchema = { readonly [member: string]: unknown };

/** The named schemas, and the components written so far. */
class Components {
  readonly #names: ReadonlyMap<z.core.$ZodType, string>;
  /** Which way the JSON travels. Requests and responses differ in what must be there. */
  readonly #direction: 'request' | 'response';
  readonly #written: Map<string, JsonSchema>;

  constructor(
    names: Readonly<Record<string, z.ZodType>>,
    direction: 'request' | 'response',
    written: Map<string, JsonSchema>,
  ) {
    this.#names = new Map(Object.entries(names).map(([name, schema]) => [schema, name]));
    this.#direction = direction;
    this.#written = written;
  }

  /** The schema as JSON Schema. A named one becomes a reference, and its component is written the first time. */
  toJsonSchema(schema: z.core.$ZodType): JsonSchema {
    const name = this.#names.get(schema);
    if (name === undefined) return this.#inline(schema);
    if (!this.#written.has(name)) {
      this.#written.set(name, {});
      this.#written.set(name, withMeaning(this.#inline(schema), schema));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /**
   * The wire form of the documents. It leaves out where we read more leniently than the API promises: null for every member,
   * and unknown words where a list of words may grow.
   */
  #inline(schema: z.core.$ZodType): JsonSchema {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    switch (def.type) {
      case 'string':
      case 'unknown': {
        const { $schema, ...plain } = z.toJSONSchema(schema);
        // A time that is not set is sent as an empty text.
        return plain.format === 'date-time' ? { anyOf: [plain, { type: 'string', enum: [''] }] } : plain;
      }
      case 'number':
        return { type: 'integer' };
      case 'boolean':
        return { type: 'boolean' };
      case 'enum':
        return { type: 'string', enum: Object.values(def.entries) };
      case 'array':
        return { type: 'array', items: this.toJsonSchema(def.element) };
      case 'record':
        return { type: 'object', additionalProperties: true };
      case 'union':
        return { anyOf: def.options.map(option => this.toJsonSchema(option)) };
      case 'object':
        return this.#object(def.shape, def.catchall !== undefined);
      case 'pipe':
        return this.toJsonSchema(def.in);
      case 'catch':
      case 'optional':
      case 'nullable':
        return this.toJsonSchema(def.innerType);
      default:
        throw new TypeError(`The contract uses a kind of schema that cannot be described yet: ${def.type}`);
    }
  }

  #object(shape: Readonly<Record<string, z.core.$ZodType>>, loose: boolean): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const [name, member] of Object.entries(shape)) {
      const json = this.toJsonSchema(member);
      const nullable = this.#direction === 'response' && readsNull(member);
      properties[name] = withMeaning(nullable ? { anyOf: [json, { type: 'null' }] } : json, member);
      const always =
        this.#direction === 'response' ? !loose && !sparse.has(member as z.ZodType) : member._zod.optin === undefined;
      if (always) required.push(name);
    }
    return {
      type: 'object',
      properties,
      ...(required.length > 0 && { required }),
      ...(loose && { additionalProperties: true }),
    };
  }
}

function withMeaning(json: JsonSchema, schema: z.core.$ZodType): JsonSchema {
  const description = meaningOf(schema);
  return description === undefined ? json : { ...json, description };
}

/** Whether null is a value of its own here, and not another way to leave the member out. */
function readsNull(member: z.core.$ZodType): boolean {
  const read = z.safeParse(member, null);
  return read.success && read.data === null && (member as z.core.$ZodTypes)._zod.def.type !== 'unknown';
}

const described = (description: string): JsonSchema => ({ type: 'string', description });

/** Body of a failed RPC call (docs/api-rules.md A1, Error envelope). */
const RpcProblem: JsonSchema = {
  type: 'object',
  description: 'RFC 7807, with `error` and `message` repeating `detail` for older clients.',
  properties: {
    type: described('Always `about:blank`.'),
    title: described('The HTTP phrase of the status.'),
    status: { type: 'integer', description: 'The HTTP status of the answer.' },
    detail: described('What went wrong, in words.'),
    code: described('Why, as one word for programs, such as `common.validation_failed`.'),
    retryable: { type: 'boolean', description: 'Whether the same call may succeed later.' },
    error: { type: 'string', minLength: 1, description: 'The same as `detail`.' },
    message: described('The same as `detail`.'),
    hint: described('What the caller may do.'),
    trace_id: described('Under which id the server has the details.'),
  },
  required: ['title', 'status', 'detail', 'error', 'message'],
};

/** Body of a failed call of the short-URL and dashboard API (docs/api-rules.md B, C1). */
const HttpProblem: JsonSchema = {
  type: 'object',
  description: 'What went wrong, as Grafana writes it.',
  properties: {
    message: described('What went wrong, in words.'),
    status: described('Why, as one word: `version-mismatch`, `name-exists`, `plugin-dashboard`.'),
    messageId: described('Why, as one word, for short URLs and a token that is not valid: `shorturl.absolute-path`.'),
    statusCode: { type: 'integer', description: 'The HTTP status of the answer.' },
    traceID: described('Always empty here.'),
  },
  required: ['message'],
};
