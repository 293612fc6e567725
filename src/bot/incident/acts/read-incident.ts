import { z } from 'zod';
import { isNotFound, isUnread } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { isProvisional, registrationOf } from '../../journal/provisional-id.ts';
import { agedNotice, type IncidentSummary } from '../state/snapshots.ts';
import type { IncidentDeps } from './intent-kind.ts';

/**
 * An incident for a person who acts on it: from the API, or from its snapshot while the API cannot be reached, since their change is
 * queued then. Throws the RpcError when there is no snapshot.
 */
export async function readKnown(
  { api, snapshots, deadlines, log }: IncidentDeps,
  incidentID: string,
): Promise<Incident> {
  try {
    return (await api.IncidentsService.GetIncident({ incidentID }, { budget: deadlines.reads.aside })).incident;
  } catch (error) {
    const snapshot = isUnread(error) ? await snapshots.get(incidentID) : undefined;
    if (!snapshot?.whole) throw error;
    log.warn({ err: error, incident: incidentID }, 'incident: the API is away, showing its snapshot');
    return snapshot.whole.incident;
  }
}

/** The facts that name an incident in one line, and whether it goes on. */
export type Headline = Pick<Incident, 'title' | 'severity' | 'isDrill' | 'status' | 'overviewURL'> &
  Partial<Pick<Incident, 'incidentType'>>;

/** The headline of an incident while only its declaration is known. */
export const unknownHeadline: Headline = { title: '', severity: '', isDrill: false, status: 'active', overviewURL: '' };

const DeclaredFacts = z.object({
  title: z.string().catch(''),
  severity: z.string().catch(''),
  isDrill: z.boolean().catch(false),
});

/**
 * The headline of an incident, registered or not: from the API, from its snapshot, or as it was declared; {@link unknownHeadline} while that
 * is not known. Throws as {@link readKnown} does when there is no such incident.
 */
export async function readHeadline(deps: IncidentDeps, incidentID: string): Promise<Headline> {
  if (isProvisional(incidentID)) {
    const [declaration] = await deps.journal.findAll([registrationOf(incidentID)]);
    return { ...unknownHeadline, ...DeclaredFacts.safeParse(declaration?.payload).data };
  }
  try {
    return await readKnown(deps, incidentID);
  } catch (error) {
    if (isUnread(error)) return unknownHeadline;
    throw error;
  }
}

/** An incident as a person reads it. `notice` says how old it is, as mrkdwn; `""` when the API has just shown it. */
interface IncidentReading {
  readonly incident: Incident;
  readonly notice: string;
}

/** An incident for a person who reads it: from the API, or as it was last seen. Throws the RpcError when there is no snapshot. */
export async function readSeen(
  { api, snapshots, settings, deadlines, log }: IncidentDeps,
  incidentID: string,
  now: Date,
): Promise<IncidentReading> {
  try {
    return {
      incident: (await api.IncidentsService.GetIncident({ incidentID }, { budget: deadlines.reads.asked })).incident,
      notice: '',
    };
  } catch (error) {
    if (!isUnread(error)) throw error;
    const whole = (await snapshots.get(incidentID))?.whole;
    if (!whole) throw error;
    log.warn({ err: error, incident: incidentID }, 'incident: the API is away, showing its snapshot');
    return { incident: whole.incident, notice: agedNotice(error, whole.seenAt, now, settings.apiName) };
  }
}

/** Whether there is an incident of that id. While that is not known, there is. */
export async function isThere(deps: IncidentDeps, incidentID: string): Promise<boolean> {
  try {
    await readKnown(deps, incidentID);
    return true;
  } catch (error) {
    return !isNotFound(error);
  }
}

/**
 * The incidents that a person may choose from: from the API, or the newest snapshots while it cannot be reached. Throws the RpcError
 * when there are none.
 */
export async function readRecent(
  { api, snapshots, deadlines, log }: IncidentDeps,
  most: number,
  orderField: 'createdTime' | 'modifiedTime',
): Promise<readonly IncidentSummary[]> {
  try {
    const query = { limit: most, orderField, orderDirection: 'DESC' as const };
    return (await api.IncidentsService.QueryIncidentPreviews({ query }, { budget: deadlines.reads.aside }))
      .incidentPreviews;
  } catch (error) {
    const latest = isUnread(error) ? await snapshots.latest(most) : [];
    if (latest.length === 0) throw error;
    log.warn({ err: error }, 'incidents: the API is away, showing snapshots');
    return latest.map(each => each.summary);
  }
}
