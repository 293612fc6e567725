import type { MessagePage, MessageView } from '../workspace/protocol.ts';

/**
 * The part of a channel or thread that the page holds: messages that follow each other, oldest first. A page that is open for
 * days holds no more than one that has just begun.
 */
export interface MessageWindow {
  readonly messages: readonly MessageView[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}

/** How many messages the page holds of a channel. */
const capacity = 200;

/** The window of a page of messages. */
export function toWindow({ messages, hasOlder, hasNewer = false }: MessagePage): MessageWindow {
  return { messages, hasOlder, hasNewer };
}

/** Adds the messages before those of the window. The newest leave it when it is full. */
export function withOlder(window: MessageWindow, { messages, hasOlder }: MessagePage): MessageWindow {
  const all = [...messages, ...window.messages];
  return { messages: all.slice(0, capacity), hasOlder, hasNewer: window.hasNewer || all.length > capacity };
}

/** Adds the messages after those of the window. The oldest leave it when it is full. */
export function withNewer(window: MessageWindow, { messages, hasNewer = false }: MessagePage): MessageWindow {
  const all = [...window.messages, ...messages];
  return { messages: all.slice(-capacity), hasOlder: window.hasOlder || all.length > capacity, hasNewer };
}

/**
 * Puts in a message that is new or has changed. One that belongs outside the window changes nothing. When the window is full, a
 * new message takes the place of the oldest if the reader is at the end; else the reader keeps what they look at.
 */
export function withMessage(window: MessageWindow, message: MessageView, isAtEnd: boolean): MessageWindow {
  const { messages, hasOlder, hasNewer } = window;
  const index = messages.findIndex(each => each.ts === message.ts);
  if (index >= 0) return { ...window, messages: messages.with(index, message) };
  const [first] = messages;
  const last = messages.at(-1);
  const isNewest = last === undefined || message.ts > last.ts;
  if (hasNewer && isNewest) return window;
  if (hasOlder && (first === undefined || message.ts < first.ts)) return window;
  if (isNewest && !isAtEnd && messages.length >= capacity) return { ...window, hasNewer: true };
  const before = messages.filter(each => each.ts < message.ts);
  const after = messages.slice(before.length);
  const all = [...before, message, ...after];
  return { messages: all.slice(-capacity), hasOlder: hasOlder || all.length > capacity, hasNewer };
}

/** Takes a message out. */
export function without(window: MessageWindow, ts: string): MessageWindow {
  return { ...window, messages: window.messages.filter(each => each.ts !== ts) };
}
