import type { JsonObject } from './json.ts';

/** The user through whom Slack itself speaks. */
export const slackbotId = 'USLACKBOT';

/** What `addPerson` takes. A bot user (`isBot`) stands for another app, such as one that posts alerts. */
export interface NewPerson {
  readonly name: string;
  readonly realName?: string;
  readonly email?: string;
  /** IANA zone; `Etc/UTC` when absent. */
  readonly tz?: string;
  readonly isBot?: boolean;
  readonly deleted?: boolean;
  readonly isRestricted?: boolean;
  readonly isUltraRestricted?: boolean;
  readonly isStranger?: boolean;
  readonly teamId?: string;
}

/** One member of the workspace, as Slack keeps them. */
export interface PersonRecord {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly email: string | undefined;
  readonly tz: string;
  readonly isBot: boolean;
  readonly botId: string | undefined;
  readonly deleted: boolean;
  readonly isRestricted: boolean;
  readonly isUltraRestricted: boolean;
  readonly isStranger: boolean;
  readonly teamId: string;
}

/** What `addChannel` takes, people given by id. */
export interface NewChannel {
  readonly name: string;
  readonly isPrivate?: boolean;
  readonly memberIds: readonly string[];
  readonly creator: string;
  readonly isArchived?: boolean;
  readonly isExtShared?: boolean;
  /** The other person of a direct message. */
  readonly imUserId?: string;
}

/** One emoji under a message and who set it. */
export interface Reaction {
  readonly name: string;
  readonly users: readonly string[];
}

/** A message or an ephemeral one. The object is live: edits and reactions show in it. */
export interface Message {
  readonly ts: string;
  /** The channel's id. */
  readonly channel: string;
  readonly threadTs: string | undefined;
  readonly userId: string | undefined;
  readonly botId: string | undefined;
  readonly text: string;
  readonly blocks: readonly JsonObject[];
  readonly attachments: readonly JsonObject[];
  readonly metadata: JsonObject | undefined;
  /** Set: only this person sees it. */
  readonly ephemeralTo: string | undefined;
  readonly edited: { readonly user: string; readonly ts: string } | undefined;
  readonly reactions: readonly Reaction[];
  readonly pinned: boolean;
  readonly permalink: string;
  readonly subtype: string | undefined;
  readonly deleted: boolean;
}

/** A link in a channel's bookmark bar. */
export interface Bookmark {
  readonly id: string;
  readonly title: string;
  readonly link: string;
  readonly emoji: string;
  /** Unix seconds; `updated` is 0 until it is edited. */
  readonly created: number;
  readonly updated: number;
}

/** A channel or direct message. The object is live. */
export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly isPrivate: boolean;
  readonly isArchived: boolean;
  readonly isExtShared: boolean;
  readonly isIm: boolean;
  readonly imUserId: string | undefined;
  readonly creator: string;
  /** Unix seconds. */
  readonly created: number;
  /** Names it had before, oldest first. */
  readonly previousNames: readonly string[];
  readonly topic: string;
  readonly purpose: string;
  readonly members: ReadonlySet<string>;
  /** Every message ever posted and not deleted, oldest first, thread replies and ephemeral ones included. */
  readonly messages: readonly Message[];
  readonly bookmarks: readonly Bookmark[];
}

/** A group of people that can be mentioned. */
export interface UserGroup {
  readonly id: string;
  readonly handle: string;
  readonly name: string;
  readonly users: readonly string[];
}

/** The same shape with every member open to change. */
export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A message as the workspace itself holds it. */
export type StoredMessage = Mutable<Message>;

/** A channel as the workspace itself holds it. */
export interface StoredChannel extends Mutable<Omit<Channel, 'members' | 'messages' | 'bookmarks' | 'previousNames'>> {
  readonly members: Set<string>;
  readonly previousNames: string[];
  messages: StoredMessage[];
  bookmarks: Bookmark[];
}

/** What posting a message takes. */
export interface NewMessage {
  readonly userId?: string | undefined;
  readonly botId?: string | undefined;
  readonly text: string;
  readonly blocks?: readonly JsonObject[];
  readonly attachments?: readonly JsonObject[];
  readonly threadTs?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly ephemeralTo?: string | undefined;
  readonly subtype?: string | undefined;
}

/** Something that happened and that apps may have subscribed to. */
export interface WorkspaceEvent {
  /** The inner `event` object of the Events API. */
  readonly event: JsonObject;
  /** The channel it happened in: Slack tells only apps that are members. */
  readonly channelId: string | undefined;
}

