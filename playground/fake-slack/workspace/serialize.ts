import type { JsonObject } from '../protocol/json.ts';
import { isOfOrganisation, organisation } from './grid.ts';
import type { PersonRecord, StoredChannel, StoredFile, StoredMessage } from './records.ts';
import type { Workspace } from './workspace.ts';

/** The other organisation of shared channels. */
export const partnerTeamId = 'T0PARTNER01';

/** A person as `users.info` gives them. */
export function serializeUser(workspace: Workspace, person: PersonRecord, withEmail = true): JsonObject {
  const { enterprise_user } = toEnterpriseUser(workspace, person);
  return {
    id: person.id,
    team_id: person.teamId,
    name: person.name,
    deleted: person.deleted,
    real_name: person.realName,
    tz: person.tz,
    tz_label: person.tz,
    tz_offset: 0,
    profile: {
      real_name: person.realName,
      real_name_normalized: person.realName,
      display_name: person.name,
      display_name_normalized: person.name,
      image_72: `https://avatars.example.com/${person.id}-72.png`,
      team: person.teamId,
      ...(withEmail && person.email !== undefined ? { email: person.email } : {}),
      ...(person.botId === undefined ? {} : { bot_id: person.botId }),
    },
    is_admin: person.isAdmin,
    is_owner: false,
    is_primary_owner: false,
    is_bot: person.isBot,
    is_app_user: false,
    is_restricted: person.isRestricted,
    is_ultra_restricted: person.isUltraRestricted,
    ...(person.isStranger ? { is_stranger: true } : {}),
    ...(enterprise_user ? { enterprise_user } : {}),
    updated: person.updated,
  };
}

/** What Slack says of a person of an organisation of several workspaces. */
function toEnterpriseUser({ grid }: Workspace, { id, teamId }: PersonRecord): { enterprise_user?: JsonObject } {
  if (!isOfOrganisation(grid, teamId)) return {};
  const { id: enterprise_id, name: enterprise_name } = organisation;
  return { enterprise_user: { id, enterprise_id, enterprise_name, is_admin: false, is_owner: false, teams: [teamId] } };
}

