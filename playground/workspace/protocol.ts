/**
 * The words between the playground's server and its page. The page is one person's Slack client: it gets what Slack would show
 * that person, and sends what they do. Everything here is JSON.
 */

import type { JournalView } from './journal-view.ts';

/** A JSON object as Slack writes it, such as a block. */
export type Json = { readonly [name: string]: unknown };

/** A person as others see them. */
export interface PersonView {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  /** IANA zone of their clock. */
  readonly tz: string;
  readonly kind: 'member' | 'admin' | 'guest' | 'outsider' | 'app';
  readonly isDeactivated: boolean;
}

/** A channel or direct message as one person sees it. */
export interface ChannelView {
  readonly id: string;
  readonly name: string;
  readonly kind: 'public' | 'private' | 'direct';
  readonly isMember: boolean;
  readonly isArchived: boolean;
  readonly isShared: boolean;
  readonly topic: string;
  /** Ids of people. */
  readonly members: readonly string[];
  readonly bookmarks: readonly {
    readonly id: string;
    readonly title: string;
    readonly link: string;
    readonly emoji: string;
  }[];
  /** How many messages are pinned, in threads too. */
  readonly pins: number;
  /** The newest message that this person has read; the rest is unread. */
  readonly readTs: string;
  readonly unread: number;
  readonly mentions: number;
}

/** A message as one person sees it. */
export interface MessageView {
  readonly channel: string;
  /** Slack's timestamp: unix seconds with six digits, unique in the channel. */
  readonly ts: string;
  /** The first message of its thread; its own `ts` when it is that message. */
  readonly threadTs?: string;
  /** The author: a person's id, the app's too. */
  readonly author: string;
  readonly text: string;
  readonly blocks: readonly Json[];
  readonly attachments: readonly Json[];
  readonly files: readonly {
    readonly id: string;
    readonly name: string;
    readonly mimetype: string;
    readonly size: number;
    readonly url: string;
  }[];
  readonly reactions: readonly { readonly name: string; readonly users: readonly string[] }[];
  readonly isPinned: boolean;
  /** Only this person sees it. */
  readonly isEphemeral: boolean;
  readonly isEdited: boolean;
  /** Slack's own line, such as “joined the channel”. */
  readonly isNotice: boolean;
  readonly replies: number;
  readonly lastReplyTs?: string;
  readonly permalink: string;
}

/** A modal or the home tab in front of a person. */
export interface FormContent {
  readonly id: string;
  readonly type: 'modal' | 'home';
  readonly title: string;
  /** The label of the button that sends it; absent when there is none. */
  readonly submit?: string;
  readonly close: string;
  readonly blocks: readonly Json[];
  /** Slack's state values: block id → action id → value. */
  readonly values: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  /** Errors under inputs, by block id. */
  readonly errors: Readonly<Record<string, string>>;
  /** Slack's words when the app's answer was unusable. */
  readonly failure?: string;
  /** Changes with each version that the app sent. */
  readonly hash: string;
}

/** A slash command of the manifest. */
export interface CommandView {
  readonly name: string;
  readonly usage: string;
  readonly description: string;
}

/** A shortcut of the manifest. */
export interface ShortcutView {
  readonly id: string;
  readonly name: string;
  readonly type: 'message' | 'global';
}

/** Everything that changes seldom, as one person sees it. */
export interface WorkspaceView {
  readonly team: string;
  readonly me: string;
  /** The app's user. */
  readonly app: string;
  readonly people: readonly PersonView[];
  readonly groups: readonly { readonly id: string; readonly handle: string }[];
  readonly channels: readonly ChannelView[];
  readonly commands: readonly CommandView[];
  readonly shortcuts: readonly ShortcutView[];
  /** Modals from the bottom to the top of the stack. */
  readonly views: readonly FormContent[];
  readonly home?: FormContent;
}

/** The switches of “Break things”, by their names on the page. */
export const faultNames = [
  'API down',
  'API slow',
  'Answers lost',
  'Slack rate-limits',
  'Deliver twice',
  'Bot killed',
  'Clock off',
] as const;
export type FaultName = (typeof faultNames)[number];

/** What the watchdog lets happen, by the names of its buttons. */
export const alertEvents = ['Fire', 'Repeat', 'Grow', 'Worsen', 'Storm', 'End all'] as const;
export type AlertEvent = (typeof alertEvents)[number];

/** A page as the pager shows it. */
export interface PageView {
  readonly key: string;
  readonly title: string;
  readonly why: string;
  /** The name of the person who paged. */
  readonly by: string;
  readonly state: 'open' | 'acknowledged' | 'over';
}

/** A line of the wire: a request with its duration and outcome. */
export interface WireLine {
  /** Grows by one with each line. */
  readonly id: number;
  readonly way: 'from Slack' | 'Web API' | 'RPC' | 'webhook';
  /** What was called, such as `/incident`, `chat.postMessage` or `IncidentsService.CreateIncident`. */
  readonly name: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** Milliseconds to the answer; absent while there is none. */
  readonly duration?: number;
  /** `ok`, an HTTP status or Slack's error. Absent while there is none. */
  readonly outcome?: string;
  readonly isFailure: boolean;
  /** How many requests like it came right after each other; absent for one. The line is that of the last. */
  readonly times?: number;
  /** Nobody caused it: a heartbeat, or a look whether all is well. */
  readonly isRoutine?: true;
  readonly request: unknown;
  readonly response?: unknown;
}

