import type { Kysely } from 'kysely';
import { isNotFound } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import type { NoTables } from '../../../db/engine.ts';
import type { IncidentDeps, IntentKind } from '../acts/intent-kind.ts';
import { submitAlone } from '../acts/submit-alone.ts';
import { toBurstLine } from '../board/group-messages.ts';
import { beginComparing } from '../lines/known-state.ts';
import { byAge } from '../state/burst-store.ts';
import { findSeverity } from '../state/settings.ts';
import { makeRoom } from './make.ts';
import { type RoomPlan, roomLane, toFoundPlan } from './plan.ts';
import { setUpRoom } from './set-up.ts';

/**
 * Takes up incidents that began outside Slack, oldest first. Each gets a room at once if `ROOMS_FOR` names its severity, else an announcement
 * that offers one; when many come together, one message announces them (`state/burst-store.ts`). Leaves those alone that have a room, are
 * announced, resolved or private. Safe to call again; throws the RpcError when one of them cannot be read.
 */
export async function takeOverElsewhere(deps: IncidentDeps, incidentIDs: readonly string[]): Promise<void> {
  const { settings, bursts, cards } = deps;
  const { teamId } = deps.slack.identity;
  const { announceChannel: channel } = settings;
  const incidents: Incident[] = [];
  for (const incidentID of incidentIDs) {
    const incident = await readAdoptable(deps, incidentID);
    if (incident) incidents.push(incident);
  }
  if (incidents.length === 0) return;
  const { severities } = settings;
  const found = await Promise.all(
    incidents.map(async incident => {
      const { incidentID, createdTime } = incident;
      const shown = toBurstLine(incident, { severities, room: '', overview: await cards.overview(incident) });
      return { incidentID, createdTime, shown };
    }),
  );
  const byID = new Map(incidents.map(each => [each.incidentID, each]));
  // What the message says of it is what its readers know.
  const begin = (trx: Kysely<NoTables>, incidentID: string) => beginComparing(trx, incidentID, byID.get(incidentID));
  const decided = channel === '' ? new Map<string, string>() : await bursts.decide(found, { teamId, channel }, begin);
  for (const burst of new Set(decided.values())) if (burst !== '') cards.refresh(burst);
  for (const incident of incidents.toSorted(byAge)) {
    const { incidentID } = incident;
    const isAnnouncedAlone = (decided.get(incidentID) ?? '') === '';
    const where = { teamId, workspaceId: '', channelId: '', invite: [] };
    const plan = (makeChannel: boolean) => toFoundPlan(incident, { ...where, makeChannel });
    const severity = findSeverity(severities, incident.severity);
    if (severity !== undefined && settings.roomsFor.includes(severity)) {
      await submit(deps, makeRoom, plan(true), `adopt/room/${incidentID}`);
    } else if (channel !== '' && isAnnouncedAlone) {
      await submit(deps, setUpRoom, plan(false), `adopt/offer/${incidentID}`);
    }
    if (!isAnnouncedAlone) cards.refresh(incidentID);
  }
  await bursts.settle(incidents.map(each => each.incidentID));
}

/**
 * Makes what Slack refused while a channel was closed to Muster and is not of the board: the announcement of an incident that goes on, the pin
 * of its card, its bookmark. What is there stays. `opening` names the time when the channel opened.
 */
export async function furnishAgain(deps: IncidentDeps, incidentID: string, opening: string): Promise<void> {
  const room = await deps.rooms.ofIncident(incidentID);
  const incident = room && (await readFound(deps, incidentID));
  if (!incident || incident.status === 'resolved') return;
  const { teamId, channelId, channelName } = room;
  const where = { teamId, workspaceId: '', channelId, invite: [], makeChannel: channelName !== '' };
  await submit(deps, setUpRoom, toFoundPlan(incident, where), `furnish/${incidentID}/${opening}`);
}

/** An incident that has neither a room nor an announcement of its own, and is to have one; undefined for any other. */
async function readAdoptable(deps: IncidentDeps, incidentID: string): Promise<Incident | undefined> {
  const room = await deps.rooms.ofIncident(incidentID);
  if (room && (room.channelId !== '' || (room.announcementTs !== '' && !room.burst))) return undefined;
  const incident = await readFound(deps, incidentID);
  // Only people bring a private incident into a channel: they know who may read it.
  return incident && incident.status !== 'resolved' && !(await deps.visibility.isPrivate(incident))
    ? incident
    : undefined;
}

/** The incident; undefined when the API does not know it. */
async function readFound({ api }: IncidentDeps, incidentID: string): Promise<Incident | undefined> {
  try {
    return (await api.IncidentsService.GetIncident({ incidentID })).incident;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Submits an intent in Muster's own name, without a receipt. A failed one is tried again under the same key. */
async function submit<R>(
  deps: IncidentDeps,
  kind: IntentKind<RoomPlan, R>,
  plan: RoomPlan,
  key: string,
): Promise<void> {
  const { incidentID } = plan;
  const wish = { key, renews: true, payload: plan, subject: incidentID, lane: roomLane(plan) };
  const outcome = await submitAlone(deps, kind, wish);
  if (outcome.state === 'failed') deps.log.warn({ err: outcome.error, incident: incidentID }, 'adopt: it has no room');
}
