import { isTransient } from '../../contract/errors.ts';
import type { Incident } from '../../contract/incidents.ts';
import type { IncidentDeps } from './intent-kind.ts';
import type { IncidentSummary } from './snapshots.ts';

/** How long somebody who acts waits for the API, in milliseconds: a form has to open within Slack's three seconds. */
const patience = 1500;

/**
 * An incident for whoever acts on it: as the API has it, or as it was last seen while the API cannot be reached, since what they
 * do is kept then. Throws the RpcError when it was never seen.
 */
export async function readKnown({ api, snapshots, log }: IncidentDeps, incidentID: string): Promise<Incident> {
  try {
    return (await api.IncidentsService.GetIncident({ incidentID }, { budget: patience })).incident;
  } catch (error) {
    const known = isTransient(error) ? await snapshots.recall(incidentID) : undefined;
    if (!known?.whole) throw error;
    log.warn({ err: error, incident: incidentID }, 'acting on an incident as it is remembered');
    return known.whole.incident;
  }
}

/**
 * The incidents that somebody may choose from, as the API lists them, or the newest of those that were seen while it cannot be
 * reached. Throws the RpcError when none was.
 */
export async function readRecent(
  { api, snapshots, log }: IncidentDeps,
  most: number,
  orderField: 'createdTime' | 'modifiedTime',
): Promise<readonly IncidentSummary[]> {
  try {
    const query = { limit: most, orderField, orderDirection: 'DESC' as const };
    return (await api.IncidentsService.QueryIncidentPreviews({ query }, { budget: patience })).incidentPreviews;
  } catch (error) {
    const known = isTransient(error) ? await snapshots.latest(most) : [];
    if (known.length === 0) throw error;
    log.warn({ err: error }, 'incidents are offered as they are remembered');
    return known.map(each => each.summary);
  }
}
