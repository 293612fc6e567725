import type { Channel, Message, Person } from '../fake-slack/fake-slack.ts';
import { isNotice } from '../fake-slack/fake-slack.ts';

/** How far a person has read a channel, and what is new to them. */
export interface Unread {
  readonly readTs: string;
  readonly unread: number;
  readonly mentions: number;
}

/** What is kept of {@link ReadMarks}: person id → channel id → timestamp. */
export type SavedReadMarks = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** How far each person has read each channel. */
export class ReadMarks {
  readonly #marks: Record<string, Record<string, string>>;
  readonly #watchers = new Set<() => void>();

  constructor(saved: SavedReadMarks = {}) {
    this.#marks = structuredClone(saved);
  }

  get saved(): SavedReadMarks {
    return this.#marks;
  }

  /** The person has read the channel up to that message. */
  set(personId: string, channelId: string, ts: string): void {
    const own = this.#marks[personId] ?? {};
    own[channelId] = ts;
    this.#marks[personId] = own;
    for (const watcher of this.#watchers) watcher();
  }

  /** Calls the watcher at each change. Returns what ends that. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** What is new to a person in a channel. Replies in threads count when they mention them. */
  of(person: Person, channel: Channel): Unread {
    const readTs = this.#marks[person.id]?.[channel.id] ?? '0';
    if (!channel.members.has(person.id)) return { readTs, unread: 0, mentions: 0 };
    let unread = 0;
    let mentions = 0;
    for (let at = channel.messages.length - 1; at >= 0; at -= 1) {
      const message = channel.messages[at];
      if (message === undefined || message.ts <= readTs) break;
      if (!isNewsTo(person, message)) continue;
      const isReply = message.threadTs !== undefined && message.threadTs !== message.ts;
      if (!isReply) unread += 1;
      if (channel.isIm ? !isReply : isMentioned(person, message)) mentions += 1;
    }
    return { readTs, unread, mentions };
  }
}

function isNewsTo(person: Person, message: Message): boolean {
  return message.userId !== person.id && message.ephemeralTo === undefined && !isNotice(message);
}

function isMentioned(person: Person, message: Message): boolean {
  return /<!(channel|here|everyone)\b/.test(message.text) || message.text.includes(`<@${person.id}`);
}
