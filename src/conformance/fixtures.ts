import type { ActivityItem, ActivityKind } from '../contract/activity.ts';
import type { Api } from '../contract/contract.ts';
import { RpcError } from '../contract/errors.ts';
import type { Incident, NewIncident } from '../contract/incidents.ts';
import { items } from '../contract/paging.ts';
import type { Role } from '../contract/roles.ts';
import type { Deadlines } from '../deadlines.ts';
import type { RawHttp } from './raw-http.ts';

/** What checks work with: the server, and things of their own on it that are removed at the end. */
export interface Fixtures {
  readonly api: Api;
  /** The client of a token that may only read; undefined without such a token. */
  readonly viewer: Api | undefined;
  readonly raw: RawHttp;
  /** The beginning of every name that the kit gives; each run has another. */
  readonly prefix: string;
  /** Declares a drill that all checks share by its name. */
  incident(name: string): Promise<Incident>;
  /** Declares a drill that will be resolved at the end. */
  declare(input: Partial<NewIncident> & { title: string }): Promise<Incident>;
  /** Makes a role that will be deleted at the end. */
  role(name: string): Promise<Role>;
  /** User id of a person who may be given roles and tasks. */
  person(): Promise<string>;
  /** The items of a timeline, oldest first; of some kinds only, when they are named. */
  timeline(incidentID: string, ...kinds: ActivityKind[]): Promise<ActivityItem[]>;
  /** Repeats a read for a while, because listings may lag behind changes. */
  eventually<T>(read: () => Promise<T | undefined>): Promise<T | undefined>;
  /** Registers an action for the end of the run. Actions run last first; the thing may be gone by then. */
  onCleanUp(remove: () => Promise<unknown>): void;
  /** Records a thing that stays on the server, because the API cannot delete it. */
  leavesBehind(kind: string, id: string): void;
}

/** The fixtures of one run, and how to remove them. */
export interface FixtureSet extends Fixtures {
  /** Removes everything; gives the things that stay, and the failures. */
  cleanUp(): Promise<{
    /** Ids of things that stay on the server, by kind. */
    readonly staying: Readonly<Record<string, readonly string[]>>;
    readonly failed: readonly string[];
  }>;
}

/** Makes the fixtures of a run. Nothing is written before a check asks for it. */
export function createFixtures(deps: {
  readonly api: Api;
  readonly viewer: Api | undefined;
  readonly raw: RawHttp;
  readonly prefix: string;
  /** User id to give roles and tasks to; default: the person of the token. */
  readonly person: string | undefined;
  readonly deadlines: Deadlines;
}): FixtureSet {
  const { api, prefix, deadlines } = deps;
  const incidents = new Map<string, Promise<Incident>>();
  const chores: (() => Promise<unknown>)[] = [];
  const staying: Record<string, string[]> = {};
  const fixtures: Fixtures = {
    ...deps,
    async declare(input) {
      const { incident } = await api.IncidentsService.CreateIncident({ isDrill: true, ...input });
      const { incidentID } = incident;
      fixtures.leavesBehind('incidents (resolved, marked as drills)', incidentID);
      chores.push(
        () => api.IncidentsService.UpdateIncidentIsDrill({ incidentID, isDrill: true }),
        () => api.IncidentsService.UpdateStatus({ incidentID, status: 'resolved' }),
      );
      return incident;
    },
    incident(name) {
      const known = incidents.get(name) ?? fixtures.declare({ title: `${prefix} ${name}` });
      incidents.set(name, known);
      return known;
    },
    async role(name) {
      const input = { name, description: 'made by the conformance kit', important: true };
      const { role } = await api.RolesService.CreateRole({ role: input });
      chores.push(() => api.RolesService.DeleteRole({ roleID: role.roleID }));
      return role;
    },
    person: async () => deps.person ?? (await fixtures.incident('people')).createdByUser.userID,
    async timeline(incidentID, ...activityKind) {
      const query = { incidentID, activityKind, orderDirection: 'ASC' as const, limit: 100 };
      const found: ActivityItem[] = [];
      for await (const item of items(api.ActivityService.QueryActivity, 'activityItems', { query })) found.push(item);
      return found;
    },
    async eventually(read) {
      const end = performance.now() + deadlines.conformance.search;
      for (;;) {
        const found = await read();
        if (found !== undefined || performance.now() >= end) return found;
        await new Promise(resolve => setTimeout(resolve, 250));
      }
    },
    onCleanUp: putAway => void chores.push(putAway),
    leavesBehind(kind, id) {
      staying[kind] = [...(staying[kind] ?? []), id];
    },
  };
  return {
    ...fixtures,
    async cleanUp() {
      const failed: string[] = [];
      for (const chore of chores.reverse()) {
        try {
          await chore();
        } catch (error) {
          if (!(error instanceof RpcError) || error.code !== 'not_found') failed.push(String(error));
        }
      }
      return { staying, failed };
    },
  };
}