/** How the parts are. */
export interface SystemView {
  readonly faults: readonly FaultName[];
  readonly bot: 'starting' | 'running' | 'stopped';
  /** Where the service's pages are. */
  readonly pagesUrl: string;
  /** Groups of alerts that fire, notices that Muster did not take yet, and why it refused the last one. */
  readonly watchdog: { readonly firing: number; readonly waiting: number; readonly problem?: string };
  /** The last pages, oldest first; answers that Muster did not take yet, and why it refused the last one. */
  readonly pager: { readonly pages: readonly PageView[]; readonly waiting: number; readonly problem?: string };
  /** What the playground itself cannot do at present, in words: show the journal, or keep the workspace. */
  readonly troubles: { readonly journal?: string; readonly workspace?: string };
}

/** A story that plays step by step. */
export interface StoryView {
  readonly name: string;
  readonly title: string;
  readonly steps: readonly string[];
  /** How many steps are done. */
  readonly done: number;
  readonly isPlaying: boolean;
  /** 1 is a step in two seconds. */
  readonly speed: number;
  /** The channel in which the next step happens, or the last one did; absent before the first. */
  readonly place?: string;
  /** The claim that it has waited for longer than a step; absent when there is none. */
  readonly awaits?: string;
  /** A claim that did not come true. A story that `goesOn` pauses there and looks again when somebody plays on; else it ended there. */
  readonly problem?: { readonly what: string; readonly goesOn: boolean };
}

/**
 * What the server tells the page, as server-sent events of `GET /events?as=&as=…&from=`. An event is named by the place of its window
 * among those of `as`. The first one of a window is `workspace`.
 */
export type Told =
  | { readonly kind: 'workspace'; readonly workspace: WorkspaceView }
  | { readonly kind: 'channel'; readonly channel: ChannelView }
  /** The channel is no longer there for this person. */
  | { readonly kind: 'channelGone'; readonly id: string }
  | { readonly kind: 'person'; readonly person: PersonView }
  | { readonly kind: 'message'; readonly message: MessageView }
  | { readonly kind: 'messageGone'; readonly channel: string; readonly ts: string }
  | { readonly kind: 'views'; readonly views: readonly FormContent[]; readonly home?: FormContent }
  | { readonly kind: 'system'; readonly system: SystemView }
  | { readonly kind: 'wire'; readonly line: WireLine }
  | { readonly kind: 'journal'; readonly journal: JournalView }
  | { readonly kind: 'stories'; readonly stories: readonly StoryView[] };

/** Where a button or menu is. */
export type Place = { readonly message: { readonly channel: string; readonly ts: string } } | { readonly view: string };

/** What a person does. The page sends `{ as, act }` to `POST /acts`. */
export type Act =
  | { readonly do: 'say'; readonly channel: string; readonly text: string; readonly threadTs?: string }
  | { readonly do: 'command'; readonly channel: string; readonly line: string }
  | { readonly do: 'edit'; readonly channel: string; readonly ts: string; readonly text: string }
  | { readonly do: 'delete'; readonly channel: string; readonly ts: string }
  | { readonly do: 'react' | 'unreact'; readonly channel: string; readonly ts: string; readonly emoji: string }
  | { readonly do: 'pin' | 'unpin'; readonly channel: string; readonly ts: string }
  | {
      readonly do: 'shortcut';
      readonly id: string;
      readonly message?: { readonly channel: string; readonly ts: string };
      readonly channel?: string;
    }
  /** Presses a button or chooses in a menu; `value` is Slack's state of the element, empty for a button. */
  | {
      readonly do: 'use';
      readonly place: Place;
      readonly blockId: string;
      readonly actionId: string;
      readonly value: Json;
    }
  | { readonly do: 'submit'; readonly view: string; readonly values: FormContent['values'] }
  | { readonly do: 'close'; readonly view: string }
  | { readonly do: 'openHome' }
  | { readonly do: 'join' | 'leave' | 'archive'; readonly channel: string }
  | { readonly do: 'invite'; readonly channel: string; readonly person: string }
  | { readonly do: 'read'; readonly channel: string; readonly ts: string }
  | { readonly do: 'createChannel'; readonly name: string; readonly isPrivate: boolean }
  | {
      readonly do: 'upload';
      readonly channel: string;
      readonly threadTs?: string;
      readonly name: string;
      readonly mimetype: string;
      readonly content: string;
      readonly text: string;
    }
  | { readonly do: 'setFault'; readonly fault: FaultName; readonly isOn: boolean }
  | { readonly do: 'alert'; readonly event: AlertEvent }
  /** Acknowledges a page in the pager. */
  | { readonly do: 'acknowledge'; readonly key: string }
  | {
      readonly do: 'story';
      readonly name: string;
      readonly command: 'play' | 'pause' | 'step' | 'restart';
      readonly speed?: number;
      /** With `play` and `restart`: plays at once until so many steps are done, then waits. */
      readonly upTo?: number;
    };

/** The answer to an act: nothing, or why it had no effect, in words that Slack's client would show. */
export interface ActAnswer {
  readonly problem?: string;
}

/**
 * The answer of `GET /messages?as=&channel=&threadTs=&before=&after=&around=`: at most 30 messages, oldest first. At most one of
 * the three timestamps is given; the newest messages come without.
 */
export interface MessagePage {
  readonly messages: readonly MessageView[];
  readonly hasOlder: boolean;
  /** Whether there are messages after these; said for `after` and `around`. */
  readonly hasNewer?: boolean;
}

/** The answer of `GET /pins?as=&channel=`: the pinned messages, the newest first. */
export type PinPage = Pick<MessagePage, 'messages'>;
