import { isProvisional } from '../../journal/provisional-id.ts';
import type { IncidentDeps } from './intent-kind.ts';
import { readKnown } from './read-incident.ts';

/** An incident as a person chooses it; an empty title when it was not asked for or cannot be read. */
export interface IncidentHere {
  readonly incidentID: string;
  readonly title: string;
}

/**
 * The incidents that an act in a channel is about, newest first: none, the one that is meant, or several among which the person must
 * choose. Those that were active at that moment (`then`) come before the newest resolved one. An incident that cannot be read counts
 * as active.
 */
export async function incidentsHere(
  deps: IncidentDeps,
  place: { readonly teamId: string; readonly channelId: string },
  then: Date,
): Promise<readonly IncidentHere[]> {
  const rooms = await deps.rooms.allOfChannel(place.teamId, place.channelId, then);
  const [only, another] = rooms;
  if (!only || !another) return only ? [{ incidentID: only.incidentID, title: '' }] : [];
  const all = await Promise.all(rooms.map(({ incidentID }) => read(deps, incidentID, then)));
  const active = all.filter(each => each.isActive);
  return active.length > 0 ? active : all.slice(0, 1);
}

async function read(deps: IncidentDeps, incidentID: string, then: Date): Promise<IncidentHere & { isActive: boolean }> {
  if (isProvisional(incidentID)) return { incidentID, title: 'not registered yet', isActive: true };
  try {
    const { title, status, closedTime } = await readKnown(deps, incidentID);
    const isOver = status === 'resolved' && !(Date.parse(closedTime) > then.getTime());
    return { incidentID, title, isActive: !isOver };
  } catch (error) {
    deps.log.warn({ err: error, incident: incidentID }, 'incident: cannot be read, counts as active in its channel');
    return { incidentID, title: '', isActive: true };
  }
}

/** The one active incident of a channel that the person may know; `""` when there is none or several. */
export async function onlyIncidentHere(deps: IncidentDeps, place: Parameters<typeof incidentsHere>[1], now: Date) {
  const [only, another] = await incidentsHere(deps, place, now);
  return only && !another ? only.incidentID : '';
}
