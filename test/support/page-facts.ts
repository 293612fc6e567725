import type { ChannelView, MessageView, PersonView, WorkspaceView } from '../../playground/workspace/protocol.ts';

/** A channel that the reader is in, with nothing in it. */
export function channelFacts(more: Partial<ChannelView> = {}): ChannelView {
  return {
    ...{ id: 'C1', name: 'checkout', kind: 'public', isMember: true, isArchived: false, isShared: false },
    ...{ topic: '', members: [], bookmarks: [], pins: 0, readTs: '0', unread: 0, mentions: 0 },
    ...more,
  };
}

/** A member of the workspace, with the name as its id. */
export function personFacts(name: string, more: Partial<PersonView> = {}): PersonView {
  return { id: name, name, realName: name, tz: 'UTC', kind: 'member', isDeactivated: false, ...more };
}

/** A workspace of nobody, with one channel. */
export function workspaceFacts(more: Partial<WorkspaceView> = {}): WorkspaceView {
  return {
    ...{ team: 'T1', me: 'U1', app: 'U2', people: [], groups: [], channels: [channelFacts()] },
    ...{ commands: [], shortcuts: [], views: [], ...more },
  };
}

/** The timestamp of a second. */
export function tsOf(second: number): string {
  return `${second}.000000`;
}

/** A message in the channel of {@link channelFacts}, of a certain second. */
export function messageFacts(second: number, more: Partial<MessageView> = {}): MessageView {
  const rest = { blocks: [], attachments: [], files: [], reactions: [], replies: 0, permalink: '' };
  const marks = { isPinned: false, isEphemeral: false, isEdited: false, isNotice: false };
  return { channel: 'C1', ts: tsOf(second), author: 'U1', text: '', ...rest, ...marks, ...more };
}

/** The messages of some seconds, the last one included. */
export function messagesOf(from: number, to: number, more: Partial<MessageView> = {}): readonly MessageView[] {
  return Array.from({ length: to - from + 1 }, (_, index) => messageFacts(from + index, more));
}
