import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { SlackError } from '../protocol/slack-error.ts';
import { edit, post, remove } from '../workspace/channel-log.ts';
import { type Content, type Sent, toContent } from '../workspace/message-content.ts';
import type { StoredChannel, StoredMessage } from '../workspace/records.ts';
import { serializeMessage } from '../workspace/serialize.ts';
import type { Arguments } from './arguments.ts';
import { anyOf, type Backend, findChannel, findMessage, hasScope, isMember, type Methods } from './method.ts';

/** Characters of text that an update may have (docs/slack.md 5). */
const updateTextLimit = 4000;

/**
 * Characters of JSON that the blocks of a message may have. Slack documents no such limit. People measured it near 13,200 at
 * `chat.postMessage`, where rich text reached it with 11,341 characters of text: the structure counts too (bolt-js #2509,
 * #2867). Nobody measured it at a `response_url`, so the fake has no such limit there.
 */
const blocksLimit = 13_200;

/** Posting, changing and deleting messages. */
export const chatMethods: Methods = {
  'chat.postMessage': {
    scopes: anyOf('chat:write'),
    run(backend, args) {
      const channel = findWritable(backend, args);
      const threadTs = toThread(backend, channel, args);
      const given = toMetadata(args);
      const metadata = given === 'none' ? undefined : given;
      const message = post(backend.workspace, channel, {
        ...toChatContent(backend, toSent(args)),
        ...toAuthor(backend),
        threadTs,
        metadata,
        ...(args.flag('reply_broadcast') && threadTs !== undefined ? { subtype: 'thread_broadcast' } : {}),
      });
      return {
        channel: channel.id,
        ts: message.ts,
        message: serializeMessage(backend.workspace, message, metadata !== undefined),
      };
    },
  },
  'chat.postEphemeral': {
    scopes: anyOf('chat:write'),
    run(backend, args) {
      const channel = findWritable(backend, args);
      const user = args.required('user');
      if (!channel.members.has(user)) throw new SlackError('user_not_in_channel');
      const message = post(backend.workspace, channel, {
        ...toChatContent(backend, toSent(args)),
        ...toAuthor(backend),
        threadTs: toThread(backend, channel, args),
        ephemeralTo: user,
      });
      return { message_ts: message.ts };
    },
  },
  'chat.update': {
    scopes: anyOf('chat:write'),
    run(backend, args) {
      const channel = findChannel(backend, args);
      const message = findOwnMessage(backend, channel, args, 'cant_update_message');
      if (channel.isArchived) throw new SlackError('is_inactive');
      const sent = toSent(args);
      if ((sent.text?.length ?? 0) > updateTextLimit) throw new SlackError('msg_too_long');
      const content = toChatContent(backend, sent);
      const metadata = toMetadata(args);
      edit(backend.workspace, message, backend.workspace.botUserId, {
        text: sent.text === undefined && content.blocks.length > 0 ? '' : content.text,
        blocks: sent.blocks === undefined ? undefined : content.blocks,
        attachments: sent.attachments === undefined ? undefined : content.attachments,
        metadata,
      });
      return {
        channel: channel.id,
        ts: message.ts,
        text: message.text,
        message: serializeMessage(backend.workspace, message, metadata !== undefined),
      };
    },
  },
  'chat.delete': {
    scopes: anyOf('chat:write'),
    run(backend, args) {
      const channel = findChannel(backend, args);
      const message = findOwnMessage(backend, channel, args, 'cant_delete_message');
      remove(backend.workspace, message);
      return { channel: channel.id, ts: message.ts };
    },
  },
  'chat.getPermalink': {
    run(backend, args) {
      const channel = findChannel(backend, args);
      return { channel: channel.id, permalink: findMessage(backend, channel, args.required('message_ts')).permalink };
    },
  },
};

/** The channel a message goes to: by id or `#name`, or a person's direct message by their id. */
function findWritable(backend: Backend, args: Arguments): StoredChannel {
  const { workspace } = backend;
  const wanted = args.text('channel') ?? '';
  const channel =
    workspace.channels.get(wanted) ??
    workspace.channelNamed(wanted.replace(/^#/, '')) ??
    (workspace.people.has(wanted) ? workspace.directMessage(wanted) : undefined);
  if (channel === undefined) throw new SlackError('channel_not_found');
  if (!isMember(backend, channel)) {
    if (channel.isPrivate) throw new SlackError('channel_not_found');
    if (!hasScope(backend, 'chat:write.public')) throw new SlackError('not_in_channel');
  }
  if (channel.isArchived) throw new SlackError('is_archived');
  return channel;
}

function findOwnMessage(backend: Backend, channel: StoredChannel, args: Arguments, error: string): StoredMessage {
  const message = findMessage(backend, channel, args.required('ts'));
  if (message.botId !== backend.workspace.botId) throw new SlackError(error);
  return message;
}

/** The thread a reply goes to. A reply to a reply goes to the same thread. Throws on a malformed timestamp. */
function toThread(backend: Backend, channel: StoredChannel, args: Arguments): string | undefined {
  const wanted = args.text('thread_ts');
  if (wanted === undefined) return undefined;
  if (!/^\d+\.\d{6}$/.test(wanted)) throw new SlackError('invalid_thread_ts');
  const parent = backend.workspace.message(channel, wanted);
  return parent?.threadTs ?? wanted;
}

function toSent(args: Arguments): Sent {
  const markdown = args.text('markdown_text');
  const text = args.text('text');
  const blocks = args.json('blocks', 'invalid_blocks_format');
  if (markdown !== undefined) {
    if (text !== undefined || blocks !== undefined) throw new SlackError('markdown_text_conflict');
    if (markdown.length > 12_000) throw new SlackError('msg_too_long');
  }
  return { text: text ?? markdown, blocks, attachments: args.json('attachments', 'invalid_attachments') };
}

function toChatContent(backend: Backend, sent: Sent): Content {
  const content = toContent(sent, backend.workspace);
  if (JSON.stringify(sent.blocks ?? []).length > blocksLimit) throw new SlackError('msg_blocks_too_long');
  return content;
}

function toAuthor(backend: Backend): { userId: string; botId: string } {
  return { userId: backend.workspace.botUserId, botId: backend.workspace.botId };
}

/** Characters of metadata as JSON. Slack has a limit without a published figure (docs/slack.md 7); ours is small on purpose. */
const sizeLimit = 3000;

/**
 * The metadata a message is to carry: `undefined` when the call says nothing of it, `'none'` for an empty object, which takes
 * away what is there. Its payload is flat (docs/slack.md 7).
 */
function toMetadata(args: Arguments): JsonObject | 'none' | undefined {
  const metadata = args.json('metadata', 'invalid_metadata_format');
  if (metadata === undefined) return undefined;
  if (!isJsonObject(metadata)) throw new SlackError('invalid_metadata_format');
  if (Object.keys(metadata).length === 0) return 'none';
  const { event_type: type, event_payload: payload } = metadata;
  if (
    typeof type !== 'string' ||
    !/^\w+$/.test(type) ||
    !isJsonObject(payload) ||
    !Object.values(payload).every(isPlain)
  ) {
    throw new SlackError('invalid_metadata_schema');
  }
  if (JSON.stringify(metadata).length > sizeLimit) throw new SlackError('metadata_too_large');
  return { event_type: type, event_payload: payload };
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
