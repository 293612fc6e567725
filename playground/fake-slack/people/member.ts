import type { JsonObject } from '../protocol/json.ts';
import { create } from '../workspace/channel-creation.ts';
import {
  convert,
  edit,
  join,
  leave,
  noticeSubtypes,
  post,
  remove,
  removeChannel,
  rename,
  setArchived,
  setShared,
  unfurl,
} from '../workspace/channel-log.ts';
import { toContent } from '../workspace/message-content.ts';
import { setPinned, setReaction } from '../workspace/message-marks.ts';
import type {
  Channel,
  Message,
  PersonChange,
  PersonRecord,
  StoredChannel,
  StoredMessage,
} from '../workspace/records.ts';
import { serializeUser } from '../workspace/serialize.ts';
import type { PersonContext } from './person-context.ts';
import { encodeTypedText, toRichText } from './typed-text.ts';

/** A member of the workspace who talks and reads. Nothing here calls the app; the app hears of it through events. */
export class Member {
  /** The member as the workspace stores them. */
  readonly record: PersonRecord;
  protected readonly context: PersonContext;

  constructor(record: PersonRecord, context: PersonContext) {
    this.record = record;
    this.context = context;
  }

  get id(): string {
    return this.record.id;
  }

  get name(): string {
    return this.record.name;
  }

  get teamId(): string {
    return this.record.teamId;
  }

  /** Changes this person: they become a guest, leave, come back, or get another name. */
  change(change: PersonChange): void {
    const { workspace } = this.context;
    Object.assign(this.record, change, { updated: this.record.updated + 1 });
    workspace.tell({ kind: 'person', person: this.record });
    const user = serializeUser(workspace, this.record);
    workspace.emit({ type: 'user_change', user, cache_ts: workspace.seconds(), event_ts: workspace.nextTs() });
  }

  /** Posts a message. A person's text is encoded as Slack's composer does; a bot's text is mrkdwn already. */
  say(
    channel: Channel | string,
    text: string,
    options: {
      threadTs?: string | undefined;
      blocks?: readonly JsonObject[];
      attachments?: readonly JsonObject[];
    } = {},
  ): Message {
    const { workspace } = this.context;
    const place = this.ownChannel(channel, 'write');
    const encoded = this.record.isBot ? text : encodeTypedText(workspace, text, 'message');
    const blocks = options.blocks ?? (this.record.isBot ? [] : [toRichText(encoded, workspace.randomId)]);
    return post(workspace, place, {
      ...toContent({ text: encoded, blocks, attachments: options.attachments }, workspace),
      userId: this.id,
      botId: this.record.botId,
      threadTs: options.threadTs,
    });
  }

  /** Posts a message with a text file. */
  upload(
    channel: Channel | string,
    file: { readonly name: string; readonly content: string; readonly mimetype?: string; readonly url?: string },
    text = '',
    options: { threadTs?: string | undefined } = {},
  ): Message {
    const { workspace } = this.context;
    const place = this.ownChannel(channel, 'upload');
    const id = workspace.nextId('F');
    const { name, content, mimetype = 'application/json' } = file;
    const url = file.url ?? `${workspace.filesOrigin}/files-pri/${workspace.teamId}-${id}/${encodeURIComponent(name)}`;
    const facts = { id, name, content, mimetype, url, userId: this.id, created: workspace.seconds() };
    workspace.files.set(id, { ...facts, channelId: place.id });
    const encoded = encodeTypedText(workspace, text, 'message');
    const blocks = text === '' ? [] : [toRichText(encoded, workspace.randomId)];
    return post(workspace, place, {
      text: encoded,
      blocks,
      ...options,
      userId: this.id,
      files: [id],
      subtype: 'file_share',
    });
  }

