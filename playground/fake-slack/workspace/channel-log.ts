import type { JsonObject } from '../protocol/json.ts';
import type { NewMessage, StoredChannel, StoredMessage } from './records.ts';
import { partnerTeamId, serializeMessage } from './serialize.ts';
import type { Workspace } from './workspace.ts';

/**
 * The actions in channels. Each function changes the workspace and emits Slack's events. The caller has checked that the actor
 * may do it.
 */

/** Adds a message at the end of a channel. A reply makes its parent a thread. */
export function post(workspace: Workspace, channel: StoredChannel, message: NewMessage): StoredMessage {
  const ts = workspace.nextTs();
  const stored: StoredMessage = {
    ts,
    channel: channel.id,
    threadTs: message.threadTs,
    userId: message.userId,
    botId: message.botId,
    text: message.text,
    blocks: message.blocks ?? [],
    attachments: message.attachments ?? [],
    metadata: message.metadata,
    files: message.files ?? [],
    ephemeralTo: message.ephemeralTo,
    edited: undefined,
    reactions: [],
    pinned: false,
    permalink: workspace.permalink(channel.id, ts, message.threadTs),
    subtype: message.subtype,
    deleted: false,
  };
  channel.messages.push(stored);
  workspace.tell({ kind: 'message', channel, message: stored });
  if (stored.ephemeralTo !== undefined) return stored;
  const parent = findParent(workspace, channel, stored);
  if (parent !== undefined) {
    parent.threadTs = parent.ts;
    workspace.tell({ kind: 'message', channel, message: parent });
  }
  const event = { ...serializeMessage(workspace, stored), ...toMessageEventMembers(channel, ts) };
  workspace.emit(event, channel.id);
  if (mentionsApp(workspace, stored, channel)) workspace.emit({ ...event, type: 'app_mention' }, channel.id);
  return stored;
}

/** The first message of the thread that a reply is in. */
function findParent(workspace: Workspace, channel: StoredChannel, reply: StoredMessage): StoredMessage | undefined {
  return reply.threadTs === undefined || reply.threadTs === reply.ts
    ? undefined
    : workspace.message(channel, reply.threadTs);
}

/** Direct messages to the app bring no mention (docs/slack.md 4). */
function mentionsApp(workspace: Workspace, message: StoredMessage, channel: StoredChannel): boolean {
  const { botUserId } = workspace;
  return !channel.isIm && message.userId !== botUserId && message.text.includes(`<@${botUserId}>`);
}

/** The parts that an edit replaces. Absent parts stay. */
export interface Edit {
  readonly text?: string | undefined;
  readonly blocks?: StoredMessage['blocks'] | undefined;
  readonly attachments?: StoredMessage['attachments'] | undefined;
  /** `'none'` removes it. */
  readonly metadata?: JsonObject | 'none' | undefined;
}

/** Edits a message. A mention of the app arrives again, as an event of its own. An edit of an ephemeral message emits no event. */
export function edit(workspace: Workspace, message: StoredMessage, by: string, change: Edit): void {
  const channel = workspace.channels.get(message.channel);
  const previous = serializeMessage(workspace, message);
  if (change.text !== undefined) message.text = change.text;
  if (change.blocks !== undefined) message.blocks = change.blocks;
  if (change.attachments !== undefined) message.attachments = change.attachments;
  if (change.metadata !== undefined) message.metadata = change.metadata === 'none' ? undefined : change.metadata;
  if (channel === undefined) return;
  if (message.ephemeralTo !== undefined) {
    workspace.tell({ kind: 'message', channel, message });
    return;
  }
  message.edited = { user: by, ts: workspace.nextTs() };
  emitChange(workspace, channel, message, previous);
  if (mentionsApp(workspace, message, channel)) {
    const event = { ...serializeMessage(workspace, message), ...toMessageEventMembers(channel, message.ts) };
    workspace.emit({ ...event, type: 'app_mention' }, channel.id);
  }
}

/** Slack adds previews of links to a message. Nobody has edited it. */
export function unfurl(workspace: Workspace, message: StoredMessage, attachments: StoredMessage['attachments']): void {
  const channel = workspace.channels.get(message.channel);
  const previous = serializeMessage(workspace, message);
  message.attachments = attachments;
  if (channel !== undefined) emitChange(workspace, channel, message, previous);
}

