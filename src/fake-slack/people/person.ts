import { isJsonObject, type JsonObject, toObjects, toText } from '../json.ts';
import {
  type Actor,
  toCommandPayload,
  toGlobalShortcut,
  toMessageActions,
  toMessageShortcut,
  toSuggestionRequest,
  toViewActions,
  toViewClosed,
} from '../to-app/payloads.ts';
import type { OpenView } from '../web-api/modals.ts';
import type { Channel, Message, PersonRecord, StoredMessage } from '../workspace.ts';
import { showAcknowledgement } from './acknowledgement.ts';
import { type ButtonQuery, findButton, findOverflow, resolveValue } from './find-element.ts';
import { type Field, initialValues, optionsOf, type StateValues, toStateValue } from './form.ts';
import { Member } from './member.ts';
import {
  type Answer,
  type FormValue,
  type FormValues,
  findField,
  type Place,
  type Surroundings,
  setValue,
  unsent,
} from './person-context.ts';
import { applyResponseAction, type Submission, toSubmission } from './submission.ts';
import { encodeTyped } from './typed-text.ts';

/** A person who also uses the app: each method does what a click or a key would, and waits for the app's reply. */
export class Person extends Member {
  readonly #actor: Actor;
  readonly #messageStates = new WeakMap<StoredMessage, StateValues>();
  #lastSubmission: Submission | undefined;

  constructor(record: PersonRecord, around: Surroundings) {
    super(record, around);
    this.#actor = { workspace: around.workspace, modals: around.modals, person: this };
  }

  /** The modal in front of them: the top of their stack. */
  get view(): OpenView | undefined {
    return this.around.modals.top(this.id);
  }

  /** Their home tab, once published. */
  get home(): OpenView | undefined {
    return this.around.modals.home(this.id);
  }

