import type { Logger } from 'pino';
import type { ChannelEvent, ChannelRecord } from '../../slack/channel-events.ts';
import { type Slack, slackReason, slackRefusal } from '../../slack/clients.ts';
import type { ChannelStore, KnownChannel } from './channel-store.ts';

/** How old facts may be on which sight rests, in milliseconds; events keep them newer than that. */
export const sightAge = 15 * 60_000;
/** The same before something is posted, or somebody invited, from outside an incident's room. */
export const outsideAge = 5 * 60_000;

/** Pages of members that are read at most, and the people on one. */
const maxPages = 20;
const pageSize = 1000;

/** What is known of channels and of who is in them. */
export interface Channels {
  /**
   * The channel, not older than `maxAge` milliseconds. A channel that is known as private or shared is returned at once, and Slack
   * is asked behind it. Undefined when it is not known and Slack does not tell.
   */
  look(channelId: string, maxAge: number): Promise<ChannelRecord | undefined>;
  /** Whether a person is in a channel. Who is known to be outside is told so at once, and Slack is asked behind it. */
  isMember(channelId: string, userId: string, maxAge: number): Promise<boolean>;
  /** Whether a person is in a channel as far as is stored. Slack is not asked: an answer from before an invitation would count after it. */
  isKnownMember(channelId: string, userId: string): Promise<boolean>;
  /** Whether a channel is private as far as is stored. Slack is not asked. */
  isKnownPrivate(channelId: string): Promise<boolean>;
  /** Slack has confirmed that a person is in a channel. */
  admit(channelId: string, userId: string): Promise<void>;
  /** Stores what Slack has just said about a channel. */
  learn(channelId: string, fact: ChannelRecord): Promise<void>;
  /** Slack took a post of Muster's in a channel (`""`), or refuses every post there with that word. */
  notePost(channelId: string, refusal: string): Promise<void>;
  /** Follows an event of Slack's. */
  take(event: ChannelEvent): Promise<void>;
  /** Resolves when nothing is being asked. */
  idle(): Promise<void>;
}

/** What the channels are made with. */
interface ChannelDeps {
  readonly slack: {
    readonly quick: { readonly conversations: Pick<Slack['quick']['conversations'], 'info' | 'members'> };
  };
  readonly store: ChannelStore;
  readonly clock: () => Date;
  readonly log: Logger;
  /** The card and the announcement of an incident in a changed channel must be shown anew. */
  onChanged(incidentID: string): void;
  /** Slack may take again in a channel what it refused: it was unarchived, or somebody joined it, maybe Muster itself. */
  onOpened(channelId: string): void;
}

/** A channel as `conversations.info` describes it. */
export function toChannelRecord(channel: SlackChannel): ChannelRecord {
  return {
    name: channel.name ?? '',
    isPrivate: channel.is_private === true || channel.is_im === true || channel.is_mpim === true,
    isShared: channel.is_ext_shared === true || channel.is_pending_ext_shared === true,
    isArchived: channel.is_archived === true,
    isDeleted: false,
  };
}

type SlackChannel = NonNullable<Awaited<ReturnType<Slack['quick']['conversations']['info']>>['channel']>;

/** Opens the channels: from the store as long as it is fresh, else from Slack. */
export function createChannels(deps: ChannelDeps): Channels {
  return new AskedChannels(deps);
}

class AskedChannels implements Channels {
  readonly #deps: ChannelDeps;
  /** What Slack is being asked, by name. */
  readonly #asking = new Map<string, Promise<void>>();

  constructor(deps: ChannelDeps) {
    this.#deps = deps;
  }

