import type { JournalView } from '../workspace/journal-view.ts';
import type {
  ChannelView,
  MessageView,
  StoryView,
  SystemView,
  Told,
  WireLine,
  WorkspaceView,
} from '../workspace/protocol.ts';
import { withMessage, without } from './message-window.ts';
import { changeWindow, emptyPane, type Pane, type PaneState } from './panes.ts';

/** Everything that the page shows. It is replaced as a whole, so a part that is the same object has not changed. */
export interface State {
  readonly isOnline: boolean;
  readonly workspace: WorkspaceView | undefined;
  /** The workspace as messages speak of it: another object only when a name or a shortcut has changed, not when one reads. */
  readonly directory: WorkspaceView | undefined;
  /** The open channel's id. */
  readonly channel: string | undefined;
  /** Whether the app's home tab is open in place of a channel. */
  readonly isHomeOpen: boolean;
  readonly panes: Readonly<Record<Pane, PaneState>>;
  /** The newest message that was read when the channel was opened. */
  readonly readTs: string;
  /** The first message of the open thread. */
  readonly thread: string | undefined;
  readonly system: SystemView | undefined;
  readonly wire: readonly WireLine[];
  readonly journal: JournalView | undefined;
  readonly stories: readonly StoryView[];
  /** The message whose words the person changes, and the pane in which they do. */
  readonly editing: { readonly pane: Pane; readonly ts: string } | undefined;
  /** Why the last act had no effect. */
  readonly problem: string | undefined;
}

/** The state before the server has said a word. */
export const emptyState: State = {
  isOnline: false,
  workspace: undefined,
  directory: undefined,
  channel: undefined,
  isHomeOpen: false,
  panes: { channel: emptyPane, thread: emptyPane },
  readTs: '',
  thread: undefined,
  system: undefined,
  wire: [],
  journal: undefined,
  stories: [],
  editing: undefined,
  problem: undefined,
};

/** Lines of the wire that the page holds. */
const wireLines = 300;

/** The state after the server has told of a change. */
export function hear(state: State, told: Told): State {
  switch (told.kind) {
    case 'workspace':
      return {
        ...state,
        workspace: told.workspace,
        directory: told.workspace,
        // All else is told after it. Lines of an earlier server have numbers that the next one uses again.
        wire: [],
        journal: undefined,
        ...(state.workspace ? { problem: undefined } : {}),
      };
    case 'channel':
      return changeWorkspace(state, ({ channels }) => ({ channels: upsert(channels, told.channel) }));
    case 'channelGone':
      return changeWorkspace(state, ({ channels }) => ({ channels: channels.filter(each => each.id !== told.id) }));
    case 'person':
      return changeWorkspace(state, ({ people }) => ({ people: upsert(people, told.person) }));
    case 'message':
      return hearMessage(state, told.message);
    case 'messageGone':
      return told.channel === state.channel ? forget(state, told.ts) : state;
    case 'views':
      return changeWorkspace(state, () => ({ views: told.views, ...(told.home ? { home: told.home } : {}) }));
    case 'wire':
      return { ...state, wire: upsert(state.wire, told.line).slice(-wireLines) };
    case 'system':
      return { ...state, system: told.system };
    case 'journal':
      return { ...state, journal: told.journal };
    case 'stories':
      return { ...state, stories: told.stories };
  }
}

/** The channel with an id or name, as the person sees it. */
export function findChannel(state: State, idOrName: string | undefined): ChannelView | undefined {
  return state.workspace?.channels.find(each => each.id === idOrName || each.name === idOrName);
}

function hearMessage(state: State, message: MessageView): State {
  const { channel, thread, panes } = state;
  if (message.channel !== channel) return state;
  const put = (pane: PaneState): PaneState => changeWindow(pane, window => withMessage(window, message, pane.isAtEnd));
  const isReply = message.threadTs !== undefined && message.threadTs !== message.ts;
  const isInThread = thread !== undefined && (message.threadTs === thread || message.ts === thread);
  return {
    ...state,
    panes: {
      channel: isReply ? panes.channel : put(panes.channel),
      thread: isInThread ? put(panes.thread) : panes.thread,
    },
  };
}

function forget(state: State, ts: string): State {
  const { channel, thread } = state.panes;
  const take = (pane: PaneState): PaneState => changeWindow(pane, window => without(window, ts));
  return { ...state, panes: { channel: take(channel), thread: take(thread) } };
}

function changeWorkspace(state: State, change: (workspace: WorkspaceView) => Partial<WorkspaceView>): State {
  const { workspace, directory } = state;
  if (workspace === undefined) return state;
  const next = { ...workspace, ...change(workspace) };
  return { ...state, workspace: next, directory: directory && speaksAlike(directory, next) ? directory : next };
}

/** Whether messages show the same in both: people, and the channels that they and their menus may name. */
function speaksAlike(before: WorkspaceView, after: WorkspaceView): boolean {
  if (before.people !== after.people || before.channels.length !== after.channels.length) return false;
  return before.channels.every((one, index) => {
    const other = after.channels[index];
    if (one === other) return true;
    return channelFaces.every(face => one[face] === other?.[face]);
  });
}

const channelFaces = ['id', 'name', 'kind', 'isArchived', 'isShared'] as const;

function upsert<T extends { readonly id: string | number }>(list: readonly T[], item: T): readonly T[] {
  const index = list.findIndex(each => each.id === item.id);
  return index < 0 ? [...list, item] : list.with(index, item);
}