  /** Opens the app's home tab. */
  openHome(): void {
    const { workspace, modals } = this.around;
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
    const place = this.enter(channel, 'use a command');
    const [, name, rest = ''] = /^(\/\S+)\s*([\s\S]*)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`A command starts with a slash; this does not: ${line}`);
    const responseUrl = this.around.responseUrls.issue(this.id, place.id);
    const text = encodeTyped(this.around.workspace, rest.trim(), 'command');
    const sent = { name, text, triggerId: this.#trigger(place.id), responseUrl };
    const reply = await this.around.deliveries.send('command', toCommandPayload(this.#actor, place, sent));
    return showAcknowledgement(this.around, { name, userId: this.id, channel: place, responseUrl }, reply);
  }

  /** Uses a message's shortcut, or a global one, with a channel in view when one is given. */
  async shortcut(callbackId: string, where?: Message | Channel): Promise<Answer> {
    if (where === undefined || !('ts' in where)) {
      return this.#interact(toGlobalShortcut(this.#actor, callbackId, this.#trigger(where?.id)));
    }
    const message = this.stored(where);
    const channel = this.channel(message.channel);
    const responseUrl = this.around.responseUrls.issue(this.id, channel.id);
    const sent = { callbackId, triggerId: this.#trigger(channel.id), responseUrl };
    return this.#interact(toMessageShortcut(this.#actor, message, channel, sent));
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
    const overflow = findOverflow(blocks, actionId);
    if (overflow !== undefined) {
      const { block, element } = overflow;
      const option = resolveValue(this.around, element, value, optionsOf(element));
      const bare = { type: 'overflow', action_id: actionId, block_id: block.block_id, selected_option: option };
      return this.#act(where, bare);
    }
    const field = findField(blocks, actionId);
    const state = await this.#toState(field, value);
    setValue(values, field, state);
    const block = blocks.find(candidate => candidate.block_id === field.blockId);
    if (field.isInput && block?.dispatch_action !== true) return unsent();
    return this.#act(where, { ...state, action_id: field.actionId, block_id: field.blockId });
  }

  /** Fills fields of the modal in without sending it. */
  async fill(values: FormValues): Promise<void> {
    const view = this.#modal();
    for (const [name, value] of Object.entries(values)) {
      const field = findField(view.blocks, name);
      setValue(view.values, field, await this.#toState(field, value));
    }
  }

  /**
   * Fills the modal in and sends it. What Slack's client refuses itself (a required field left empty, text too long)
   * is not sent: the answer has `failed: 'incomplete'` and `view.errors` says where.
   */
  async submit(values: FormValues = {}): Promise<Answer> {
    await this.fill(values);
    const submission = toSubmission(this.around, this.#actor, this.#modal());
    return submission === undefined ? unsent('incomplete') : this.#sendSubmission(submission);
  }

  /** Sends the modal twice at once, as a double click on a slow line does. */
  async submitTwice(values: FormValues = {}): Promise<[Answer, Answer]> {
    await this.fill(values);
    const submission = toSubmission(this.around, this.#actor, this.#modal());
    if (submission === undefined) return [unsent('incomplete'), unsent('incomplete')];
    return Promise.all([this.#sendSubmission(submission), this.#sendSubmission(this.#again(submission))]);
  }

  /** Sends the last submission once more, whether its modal is still open or not. */
  async resubmit(): Promise<Answer> {
    if (this.#lastSubmission === undefined) throw new Error(`${this.name} has not submitted a modal yet.`);
    return this.#sendSubmission(this.#again(this.#lastSubmission));
  }

  /** Closes the modal in front; the app hears of it when it asked to (`notify_on_close`). */
  async close(): Promise<Answer> {
    const view = this.#modal();
    const isCleared = view.payload.clear_on_close === true;
    if (isCleared) this.around.modals.clear(this.id);
    else this.around.modals.close(view);
    if (view.payload.notify_on_close !== true) return unsent();
    return this.#interact(toViewClosed(this.#actor, view, isCleared));
  }

  /** The options an external select of the modal offers for what is typed. */
  async suggestions(name: string, typed = ''): Promise<JsonObject[]> {
    const view = this.#modal();
    const field = findField(view.blocks, name);
    const sent = { actionId: field.actionId, blockId: field.blockId, typed };
    const reply = await this.around.deliveries.send('interaction', toSuggestionRequest(this.#actor, view, sent));
    return isJsonObject(reply.body) ? optionsOf(reply.body) : [];
  }

  #again({ view, payload }: Submission): Submission {
    return { view, payload: { ...payload, trigger_id: this.#trigger(view.channelId) } };
  }

  async #sendSubmission(submission: Submission): Promise<Answer> {
    this.#lastSubmission = submission;
    const reply = await this.#interact(submission.payload);
    applyResponseAction(this.around, submission.view, reply);
    this.around.onChange();
    return reply;
  }

  /** Sends a click or choice from where it was made. */
  async #act(where: Place, bare: JsonObject): Promise<Answer> {
    const action = { ...bare, action_ts: this.around.workspace.nextTs() };
    if (typeof where === 'string') {
      const view = this.#viewAt(where);
      return this.#interact(toViewActions(this.#actor, view, { action, triggerId: this.#trigger(view.channelId) }));
    }
    const message = this.stored(where);
    const channel = this.channel(message.channel);
    const responseUrl = this.around.responseUrls.issue(this.id, channel.id, message);
    const sent = { action, state: this.#look(where).values, triggerId: this.#trigger(channel.id), responseUrl };
    return this.#interact(toMessageActions(this.#actor, message, channel, sent));
  }

  async #interact(payload: JsonObject): Promise<Answer> {
    const reply = await this.around.deliveries.send('interaction', payload);
    this.around.onChange();
    return reply;
  }

  #look(where: Place): { blocks: readonly JsonObject[]; values: StateValues } {
    if (typeof where === 'string') return this.#viewAt(where);
    const message = this.stored(where);
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

  /** What the field holds once this is filled in; an external select's options are the app's to give. */
  async #toState(field: Field, value: FormValue): Promise<JsonObject> {
    const isExternal = toText(field.element.type).endsWith('external_select');
    const typed = toText(Array.isArray(value) ? value[0] : value);
    const exact = isExternal ? await this.suggestions(field.actionId, typed) : optionsOf(field.element);
    const options = isExternal && exact.length === 0 ? await this.suggestions(field.actionId) : exact;
    return toStateValue(field.element, resolveValue(this.around, field.element, value, options));
  }

  #trigger(channelId?: string): string {
    return this.around.triggers.issue(this.id, channelId);
  }
}
