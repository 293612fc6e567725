import type { MessageWindow } from './message-window.ts';

/** A list of messages on the page: that of the open channel, or that of the open thread. */
export type Pane = 'channel' | 'thread';

/** What a pane shows. */
export interface PaneState {
  /** Absent until it is read. */
  readonly window: MessageWindow | undefined;
  /** Whether the reader is at its end. */
  readonly isAtEnd: boolean;
  /** The message to bring into sight. Another object asks once more. */
  readonly target: { readonly ts: string } | undefined;
}

/** A pane that is being read. */
export const emptyPane: PaneState = { window: undefined, isAtEnd: true, target: undefined };

/** Changes the messages of a pane; one that is not read yet has none to change. */
export function changeWindow(pane: PaneState, change: (window: MessageWindow) => MessageWindow): PaneState {
  return pane.window === undefined ? pane : { ...pane, window: change(pane.window) };
}
