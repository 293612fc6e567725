import type { Logger } from 'pino';
import { type Api, rpc } from '../../../contract/contract.ts';
import type { CallOptions, Effect } from '../../../contract/define.ts';
import { isNotFound, isTransient, RpcError } from '../../../contract/errors.ts';
import type { Incident, IncidentPreview } from '../../../contract/incidents.ts';
import type { Snapshots } from '../state/snapshots.ts';

/* The API as the bot calls it: each function gives the same API with one thing more. */

/** A call of the API, whatever its method. */
interface AnyCall {
  readonly method: string;
  /** `read` for the endpoints of dashboards, which change no incident. */
  readonly effect: Effect;
  readonly input: { readonly incidentID?: string };
  readonly options: CallOptions | undefined;
  /** Makes the call, with these options in the place of its own where they are given. */
  run(options?: CallOptions): Promise<unknown>;
}

/**
 * An API that tells when it answers again. `onRecovered` is called at the first answer after the API was away, and at the first answer of all.
 * One operation that fails while others are answered does not make it away.
 */
export function watchRecovery(api: Api, isAway: () => boolean, onRecovered: () => void): Api {
  // Another process may have seen it away before this one started.
  let wasAway = true;

  function heard(): void {
    if (!wasAway) return;
    wasAway = false;
    onRecovered();
  }

  return wrapCalls(api, async call => {
    try {
      const answer = await call.run();
      heard();
      return answer;
    } catch (error) {
      if (!isTransient(error)) heard();
      else wasAway ||= isAway();
      throw error;
    }
  });
}

/** An API for work under leases: a call fails, as if the API were away, while `isOvertaken` says that another process may do it. */
export function guardCalls(api: Api, isOvertaken: () => boolean): Api {
  return wrapCalls(api, async call => {
    if (isOvertaken())
      throw new RpcError('canceled', 'This process stood still, and another one may do it.', { maybeApplied: false });
    return await call.run();
  });
}

/** The API with `around` in the place of each call. */
export function wrapCalls(api: Api, around: (call: AnyCall) => Promise<unknown>): Api {
  type Call = (input: AnyCall['input'], options?: CallOptions) => Promise<unknown>;
  const wrapped = ([service, group]: [string, object]) => {
    const calls = Object.entries<Call>(group as Record<string, Call>).map(([method, call]) => {
      const effect: Effect = Reflect.get(Reflect.get(rpc, service) ?? {}, method)?.effect ?? 'read';
      const through: Call = (input, options) =>
        around({ method, effect, input, options, run: (given = options) => call(input, given) });
      return [method, through];
    });
    return [service, Object.fromEntries(calls)];
  };
  return Object.fromEntries(Object.entries<object>(api).map(wrapped));
}

/** A Grafana names at most so many holders of roles in an incident (docs/api-rules.md A3). */
const mostNamed = 10;

/**
 * An API whose incidents name all holders of roles. The list of an incident that is full may lack some, so the whole list is
 * asked for. When that fails, the incident has the holders that it came with.
 */
export function withAllHolders(api: Api, log: Logger): Api {
  const { GetIncident, GetIncidentMembership } = api.IncidentsService;
  return {
    ...api,
    IncidentsService: {
      ...api.IncidentsService,
      GetIncident: async (input, options) => {
        const answer = await GetIncident(input, options);
        const { incidentMembership } = answer.incident;
        if (incidentMembership.assignments.length !== mostNamed) return answer;
        try {
          const { assignments } = await GetIncidentMembership(input, options);
          return {
            ...answer,
            incident: { ...answer.incident, incidentMembership: { ...incidentMembership, assignments } },
          };
        } catch (err) {
          log.warn({ err, incident: input.incidentID }, 'incident: could not read all holders of roles');
          return answer;
        }
      },
    },
  };
}

/** Records what the API answers about incidents as snapshots. Callers get each answer unchanged and undelayed. */
export function recordSnapshots(api: Api, snapshots: Snapshots): Api {
  return wrapCalls(api, async ({ method, effect, input: { incidentID = '' }, run }) => {
    // The timeline alone changes nothing that an incident shows.
    const isChange = effect !== 'read' && !method.includes('Activity');
    try {
      const answer = (await run()) as {
        readonly incident?: Incident;
        readonly incidents?: readonly Incident[];
        readonly incidentPreviews?: readonly IncidentPreview[];
      };
      const { incident, incidents = [], incidentPreviews = [] } = answer;
      for (const each of incident ? [incident] : incidents) snapshots.record(each);
      snapshots.recordSummaries(incidentPreviews);
      const isWhole = incident?.incidentMembership.assignments.length !== mostNamed;
      if (isChange) snapshots.changed(incident?.incidentID ?? incidentID, isWhole ? incident : undefined);
      return answer;
    } catch (error) {
      if (isChange) snapshots.changed(incidentID, undefined);
      if (method === 'GetIncident' && isNotFound(error)) snapshots.delete(incidentID);
      throw error;
    }
  });
}
