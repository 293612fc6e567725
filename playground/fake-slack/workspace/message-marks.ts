import type { StoredMessage } from './records.ts';
import { serializeMessage } from './serialize.ts';
import type { Workspace } from './workspace.ts';

/** Sets or removes a user's reaction. Returns false when nothing changed. */
export function setReaction(
  workspace: Workspace,
  message: StoredMessage,
  userId: string,
  name: string,
  present: boolean,
): boolean {
  const before = message.reactions.find(reaction => reaction.name === name)?.users ?? [];
  if (before.includes(userId) === present) return false;
  const users = present ? [...before, userId] : before.filter(user => user !== userId);
  const others = message.reactions.filter(reaction => reaction.name !== name);
  message.reactions = users.length === 0 ? others : [...others, { name, users }];
  tellChange(workspace, message);
  workspace.emit(
    {
      type: present ? 'reaction_added' : 'reaction_removed',
      user: userId,
      reaction: name,
      item_user: message.userId,
      item: { type: 'message', channel: message.channel, ts: message.ts },
      event_ts: workspace.nextTs(),
    },
    message.channel,
  );
  return true;
}

/** Pins or unpins a message. Returns false when nothing changed. */
export function setPinned(workspace: Workspace, message: StoredMessage, userId: string, pinned: boolean): boolean {
  if (message.pinned === pinned) return false;
  message.pinned = pinned;
  tellChange(workspace, message);
  workspace.emit(
    {
      type: pinned ? 'pin_added' : 'pin_removed',
      user: userId,
      channel_id: message.channel,
      item: { type: 'message', channel: message.channel, message: serializeMessage(workspace, message) },
      event_ts: workspace.nextTs(),
    },
    message.channel,
  );
  return true;
}

function tellChange(workspace: Workspace, message: StoredMessage): void {
  const channel = workspace.channels.get(message.channel);
  if (channel !== undefined) workspace.tell({ kind: 'message', channel, message });
}
