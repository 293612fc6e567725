import { z } from 'zod';
import { rpc } from '../../contract/contract.ts';
import type { Implementation, Method } from '../../contract/define.ts';
import type { Context } from '../call/context.ts';
import type { Question } from '../call/response-cache.ts';
import { activity } from '../incidents/activity.ts';
import { readStamps } from '../incidents/cache-validators.ts';
import { incidents } from '../incidents/incidents.ts';
import { roles } from '../incidents/roles.ts';
import { tasks } from '../incidents/tasks.ts';
import { users } from '../incidents/users.ts';

/** One RPC method, and what answers it. */
export interface Operation {
  readonly method: Method;
  /** Reads an input and gives what answers it. */
  readonly prepare: (input: object) => Question;
}

/** What says whether an answer given before is still true, for reads that are repeated much. */
type Stamps<S extends Readonly<Record<string, Method>>> = {
  readonly [M in keyof S]?: (context: Context, input: z.output<S[M]['input']>) => Promise<string | undefined>;
};

const services: { readonly [S in keyof typeof rpc]: readonly [name: string, Operation][] } = {
  ActivityService: toOperations(rpc.ActivityService, activity, {
    QueryActivity: async (context, { query }) => (await readStamps(context, query.incidentID))?.timeline,
  }),
  IncidentsService: toOperations(rpc.IncidentsService, incidents, {
    GetIncident: async (context, { incidentID }) => (await readStamps(context, incidentID))?.incident,
  }),
  RolesService: toOperations(rpc.RolesService, roles),
  TasksService: toOperations(rpc.TasksService, tasks),
  UsersService: toOperations(rpc.UsersService, users),
};

/** Every operation by `<Service>.<Operation>`. */
export type Operations = ReadonlyMap<string, Operation>;

/** What the service answers. */
export const operations: Operations = new Map(
  Object.entries(services).flatMap(([service, all]) =>
    all.map(([name, operation]): [string, Operation] => [`${service}.${name}`, operation]),
  ),
);

function toOperations<S extends Readonly<Record<string, Method>>>(
  methods: S,
  answers: Implementation<S, Context>,
  stamps: Stamps<S> = {},
): [name: string, Operation][] {
  return Object.keys(methods).flatMap((name: keyof S & string): [string, Operation][] => {
    const method = methods[name];
    const answer = answers[name];
    const stamp = stamps[name];
    if (!method) return [];
    const schema: S[keyof S & string]['input'] = method.input;
    const prepare: Operation['prepare'] = body => {
      const input = z.parse(schema, body);
      return {
        answer: context => answer(context, input),
        ...(stamp ? { stamp: (context: Context) => stamp(context, input) } : {}),
      };
    };
    return [[name, { method, prepare }]];
  });
}