  async look(channelId: string, maxAge: number): Promise<ChannelRecord | undefined> {
    const known = await this.#deps.store.find(channelId);
    if (known && (known.isDeleted || this.#isFresh(known.askedAt, maxAge))) return known;
    const asked = this.#once(`channel ${channelId}`, () => this.#ask(channelId, known));
    // Nothing opens by an answer that comes later, and who probes an incident learns nothing from the time it takes.
    if (known && (known.isPrivate || known.isShared)) return known;
    await asked;
    return this.#deps.store.find(channelId);
  }

  async isMember(channelId: string, userId: string, maxAge: number): Promise<boolean> {
    const { store } = this.#deps;
    const known = await store.find(channelId);
    if (known && (known.isDeleted || this.#isFresh(known.membersAt, maxAge))) return store.isMember(channelId, userId);
    const asked = this.#once(`members ${channelId}`, () => this.#askMembers(channelId));
    if (known && known.membersAt > 0 && !(await store.isMember(channelId, userId))) return false;
    await asked;
    return store.isMember(channelId, userId);
  }

  isKnownMember(channelId: string, userId: string): Promise<boolean> {
    return this.#deps.store.isMember(channelId, userId);
  }

  async isKnownPrivate(channelId: string): Promise<boolean> {
    return (await this.#deps.store.find(channelId))?.isPrivate === true;
  }

  admit(channelId: string, userId: string): Promise<void> {
    return this.#deps.store.setMember({ channelId, userId, isMember: true, at: this.#now() });
  }

  async learn(channelId: string, fact: ChannelRecord): Promise<void> {
    this.#tell(await this.#deps.store.keep(channelId, fact, this.#now(), Number.POSITIVE_INFINITY));
  }

  notePost(channelId: string, refusal: string): Promise<void> {
    return this.#deps.store.setPostRefusal(channelId, refusal);
  }

  async take(event: ChannelEvent): Promise<void> {
    const { store, onOpened } = this.#deps;
    if ('userId' in event ? event.isMember : event.change.isArchived === false) onOpened(event.channelId);
    if ('userId' in event) await store.setMember(event);
    else this.#tell(await store.change(event.channelId, event.change));
  }

  async idle(): Promise<void> {
    while (this.#asking.size > 0) await Promise.allSettled(this.#asking.values());
  }

  #now(): number {
    return this.#deps.clock().getTime();
  }

  #isFresh(at: number, maxAge: number): boolean {
    const age = this.#now() - at;
    return at > 0 && age >= 0 && age <= maxAge;
  }

  #tell(changed: readonly string[]): void {
    for (const incidentID of changed) this.#deps.onChanged(incidentID);
  }

  /** Asks once, however many wait for it. A failure leaves what is known. */
  #once(name: string, ask: () => Promise<void>): Promise<void> {
    const running = this.#asking.get(name);
    if (running) return running;
    const asked = ask()
      .catch(error => {
        const reason = slackReason(error);
        // A missing scope is warned of once, where calls are made.
        this.#deps.log[reason === 'missing_scope' ? 'info' : 'warn']({ reason, name }, 'channels: Slack did not tell');
      })
      .finally(() => this.#asking.delete(name));
    this.#asking.set(name, asked);
    return asked;
  }

  async #ask(channelId: string, known: KnownChannel | undefined): Promise<void> {
    const askedAt = this.#now();
    const keep = async (fact: ChannelRecord) =>
      this.#tell(await this.#deps.store.keep(channelId, fact, askedAt, known?.readersChanges ?? 0));
    try {
      const { channel } = await this.#deps.slack.quick.conversations.info({ channel: channelId });
      if (!channel) return;
      await keep(toChannelRecord(channel));
    } catch (error) {
      // Slack shows every public channel, so this one is private or gone.
      if (slackRefusal(error) !== 'channel_not_found') throw error;
      const { name = '', isShared = false, isArchived = false } = known ?? {};
      await keep({ name, isShared, isArchived, isPrivate: true, isDeleted: false });
    }
  }

  async #askMembers(channelId: string): Promise<void> {
    const askedAt = this.#now();
    const ids: string[] = [];
    let cursor = '';
    for (let page = 0; page < maxPages; page += 1) {
      const answer = await this.#deps.slack.quick.conversations.members({
        channel: channelId,
        limit: pageSize,
        ...(cursor ? { cursor } : {}),
      });
      ids.push(...(answer.members ?? []));
      cursor = answer.response_metadata?.next_cursor ?? '';
      if (cursor === '') break;
    }
    await this.#deps.store.setMembers(channelId, ids, askedAt);
  }
}
