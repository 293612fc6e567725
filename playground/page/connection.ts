import type { Act, ActAnswer, MessagePage, PinPage, Told } from '../workspace/protocol.ts';

/** Which messages of a channel, or of one of its threads, to read. */
export interface MessageQuery {
  readonly channel: string;
  readonly threadTs?: string;
  /** Only those before or after this timestamp, or around it. The newest ones when all are absent. */
  readonly before?: string;
  readonly after?: string;
  readonly around?: string;
}

/** What one person's page asks of the server. A request never rejects. */
export interface Connection {
  act(act: Act): Promise<ActAnswer>;
  /** Undefined when the server did not answer. */
  messages(query: MessageQuery): Promise<MessagePage | undefined>;
  /** The pinned messages of a channel, the newest first; undefined when the server did not answer. */
  pins(channel: string): Promise<PinPage | undefined>;
  close(): void;
}

/** The listeners of a connection. */
export interface Hearer {
  /** Hears every change, in order. */
  readonly onTold: (told: Told) => void;
  /** Hears whether the server can be heard. The browser connects again by itself, and goes on where it was. */
  readonly onLine: (isOnline: boolean) => void;
}