function emitChange(workspace: Workspace, channel: StoredChannel, message: StoredMessage, previous: JsonObject): void {
  workspace.tell({ kind: 'message', channel, message });
  const ts = workspace.nextTs();
  workspace.emit(
    {
      type: 'message',
      subtype: 'message_changed',
      hidden: true,
      message: serializeMessage(workspace, message),
      previous_message: previous,
      ts,
      ...toMessageEventMembers(channel, ts),
    },
    channel.id,
  );
}

/** Deletes a message. One with replies leaves a stone in its place, which Slack tells as a change. */
export function remove(workspace: Workspace, message: StoredMessage): void {
  const channel = workspace.channels.get(message.channel);
  if (channel === undefined) return;
  const previous = serializeMessage(workspace, message);
  if (channel.messages.some(each => each.threadTs === message.ts && each !== message)) {
    const stone = { text: 'This message was deleted.', subtype: 'tombstone', userId: 'USLACKBOT', botId: undefined };
    Object.assign(message, { ...stone, blocks: [], attachments: [], files: [], reactions: [], edited: undefined });
    emitChange(workspace, channel, message, previous);
    return;
  }
  channel.messages = channel.messages.filter(other => other !== message);
  message.deleted = true;
  workspace.tell({ kind: 'messageGone', channel, message });
  const parent = findParent(workspace, channel, message);
  if (parent !== undefined) workspace.tell({ kind: 'message', channel, message: parent });
  if (message.ephemeralTo !== undefined) return;
  const ts = workspace.nextTs();
  workspace.emit(
    {
      type: 'message',
      subtype: 'message_deleted',
      hidden: true,
      deleted_ts: message.ts,
      previous_message: previous,
      ts,
      ...toMessageEventMembers(channel, ts),
    },
    channel.id,
  );
}

/** Makes a user a member of a channel. Returns false when they are one already. */
export function join(workspace: Workspace, channel: StoredChannel, userId: string, inviter?: string): boolean {
  if (channel.members.has(userId)) return false;
  channel.members.add(userId);
  workspace.tell({ kind: 'channel', channel });
  postNotice(workspace, channel, userId, 'channel_join', `<@${userId}> has joined the channel`);
  workspace.emit(
    {
      type: 'member_joined_channel',
      user: userId,
      channel: channel.id,
      channel_type: toChannelType(channel, 'letter'),
      team: workspace.teamId,
      ...(inviter === undefined ? {} : { inviter }),
      event_ts: workspace.nextTs(),
    },
    channel.id,
  );
  return true;
}

/**
 * Ends a membership, which `by` ends: the member or another person. Returns false when there is none. An app that is taken out hears of that by
 * an event of its own (docs/slack.md 7).
 */
export function leave(workspace: Workspace, channel: StoredChannel, userId: string, by = userId): boolean {
  if (!channel.members.has(userId)) return false;
  postNotice(workspace, channel, userId, 'channel_leave', `<@${userId}> has left the channel`);
  const event =
    userId === workspace.botUserId
      ? { type: channel.isPrivate ? 'group_left' : 'channel_left', channel: channel.id, actor_id: by }
      : {
          type: 'member_left_channel',
          user: userId,
          channel: channel.id,
          channel_type: toChannelType(channel, 'letter'),
          team: workspace.teamId,
        };
  workspace.emit({ ...event, event_ts: workspace.nextTs() }, channel.id);
  channel.members.delete(userId);
  workspace.tell({ kind: 'channel', channel });
  return true;
}

/** Archives or unarchives a channel. Archiving takes the app out of it (docs/slack.md 7). */
export function setArchived(workspace: Workspace, channel: StoredChannel, userId: string, archived: boolean): void {
  if (archived) postNotice(workspace, channel, userId, 'channel_archive', `<@${userId}> archived the channel`);
  channel.isArchived = archived;
  workspace.tell({ kind: 'channel', channel });
  workspace.emit(
    {
      type: `${channel.isPrivate ? 'group' : 'channel'}_${archived ? 'archive' : 'unarchive'}`,
      channel: channel.id,
      user: userId,
      event_ts: workspace.nextTs(),
    },
    channel.id,
  );
  if (archived) channel.members.delete(workspace.botUserId);
}

