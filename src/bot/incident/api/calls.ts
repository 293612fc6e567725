import type { Logger } from 'pino';
import type { Api } from '../../../contract/contract.ts';
import type { CallOptions } from '../../../contract/define.ts';
import { isNotFound, isTransient, RpcError } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import type { Snapshots } from '../state/snapshots.ts';

/* The API as the bot calls it: each function gives the same API with one thing more. */

/** A call of the API, whatever its method. */
type AnyCall = (...args: never[]) => Promise<unknown>;
/** A call of one method. */
type Call<I, O> = (input: I, options?: CallOptions) => Promise<O>;

/**
 * The same API. `onRecovered` is called at the first answer after the API was away, and at the first answer of all. One operation that
 * fails while others are answered does not make it away.
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
      const answer = await call();
      heard();
      return answer;
    } catch (error) {
      if (!isTransient(error)) heard();
      else wasAway ||= isAway();
      throw error;
    }
  });
}

/** The same API for work under leases: a call fails, as if the API were away, while `isOvertaken` says that another process may do it. */
export function guardCalls(api: Api, isOvertaken: () => boolean): Api {
  return wrapCalls(api, async call => {
    if (isOvertaken())
      throw new RpcError('canceled', 'This process stood still, and another one may do it.', { maybeApplied: false });
    return await call();
  });
}

function wrapCalls(api: Api, around: (call: () => Promise<unknown>) => Promise<unknown>): Api {
  const wrapped = (group: object) =>
    Object.entries<AnyCall>(group as Record<string, AnyCall>).map(([name, call]) => [
      name,
      (...args: never[]) => around(() => call(...args)),
    ]);
  const groups = Object.entries<object>(api).map(([name, group]) => [name, Object.fromEntries(wrapped(group))]);
  return Object.fromEntries(groups);
}

/** A Grafana names at most so many holders of roles in an incident (docs/api-rules.md A3). */
const mostNamed = 10;

/**
 * The same API, whose incidents name all holders of roles. The list of an incident that is full may lack some, so the whole list is
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

/** The same API, whose answers about incidents are recorded as snapshots. Callers get each answer unchanged and undelayed. */
export function recordSnapshots(api: Api, snapshots: Snapshots): Api {
  const incidents = api.IncidentsService;

  function recording<I, O>(call: Call<I, O>, record: (answer: O) => void): Call<I, O> {
    return async (input, options) => {
      const answer = await call(input, options);
      record(answer);
      return answer;
    };
  }

  function whole<I, O extends { readonly incident: Incident }>(call: Call<I, O>): Call<I, O> {
    return recording(call, answer => snapshots.record(answer.incident));
  }

  const getIncident = whole(incidents.GetIncident);
  return {
    ...api,
    IncidentsService: {
      ...incidents,
      AddLabel: whole(incidents.AddLabel),
      AssignRole: whole(incidents.AssignRole),
      CreateIncident: whole(incidents.CreateIncident),
      GetIncident: async (input, options) => {
        try {
          return await getIncident(input, options);
        } catch (error) {
          if (isNotFound(error)) snapshots.delete(input.incidentID);
          throw error;
        }
      },
      QueryIncidentPreviews: recording(incidents.QueryIncidentPreviews, answer =>
        snapshots.recordSummaries(answer.incidentPreviews),
      ),
      RemoveLabel: whole(incidents.RemoveLabel),
      UnassignRole: whole(incidents.UnassignRole),
      UpdateIncidentIsDrill: whole(incidents.UpdateIncidentIsDrill),
      UpdateSeverity: whole(incidents.UpdateSeverity),
      UpdateStatus: whole(incidents.UpdateStatus),
      UpdateTitle: whole(incidents.UpdateTitle),
    },
  };
}
