import type { ActionsBlockElement } from '@slack/types';
import { z } from 'zod';
import { toObject } from '../../../json-object.ts';
import type { KeptMention } from '../../people/kept-mentions.ts';
import { whyNotMentioned, whyOut } from '../../people/reach.ts';
import { sendDirectly } from '../../slack/answer.ts';
import { isPassing, refusalLevel, slackReason, slackRefusal } from '../../slack/clients.ts';
import { actions, mention, section, type Words } from '../../text/blocks.ts';
import type { AfterDoneContext, IncidentDeps } from '../acts/intent-kind.ts';
import { outsideAge } from '../state/channels.ts';
import { homeMention, incidentLabel, titleBehind } from '../state/incident-name.ts';
import { otherWorkspaceWords, reasonWords } from '../state/refusal-words.ts';
import type { Room } from '../state/room-store.ts';

/* What a person gets who is given something in an incident: an invitation to its channel, and a direct message. */

/** A person to invite: their Slack id, and their name in mrkdwn. */
export interface Invitee {
  readonly slackUserID: string;
  readonly words: string;
}

/** Members of a channel that are looked at: a channel with another page of them has people in it. */
const pageSize = 100;

/**
 * Whether a person has a part in an incident whose private channel holds only Muster, so that no other person can bring them in. Throws
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
 * Invites a person into an incident's channel: `invited` when they were not in it. `trouble` is a sentence of mrkdwn when that failed,
 * else `""`. A person outside a private channel cannot bring people into it, themselves included, unless they are {@link isShutOut}.
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
  try {
    await deps.slack.web.conversations.invite({ channel, users: slackUserID });
    await deps.channels.recordMember(channel, slackUserID);
    return { invited: true, trouble: '' };
  } catch (error) {
    if (slackRefusal(error) === 'already_in_channel') {
      await deps.channels.recordMember(channel, slackUserID);
      return { invited: false, trouble: '' };
    }
    log[refusalLevel(error)]({ reason: slackReason(error), channel }, 'room: could not invite somebody');
    const why = [reasonWords(error), otherWorkspaceWords(deps.slack.workspaces)].filter(Boolean).join(' ');
    return { invited: false, trouble: `I could not invite ${words} to <#${channel}>: ${why}` };
  }
}

/** Slack's words for the people whom it did not invite. */
const InviteErrors = z.object({ errors: z.array(z.object({ user: z.string(), error: z.string() })) });

/**
 * Invites several people into a channel at once. Returns those who did not come in, with Slack's word for why. Throws what passes.
 */
export async function inviteAll(
  { slack, channels }: IncidentDeps,
  channel: string,
  users: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>();
  const note = (answer: unknown, otherwise = '') => {
    const { data } = InviteErrors.safeParse(answer);
    for (const { user, error } of data?.errors ?? []) refused.set(user, error);
    if (data === undefined && otherwise !== '') for (const user of users) refused.set(user, otherwise);
  };
  try {
    note(await slack.web.conversations.invite({ channel, users: users.join(','), force: true }));
  } catch (error) {
    if (isPassing(error)) throw error;
    note(toObject(error).data, slackReason(error));
  }
  for (const user of users) {
    if (refused.get(user) === 'already_in_channel') refused.delete(user);
    if (!refused.has(user)) await channels.recordMember(channel, user);
  }
  return refused;
}

/** How a person who was given something came into the incident's room. */
type EntryResult =
  | { readonly how: 'there' }
  | { readonly how: 'invited'; readonly channelId: string }
  /** An assignment brings no person into a private room, and no guest into any room: a person in it may invite them. */
  | { readonly how: 'outside' }
  | { readonly how: 'refused'; readonly trouble: string };

/** Invites a person who was given something into the incident's room, if all of the workspace may enter it. */
export async function inviteIfAllowed(
  ctx: AfterDoneContext,
  incidentID: string,
  { slackUserID, words }: Invitee,
): Promise<EntryResult> {
  const { deps } = ctx;
  const room = await deps.rooms.ofIncident(incidentID);
  if (ctx.repeated || slackUserID === '' || !room || room.channelId === '') return { how: 'there' };
  const { channelId } = room;
  const isOpen = await mayEnterUnasked(deps, room, slackUserID);
  if (isOpen && (await deps.channels.isKnownMember(channelId, slackUserID))) return { how: 'there' };
  // An event may have been lost, so Slack is asked again.
  if (!isOpen || !(await deps.channels.isOpenNow(channelId)))
    return { how: (await deps.channels.isMember(channelId, slackUserID, 0)) ? 'there' : 'outside' };
  // Muster invites people only into a channel of the incident's own.
  if (room.channelName === '') return { how: 'there' };
  const { invited, trouble } = await inviteToRoom(ctx, room, { slackUserID, words });
  if (trouble !== '') return { how: 'refused', trouble };
  return invited ? { how: 'invited', channelId } : { how: 'there' };
}

/** False also while that is not known. */
async function mayEnterUnasked({ visibility, people }: IncidentDeps, room: Room, user: string): Promise<boolean> {
  try {
    return !(await visibility.isPrivate(room)) && (await people.find(user))?.isGuest === false;
  } catch {
    return false;
  }
}

/** People who are offered an invitation at once, at most. */
const mostOffered = 20;

