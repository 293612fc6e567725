import type { ActivityItem, ActivityKind } from '../contract/activity.ts';
import type { Api } from '../contract/contract.ts';
import { RpcError } from '../contract/errors.ts';
import type { Incident, NewIncident } from '../contract/incidents.ts';
import { items } from '../contract/paging.ts';
import type { Role } from '../contract/roles.ts';
import type { Deadlines } from '../deadlines.ts';
import type { RawHttp } from './raw-http.ts';

interface FixtureDeps {
  readonly api: Api;
  /** The client of a token that may only read; undefined without such a token. */
  readonly viewer: Api | undefined;
  readonly raw: RawHttp;
  /** The beginning of every name that the kit gives; each run has another. */
  readonly prefix: string;
  /** User id to give roles and tasks to; default: the person of the token. */
  readonly person: string | undefined;
  readonly deadlines: Deadlines;
}

/**
 * What the checks of a run work with: the server, and things of their own on it that are removed at the end. Nothing is written before a
 * check asks for it.
 */
export class Fixtures {
  readonly api: Api;
  readonly viewer: Api | undefined;
  readonly raw: RawHttp;
  readonly prefix: string;
  readonly #deps: FixtureDeps;
  readonly #incidents = new Map<string, Promise<Incident>>();
  readonly #chores: (() => Promise<unknown>)[] = [];
  readonly #staying: Record<string, string[]> = {};

  constructor(deps: FixtureDeps) {
    this.#deps = deps;
    this.api = deps.api;
    this.viewer = deps.viewer;
    this.raw = deps.raw;
    this.prefix = deps.prefix;
  }

  /** Declares a drill that all checks share by its name. */
  incident(name: string): Promise<Incident> {
    const known = this.#incidents.get(name) ?? this.declare({ title: `${this.prefix} ${name}` });
    this.#incidents.set(name, known);
    return known;
  }

  /** Declares a drill that will be resolved at the end. */
  async declare(input: Partial<NewIncident> & { title: string }): Promise<Incident> {
    const { IncidentsService } = this.api;
    const { incident } = await IncidentsService.CreateIncident({ isDrill: true, ...input });
    const { incidentID } = incident;
    this.leavesBehind('incidents (resolved, marked as drills)', incidentID);
    this.onCleanUp(() => IncidentsService.UpdateIncidentIsDrill({ incidentID, isDrill: true }));
    this.onCleanUp(() => IncidentsService.UpdateStatus({ incidentID, status: 'resolved' }));
    return incident;
  }

  /** Makes a role that will be deleted at the end. */
  async role(name: string): Promise<Role> {
    const input = { name, description: 'made by the conformance kit', important: true };
    const { role } = await this.api.RolesService.CreateRole({ role: input });
    this.onCleanUp(() => this.api.RolesService.DeleteRole({ roleID: role.roleID }));
    return role;
  }

  /** User id of a person who may be given roles and tasks. */
  async person(): Promise<string> {
    return this.#deps.person ?? (await this.incident('people')).createdByUser.userID;
  }

  /** The items of a timeline, oldest first; of some kinds only, when they are named. */
  async timeline(incidentID: string, ...activityKind: ActivityKind[]): Promise<ActivityItem[]> {
    const query = { incidentID, activityKind, orderDirection: 'ASC' as const, limit: 100 };
    const found: ActivityItem[] = [];
    for await (const item of items(this.api.ActivityService.QueryActivity, 'activityItems', { query }))
      found.push(item);
    return found;
  }

  /** Repeats a read for a while, because listings may lag behind changes. */
  async eventually<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
    const end = performance.now() + this.#deps.deadlines.conformance.search;
    for (;;) {
      const found = await read();
      if (found !== undefined || performance.now() >= end) return found;
      await new Promise(resolve => setTimeout(resolve, 250));
    }
  }

  /** Registers an action for the end of the run. Actions run last first; the thing may be gone by then. */
  onCleanUp(remove: () => Promise<unknown>): void {
    this.#chores.push(remove);
  }

  /** Records a thing that stays on the server, because the API cannot delete it. */
  leavesBehind(kind: string, id: string): void {
    this.#staying[kind] = [...(this.#staying[kind] ?? []), id];
  }

  /** Removes everything; gives the ids of the things that stay on the server, by kind, and the failures. */
  async cleanUp() {
    const failed: string[] = [];
    for (const chore of this.#chores.reverse()) {
      try {
        await chore();
      } catch (error) {
        if (!(error instanceof RpcError) || error.code !== 'not_found') failed.push(String(error));
      }
    }
    return {
      staying: this.#staying as Readonly<Record<string, readonly string[]>>,
      failed: failed as readonly string[],
    };
  }
}