/** Everything a workspace holds: its people, channels and messages, and the app installed in it. */
export class Workspace {
  readonly now: () => Date;
  /** 32 random hexadecimal digits. */
  readonly randomId: () => string;
  readonly teamId = 'T0ACME00001';
  readonly teamName = 'Acme';
  readonly teamDomain = 'acme';
  readonly appId = 'A0MUSTER001';
  readonly botId = 'B0MUSTER001';
  readonly botUserId = 'U0MUSTER001';
  readonly people = new Map<string, PersonRecord>();
  readonly channels = new Map<string, StoredChannel>();
  readonly userGroups = new Map<string, UserGroup>();
  readonly #listeners: ((event: WorkspaceEvent) => void)[] = [];
  #lastMicros = 0;
  #lastId = 0;

  constructor(now: () => Date, randomId: () => string) {
    this.now = now;
    this.randomId = randomId;
    this.people.set(this.botUserId, {
      ...this.#person(this.botUserId, { name: 'muster', realName: 'Muster', isBot: true }),
      botId: this.botId,
    });
    this.people.set(slackbotId, this.#person(slackbotId, { name: 'slackbot', realName: 'Slackbot' }));
  }

  /** Calls the listener for everything that happens from now on. */
  onEvent(listener: (event: WorkspaceEvent) => void): void {
    this.#listeners.push(listener);
  }

  /** Tells the listeners what happened; `channelId` limits it to apps that are members there. */
  emit(event: JsonObject, channelId?: string): void {
    for (const listener of this.#listeners) listener({ event, channelId });
  }

  /** Unix seconds. */
  seconds(): number {
    return Math.floor(this.now().getTime() / 1000);
  }

  /** A fresh id, such as `C00000000A1`: prefix, then digits and capitals. */
  nextId(prefix: string): string {
    this.#lastId += 1;
    return `${prefix}0${(0xa000 + this.#lastId).toString(36).toUpperCase().padStart(9, '0')}`;
  }

  /** A fresh message timestamp: the time in seconds with six digits, never twice the same. */
  nextTs(): string {
    this.#lastMicros = Math.max(this.now().getTime() * 1000, this.#lastMicros + 1);
    const micros = String(this.#lastMicros);
    return `${micros.slice(0, -6)}.${micros.slice(-6)}`;
  }

  addPerson(person: NewPerson): PersonRecord {
    const record = this.#person(this.nextId('U'), person);
    this.people.set(record.id, record);
    return record;
  }

  addChannel(channel: NewChannel): StoredChannel {
    const isIm = channel.imUserId !== undefined;
    const stored: StoredChannel = {
      id: this.nextId(isIm ? 'D' : 'C'),
      name: channel.name,
      isPrivate: channel.isPrivate ?? isIm,
      isArchived: channel.isArchived ?? false,
      isExtShared: channel.isExtShared ?? false,
      isIm,
      imUserId: channel.imUserId,
      creator: channel.creator,
      created: this.seconds(),
      previousNames: [],
      topic: '',
      purpose: '',
      members: new Set(channel.memberIds),
      messages: [],
      bookmarks: [],
    };
    this.channels.set(stored.id, stored);
    return stored;
  }

  /** The direct message between the bot and a person, made when there is none. */
  directMessage(userId: string): StoredChannel {
    for (const channel of this.channels.values()) if (channel.imUserId === userId) return channel;
    return this.addChannel({
      name: `dm-${userId}`,
      memberIds: [userId, this.botUserId],
      creator: this.botUserId,
      imUserId: userId,
    });
  }

  /** A channel by name, archived ones included: their names stay taken (docs/slack.md 7). */
  channelNamed(name: string): StoredChannel | undefined {
    return [...this.channels.values()].find(channel => !channel.isIm && channel.name === name);
  }

  personNamed(name: string): PersonRecord | undefined {
    const wanted = name.toLowerCase();
    return [...this.people.values()].find(person => person.name.toLowerCase() === wanted);
  }

  message(channel: StoredChannel, ts: string | undefined): StoredMessage | undefined {
    return channel.messages.find(message => message.ts === ts);
  }

  /** The link to a message; replies carry their thread. */
  permalink(channelId: string, ts: string, threadTs: string | undefined): string {
    const link = `https://${this.teamDomain}.slack.com/archives/${channelId}/p${ts.replace('.', '')}`;
    return threadTs === undefined || threadTs === ts ? link : `${link}?thread_ts=${threadTs}&cid=${channelId}`;
  }

  #person(id: string, person: NewPerson): PersonRecord {
    return {
      id,
      name: person.name,
      realName: person.realName ?? person.name,
      email: person.email,
      tz: person.tz ?? 'Etc/UTC',
      isBot: person.isBot ?? false,
      botId: person.isBot ? this.nextId('B') : undefined,
      deleted: person.deleted ?? false,
      isRestricted: person.isRestricted ?? false,
      isUltraRestricted: person.isUltraRestricted ?? false,
      isStranger: person.isStranger ?? false,
      teamId: person.teamId ?? this.teamId,
    };
  }
}
