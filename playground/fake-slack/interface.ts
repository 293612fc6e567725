import type { Person } from './people/person.ts';
import type { JsonObject } from './protocol/json.ts';
import type { Directory } from './render/mrkdwn.ts';
import type { Delivery, ObserveDelivery, RawDelivery, Reply } from './to-app/deliveries.ts';
import type { AppHandler } from './to-app/direct-line.ts';
import type { ApiCall, ObserveCall } from './web-api/endpoint.ts';
import type { ChooseFault, Fault, FaultOptions } from './web-api/faults.ts';
import type { Grid } from './workspace/grid.ts';
import type { Change, Channel, NewPerson, PersonRecord, StoredFile, UserGroup } from './workspace/records.ts';
import type { SlackState } from './workspace/state.ts';

/** How long the fake Slack waits, in milliseconds. */
export interface SlackDeadlines {
  /** For an acknowledgement, by the global timers (docs/slack.md 4). */
  readonly acknowledge: number;
  /** The life of a trigger id, by the workspace's clock (docs/slack.md 4). */
  readonly trigger: number;
  /** For `until`, by the global timers. */
  readonly until: number;
}

/** Slack's own deadlines. */
export const slackDeadlines: SlackDeadlines = { acknowledge: 3000, trigger: 3000, until: 10_000 };

/** How the fake Slack is set up. */
export interface FakeSlackOptions {
  /** The workspace's clock: timestamps, trigger ids, `response_url`s. Real time when absent. */
  readonly now?: () => Date;
  /** The clock for signatures; real time when absent, since Bolt compares them with its own clock. */
  readonly signatureNow?: () => Date;
  /** Scopes of the bot token; everything is granted when absent. */
  readonly scopes?: readonly string[];
  /** Events the app subscribed to, named as in the manifest or in Bolt; all when absent. */
  readonly events?: readonly string[];
  /** The app's manifest as its owners last saved it. When absent, nobody can read it. */
  readonly manifest?: JsonObject;
  /** What differs from {@link slackDeadlines}. */
  readonly deadlines?: Partial<SlackDeadlines> | undefined;
  /** Makes 32 hexadecimal digits for ids and hashes, others at each call. Random when absent; a seeded one makes runs repeatable. */
  readonly randomId?: () => string;
  /**
   * Whether Slack refuses calls beyond its published rates with 429 (docs/slack.md 6). Off when absent, because tests type
   * faster than people.
   */
  readonly rateLimits?: boolean;
  /** The organisation of several workspaces that has the app; a single workspace when absent (docs/slack.md 3). */
  readonly grid?: Grid;
  /** Chooses the fault of each call that `fail` does not cover. The call succeeds when it returns `undefined`. */
  readonly chooseFault?: ChooseFault;
  /**
   * An event that the app did not take is sent three times more, as many times sooner than Slack does it (docs/slack.md 2): 1 is
   * Slack's own pace. When absent, each is sent once, because tests send again themselves.
   */
  readonly eventRetryHaste?: number;
  /** What an earlier fake Slack kept with `save`: this one goes on from there. */
  readonly state?: SlackState | undefined;
  /** How many deliveries and calls it remembers, the newest of each; all when absent. One that runs for days needs a number. */
  readonly remembers?: number;
  readonly observeDelivery?: ObserveDelivery;
  readonly observeCall?: ObserveCall;
}

/** A stand-in for Slack over real HTTP and WebSockets. */
export interface FakeSlack extends FakeSlackBase, AsyncDisposable {
  /** Sets the address for signed commands, interactions and events. A Socket Mode connection takes precedence over it. */
  connectApp(requestUrl: string): void;
}

/** A stand-in for Slack in the same process. */
export interface DirectFakeSlack extends FakeSlackBase {
  /** Answers calls to `apiUrl` and to `response_url`s. */
  readonly fetch: typeof fetch;
  /** Sets the function that receives signed commands, interactions and events. */
  connectApp(deliver: AppHandler): void;
}

