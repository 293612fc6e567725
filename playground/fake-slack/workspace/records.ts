import type { JsonObject } from '../protocol/json.ts';

/** A person to add. A bot user (`isBot`) is another app, such as one that posts alerts. */
export interface NewPerson {
  readonly name: string;
  readonly realName?: string;
  readonly email?: string;
  /** IANA zone; `Etc/UTC` when absent. */
  readonly tz?: string;
  readonly isBot?: boolean;
  readonly deleted?: boolean;
  readonly isAdmin?: boolean;
  readonly isRestricted?: boolean;
  readonly isUltraRestricted?: boolean;
  readonly isStranger?: boolean;
  readonly teamId?: string;
}

/** A member of the workspace. The object is live: what an administrator changes shows in it. */
export interface PersonRecord {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly email: string | undefined;
  readonly tz: string;
  readonly isBot: boolean;
  readonly botId: string | undefined;
  readonly deleted: boolean;
  readonly isAdmin: boolean;
  readonly isRestricted: boolean;
  readonly isUltraRestricted: boolean;
  readonly isStranger: boolean;
  readonly teamId: string;
  /** How often the person was changed; Slack counts in seconds. */
  readonly updated: number;
}

/** What can be changed of a person: by themselves, or by an administrator of the workspace. */
export type PersonChange = Partial<
  Pick<
    PersonRecord,
    'name' | 'realName' | 'email' | 'tz' | 'deleted' | 'isAdmin' | 'isRestricted' | 'isUltraRestricted'
  >
>;

/** A channel to add, with people by id. */
export interface NewChannel {
  readonly name: string;
  readonly isPrivate?: boolean;
  readonly memberIds: readonly string[];
  readonly creator: string;
  readonly isArchived?: boolean;
  readonly isExtShared?: boolean;
  readonly topic?: string;
  /** The workspaces of the organisation that share it; the first one when absent. */
  readonly teamIds?: readonly string[] | undefined;
  /** The other person of a direct message. */
  readonly imUserId?: string;
}

/** An emoji under a message, and the users who set it. */
interface Reaction {
  readonly name: string;
  readonly users: readonly string[];
}

/** A text file that somebody uploaded. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly mimetype: string;
  readonly content: string;
  readonly userId: string;
  /** Unix seconds. */
  readonly created: number;
  /** The channel to which it was uploaded. */
  readonly channelId: string;
  /** Where Slack says that its content is. */
  readonly url: string;
  /** It is an e-mail that was sent to the channel. */
  readonly email?: { readonly subject: string; readonly from: string; readonly text: string } | undefined;
  /** It is a voice clip whose words Slack wrote down. */
  readonly spoken?: string | undefined;
  /** Messages have its id alone, and `files.info` the rest, as in channels of several organisations (docs/slack.md 4). */
  readonly isStub?: boolean | undefined;
}

/** A file that an app announced and has yet to share. */
export interface AwaitedFile {
  readonly name: string;
  /** Its bytes. */
  readonly length: number;
  /** Undefined until it is uploaded. */
  readonly content: string | undefined;
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
  /** Ids of the files that it brought. */
  readonly files: readonly string[];
  /** The only person who sees it; `undefined` when it is not ephemeral. */
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
  /** The workspaces of the organisation that share it. */
  readonly teamIds: readonly string[];
  readonly isIm: boolean;
  readonly imUserId: string | undefined;
  readonly creator: string;
  /** Unix seconds. */
  readonly created: number;
  /** Names it had before, oldest first. */
  readonly previousNames: readonly string[];
  readonly topic: string;
  readonly members: ReadonlySet<string>;
  /** All messages that are not deleted, oldest first, with thread replies and ephemeral messages. */
  readonly messages: readonly Message[];
  readonly bookmarks: readonly Bookmark[];
}

/** A group of people that can be mentioned. */
export interface UserGroup {
  readonly id: string;
  readonly teamId: string;
  readonly handle: string;
  readonly name: string;
  readonly users: readonly string[];
  /** Somebody disabled it: it is listed only for who asks for such groups too. */
  readonly isDisabled?: boolean;
}

/** The same shape with writable members. */
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A message as the workspace stores it. */
export type StoredMessage = Mutable<Message>;

/** A channel as the workspace stores it. */
export interface StoredChannel extends Mutable<Omit<Channel, 'members' | 'messages' | 'bookmarks' | 'previousNames'>> {
  readonly members: Set<string>;
  readonly previousNames: string[];
  messages: StoredMessage[];
  bookmarks: Bookmark[];
}

/** A message to post. */
export interface NewMessage {
  readonly userId?: string | undefined;
  readonly botId?: string | undefined;
  readonly text: string;
  readonly blocks?: readonly JsonObject[];
  readonly attachments?: readonly JsonObject[];
  readonly threadTs?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly files?: readonly string[];
  readonly ephemeralTo?: string | undefined;
  readonly subtype?: string | undefined;
}

/** A change that somebody may see on their screen. The objects are live. */
export type Change =
  /** A message, an ephemeral one too, was added or changed. */
  | { readonly kind: 'message'; readonly channel: Channel; readonly message: Message }
  | { readonly kind: 'messageGone'; readonly channel: Channel; readonly message: Message }
  /** A channel was added, or its name, its members, its bookmarks or anything else about it changed. */
  | { readonly kind: 'channel'; readonly channel: Channel }
  | { readonly kind: 'channelGone'; readonly channel: Channel }
  | { readonly kind: 'person'; readonly person: PersonRecord }
  /** A person's modals or home tab. */
  | { readonly kind: 'views'; readonly userId: string };

/** An event for apps that subscribed to it. */
export interface WorkspaceEvent {
  /** The inner `event` object of the Events API. */
  readonly event: JsonObject;
  /** The event's channel, if any. Slack tells only apps that are members. */
  readonly channelId: string | undefined;
}
