import { isNotFound } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { type IncidentDeps, type IntentKind, type Origin, toOwner } from '../acts/intent-kind.ts';
import { findSeverity } from '../state/settings.ts';
import { furnishRoom } from './furnish.ts';
import { makeRoom } from './make.ts';
import { type RoomPlan, roomLane, toFoundPlan } from './plan.ts';

/**
 * Takes up an incident that began outside Slack. It gets a room at once if `ROOMS_FOR` names its severity, else an announcement that offers
 * one. Leaves it alone when it has a room, is announced, resolved or private. Safe to call again; throws the RpcError when the incident
 * cannot be read.
 */
export async function adopt(deps: IncidentDeps, incidentID: string): Promise<void> {
  const room = await deps.rooms.ofIncident(incidentID);
  if (room && (room.channelId !== '' || room.announcementTs !== '')) return;
  const incident = await readFound(deps, incidentID);
  // Only people bring a private incident into a channel: they know who may read it.
  if (!incident || incident.status === 'resolved' || (await deps.visibility.isPrivate(incident))) return;
  const { settings } = deps;
  const severity = findSeverity(settings, incident.severity);
  const plan = (makeChannel: boolean) =>
    toFoundPlan(incident, { teamId: deps.slack.identity.teamId, channelId: '', makeChannel, invite: [] });
  if (severity !== undefined && settings.roomsFor.includes(severity)) {
    await submit(deps, makeRoom, plan(true), `adopt/room/${incidentID}`);
  } else if (settings.announceChannel !== '') {
    await submit(deps, furnishRoom, plan(false), `adopt/offer/${incidentID}`);
  }
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
  { journal, slack, log }: IncidentDeps,
  kind: IntentKind<RoomPlan, R>,
  plan: RoomPlan,
  key: string,
): Promise<void> {
  const { teamId } = slack.identity;
  const origin: Origin = { people: {}, teamId, userId: '', channelId: '', threadTs: '' };
  const outcome = await journal.submit(kind, {
    ...{ key, renews: true, payload: plan, subject: plan.incidentID, lane: roomLane(plan) },
    ...{ owner: toOwner({ teamId, userId: '' }), origin, caller: '' },
  });
  if (outcome.state === 'queued') return;
  await journal.told([outcome.id]);
  if (outcome.state === 'failed') log.warn({ err: outcome.error, incident: plan.incidentID }, 'adopt: it has no room');
}