/** A channel as `conversations.info` gives it to the bot. */
export function serializeChannel(workspace: Workspace, channel: StoredChannel): JsonObject {
  const common = {
    id: channel.id,
    created: channel.created,
    is_archived: channel.isArchived,
    is_im: channel.isIm,
    is_org_shared: channel.teamIds.length > 1,
    context_team_id: channel.teamIds[0],
  };
  if (channel.isIm) return { ...common, user: channel.imUserId, is_open: true };
  return {
    ...common,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: !channel.isPrivate,
    is_group: channel.isPrivate,
    is_mpim: false,
    is_private: channel.isPrivate,
    is_general: channel.name === 'general',
    is_shared: channel.isExtShared || channel.teamIds.length > 1,
    shared_team_ids: channel.teamIds,
    is_ext_shared: channel.isExtShared,
    is_pending_ext_shared: false,
    is_member: channel.members.has(workspace.botUserId),
    creator: channel.creator,
    topic: { value: channel.topic, creator: channel.topic === '' ? '' : channel.creator, last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
    previous_names: channel.previousNames.toReversed(),
    ...(channel.isExtShared ? { connected_team_ids: [...channel.teamIds, partnerTeamId] } : {}),
  };
}

/** The `channel` member of interaction payloads: outside public channels Slack gives a placeholder name (docs/slack.md 4). */
export function toChannelReference(channel: StoredChannel): { id: string; name: string } {
  if (channel.isIm) return { id: channel.id, name: 'directmessage' };
  return { id: channel.id, name: channel.isPrivate ? 'privategroup' : channel.name };
}

/** A message as history and payloads give it. Metadata is left out unless the call asks for it. */
export function serializeMessage(workspace: Workspace, message: StoredMessage, withMetadata = false): JsonObject {
  const channel = workspace.channels.get(message.channel);
  const replies = channel?.messages.filter(
    reply => reply.threadTs === message.ts && reply.ts !== message.ts && reply.ephemeralTo === undefined,
  );
  const repliers = [...new Set(replies?.map(reply => reply.userId ?? reply.botId))];
  return {
    type: 'message',
    ...(message.subtype === undefined ? {} : { subtype: message.subtype }),
    ...(message.userId === undefined ? {} : { user: message.userId }),
    ts: message.ts,
    ...(message.botId === undefined ? {} : toBotMembers(workspace, message.botId)),
    text: message.text,
    team: workspace.people.get(message.userId ?? '')?.teamId ?? workspace.teamId,
    ...(message.blocks.length === 0 ? {} : { blocks: message.blocks }),
    ...(message.attachments.length === 0 ? {} : { attachments: message.attachments }),
    ...(message.files.length === 0 ? {} : { files: message.files.map(id => serializeFile(workspace, id, true)) }),
    ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
    ...(message.threadTs !== undefined && message.threadTs !== message.ts
      ? {
          parent_user_id: workspace.channels.get(message.channel)?.messages.find(m => m.ts === message.threadTs)
            ?.userId,
        }
      : {}),
    ...(replies === undefined || replies.length === 0
      ? {}
      : {
          reply_count: replies.length,
          reply_users_count: repliers.length,
          reply_users: repliers,
          latest_reply: replies.at(-1)?.ts,
        }),
    ...(message.edited === undefined ? {} : { edited: message.edited }),
    ...(message.reactions.length === 0
      ? {}
      : { reactions: message.reactions.map(reaction => ({ ...reaction, count: reaction.users.length })) }),
    ...(message.pinned ? { pinned_to: [message.channel] } : {}),
    ...(withMetadata && message.metadata !== undefined ? { metadata: message.metadata } : {}),
  };
}

/** A file as `files.info` gives it, or as messages do. */
export function serializeFile(workspace: Workspace, id: string, isInMessage = false): JsonObject {
  const file = workspace.files.get(id);
  if (file === undefined) return { id, mode: 'tombstone' };
  if (isInMessage && file.isStub)
    return { id, mode: 'file_access', file_access: 'check_file_info', created: file.created };
  const filetype = file.name.includes('.') ? file.name.slice(file.name.lastIndexOf('.') + 1) : 'text';
  return {
    id,
    created: file.created,
    timestamp: file.created,
    name: file.name,
    title: file.name,
    mimetype: file.mimetype,
    filetype,
    user: file.userId,
    size: Buffer.byteLength(file.content),
    mode: 'hosted',
    is_external: false,
    url_private: file.url,
    url_private_download: file.url.replace(/([^/]+)$/, 'download/$1'),
    permalink: `https://${workspace.teamDomain}.slack.com/files/${file.userId}/${id}/${encodeURIComponent(file.name)}`,
    ...toFileKind(file),
  };
}

/** What Slack says of an e-mail, or of a voice clip with its words (docs/slack.md 4). */
function toFileKind({ email, spoken }: StoredFile): JsonObject {
  if (spoken !== undefined) {
    const transcription = { status: 'complete', locale: 'en-US', preview: { content: spoken, has_more: false } };
    return { subtype: 'slack_audio', media_display_type: 'audio', transcription };
  }
  if (email === undefined) return {};
  const { subject, from, text } = email;
  const senders = [{ address: from, name: '', original: from }];
  return { mode: 'email', filetype: 'email', subject, from: senders, plain_text: text, preview: `<p>${text}</p>` };
}

function toBotMembers(workspace: Workspace, botId: string): JsonObject {
  const bot = [...workspace.people.values()].find(person => person.botId === botId);
  const appId = botId === workspace.botId ? workspace.appId : `A${botId.slice(1)}`;
  return {
    bot_id: botId,
    app_id: appId,
    bot_profile: {
      id: botId,
      app_id: appId,
      name: bot?.realName ?? 'bot',
      deleted: false,
      updated: 0,
      team_id: workspace.teamId,
    },
  };
}
