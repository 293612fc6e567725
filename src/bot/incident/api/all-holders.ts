import type { Logger } from 'pino';
import type { Api } from '../../../contract/contract.ts';

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
