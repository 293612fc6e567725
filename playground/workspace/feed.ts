import type { Change, Channel, Message } from '../fake-slack/fake-slack.ts';
import {
  type AppFace,
  type Looking,
  toChannelRecords,
  toFormContent,
  toMessageView,
  toPersonView,
} from './app-face.ts';
import type { BackstageView } from './backstage.ts';
import type { Told, WorkspaceView } from './protocol.ts';

/** Events that a page can catch up with after a break. */
const kept = 2000;

/** What one person's pages are told, in order. */
export interface Entry {
  readonly id: string;
  /** The event's JSON. */
  readonly json: string;
}

/** What a feed tells of. */
export interface FeedOptions extends Looking {
  readonly face: AppFace;
  readonly backstage: BackstageView;
}

/** Follows the workspace as one person sees it, and keeps the last events for pages that come back. Disposing ends it. */
export class Feed implements Disposable {
  readonly #options: FeedOptions;
  /** Tells this feed from another that had the same numbers. */
  readonly #name = crypto.randomUUID().slice(0, 8);
  readonly #ring: Entry[] = [];
  readonly #ends: (() => void)[];
  readonly #changes = new Map<string, Change>();
  readonly #known = new Set<string>();
  #count = 0;
  #flushing: NodeJS.Immediate | undefined;
  #waiting = Promise.withResolvers<void>();

  constructor(options: FeedOptions) {
    this.#options = options;
    const { slack, backstage } = options;
    for (const channel of this.#channels) this.#known.add(channel.id);
    this.#ends = [slack.watch(change => this.#take(change)), backstage.follow(told => this.#push(told))];
  }

  /** The id of the last event. */
  get last(): string {
    return `${this.#name}-${this.#count}`;
  }

  /** The events after the one with this id; undefined when they are not all here any more. */
  after(id: string): readonly Entry[] | undefined {
    const [name, number] = id.split('-');
    const missed = this.#count - Number(number);
    if (name !== this.#name || !(missed >= 0 && missed <= this.#ring.length)) return undefined;
    return missed === 0 ? [] : this.#ring.slice(-missed);
  }

  /** Everything as it is, for a page that begins. The events after `last` go on from there. */
  begin(): readonly Told[] {
    this.#flush();
    return [{ kind: 'workspace', workspace: this.#toWorkspace() }, ...this.#options.backstage.now];
  }

  /** Resolves at the next event. */
  next(): Promise<void> {
    return this.#waiting.promise;
  }

  /** The person has read a channel. */
  touch(channel: Channel): void {
    this.#take({ kind: 'channel', channel });
  }

  [Symbol.dispose](): void {
    for (const end of this.#ends) end();
    clearImmediate(this.#flushing);
    this.#waiting.resolve();
  }

  get #channels(): Channel[] {
    const { slack, person } = this.#options;
    return slack.channels.filter(channel => person.canOpen(channel));
  }

  #toWorkspace(): WorkspaceView {
    const { slack, person, face } = this.#options;
    const isOutside = person.record.isStranger;
    const { home } = person;
    return {
      team: slack.teamName,
      me: person.id,
      app: slack.botUserId,
      people: slack.users.map(toPersonView),
      groups: slack.userGroups.map(({ id, handle }) => ({ id, handle })),
      channels: this.#channels.map(channel => toChannelRecords(this.#options, channel)),
      commands: isOutside ? [] : face.commands,
      shortcuts: isOutside ? [] : face.shortcuts,
      views: person.views.map(toFormContent),
      ...(home === undefined ? {} : { home: toFormContent(home) }),
    };
  }

  /** Changes of one moment are told together: each thing once, as it is then. */
  #take(change: Change): void {
    const add = (key: string, each: Change): void => void this.#changes.set(key, each);
    if (change.kind === 'person') add(change.person.id, change);
    else if (change.kind === 'views') add('views', change);
    else if (change.kind === 'channel' || change.kind === 'channelGone') add(change.channel.id, change);
    else {
      const { channel, message } = change;
      add(`${channel.id} ${message.ts}`, change);
      if (!this.#changes.has(channel.id)) add(channel.id, { kind: 'channel', channel });
    }
    this.#flushing ??= setImmediate(() => this.#flush());
  }

  #flush(): void {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    for (const change of changes) if (!('message' in change)) this.#tell(change);
    for (const change of changes) if ('message' in change) this.#tell(change);
  }

  #tell(change: Change): void {
    const { person } = this.#options;
    if (change.kind === 'person') this.#push({ kind: 'person', person: toPersonView(change.person) });
    else if (change.kind === 'views') {
      if (change.userId === person.id) this.#tellViews();
    } else if (change.kind === 'channel' || change.kind === 'channelGone') {
      this.#tellChannel(change.channel, change.kind === 'channelGone');
    } else if (person.canOpen(change.channel) && person.canRead(change.message)) {
      this.#tellMessage(change.kind, change.channel, change.message);
    }
  }

  #tellMessage(kind: 'message' | 'messageGone', channel: Channel, message: Message): void {
    if (kind === 'messageGone') this.#push({ kind, channel: channel.id, ts: message.ts });
    else this.#push({ kind, message: toMessageView(this.#options, channel, message) });
  }

  #tellChannel(channel: Channel, isGone: boolean): void {
    if (!isGone && this.#options.person.canOpen(channel)) {
      this.#known.add(channel.id);
      this.#push({ kind: 'channel', channel: toChannelRecords(this.#options, channel) });
    } else if (this.#known.delete(channel.id)) this.#push({ kind: 'channelGone', id: channel.id });
  }

  #tellViews(): void {
    const { views, home } = this.#options.person;
    const shown = home === undefined ? {} : { home: toFormContent(home) };
    this.#push({ kind: 'views', views: views.map(toFormContent), ...shown });
  }

  #push(told: Told): void {
    this.#count += 1;
    this.#ring.push({ id: this.last, json: JSON.stringify(told) });
    if (this.#ring.length > kept) this.#ring.shift();
    const { resolve } = this.#waiting;
    this.#waiting = Promise.withResolvers();
    resolve();
  }
}
