import { refusalLevel, slackReason, slackRefusal } from '../../slack/clients.ts';
import { mention } from '../../text/blocks.ts';
import type { AfterDoneContext, AfterDoneResult } from '../acts/intent-kind.ts';
import { reasonWords } from '../state/refusal-words.ts';
import type { Room } from '../state/room-store.ts';

/** Somebody to invite: their Slack id, and their name in mrkdwn. */
interface Invitee {
  readonly slackUserID: string;
  readonly words: string;
}

/** Members of a channel that are looked at: a channel with another page of them has people in it. */
const pageSize = 100;

/**
 * Whether a person has a part in an incident whose private channel nobody but Muster is in, so that nobody else can bring them in. Throws
 * as `Visibility.sees` does, and Slack's error when Slack does not say who is in the channel.
 */
export async function isShutOut(
  { deps, actor }: Pick<AfterDoneContext, 'deps' | 'actor'>,
  room: Room,
): Promise<boolean> {
  const { visibility, slack } = deps;
  const { channelId: channel } = room;
  if (channel === '' || !(await visibility.isPrivate(room))) return false;
  if (!(await visibility.seesWithoutRoom({ ...actor, channelId: '' }, room))) return false;
  const { members = [], response_metadata: more } = await slack.quick.conversations.members({
    channel,
    limit: pageSize,
  });
  return !more?.next_cursor && members.every(id => id === slack.identity.botUserId);
}

/**
 * Invites somebody into an incident's channel: `invited` when they were not in it. `trouble` is a sentence of mrkdwn when that failed,
 * else `""`. A person outside a private channel cannot bring anybody into it, themselves included, unless they are {@link isShutOut}.
 */
export async function inviteToRoom(
  ctx: Pick<AfterDoneContext, 'deps' | 'actor' | 'location' | 'log' | 'isLate'> & { readonly isShutOut?: boolean },
  room: Room,
  { slackUserID, words }: Invitee,
): Promise<{ readonly invited: boolean; readonly trouble: string }> {
  const { deps, actor, location, log } = ctx;
  const channel = room.channelId;
  const isInside = location.channelId === channel && !ctx.isLate;
  const isThere = isInside && slackUserID === actor.userId;
  if (slackUserID === '' || channel === '' || isThere) return { invited: false, trouble: '' };
  const viewer = { ...actor, channelId: isInside ? channel : '' };
  const mayEnter = ctx.isShutOut === true && slackUserID === actor.userId;
  const mayInvite = isInside || mayEnter || (await deps.visibility.sees('invitation', viewer, room));
  if (!mayInvite || (!isInside && room.channelName === '')) {
    const trouble = `${words} was not invited: the incident’s channel is private, so somebody in it must invite them.`;
    return { invited: false, trouble };
  }
  // Slack refuses to invite somebody who is there.
  if (await deps.channels.isKnownMember(channel, slackUserID)) return { invited: false, trouble: '' };
  try {
    await deps.slack.web.conversations.invite({ channel, users: slackUserID });
    return { invited: true, trouble: '' };
  } catch (error) {
    if (slackRefusal(error) === 'already_in_channel') return { invited: false, trouble: '' };
    log[refusalLevel(error)]({ reason: slackReason(error), channel }, 'room: could not invite somebody');
    return { invited: false, trouble: `I could not invite ${words} to <#${channel}>: ${reasonWords(error)}` };
  }
}

/** Invites somebody into an incident's room, when it is not private. Returns what to say about it, in mrkdwn. */
export async function inviteByMention(
  ctx: AfterDoneContext,
  incidentID: string,
  slackUserID: string,
): Promise<AfterDoneResult> {
  const room = await ctx.deps.rooms.ofIncident(incidentID);
  const isOurs = room !== undefined && room.channelName !== '' && !room.isPrivate;
  if (ctx.repeated || slackUserID === '' || !isOurs) return { notes: [], troubles: [] };
  const words = mention(slackUserID);
  const { invited, trouble } = await inviteToRoom(ctx, room, { slackUserID, words });
  const notes = invited ? [`I invited ${words} to <#${room.channelId}>.`] : [];
  return { notes, troubles: trouble === '' ? [] : [trouble] };
}
