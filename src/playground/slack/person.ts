import type { Deliveries, Reply } from './deliveries.ts';
import { edit, join, leave, noticeSubtypes, post, remove, setReaction } from './feed.ts';
import {
  clientComplaint,
  type Field,
  fieldsOf,
  filledIn,
  initialValues,
  optionsOf,
  type StateValues,
  toStateValue,
} from './form.ts';
import {
  type Actor,
  toCommandPayload,
  toGlobalShortcut,
  toMessageActions,
  toMessageShortcut,
  toSuggestionRequest,
  toViewActions,
  toViewClosed,
  toViewSubmission,
} from './interactions.ts';
import { isJsonObject, type JsonObject, toObjects, toText } from './json.ts';
import { toContent } from './message-content.ts';
import type { Modals, OpenView } from './modals.ts';
import { type ButtonQuery, findButton, resolveValue } from './pointing.ts';
import { SlackRefusal } from './refusal.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { TriggerIds } from './trigger-ids.ts';
import { encodeTyped, toRichText } from './typed.ts';
import type { Channel, Message, PersonRecord, StoredChannel, StoredMessage, Workspace } from './workspace.ts';
import { slackbotId } from './workspace.ts';

/** What came back from the app after a person did something. */
export interface Answer extends Reply {
  /** What the person reads of the acknowledgement itself, as mrkdwn; absent when it showed nothing. */
  readonly text?: string;
  /** The message the acknowledgement made. */
  readonly message?: Message;
}

/** What a person fills a field with: text, an option's value or text, a person, a channel, a time, or a list of them. */
export type FormValue =
  | string
  | number
  | boolean
  | Date
  | { readonly id: string }
  | readonly (string | { readonly id: string })[];

/** Fields by block id, action id or label. */
export type FormValues = Readonly<Record<string, FormValue>>;

/** Where a person clicks: in a message, on the home tab, or in the modal before them. */
export type Place = Message | 'home' | 'view';

/** Everything a person's hands reach. */
export interface Surroundings {
  readonly workspace: Workspace;
  readonly modals: Modals;
  readonly triggers: TriggerIds;
  readonly responseUrls: ResponseUrls;
  readonly deliveries: Deliveries;
  readonly findChannel: (nameOrId: string) => StoredChannel;
  readonly onChange: () => void;
}

