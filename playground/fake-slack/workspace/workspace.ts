import type { JsonObject } from '../protocol/json.ts';
import { type Grid, isOfOrganisation, teams } from './grid.ts';
import type {
  AwaitedFile,
  Change,
  NewChannel,
  NewPerson,
  PersonRecord,
  StoredChannel,
  StoredFile,
  StoredMessage,
  UserGroup,
  WorkspaceEvent,
} from './records.ts';

/** The user who posts Slack's own messages. */
export const slackbotId = 'USLACKBOT';

/** How far a workspace has counted: its timestamps and its ids never come twice. */
export interface Counters {
  readonly micros: number;
  readonly id: number;
}

/** The state of a workspace: its people, channels and messages, and the app installed in it. */
export class Workspace {
  readonly now: () => Date;
  /** 32 random hexadecimal digits. */
  readonly randomId: () => string;
  readonly teamId = teams[0].id;
  readonly teamName = teams[0].name;
  readonly teamDomain = teams[0].domain;
  /** The organisation of which the workspace is one of several; undefined for a workspace of its own. */
  grid: Grid | undefined;
  readonly appId = 'A0MUSTER001';
  readonly botId = 'B0MUSTER001';
  readonly botUserId = 'U0MUSTER001';
  readonly people = new Map<string, PersonRecord>();
  readonly channels = new Map<string, StoredChannel>();
  /** Slash commands of another app. */
  readonly takenCommands = new Set<string>();
  readonly userGroups = new Map<string, UserGroup>();
  readonly files = new Map<string, StoredFile>();
  /** Files that an app announced and has yet to share, by their ids. Without content they are not uploaded. */
  readonly awaited = new Map<string, AwaitedFile>();
  /** Where the content of files is, without a path. */
  filesOrigin = 'https://files.slack.com';
  /** Slack's word for why it refuses the bot token; undefined while it takes it. */
  tokenRefusal: string | undefined;
  readonly #listeners: ((event: WorkspaceEvent) => void)[] = [];
  readonly #watchers = new Set<(change: Change) => void>();
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

  /** Calls the listener for every event from now on. */
  onEvent(listener: (event: WorkspaceEvent) => void): void {
    this.#listeners.push(listener);
  }

  /** Emits an event. With `channelId`, Slack tells only apps that are members there. */
  emit(event: JsonObject, channelId?: string): void {
    for (const listener of this.#listeners) listener({ event, channelId });
  }

  /** Calls the watcher at every change from now on. Returns what ends that. */
  watch(watcher: (change: Change) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Tells the watchers of a change. */
  tell(change: Change): void {
    for (const watcher of this.#watchers) watcher(change);
  }

  /** Unix seconds. */
  seconds(): number {
    return Math.floor(this.now().getTime() / 1000);
  }

  /** How far it has counted. */
  get counters(): Counters {
    return { micros: this.#lastMicros, id: this.#lastId };
  }

  set counters({ micros, id }: Counters) {
    this.#lastMicros = micros;
    this.#lastId = id;
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
    // An organisation gives ids of its own to the people who join it later (docs/slack.md 3).
    const { teamId = this.teamId } = person;
    const isOfAll = teamId !== this.teamId && isOfOrganisation(this.grid, teamId);
    const record = this.#person(this.nextId(isOfAll ? 'W' : 'U'), person);
    this.people.set(record.id, record);
    this.tell({ kind: 'person', person: record });
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
      teamIds: channel.teamIds ?? [this.teamId],
      isIm,
      imUserId: channel.imUserId,
      creator: channel.creator,
      created: this.seconds(),
      previousNames: [],
      topic: channel.topic ?? '',
      members: new Set(channel.memberIds),
      messages: [],
      bookmarks: [],
    };
    this.channels.set(stored.id, stored);
    this.tell({ kind: 'channel', channel: stored });
    return stored;
  }

  /** The direct message between the bot and a person. Creates it when there is none. */
  directMessage(userId: string): StoredChannel {
    for (const channel of this.channels.values()) if (channel.imUserId === userId) return channel;
    return this.addChannel({
      name: `dm-${userId}`,
      memberIds: [userId, this.botUserId],
      creator: this.botUserId,
      imUserId: userId,
      teamIds: [this.people.get(userId)?.teamId ?? this.teamId],
    });
  }

  /** A channel by name, of one workspace if its id is given, archived ones included: their names stay taken (docs/slack.md 7). */
  channelNamed(name: string, teamId?: string): StoredChannel | undefined {
    return [...this.channels.values()].find(
      channel => !channel.isIm && channel.name === name && (!teamId || channel.teamIds.includes(teamId)),
    );
  }

  /** The workspace in which a person looks at a channel. */
  teamOfView(person: PersonRecord, channel: StoredChannel): string {
    const [first = this.teamId] = channel.teamIds;
    return channel.teamIds.includes(person.teamId) ? person.teamId : first;
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
      isAdmin: person.isAdmin ?? false,
      isRestricted: person.isRestricted ?? false,
      isUltraRestricted: person.isUltraRestricted ?? false,
      isStranger: person.isStranger ?? false,
      teamId: person.teamId ?? this.teamId,
      updated: 0,
    };
  }
}