/**
 * The members and guests of the workspace whom a text names, themselves or by their group, and who are not in the incident's room. None
 * for a channel that is not its own, and whom Slack does not describe. Never throws.
 */
export async function findOutside(
  { deps, actor, repeated, log }: AfterDoneContext,
  incidentID: string,
  mentions: readonly KeptMention[],
): Promise<{ readonly channelId: string; readonly users: readonly string[] }> {
  const { people, channels } = deps;
  const room = await deps.rooms.ofIncident(incidentID);
  const channelId = room?.channelName === '' ? '' : (room?.channelId ?? '');
  if (repeated || channelId === '' || mentions.length === 0) return { channelId, users: [] };
  try {
    const named = mentions.flatMap(each => (each.kind === 'user' ? [each.id] : []));
    const groups = mentions.flatMap(each => (each.kind === 'group' ? [each.id] : []));
    const ids = [...new Set([...named, ...(await membersOfGroups(deps, groups))])].filter(id => id !== actor.userId);
    const users: string[] = [];
    for (const id of ids) {
      if (users.length === mostOffered) break;
      if (await channels.isMember(channelId, id, outsideAge)) continue;
      const person = await people.find(id).catch(() => undefined);
      if (whyOut(person, 'told') === undefined) users.push(id);
    }
    return { channelId, users };
  } catch (error) {
    log[refusalLevel(error)]({ reason: slackReason(error) }, 'room: could not find out who is outside');
    return { channelId, users: [] };
  }
}

async function membersOfGroups({ slack }: IncidentDeps, ids: readonly string[]): Promise<readonly string[]> {
  const groups = ids.length === 0 ? [] : await slack.groups.all();
  const named = groups.filter(each => ids.includes(each.id));
  return (await Promise.all(named.map(each => slack.groups.members(each)))).flat();
}

/** News for one person. */
export interface PersonalNews {
  /** Mrkdwn. */
  readonly text: string;
  /** The part of the incident that it is about: `Task 2`; absent for the incident itself. */
  readonly part?: string;
  readonly buttons: readonly ActionsBlockElement[];
  /** The words below it. They are made for a person who sees the incident; where they cannot be made, the news go without them. */
  more?(): Promise<Words>;
}

/** The incident for a person elsewhere: its number, its title and its channel, behind a `part` of it (mrkdwn). */
async function aboutWords({ rooms, snapshots }: IncidentDeps, incidentID: string, part = ''): Promise<string> {
  const room = await rooms.ofIncident(incidentID);
  const home = room ? homeMention(room) : '';
  const title = (await snapshots.get(incidentID))?.summary.title ?? '';
  const label = part === '' ? incidentLabel(incidentID, 'Incident') : `${part} of ${incidentLabel(incidentID)}`;
  return [`${label}${titleBehind(title)}`, ...(home === '' ? [] : [home])].join(' · ');
}

/** The incident for a person who acts outside its channel, such as in a direct message; `""` in the channel. */
export async function aboutElsewhere(
  { deps, location }: Pick<AfterDoneContext, 'deps' | 'location'>,
  incidentID: string,
  part: string,
): Promise<string> {
  const room = await deps.rooms.ofIncident(incidentID);
  return room?.channelId === location.channelId ? '' : aboutWords(deps, incidentID, part);
}

/** The incident's channel behind the title of a list that is read elsewhere (mrkdwn); `""` in that channel. */
export async function homeElsewhere(
  { deps, location }: Pick<AfterDoneContext, 'deps' | 'location'>,
  incidentID: string,
): Promise<string> {
  const room = await deps.rooms.ofIncident(incidentID);
  const home = room && room.channelId !== location.channelId ? homeMention(room) : '';
  return home === '' ? '' : ` · ${home}`;
}

/**
 * Tells a person of something that another person did to them, in a direct message: a line in a channel is lost on people who are not
 * looking. It skips the person who did it, a person who may not see the incident, and one who was told before.
 * Returns a sentence of mrkdwn when the person does not know of it, and `""` otherwise.
 */
export async function tellDirectly(
  { deps, actor, repeated, log }: AfterDoneContext,
  incidentID: string,
  user: string,
  { text, part, buttons, more }: PersonalNews,
): Promise<string> {
  if (repeated || user === '' || user === actor.userId) return '';
  const words = `${text}\n${await aboutWords(deps, incidentID, part)}`;
  try {
    const known = await deps.people.find(user);
    const out = whyNotMentioned(known, mention(user));
    if (known === undefined || out !== undefined) return out ?? '';
    if (!(await deps.visibility.sees('assignee', { ...known, channelId: '' }, { incidentID })))
      return `${mention(user)} does not know yet, because they do not see this incident. Invite them to its channel.`;
    const below = await more?.().catch(err => void log.warn({ err }, 'person: their news go without what is below'));
    const blocks = [section(words), ...(below?.blocks ?? []), ...(buttons.length > 0 ? [actions(buttons)] : [])];
    await sendDirectly(deps.slack, user, { text: words, blocks });
    return '';
  } catch (error) {
    log[refusalLevel(error)]({ reason: slackReason(error) }, 'person: could not be told');
    return `${mention(user)} does not know yet: I could not tell them. ${reasonWords(error)}`;
  }
}