  /** Posts a message that mentions the app. */
  mention(channel: Channel | string, text: string, options: { threadTs?: string } = {}): Message {
    return this.say(channel, this.#toMention(text), options);
  }

  /** Changes the words after the mention in one of this person's own messages. */
  editMention(message: Message, text: string): void {
    this.editMessage(message, this.#toMention(text));
  }

  /** Changes one of this person's own messages. */
  editMessage(message: Message, text: string): void {
    const { workspace } = this.context;
    const encoded = encodeTypedText(workspace, text, 'message');
    const blocks = [toRichText(encoded, workspace.randomId)];
    edit(workspace, this.#ownMessage(message), this.id, { text: encoded, blocks });
  }

  /** Slack shows a preview of the links in a message, which this person sees: it changes the message itself. */
  awaitPreview(message: Message, attachments: readonly JsonObject[]): void {
    unfurl(this.context.workspace, this.visibleMessage(message), attachments);
  }

  /** Deletes one of this person's own messages; as an administrator, anybody's. */
  deleteMessage(message: Message, as: 'author' | 'administrator' = 'author'): void {
    remove(this.context.workspace, as === 'author' ? this.#ownMessage(message) : this.visibleMessage(message));
  }

  /** Sets an emoji under a message. */
  react(message: Message, emoji: string): void {
    setReaction(this.context.workspace, this.visibleMessage(message), this.id, emoji.replaceAll(':', ''), true);
  }

  /** Takes this person's emoji back. */
  unreact(message: Message, emoji: string): void {
    setReaction(this.context.workspace, this.visibleMessage(message), this.id, emoji.replaceAll(':', ''), false);
  }

  /** Pins a message to its channel, or unpins it. */
  pin(message: Message, isPinned = true): void {
    setPinned(this.context.workspace, this.visibleMessage(message), this.id, isPinned);
  }

  /** Makes a channel and is its first member. Throws in words when the name will not do. */
  createChannel(name: string, isPrivate: boolean): Channel {
    return create(this.context.workspace, { creator: this.id, teamId: this.teamId }, name, isPrivate);
  }

  /** Joins a public channel. */
  join(channel: Channel | string): void {
    const place = this.findChannel(channel);
    if (place.isPrivate) throw new Error(`${this.name} cannot join #${place.name}: it is private.`);
    join(this.context.workspace, place, this.id);
  }

  /** Leaves a channel. */
  leave(channel: Channel | string): void {
    leave(this.context.workspace, this.findChannel(channel), this.id);
  }

  /** Takes a user, such as the app's bot user, out of a channel. */
  remove(channel: Channel | string, user: string): void {
    leave(this.context.workspace, this.ownChannel(channel, 'remove people'), user);
  }

  /** Archives a channel. */
  archive(channel: Channel | string): void {
    setArchived(this.context.workspace, this.ownChannel(channel, 'archive'), this.id, true);
  }

  /** Unarchives a channel. */
  unarchive(channel: Channel | string): void {
    setArchived(this.context.workspace, this.findChannel(channel), this.id, false);
  }

  /** Makes a channel private: only its members find it from now on. */
  makePrivate(channel: Channel | string): void {
    convert(this.context.workspace, this.ownChannel(channel, 'make private'), this.id, true);
  }

  /** Shares a channel with another organisation, or with `false` ends that. */
  share(channel: Channel | string, isShared = true): void {
    setShared(this.context.workspace, this.ownChannel(channel, 'share'), isShared);
  }

  /** Gives a channel another name. */
  renameChannel(channel: Channel | string, name: string): void {
    rename(this.context.workspace, this.ownChannel(channel, 'rename'), this.id, name);
  }

  /** Deletes a channel with everything in it. */
  deleteChannel(channel: Channel | string): void {
    removeChannel(this.context.workspace, this.findChannel(channel), this.id);
  }

  /** Adds a user, such as the app's bot user, to a channel. */
  invite(channel: Channel | string, user: string | { readonly id: string }): void {
    const id = typeof user === 'string' ? user : user.id;
    join(this.context.workspace, this.ownChannel(channel, 'invite people'), id, this.id);
  }

  /** Whether Slack shows them a channel. A guest has only their own channels, an outsider only the shared ones among those. */
  canOpen(channel: Channel): boolean {
    const { deleted, isStranger, isRestricted, isUltraRestricted } = this.record;
    if (deleted) return false;
    if (channel.isIm) return channel.imUserId === this.id;
    const isMember = channel.members.has(this.id);
    if (isStranger) return isMember && channel.isExtShared;
    if (!isMember && this.context.workspace.grid && !channel.teamIds.includes(this.teamId)) return false;
    return isMember || !(channel.isPrivate || isRestricted || isUltraRestricted);
  }

  /** Whether Slack shows them a message of a channel that it shows them: one for a single person is for that person alone. */
  canRead(message: Pick<Message, 'ephemeralTo'>): boolean {
    return message.ephemeralTo === undefined || message.ephemeralTo === this.id;
  }

  /** Reads a channel: messages, replies, and what only this person may see, oldest first. */
  sees(channel: Channel | string, options: { notices?: boolean } = {}): Message[] {
    const place = this.findChannel(channel);
    if (!this.canOpen(place)) return [];
    return place.messages.filter(
      message => this.canRead(message) && (options.notices === true || !noticeSubtypes.has(message.subtype ?? '')),
    );
  }

  /** The stored channel behind an id, a name or a `Channel`. */
  protected findChannel(channel: Channel | string): StoredChannel {
    return this.context.findChannel(typeof channel === 'string' ? channel : channel.id);
  }

  /** A channel in which this person may act. Throws when they are no member or the channel is archived. */
  protected ownChannel(channel: Channel | string, purpose: string): StoredChannel {
    const place = this.findChannel(channel);
    if (!place.members.has(this.id)) {
      throw new Error(`${this.name} cannot ${purpose} in #${place.name}: not a member. Use join(), or invite them.`);
    }
    if (place.isArchived) throw new Error(`${this.name} cannot ${purpose} in #${place.name}: it is archived.`);
    return place;
  }

  /** The stored message. Throws when it is deleted or another person's ephemeral message. */
  protected visibleMessage(message: Message): StoredMessage {
    const stored = this.context.workspace.message(this.findChannel(message.channel), message.ts);
    if (stored === undefined) throw new Error(`The message "${message.text}" is no longer there.`);
    if (!this.canRead(stored)) {
      throw new Error(`${this.name} cannot see the message "${message.text}": only another person sees it.`);
    }
    return stored;
  }

  #toMention(text: string): string {
    const { people, botUserId } = this.context.workspace;
    return `@${people.get(botUserId)?.name} ${text}`;
  }

  #ownMessage(message: Message): StoredMessage {
    const stored = this.visibleMessage(message);
    if (stored.userId !== this.id) throw new Error(`${this.name} did not write the message "${message.text}".`);
    return stored;
  }
}