/** Gives a channel another id, as when it is shared or moved within an organisation. */
export function changeId(workspace: Workspace, channel: StoredChannel): void {
  const event = { type: 'channel_id_changed', old_channel_id: channel.id, new_channel_id: workspace.nextId('C') };
  workspace.emit({ ...event, event_ts: workspace.nextTs() }, channel.id);
  workspace.channels.delete(channel.id);
  workspace.tell({ kind: 'channelGone', channel: { ...channel } });
  channel.id = event.new_channel_id;
  for (const message of channel.messages) {
    message.channel = channel.id;
    message.permalink = workspace.permalink(channel.id, message.ts, message.threadTs);
  }
  workspace.channels.set(channel.id, channel);
  workspace.tell({ kind: 'channel', channel });
}

/** Makes a channel private or public. Slack tells it by a message in the channel, and by no event of its own. */
export function convert(workspace: Workspace, channel: StoredChannel, userId: string, isPrivate: boolean): void {
  channel.isPrivate = isPrivate;
  workspace.tell({ kind: 'channel', channel });
  const text = isPrivate
    ? 'made this channel *private*. Now, it can only be viewed or joined by invitation.'
    : 'made this channel *public*. Any member in this workspace can see and join it.';
  postNotice(workspace, channel, userId, `channel_convert_to_${isPrivate ? 'private' : 'public'}`, text);
}

/** Shares a channel with another organisation, or ends that. */
export function setShared(workspace: Workspace, channel: StoredChannel, isShared: boolean): void {
  channel.isExtShared = isShared;
  workspace.tell({ kind: 'channel', channel });
  const event_ts = workspace.nextTs();
  const event = isShared
    ? { type: 'channel_shared', connected_team_id: partnerTeamId }
    : { type: 'channel_unshared', previously_connected_team_id: partnerTeamId, is_ext_shared: false };
  workspace.emit({ ...event, channel: channel.id, event_ts }, channel.id);
}

/** Deletes a channel with everything in it. */
export function removeChannel(workspace: Workspace, channel: StoredChannel, userId: string): void {
  const event = channel.isPrivate
    ? { type: 'group_deleted', channel: channel.id, date_deleted: workspace.seconds(), actor_id: userId }
    : { type: 'channel_deleted', channel: channel.id };
  workspace.emit({ ...event, event_ts: workspace.nextTs() }, channel.id);
  workspace.channels.delete(channel.id);
  workspace.tell({ kind: 'channelGone', channel });
}

/** Renames a channel. */
export function rename(workspace: Workspace, channel: StoredChannel, userId: string, name: string): void {
  postNotice(workspace, channel, userId, 'channel_name', `<@${userId}> has renamed the channel to "${name}"`);
  channel.previousNames.push(channel.name);
  channel.name = name;
  workspace.tell({ kind: 'channel', channel });
  workspace.emit(
    {
      type: channel.isPrivate ? 'group_rename' : 'channel_rename',
      channel: { id: channel.id, name, created: channel.created },
      event_ts: workspace.nextTs(),
    },
    channel.id,
  );
}

/** Sets a channel's topic. */
export function setTopic(workspace: Workspace, channel: StoredChannel, userId: string, topic: string): void {
  channel.topic = topic;
  workspace.tell({ kind: 'channel', channel });
  postNotice(workspace, channel, userId, 'channel_topic', `<@${userId}> set the channel topic: ${topic}`);
}

/** Subtypes of the notices that Slack posts in a channel. */
export const noticeSubtypes: ReadonlySet<string> = new Set([
  'channel_join',
  'channel_leave',
  'channel_archive',
  'channel_name',
  'channel_convert_to_private',
  'channel_convert_to_public',
  'channel_topic',
]);

function postNotice(workspace: Workspace, channel: StoredChannel, userId: string, subtype: string, text: string): void {
  post(workspace, channel, { userId, text, subtype });
}

function toMessageEventMembers(channel: StoredChannel, ts: string): Record<string, string> {
  return { channel: channel.id, channel_type: toChannelType(channel, 'word'), event_ts: ts };
}

function toChannelType(channel: StoredChannel, form: 'word' | 'letter'): string {
  if (form === 'letter') return channel.isPrivate ? 'G' : 'C';
  if (channel.isIm) return 'im';
  return channel.isPrivate ? 'group' : 'channel';
}
