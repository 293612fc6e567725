import type { JsonObject } from '../protocol/json.ts';
import { SlackError } from '../protocol/slack-error.ts';
import { create } from '../workspace/channel-creation.ts';
import { join, setArchived, setTopic } from '../workspace/channel-log.ts';
import { isOrgInstall } from '../workspace/grid.ts';
import type { StoredChannel } from '../workspace/records.ts';
import { serializeChannel } from '../workspace/serialize.ts';
import { slackbotId } from '../workspace/workspace.ts';
import type { Arguments } from './arguments.ts';
import {
  anyOf,
  type Backend,
  byKind,
  findChannel,
  findOwnChannel,
  hasScope,
  isMember,
  type Methods,
  toPage,
} from './method.ts';

/** People that one call may invite (docs/slack.md 7). */
const inviteLimit = 100;
/** Characters of a topic (docs/slack.md 5). */
const topicLimit = 250;

const manage = byKind(['channels:manage'], ['groups:write']);
const read = byKind(['channels:read'], ['groups:read', 'im:read']);

/** Making, finding and changing channels. */
export const conversationMethods: Methods = {
  'conversations.create': {
    scopes: (_, args) => (args.flag('is_private') ? ['groups:write'] : ['channels:manage']),
    run(backend, args) {
      const { workspace } = backend;
      const { botUserId: creator, grid } = workspace;
      // A token of one workspace makes it there, whatever it asks for (docs/slack.md 3).
      const teamId = isOrgInstall(grid) ? (args.text('team_id') ?? '') : workspace.teamId;
      const channel = create(workspace, { creator, teamId }, args.text('name') ?? '', args.flag('is_private'));
      return { channel: serializeChannel(workspace, channel) };
    },
  },
  'conversations.info': {
    scopes: read,
    run(backend, args) {
      const channel = findChannel(backend, args);
      const count = args.flag('include_num_members') ? { num_members: channel.members.size } : {};
      return { channel: { ...serializeChannel(backend.workspace, channel), ...count } };
    },
  },
  'users.conversations': {
    run: listChannels,
  },
  'conversations.open': {
    scopes: anyOf('im:write'),
    run({ workspace }, args) {
      const user = args.required('users');
      if (!workspace.people.has(user)) throw new SlackError('user_not_found');
      return { channel: { id: workspace.directMessage(user).id } };
    },
  },
  'conversations.members': {
    scopes: read,
    run(backend, args) {
      const page = toPage([...findChannel(backend, args).members], args, 100);
      return { members: page.items, response_metadata: page.metadata };
    },
  },
  'conversations.invite': {
    scopes: byKind(['channels:manage', 'channels:write.invites'], ['groups:write', 'groups:write.invites']),
    run: invite,
  },
  'conversations.join': {
    scopes: anyOf('channels:join'),
    run(backend, args) {
      const { workspace } = backend;
      const channel = workspace.channels.get(args.required('channel'));
      if (channel === undefined) throw new SlackError('channel_not_found');
      if (channel.isPrivate) throw new SlackError('method_not_supported_for_channel_type');
      if (channel.isArchived) throw new SlackError('is_archived');
      join(workspace, channel, workspace.botUserId);
      return { channel: serializeChannel(workspace, channel) };
    },
  },
  'conversations.archive': {
    scopes: manage,
    run(backend, args) {
      const channel = findChannel(backend, args);
      if (channel.isArchived) throw new SlackError('already_archived');
      if (!isMember(backend, channel)) throw new SlackError('not_in_channel');
      if (channel.name === 'general') throw new SlackError('cant_archive_general');
      setArchived(backend.workspace, channel, backend.workspace.botUserId, true);
      return {};
    },
  },
  'conversations.setTopic': {
    scopes: byKind(['channels:manage', 'channels:write.topic'], ['groups:write', 'groups:write.topic']),
    run(backend, args) {
      const channel = findOwnChannel(backend, args);
      const topic = args.text('topic') ?? '';
      if (topic.length > topicLimit) throw new SlackError('too_long');
      setTopic(backend.workspace, channel, backend.workspace.botUserId, topic);
      return { channel: serializeChannel(backend.workspace, channel), topic };
    },
  },
};

/** Kinds of channel that can be listed, and the scope each takes (docs/slack.md 7). */
const kinds: Readonly<Record<string, string>> = {
  public_channel: 'channels:read',
  private_channel: 'groups:read',
  mpim: 'mpim:read',
  im: 'im:read',
};

/** Lists the channels that somebody is in; the bot's own when nobody is named. */
function listChannels(backend: Backend, args: Arguments) {
  const { grid, botUserId } = backend.workspace;
  const user = args.text('user') ?? botUserId;
  const types = args.text('types')?.split(',') ?? ['public_channel'];
  for (const type of types) {
    const scope = kinds[type];
    if (scope === undefined) throw new SlackError('invalid_types');
    if (!hasScope(backend, scope)) {
      throw new SlackError('missing_scope', { needed: scope, provided: backend.scopes?.join(',') });
    }
  }
  const channels = [...backend.workspace.channels.values()].filter(channel => {
    const type = channel.isIm ? 'im' : channel.isPrivate ? 'private_channel' : 'public_channel';
    if (!types.includes(type) || !channel.members.has(user)) return false;
    if (isOrgInstall(grid) && !channel.teamIds.includes(args.text('team_id') ?? '')) return false;
    if (channel.isPrivate && !isMember(backend, channel)) return false;
    return !(args.flag('exclude_archived') && channel.isArchived);
  });
  const page = toPage(channels, args, 100);
  const toItem = (channel: StoredChannel): JsonObject => ({
    ...serializeChannel(backend.workspace, channel),
    ...(channel.isIm ? {} : { num_members: channel.members.size }),
  });
  return { channels: page.items.map(toItem), response_metadata: page.metadata };
}

function invite(backend: Backend, args: Arguments) {
  const { workspace } = backend;
  const channel = findOwnChannel(backend, args);
  const users = args.list('users');
  if (users.length === 0) throw new SlackError('no_user');
  if (users.length > inviteLimit) throw new SlackError('too_many_users');
  const errors = users.flatMap(user => {
    const error = toInviteError(backend, channel, user);
    return error === undefined ? [] : [{ user, ok: false, error }];
  });
  const good = users.filter(user => !errors.some(problem => problem.user === user));
  const [first] = errors;
  if (first !== undefined && !(args.flag('force') && good.length > 0)) {
    throw new SlackError(first.error, users.length === 1 ? {} : { errors });
  }
  for (const user of good) join(workspace, channel, user, workspace.botUserId);
  return { channel: serializeChannel(workspace, channel), ...(errors.length === 0 ? {} : { errors }) };
}

function toInviteError(backend: Backend, channel: StoredChannel, user: string): string | undefined {
  const person = backend.workspace.people.get(user);
  if (user === backend.workspace.botUserId) return 'cant_invite_self';
  if (user === slackbotId) return 'cant_invite';
  if (person === undefined) return 'user_not_found';
  if (channel.members.has(user)) return 'already_in_channel';
  if (person.deleted || person.isStranger || !channel.teamIds.includes(person.teamId)) return 'cant_invite';
  if (person.isUltraRestricted) return 'ura_max_channels';
  return undefined;
}
