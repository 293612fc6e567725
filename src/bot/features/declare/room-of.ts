import { inviteRow } from '../../dispatch/answers/way-in.ts';
import { type AfterDoneContext, type AfterDoneResult, type Origin, toOwner } from '../../incident/acts/intent-kind.ts';
import { makeRoom } from '../../incident/room/make.ts';
import { type RoomPlan, roomLane } from '../../incident/room/plan.ts';
import { roomMention } from '../../incident/state/room-mention.ts';
import { followUpKey } from '../../journal/store.ts';
import { signs } from '../../text/signs.ts';
import type { Declaration } from './declaration.ts';

/** Whether Muster makes a room and announces the incident. For one that is over it does so only when asked for a channel. */
export function hasRoom({ isResolved, makeChannel }: Declaration): boolean {
  return makeChannel || !isResolved;
}

/** The name of the follow-up that makes the room. */
export const roomStep = 'room';

/** The plan of the room of a declared incident. */
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

/** The submission that makes the room: the follow-up of a done declaration, or its forerunner while the declaration is queued. */
export function roomSubmission(wish: Declaration, declarationID: string, incidentID: string) {
  const plan = toRoomPlan(wish, incidentID);
  const key = followUpKey(declarationID, roomStep);
  return { key, renews: false, payload: plan, subject: incidentID, lane: roomLane(plan) };
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
    ...roomSubmission(wish, id, incidentID),
    ...{ owner: toOwner(actor), origin, caller: '' },
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