/** A stand-in for Slack with people who type and click: the part that both transports share. */
export interface FakeSlackBase {
  /** For `SLACK_API_URL`: `http://127.0.0.1:<port>/api/`. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  /** A token of the app's owner, which may read its manifest. */
  readonly configToken: string;
  readonly signingSecret: string;
  readonly teamId: string;
  readonly teamName: string;
  readonly botUserId: string;
  readonly botId: string;
  readonly appId: string;
  addPerson(person: NewPerson): Person;
  /** Adds a channel. Without `members`, a public channel has everybody and a private one nobody; the bot joins on request. */
  addChannel(channel: {
    readonly name: string;
    readonly isPrivate?: boolean;
    readonly members?: readonly Person[];
    readonly botIsMember?: boolean;
    readonly isArchived?: boolean;
    readonly isExtShared?: boolean;
    readonly topic?: string;
    /** The workspaces of the organisation that share it; the first one when absent. */
    readonly teamIds?: readonly string[];
  }): Channel;
  addUserGroup(group: {
    readonly handle: string;
    readonly name?: string;
    readonly members?: readonly Person[];
    /** The workspace that it is of; the first one when absent. */
    readonly teamId?: string;
    readonly isDisabled?: boolean;
  }): UserGroup;
  /** Gives a group other members. */
  setGroupMembers(groupId: string, members: readonly Person[]): void;
  /** Another app is installed with this command, such as `/task`: from now on it gets it (docs/slack.md 4). */
  takeCommand(name: string): void;
  /** The direct message between a person and the bot. */
  openDm(person: Person): Channel;
  /** A channel by id or name, `#` allowed; throws when there is none. */
  channel(nameOrId: string): Channel;
  readonly channels: readonly Channel[];
  /** A person by id or name; throws when there is none. */
  person(nameOrId: string): Person;
  readonly people: readonly Person[];
  /** The names behind ids, for rendering. */
  readonly directory: Directory;
  /** Every Web API call, oldest first. A use of a `response_url` is a call of the method `response_url`. */
  readonly calls: readonly ApiCall[];
  /** The calls of one method. */
  callsOf(method: string): ApiCall[];
  /** Makes the next calls of a method fail; `response_url` is a method here too. */
  fail(method: string, fault: Fault, options?: FaultOptions): void;
  /** Forgets the faults of a method, or all. */
  heal(method?: string): void;
  /** Every payload sent to the app, oldest first. */
  readonly deliveries: readonly Delivery[];
  /** Sends a request made by hand: wrong signature, old timestamp, other content type, big body. */
  deliver(raw: RawDelivery): Promise<Reply>;
  /** Sends identical bytes and headers again. */
  replay(delivery: Delivery): Promise<Reply>;
  /** Sends a payload again as Slack does after a failure: freshly signed, with retry headers. */
  redeliver(delivery: Delivery, reason?: string): Promise<Reply>;
  /** Expires every trigger id handed out so far. */
  expireTriggers(): void;
  /** Makes the next trigger ids, one when absent, too old when they reach the app. */
  delayTriggers(times?: number): void;
  /** Refuses the bot token from now on, and tells the app so by an event. */
  revokeToken(how: 'revoked' | 'uninstalled'): void;
  /** Takes the bot token again, as after a new installation that gives the same one. */
  restoreToken(): void;
  /** Tells the app that it gets too many events. */
  limitEvents(): Promise<Reply>;
  /** Tells Socket Mode connections to reconnect, or breaks them off. */
  disconnectSockets(how: 'refresh_requested' | 'link_disabled' | 'terminate'): void;
  /** How many Socket Mode connections there are. */
  readonly socketCount: number;
  /** Resolves when the app has answered every event so far, or failed to. */
  settled(): Promise<void>;
  /** Every group of people that can be mentioned. */
  readonly userGroups: readonly UserGroup[];
  /** Everybody the workspace knows, apps and Slackbot too. */
  readonly users: readonly PersonRecord[];
  /** An uploaded file by its id; undefined when there is none. */
  file(id: string): StoredFile | undefined;
  /** Everything that a later fake Slack needs to go on from here. It is to be written down at once: its parts are live. */
  save(): SlackState;
  /** Calls the watcher at every change that somebody may see, from now on. Returns what ends that. */
  watch(watcher: (change: Change) => void): () => void;
  /**
   * Resolves with the first value that is neither `undefined`, `null` nor `false`, looking again whenever something
   * happens in the workspace. Throws at its deadline, naming the last calls.
   */
  until<T>(look: () => T | undefined | null | false): Promise<T>;
}
