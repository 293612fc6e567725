import { z } from 'zod';
import { rpc } from '../../contract/contract.ts';
import type { Implementation, Method } from '../../contract/define.ts';
import { unversioned } from '../../contract/unversioned.ts';
import type { Context } from '../call/context.ts';
import { toMemberReader } from '../call/members.ts';
import type { PreparedCall } from '../call/response-cache.ts';
import { activity } from '../incidents/activity.ts';
import { readValidators } from '../incidents/cache-validators.ts';
import { giveType } from '../incidents/incident-type.ts';
import { incidents } from '../incidents/incidents.ts';
import { roles } from '../incidents/roles.ts';
import { tasks } from '../incidents/tasks.ts';
import { contexts, integrations, severities } from '../incidents/unversioned.ts';
import { users } from '../incidents/users.ts';

/** One RPC method and its implementation. */
export interface RpcRoute {
  readonly method: Method;
  /** It takes a query from its caller, which may be anything. */
  readonly isSearch: boolean;
  /** It makes or changes an incident. */
  readonly takesType: boolean;
  /** Checks an input against the contract; throws `ZodError` when it does not fit. */
  readonly prepare: (input: object) => PreparedCall;
}

/** The operations that take a query from their caller (docs/api-rules.md A7). */
const searches: ReadonlySet<string> = new Set(['QueryIncidentPreviews', 'QueryIncidents']);

const services: { readonly [S in keyof (typeof rpc & typeof unversioned)]: readonly [name: string, RpcRoute][] } = {
  ActivityService: toRoutes('ActivityService', rpc.ActivityService, activity, {
    QueryActivity: async (context, { query }) => (await readValidators(context, query.incidentID))?.timeline,
  }),
  IncidentsService: toRoutes('IncidentsService', rpc.IncidentsService, incidents, {
    GetIncident: async (context, { incidentID }) => (await readValidators(context, incidentID))?.incident,
  }),
  IncidentContextService: toRoutes('IncidentContextService', unversioned.IncidentContextService, contexts),
  IntegrationService: toRoutes('IntegrationService', unversioned.IntegrationService, integrations),
  RolesService: toRoutes('RolesService', rpc.RolesService, roles),
  SeveritiesService: toRoutes('SeveritiesService', unversioned.SeveritiesService, severities),
  TasksService: toRoutes('TasksService', rpc.TasksService, tasks),
  UsersService: toRoutes('UsersService', rpc.UsersService, users),
};

/** All RPC methods of the contract, by `<Service>.<Operation>`. */
export const rpcRoutes: ReadonlyMap<string, RpcRoute> = new Map(Object.values(services).flat());

function toRoutes<S extends Readonly<Record<string, Method>>>(
  service: string,
  methods: S,
  answers: Implementation<S, Context>,
  validators: {
    readonly [M in keyof S]?: (context: Context, input: z.output<S[M]['input']>) => Promise<string | undefined>;
  } = {},
): [name: string, RpcRoute][] {
  return Object.keys(methods).flatMap((name: keyof S & string): [string, RpcRoute][] => {
    const method = methods[name];
    const answer = answers[name];
    const validator = validators[name];
    if (!method) return [];
    const operation = `${service}.${name}`;
    const schema: S[keyof S & string]['input'] = method.input;
    const readMembers = toMemberReader(operation, method);
    const changesIncident =
      method.effect !== 'read' && method.input instanceof z.ZodObject && 'incidentID' in method.input.shape;
    const prepare: RpcRoute['prepare'] = body => {
      const input = z.parse(schema, readMembers(body));
      return {
        answer: async context => {
          if (changesIncident) await giveType(context, input as { readonly incidentID: string });
          return await answer(context, input);
        },
        ...(validator ? { validator: (context: Context) => validator(context, input) } : {}),
      };
    };
    const takesType = changesIncident || name === 'CreateIncident';
    return [[operation, { method, prepare, isSearch: searches.has(name), takesType }]];
  });
}
