import type { Incident } from '../../../contract/incidents.ts';
import { inviteRow } from '../../dispatch/feature/faces.ts';
import { type AfterDoneContext, type AfterDoneResult, type Origin, toOwner } from '../../incident/acts/intent-kind.ts';
import type { RoomLine } from '../../incident/lines/did.ts';
import { originWords } from '../../incident/lines/origin.ts';
import { markMessage } from '../../incident/notes/message-mark.ts';
import { makeRoom } from '../../incident/room/make.ts';
import { type RoomPlan, roomLane } from '../../incident/room/plan.ts';
import { roomMention } from '../../incident/state/incident-name.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import { consequenceKey } from '../../journal/store.ts';
import { answerOpenly } from '../../slack/answer.ts';
import { refusalLevel, slackReason } from '../../slack/clients.ts';
import { sentence } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import type { Declaration } from './declaration.ts';

/** Whether Muster makes a room and announces the incident. For one that is over it does so only when asked for a channel. */
export function hasRoom({ isResolved, makeChannel }: Declaration): boolean {
  return makeChannel || !isResolved;
}

/** The name of the consequence that makes the room. */
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

/** The submission that makes the room: the consequence of a done declaration, or its forerunner while the declaration is queued. */
export function roomSubmission(wish: Declaration, declarationID: string, incidentID: string) {
  const plan = toRoomPlan(wish, incidentID);
  const key = consequenceKey(declarationID, roomStep);
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

/** Where people read that an incident was declared: in the channel, or below the message from which it was. */
function spotOf({ channelId, quote }: Declaration): { readonly channel: string; readonly thread: string } {
  return quote ? { channel: quote.channelId, thread: quote.threadTs || quote.ts } : { channel: channelId, thread: '' };
}

function wordsOf(incident: Incident, wish: Declaration): string {
  const actor = toOwner({ teamId: wish.teamId, userId: wish.declaredBy });
  return originWords(incident, { actor, thread: spotOf(wish).thread });
}

/** The line there; none when it was declared nowhere in particular. */
export function originLine(incident: Incident, wish: Declaration): readonly RoomLine[] {
  const spot = spotOf(wish);
  return spot.channel === '' ? [] : [{ words: wordsOf(incident, wish), isOwnMessage: true, of: 'origin', ...spot }];
}

/** Marks the message from which an incident was declared. Returns sentences of mrkdwn about what failed. */
export async function markSource(
  { deps, repeated }: AfterDoneContext,
  { quote }: Declaration,
): Promise<readonly string[]> {
  const unmarked = quote && !repeated ? await markMessage(deps, quote) : '';
  return unmarked === '' ? [] : [unmarked];
}

/**
 * Answers below the message from which an incident was declared that Muster shows nowhere, once, if the readers may see it. Returns
 * sentences of mrkdwn about what failed.
 */
export async function tellSource(
  ctx: AfterDoneContext,
  incident: Incident,
  wish: Declaration,
): Promise<readonly string[]> {
  const { deps, log, id: intent, mayAlreadyExist, askedAt: since } = ctx;
  const unmarked = await markSource(ctx, wish);
  if (!wish.quote || ctx.repeated || unmarked.length > 0) return unmarked;
  const { channel, thread: threadTs } = spotOf(wish);
  const words = sentence(wordsOf(incident, wish));
  try {
    if ((await deps.visibility.share('announcement', incident, channel)) !== 'all') return [];
    await answerOpenly(deps.slack, { channel, threadTs, words, intent, part: 'declared', mayAlreadyExist, since });
    return [];
  } catch (error) {
    log[refusalLevel(error)]({ reason: slackReason(error), channel }, 'declare: could not answer in a thread');
    return [`I could not say so in the thread of the message: ${reasonWords(error)}`];
  }
}
