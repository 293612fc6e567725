import { inviteRow } from '../../dispatch/answers/way-in.ts';
import {
  type AfterDoneContext,
  type AfterDoneResult,
  type IncidentDeps,
  type Origin,
  toOwner,
} from '../../incident/acts/intent-kind.ts';
import { makeRoom } from '../../incident/room/make.ts';
import { type RoomPlan, roomLane } from '../../incident/room/plan.ts';
import { roomMention } from '../../incident/state/room-mention.ts';
import { provisionalID } from '../../journal/provisional-id.ts';
import { followUpKey } from '../../journal/store.ts';
import { signs } from '../../text/signs.ts';
import type { Declaration } from './declaration.ts';

/** Whether Muster makes a room and announces the incident. For one that is over it does so only when asked for a channel. */
export function hasRoom({ isResolved, makeChannel }: Declaration): boolean {
  return makeChannel || !isResolved;
}

/** The name of the follow-up that makes the room. */
export const roomStep = 'room';

export function toRoomPlan(wish: Declaration, incidentID: string): RoomPlan {
  const { title, severity, isDrill, labels, declaredAt, declaredBy } = wish;
  const sources = { link: wish.attachURL, caption: wish.attachCaption, message: wish.quote?.permalink ?? '' };
  return {
    incidentID,
    declared: {
      incidentID,
      title,
      severity,
      isDrill,
      labels,
      declaredAt,
      declaredBy,
      sources,
      summary: wish.summary?.text ?? '',
    },
    makeChannel: wish.makeChannel,
    isPrivate: wish.isPrivate,
    teamId: wish.teamId,
    workspaceId: wish.workspaceId,
    channelId: wish.channelId,
    invite: wish.declaredBy === '' ? [] : [wish.declaredBy],
  };
}

/** Makes the room of a declaration that waits for the API and that nobody asked for: people meet there meanwhile. */
export async function makeRoomEarly(
  { journal }: IncidentDeps,
  id: string,
  wish: Declaration,
  origin: Origin,
): Promise<void> {
  const plan = toRoomPlan(wish, provisionalID(id));
  const outcome = await journal.submit(makeRoom, {
    ...{ key: followUpKey(id, roomStep), renews: false, payload: plan, subject: plan.incidentID },
    ...{ lane: roomLane(plan), owner: toOwner({ teamId: wish.teamId, userId: '' }), origin, caller: '' },
  });
  if (outcome.state !== 'queued') await journal.told([outcome.id]);
}

/** Waits for the room as long as the person waits, and returns what to say about it. */
export async function awaitRoom(
  ctx: AfterDoneContext,
  wish: Declaration,
  incidentID: string,
): Promise<AfterDoneResult> {
  const { deps, actor, location, id } = ctx;
  const { teamId, userId } = actor;
  const origin: Origin = { people: {}, teamId, userId, ...location };
  const outcome = await deps.journal.submit(makeRoom, {
    // The follow-up of a done declaration, or its forerunner while the declaration is queued.
    key: followUpKey(id, roomStep),
    renews: false,
    payload: toRoomPlan(wish, incidentID),
    subject: incidentID,
    lane: roomLane({ incidentID }),
    owner: toOwner(actor),
    origin,
    caller: '',
  });
  if (outcome.state !== 'queued') await deps.journal.told([outcome.id]);
  const room = await deps.rooms.ofIncident(incidentID);
  const where = roomMention(room);
  const isPrivate = where !== '' && (wish.isPrivate || (await deps.channels.isKnownPrivate(room?.channelId ?? '')));
  return {
    notes: [
      ...(where ? [`Head to ${where}.`] : []),
      ...(isPrivate ? [`${signs.private} Private: only people in its channel see it.`] : []),
    ],
    rows: isPrivate ? [inviteRow(incidentID)] : [],
    // The room's own words are mrkdwn: they name a channel.
    troubles: outcome.state === 'done' ? outcome.result.troubles : [outcome.error.message],
  };
}