/** A person in front of Slack. Each method does what a click or a key would, and waits for the app's reply. */
export class Person implements PersonRecord {
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
  readonly #around: Surroundings;
  readonly #actor: Actor;
  readonly #messageStates = new WeakMap<StoredMessage, StateValues>();
  #lastSubmission: { view: OpenView; payload: JsonObject } | undefined;

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
    this.#around = around;
    this.#actor = { workspace: around.workspace, modals: around.modals, person: this };
  }

  /** The modal in front of them: the top of their stack. */
  get view(): OpenView | undefined {
    return this.#around.modals.top(this.id);
  }

  /** Their home tab, once published. */
  get home(): OpenView | undefined {
    return this.#around.modals.home(this.id);
  }

  /** Posts a message. A person's text is encoded as Slack's composer does; a bot's is taken as mrkdwn. */
  say(
    channel: Channel | string,
    text: string,
    options: { threadTs?: string; blocks?: readonly JsonObject[]; attachments?: readonly JsonObject[] } = {},
  ): Message {
    const place = this.#enter(channel, 'write');
    const encoded = this.isBot ? text : encodeTyped(this.#around.workspace, text, 'message');
    const blocks = options.blocks ?? (this.isBot ? [] : [toRichText(encoded)]);
    return post(this.#around.workspace, place, {
      ...toContent({ text: encoded, blocks, attachments: options.attachments }),
      userId: this.id,
      botId: this.botId,
      threadTs: options.threadTs,
    });
  }

  /** Posts a message that mentions the app. */
  mention(channel: Channel | string, text: string, options: { threadTs?: string } = {}): Message {
    return this.say(
      channel,
      `@${this.#around.workspace.people.get(this.#around.workspace.botUserId)?.name} ${text}`,
      options,
    );
  }

  /** Changes an own message. */
  editMessage(message: Message, text: string): void {
    const encoded = encodeTyped(this.#around.workspace, text, 'message');
    edit(this.#around.workspace, this.#own(message), this.id, { text: encoded, blocks: [toRichText(encoded)] });
  }

  /** Deletes an own message. */
  deleteMessage(message: Message): void {
    remove(this.#around.workspace, this.#own(message));
  }

  /** Sets an emoji under a message. */
  react(message: Message, emoji: string): void {
    setReaction(this.#around.workspace, this.#stored(message), this.id, emoji.replaceAll(':', ''), true);
  }

  /** Takes an own emoji back. */
  unreact(message: Message, emoji: string): void {
    setReaction(this.#around.workspace, this.#stored(message), this.id, emoji.replaceAll(':', ''), false);
  }

  /** Joins a public channel. */
  join(channel: Channel | string): void {
    const place = this.#channel(channel);
    if (place.isPrivate) throw new Error(`${this.name} cannot join #${place.name}: it is private.`);
    join(this.#around.workspace, place, this.id);
  }

  /** Leaves a channel. */
  leave(channel: Channel | string): void {
    leave(this.#around.workspace, this.#channel(channel), this.id);
  }

  /** Takes somebody, such as the app's bot user, into a channel. */
  invite(channel: Channel | string, user: string | { readonly id: string }): void {
    const id = typeof user === 'string' ? user : user.id;
    join(this.#around.workspace, this.#enter(channel, 'invite people'), id, this.id);
  }

  /** Opens the app's home tab. */
  openHome(): void {
    const { workspace, modals } = this.#around;
    const home = this.home;
    workspace.emit({
      type: 'app_home_opened',
      user: this.id,
      channel: workspace.directMessage(this.id).id,
      tab: 'home',
      event_ts: workspace.nextTs(),
      ...(home === undefined ? {} : { view: modals.toWire(home) }),
    });
  }

  /** Types a slash command, such as `/incident declare db is down`. */
  async command(channel: Channel | string, line: string): Promise<Answer> {
    const place = this.#enter(channel, 'use a command');
    const [, name, rest = ''] = /^(\/\S+)\s*([\s\S]*)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`A command starts with a slash; this does not: ${line}`);
    const responseUrl = this.#around.responseUrls.issue(this.id, place.id);
    const text = encodeTyped(this.#around.workspace, rest.trim(), 'command');
    const payload = toCommandPayload(this.#actor, place, { name, text, triggerId: this.#trigger(), responseUrl });
    const reply = await this.#around.deliveries.send('command', payload);
    return this.#showAcknowledgement(reply, name, place, responseUrl);
  }

  /** Uses a shortcut: on a message when one is given, else a global one. */
  async shortcut(callbackId: string, message?: Message): Promise<Answer> {
    if (message === undefined) {
      return this.#interact(toGlobalShortcut(this.#actor, callbackId, this.#trigger()));
    }
    const stored = this.#stored(message);
    const channel = this.#channel(message.channel);
    const responseUrl = this.#around.responseUrls.issue(this.id, channel.id);
    const sent = { callbackId, triggerId: this.#trigger(), responseUrl };
    return this.#interact(toMessageShortcut(this.#actor, stored, channel, sent));
  }

  /** Presses a button, named by its visible text or its action id. */
  async press(where: Place, what: string | ButtonQuery): Promise<Answer> {
    const { blocks } = this.#look(where);
    const { block, element } = findButton(blocks, typeof what === 'string' ? { text: what } : what);
    const { text, value, style } = element;
    return this.#act(where, {
      action_id: element.action_id,
      block_id: block.block_id,
      text,
      ...(value === undefined ? {} : { value }),
      ...(style === undefined ? {} : { style }),
      type: 'button',
    });
  }

  /** Presses a button inside the modal. */
  async pressInView(what: string | ButtonQuery): Promise<Answer> {
    return this.press('view', what);
  }

  /** Chooses in a select, picker, overflow menu or checkboxes; in a form input it only fills the field in. */
  async choose(where: Place, actionId: string, value: FormValue): Promise<Answer> {
    const { blocks, values } = this.#look(where);
    const overflow = blocks
      .flatMap(block => [block.accessory, ...toObjects(block.elements)].map(element => ({ block, element })))
      .find(({ element }) => isJsonObject(element) && element.type === 'overflow' && element.action_id === actionId);
    if (overflow !== undefined && isJsonObject(overflow.element)) {
      const option = resolveValue(this.#around, overflow.element, value, optionsOf(overflow.element));
      return this.#act(where, {
        type: 'overflow',
        action_id: actionId,
        block_id: overflow.block.block_id,
        selected_option: option,
      });
    }
    const field = findField(blocks, actionId);
    const options = await this.#optionsFor(field, value);
    const state = toStateValue(field.element, resolveValue(this.#around, field.element, value, options));
    values[field.blockId] = { ...values[field.blockId], [field.actionId]: state };
    const block = blocks.find(candidate => candidate.block_id === field.blockId);
    if (field.isInput && block?.dispatch_action !== true) return unsent(undefined);
    return this.#act(where, { ...state, action_id: field.actionId, block_id: field.blockId });
  }

  /** Fills fields of the modal in without sending it. */
  async fill(values: FormValues): Promise<void> {
    const view = this.#modal();
    for (const [name, value] of Object.entries(values)) {
      const field = findField(view.blocks, name);
      const options = await this.#optionsFor(field, value);
      const state = toStateValue(field.element, resolveValue(this.#around, field.element, value, options));
      view.values[field.blockId] = { ...view.values[field.blockId], [field.actionId]: state };
    }
  }

  /**
   * Fills the modal in and sends it. What Slack's client refuses itself (a required field left empty, text too long)
   * is not sent: the answer has `failed: 'incomplete'` and `view.errors` says where.
   */
  async submit(values: FormValues = {}): Promise<Answer> {
    const ready = await this.#prepareSubmission(values);
    return ready ? this.#sendSubmission(ready) : unsent('incomplete');
  }

  /** Sends the modal twice at once, as a double click on a slow line does. */
  async submitTwice(values: FormValues = {}): Promise<[Answer, Answer]> {
    const ready = await this.#prepareSubmission(values);
    if (!ready) return [unsent('incomplete'), unsent('incomplete')];
    const again = { view: ready.view, payload: { ...ready.payload, trigger_id: this.#trigger() } };
    return Promise.all([this.#sendSubmission(ready), this.#sendSubmission(again)]);
  }

  /** Sends the last submission once more, whether its modal is still open or not. */
  async resubmit(): Promise<Answer> {
    if (this.#lastSubmission === undefined) throw new Error(`${this.name} has not submitted a modal yet.`);
    const { view, payload } = this.#lastSubmission;
    return this.#sendSubmission({ view, payload: { ...payload, trigger_id: this.#trigger() } });
  }

  /** Closes the modal in front; the app hears of it when it asked to (`notify_on_close`). */
  async close(): Promise<Answer> {
    const view = this.#modal();
    this.#around.modals.close(view);
    if (view.payload.notify_on_close !== true) return unsent(undefined);
    return this.#interact(toViewClosed(this.#actor, view, false));
  }

  /** Reads a channel: its messages and replies and what was shown to this person alone, oldest first. */
  sees(channel: Channel | string, options: { notices?: boolean } = {}): Message[] {
    const place = this.#channel(channel);
    if (place.isPrivate && !place.members.has(this.id)) return [];
    return place.messages.filter(
      message =>
        (message.ephemeralTo === undefined || message.ephemeralTo === this.id) &&
        (options.notices === true || !noticeSubtypes.has(message.subtype ?? '')),
    );
  }

  /** The options an external select of the modal offers for what is typed. */
  async suggestions(name: string, typed = ''): Promise<JsonObject[]> {
    const view = this.#modal();
    const field = findField(view.blocks, name);
    const sent = { actionId: field.actionId, blockId: field.blockId, typed };
    const reply = await this.#around.deliveries.send('interaction', toSuggestionRequest(this.#actor, view, sent));
    return isJsonObject(reply.body) ? optionsOf(reply.body) : [];
  }

  async #prepareSubmission(values: FormValues): Promise<{ view: OpenView; payload: JsonObject } | undefined> {
    await this.fill(values);
    const view = this.#modal();
    view.errors = {};
    view.trouble = undefined;
    if (!isJsonObject(view.payload.submit)) throw new Error(`The modal "${view.title}" has no submit button.`);
    for (const field of fieldsOf(view.blocks)) {
      const complaint = clientComplaint(field, view.values[field.blockId]?.[field.actionId]);
      if (complaint !== undefined) view.errors[field.blockId] = complaint;
    }
    if (Object.keys(view.errors).length > 0) return undefined;
    const responseUrls = fieldsOf(view.blocks).flatMap(field => {
      const chosen = filledIn(view.values[field.blockId]?.[field.actionId]);
      if (field.element.response_url_enabled !== true || typeof chosen !== 'string') return [];
      const responseUrl = this.#around.responseUrls.issue(this.id, chosen);
      return [{ block_id: field.blockId, action_id: field.actionId, channel_id: chosen, response_url: responseUrl }];
    });
    const payload = toViewSubmission(this.#actor, view, { triggerId: this.#trigger(), responseUrls });
    return { view, payload: structuredClone(payload) };
  }

  async #sendSubmission(submission: { view: OpenView; payload: JsonObject }): Promise<Answer> {
    this.#lastSubmission = submission;
    const { view, payload } = submission;
    const reply = await this.#interact(payload);
    const isOpen = this.#around.modals.find(view.id, undefined) !== undefined;
    if (isOpen) this.#applyResponseAction(view, reply);
    this.#around.onChange();
    return reply;
  }

  #applyResponseAction(view: OpenView, reply: Reply): void {
    const { modals } = this.#around;
    if (reply.failed !== undefined) {
      view.trouble = 'We had some trouble connecting. Try again?';
      return;
    }
    const answer = isJsonObject(reply.body) ? reply.body : {};
    try {
      if (answer.response_action === undefined) modals.close(view);
      else if (answer.response_action === 'clear') modals.clear(this.id);
      else if (answer.response_action === 'update') modals.update({ viewId: view.id }, answer.view);
      else if (answer.response_action === 'push') modals.push(this.id, answer.view);
      else if (answer.response_action === 'errors') view.errors = toErrors(view, answer.errors);
      else throw new SlackRefusal('invalid_response_action');
    } catch (error) {
      if (!(error instanceof SlackRefusal)) throw error;
      view.trouble = `We had some trouble connecting. Try again? (${error.code} ${JSON.stringify(error.details)})`;
    }
  }

  /** Sends a click or choice from where it was made. */
  async #act(where: Place, bare: JsonObject): Promise<Answer> {
    const action = { ...bare, action_ts: this.#around.workspace.nextTs() };
    if (typeof where === 'string') {
      return this.#interact(toViewActions(this.#actor, this.#viewAt(where), { action, triggerId: this.#trigger() }));
    }
    const message = this.#stored(where);
    const channel = this.#channel(message.channel);
    const responseUrl = this.#around.responseUrls.issue(this.id, channel.id, message);
    const sent = { action, state: this.#look(where).values, triggerId: this.#trigger(), responseUrl };
    return this.#interact(toMessageActions(this.#actor, message, channel, sent));
  }

  async #interact(payload: JsonObject): Promise<Reply> {
    const reply = await this.#around.deliveries.send('interaction', payload);
    this.#around.onChange();
    return reply;
  }

  #showAcknowledgement(reply: Reply, command: string, channel: StoredChannel, responseUrl: string): Answer {
    const body = typeof reply.body === 'string' ? { text: reply.body } : isJsonObject(reply.body) ? reply.body : {};
    let failed = reply.failed;
    try {
      if (failed === undefined && (toText(body.text) !== '' || toObjects(body.blocks).length > 0)) {
        const message = this.#around.responseUrls.showAcknowledgement(responseUrl, body);
        return { ...reply, text: message.text, message };
      }
    } catch (error) {
      if (!(error instanceof SlackRefusal)) throw error;
      failed = 'invalid_command_response';
    } finally {
      this.#around.onChange();
    }
    if (failed === undefined) return reply;
    const text = `${command} failed with the error "${failed}"`;
    const message = post(this.#around.workspace, channel, { userId: slackbotId, text, ephemeralTo: this.id });
    return { ...reply, failed, text, message };
  }

  #look(where: Place): { blocks: readonly JsonObject[]; values: StateValues } {
    if (typeof where === 'string') return this.#viewAt(where);
    const message = this.#stored(where);
    const blocks = [...message.blocks, ...message.attachments.flatMap(attachment => toObjects(attachment.blocks))];
    const values = initialValues(blocks, this.#messageStates.get(message));
    this.#messageStates.set(message, values);
    return { blocks, values };
  }

  #viewAt(where: 'home' | 'view'): OpenView {
    if (where === 'view') return this.#modal();
    if (this.home === undefined) throw new Error(`${this.name}'s home tab is empty: the app has not published it.`);
    return this.home;
  }

  #modal(): OpenView {
    if (this.view === undefined) throw new Error(`${this.name} has no modal open.`);
    return this.view;
  }

  async #optionsFor(field: Field, value: FormValue): Promise<JsonObject[]> {
    if (!toText(field.element.type).endsWith('external_select')) return optionsOf(field.element);
    const typed = Array.isArray(value) ? toText(value[0]) : toText(value);
    const exact = await this.suggestions(field.actionId, typed);
    return exact.length > 0 ? exact : this.suggestions(field.actionId);
  }

  #trigger(): string {
    return this.#around.triggers.issue(this.id);
  }

  #channel(channel: Channel | string): StoredChannel {
    return this.#around.findChannel(typeof channel === 'string' ? channel : channel.id);
  }

  #enter(channel: Channel | string, purpose: string): StoredChannel {
    const place = this.#channel(channel);
    if (!place.members.has(this.id)) {
      throw new Error(`${this.name} cannot ${purpose} in #${place.name}: not a member. Use join(), or invite them.`);
    }
    if (place.isArchived) throw new Error(`${this.name} cannot ${purpose} in #${place.name}: it is archived.`);
    return place;
  }

  #stored(message: Message): StoredMessage {
    const stored = this.#around.workspace.message(this.#channel(message.channel), message.ts);
    if (stored === undefined) throw new Error(`The message "${message.text}" is no longer there.`);
    if (stored.ephemeralTo !== undefined && stored.ephemeralTo !== this.id) {
      throw new Error(`${this.name} cannot see the message "${message.text}": it was shown to somebody else.`);
    }
    return stored;
  }

  #own(message: Message): StoredMessage {
    const stored = this.#stored(message);
    if (stored.userId !== this.id) throw new Error(`${this.name} did not write the message "${message.text}".`);
    return stored;
  }
}

function findField(blocks: readonly JsonObject[], name: string): Field {
  const fields = fieldsOf(blocks);
  const wanted = name.toLowerCase();
  const found =
    fields.find(field => field.blockId === name) ??
    fields.find(field => field.actionId === name) ??
    fields.find(field => field.label.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const known = fields.map(field => `${field.blockId} (${field.label || field.actionId})`).join(', ');
  throw new Error(`There is no field "${name}". There are: ${known || 'none'}.`);
}

/** Only input blocks can carry errors (slack.md §4); Slack shows trouble when an app names another. */
function toErrors(view: OpenView, errors: unknown): Record<string, string> {
  const inputs = new Set(fieldsOf(view.blocks).flatMap(field => (field.isInput ? [field.blockId] : [])));
  const given = Object.entries(isJsonObject(errors) ? errors : {});
  const unknown = given.map(([blockId]) => blockId).filter(blockId => !inputs.has(blockId));
  if (given.length === 0 || unknown.length > 0) throw new SlackRefusal('invalid_errors', { unknown });
  return Object.fromEntries(given.map(([blockId, text]) => [blockId, toText(text)]));
}

function unsent(failed: 'incomplete' | undefined): Answer {
  return { status: 0, body: undefined, headers: {}, failed };
}
