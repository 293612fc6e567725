import {
  type Channel,
  type FakeSlackBase,
  isNotice,
  isSlackbot,
  type Message,
  type OpenView,
  type Person,
  type PersonRecord,
} from '../fake-slack/fake-slack.ts';
import type { ChannelView, CommandView, FormContent, MessageView, PersonView, ShortcutView } from './protocol.ts';
import type { ReadMarks } from './read-marks.ts';

/** Whoever looks: the facts of channels, messages and views are those that Slack shows them. */
export interface Looking {
  readonly slack: FakeSlackBase;
  readonly reads: ReadMarks;
  readonly person: Person;
}

/** A person as everybody sees them. */
export function toPersonView(record: PersonRecord): PersonView {
  const { id, name, realName, tz, deleted: isDeactivated } = record;
  return { id, name, realName, tz, kind: toKind(record), isDeactivated };
}

function toKind(record: PersonRecord): PersonView['kind'] {
  if (record.isBot || isSlackbot(record.id)) return 'app';
  if (record.isStranger) return 'outsider';
  if (record.isRestricted || record.isUltraRestricted) return 'guest';
  return record.isAdmin ? 'admin' : 'member';
}

/** A channel as a person sees it. */
export function toChannelRecords({ slack, reads, person }: Looking, channel: Channel): ChannelView {
  const { id, isArchived, isExtShared: isShared, topic } = channel;
  return {
    id,
    name: channel.isIm ? (slack.users.find(each => each.id === slack.botUserId)?.realName ?? '') : channel.name,
    kind: channel.isIm ? 'direct' : channel.isPrivate ? 'private' : 'public',
    isMember: channel.members.has(person.id),
    isArchived,
    isShared,
    topic,
    members: [...channel.members],
    bookmarks: channel.bookmarks.map(({ id, title, link, emoji }) => ({ id, title, link, emoji })),
    pins: channel.messages.filter(message => message.pinned).length,
    ...reads.of(person, channel),
  };
}

/** A message as a person sees it. */
export function toMessageView({ slack, person }: Looking, channel: Channel, message: Message): MessageView {
  const { ts, threadTs, text, blocks, attachments, reactions, pinned: isPinned, permalink } = message;
  const replies = threadTs === ts ? channel.messages.filter(each => isReplyTo(each, ts)) : [];
  const lastReply = replies.at(-1);
  return {
    channel: channel.id,
    ts,
    ...(threadTs === undefined ? {} : { threadTs }),
    author: message.userId ?? slack.users.find(each => each.botId === message.botId)?.id ?? '',
    text,
    blocks,
    attachments,
    files: message.files.flatMap(id => {
      const file = slack.file(id);
      if (file === undefined) return [];
      const { name, mimetype, content } = file;
      return [{ id, name, mimetype, size: Buffer.byteLength(content), url: `/files/${id}?as=${person.name}` }];
    }),
    reactions,
    isPinned,
    isEphemeral: message.ephemeralTo !== undefined,
    isEdited: message.edited !== undefined,
    isNotice: isNotice(message),
    replies: replies.length,
    ...(lastReply === undefined ? {} : { lastReplyTs: lastReply.ts }),
    permalink,
  };
}

function isReplyTo(message: Message, ts: string): boolean {
  return message.threadTs === ts && message.ts !== ts && message.ephemeralTo === undefined;
}

/** A modal or home tab as its person sees it. */
export function toFormContent(view: OpenView): FormContent {
  const { id, type, title, blocks, values, errors, failureNotice, hash, payload } = view;
  const submit = toPlainText(payload.submit);
  return {
    ...{ id, type, title, blocks, values, errors, hash },
    ...(submit === undefined ? {} : { submit }),
    close: toPlainText(payload.close) ?? 'Cancel',
    ...(failureNotice === undefined ? {} : { failure: failureNotice }),
  };
}

function toPlainText(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && 'text' in value ? String(value.text) : undefined;
}

/** The commands and shortcuts of an app's manifest. */
export interface AppFace {
  readonly commands: readonly CommandView[];
  readonly shortcuts: readonly ShortcutView[];
}

/** The part of a manifest that people see. */
export interface Manifest {
  readonly features: {
    readonly slash_commands: readonly {
      readonly command: string;
      readonly usage_hint?: string;
      readonly description: string;
    }[];
    readonly shortcuts: readonly {
      readonly callback_id: string;
      readonly name: string;
      readonly type: 'message' | 'global';
    }[];
  };
}

export function toAppFace({ features }: Manifest): AppFace {
  return {
    commands: features.slash_commands.map(each => ({
      name: each.command,
      usage: each.usage_hint ?? '',
      description: each.description,
    })),
    shortcuts: features.shortcuts.map(each => ({ id: each.callback_id, name: each.name, type: each.type })),
  };
}
