import { edit, join, leave, noticeSubtypes, post, remove, setArchived, setReaction } from '../channel-log.ts';
import type { JsonObject } from '../json.ts';
import { toContent } from '../web-api/message-content.ts';
import type { Channel, Message, PersonRecord, StoredChannel, StoredMessage } from '../workspace.ts';
import type { Surroundings } from './person-context.ts';
import { encodeTyped, toRichText } from './typed-text.ts';

/** Somebody in the workspace who talks and reads, without the app taking part. */
export class Member implements PersonRecord {
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
  protected readonly around: Surroundings;

  constructor(record: PersonRecord, around: Surroundings) {
    this.id = record.id;
    this.name = record.name;
    this.realName = record.realName;
    this.email = record.email;
    this.tz = record.tz;
    this.isBot = record.isBot;
    this.botId = record.botId;
    this.deleted = record.deleted;
    this.isRestricted = record.isRestricted;
    this.isUltraRestricted = record.isUltraRestricted;
    this.isStranger = record.isStranger;
    this.teamId = record.teamId;
    this.around = around;
  }

  /** Posts a message. A person's text is encoded as Slack's composer does; a bot's is taken as mrkdwn. */
  say(
    channel: Channel | string,
    text: string,
    options: { threadTs?: string; blocks?: readonly JsonObject[]; attachments?: readonly JsonObject[] } = {},
  ): Message {
    const place = this.enter(channel, 'write');
    const encoded = this.isBot ? text : encodeTyped(this.around.workspace, text, 'message');
    const blocks = options.blocks ?? (this.isBot ? [] : [toRichText(encoded, this.around.workspace.randomId)]);
    return post(this.around.workspace, place, {
      ...toContent({ text: encoded, blocks, attachments: options.attachments }, this.around.workspace.randomId),
      userId: this.id,
      botId: this.botId,
      threadTs: options.threadTs,
    });
  }

  /** Posts a message that mentions the app. */
  mention(channel: Channel | string, text: string, options: { threadTs?: string } = {}): Message {
    return this.say(
      channel,
      `@${this.around.workspace.people.get(this.around.workspace.botUserId)?.name} ${text}`,
      options,
    );
  }

  /** Changes an own message. */
  editMessage(message: Message, text: string): void {
    const encoded = encodeTyped(this.around.workspace, text, 'message');
    const blocks = [toRichText(encoded, this.around.workspace.randomId)];
    edit(this.around.workspace, this.#own(message), this.id, { text: encoded, blocks });
  }

  /** Deletes an own message. */
  deleteMessage(message: Message): void {
    remove(this.around.workspace, this.#own(message));
  }

  /** Sets an emoji under a message. */
  react(message: Message, emoji: string): void {
    setReaction(this.around.workspace, this.stored(message), this.id, emoji.replaceAll(':', ''), true);
  }

  /** Takes an own emoji back. */
  unreact(message: Message, emoji: string): void {
    setReaction(this.around.workspace, this.stored(message), this.id, emoji.replaceAll(':', ''), false);
  }

  /** Joins a public channel. */
  join(channel: Channel | string): void {
    const place = this.channel(channel);
    if (place.isPrivate) throw new Error(`${this.name} cannot join #${place.name}: it is private.`);
    join(this.around.workspace, place, this.id);
  }

  /** Leaves a channel. */
  leave(channel: Channel | string): void {
    leave(this.around.workspace, this.channel(channel), this.id);
  }

  /** Archives a channel. */
  archive(channel: Channel | string): void {
    setArchived(this.around.workspace, this.enter(channel, 'archive'), this.id, true);
  }

  /** Takes somebody, such as the app's bot user, into a channel. */
  invite(channel: Channel | string, user: string | { readonly id: string }): void {
    const id = typeof user === 'string' ? user : user.id;
    join(this.around.workspace, this.enter(channel, 'invite people'), id, this.id);
  }

  /** Reads a channel: its messages and replies and what was shown to this person alone, oldest first. */
  sees(channel: Channel | string, options: { notices?: boolean } = {}): Message[] {
    const place = this.channel(channel);
    if (place.isPrivate && !place.members.has(this.id)) return [];
    return place.messages.filter(
      message =>
        (message.ephemeralTo === undefined || message.ephemeralTo === this.id) &&
        (options.notices === true || !noticeSubtypes.has(message.subtype ?? '')),
    );
  }

  /** A channel by itself, its id or name. */
  protected channel(channel: Channel | string): StoredChannel {
    return this.around.findChannel(typeof channel === 'string' ? channel : channel.id);
  }

  /** A channel in which this person can act. */
  protected enter(channel: Channel | string, purpose: string): StoredChannel {
    const place = this.channel(channel);
    if (!place.members.has(this.id)) {
      throw new Error(`${this.name} cannot ${purpose} in #${place.name}: not a member. Use join(), or invite them.`);
    }
    if (place.isArchived) throw new Error(`${this.name} cannot ${purpose} in #${place.name}: it is archived.`);
    return place;
  }

  /** A message this person can see. */
  protected stored(message: Message): StoredMessage {
    const stored = this.around.workspace.message(this.channel(message.channel), message.ts);
    if (stored === undefined) throw new Error(`The message "${message.text}" is no longer there.`);
    if (stored.ephemeralTo !== undefined && stored.ephemeralTo !== this.id) {
      throw new Error(`${this.name} cannot see the message "${message.text}": it was shown to somebody else.`);
    }
    return stored;
  }

  #own(message: Message): StoredMessage {
    const stored = this.stored(message);
    if (stored.userId !== this.id) throw new Error(`${this.name} did not write the message "${message.text}".`);
    return stored;
  }
}
