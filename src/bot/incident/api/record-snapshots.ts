import type { Api } from '../../../contract/contract.ts';
import type { CallOptions } from '../../../contract/define.ts';
import { isNotFound } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import type { Snapshots } from '../state/snapshots.ts';

type Call<I, O> = (input: I, options?: CallOptions) => Promise<O>;

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
