import { type Field, initialValues, optionsOf, type StateValues, toStateValue } from '../block-kit/fields.ts';
import { type JsonObject, toObjects, toText } from '../protocol/json.ts';
import {
  type Sender,
  toCommandPayload,
  toGlobalShortcut,
  toMessageActions,
  toMessageShortcut,
  toSuggestionRequest,
  toViewActions,
  toViewClosed,
} from '../to-app/payloads.ts';
import type { OpenView } from '../workspace/modals.ts';
import type { Channel, Message, PersonRecord, StoredMessage } from '../workspace/records.ts';
import { showAcknowledgement } from './acknowledgement.ts';
import { type ButtonQuery, findButton, findOverflow, resolveValue } from './find-element.ts';
import { type FormValue, type FormValues, findField, toSuggestions } from './form-values.ts';
import { Member } from './member.ts';
import { type AppAnswer, type ClickTarget, notSent, type PersonContext } from './person-context.ts';
import { applyResponseAction, type Submission, toSubmission } from './submission.ts';
import { encodeTypedText } from './typed-text.ts';

/** A person who uses the app. Each method does what a click or a key does, and waits for the app's reply. */
export class Person extends Member {
  readonly #sender: Sender;
  readonly #messageStates = new WeakMap<StoredMessage, StateValues>();
  #lastSubmission: Submission | undefined;

  constructor(record: PersonRecord, context: PersonContext) {
    super(record, context);
    this.#sender = { workspace: context.workspace, modals: context.modals, person: record };
  }

  /** The modal in front of them: the top of their stack. */
  get view(): OpenView | undefined {
    return this.context.modals.top(this.id);
  }

  /** Their home tab, once published. */
  get home(): OpenView | undefined {
    return this.context.modals.home(this.id);
  }

  /** Opens the app's home tab. */
  openHome(): void {
    const { workspace, modals } = this.context;
    const home = this.home;
    workspace.emit({
      type: 'app_home_opened',
      user: this.id,
      channel: workspace.directMessage(this.id).id,
      tab: 'home',
      event_ts: workspace.nextTs(),
      ...(home === undefined ? {} : { view: modals.serialize(home) }),
    });
  }

  /** Types a slash command, such as `/incident declare db is down`. Another app's command does not reach the app. */
  async command(channel: Channel | string, line: string): Promise<AppAnswer> {
    const place = this.ownChannel(channel, 'use a command');
    const [, name, rest = ''] = /^(\/\S+)\s*([\s\S]*)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`A command starts with a slash; this does not: ${line}`);
    if (this.context.workspace.takenCommands.has(name)) return notSent();
    const responseUrl = this.context.responseUrls.issue(this.id, place.id);
    const text = encodeTypedText(this.context.workspace, rest.trim(), 'command');
    const sent = { name, text, triggerId: this.#issueTrigger(place.id), responseUrl };
    const reply = await this.context.deliveries.send('command', toCommandPayload(this.#sender, place, sent));
    return showAcknowledgement(this.context, { name, userId: this.id, channel: place, responseUrl }, reply);
  }

  /** Uses a message shortcut, or a global shortcut while looking at a channel or at none. */
  async shortcut(callbackId: string, where?: Message | Channel): Promise<AppAnswer> {
    if (where === undefined || !('ts' in where)) {
      return this.#sendInteraction(toGlobalShortcut(this.#sender, callbackId, this.#issueTrigger(where?.id)));
    }
    const message = this.visibleMessage(where);
    const channel = this.findChannel(message.channel);
    const responseUrl = this.context.responseUrls.issue(this.id, channel.id);
    const sent = { callbackId, triggerId: this.#issueTrigger(channel.id), responseUrl };
    return this.#sendInteraction(toMessageShortcut(this.#sender, message, channel, sent));
  }

  /** Presses a button, named by its visible text or its action id. */
  async press(where: ClickTarget, what: string | ButtonQuery): Promise<AppAnswer> {
    const { blocks } = this.#blocksAt(where);
    const { block, element } = findButton(blocks, typeof what === 'string' ? { text: what } : what);
    const { text, value, style } = element;
    return this.#sendAction(where, {
      action_id: element.action_id,
      block_id: block.block_id,
      text,
      ...(value === undefined ? {} : { value }),
      ...(style === undefined ? {} : { style }),
      type: 'button',
    });
  }

  /** Presses a button inside the modal. */
  async pressInView(what: string | ButtonQuery): Promise<AppAnswer> {
    return this.press('view', what);
  }

  /** Chooses in a select, picker, overflow menu or checkboxes; in a form input it only fills the field in. */
  async choose(where: ClickTarget, actionId: string, value: FormValue): Promise<AppAnswer> {
    const { blocks, values } = this.#blocksAt(where);
    const overflow = findOverflow(blocks, actionId);
    if (overflow !== undefined) {
      const { block, element } = overflow;
      const option = resolveValue(this.context, element, value, optionsOf(element));
      const bare = { type: 'overflow', action_id: actionId, block_id: block.block_id, selected_option: option };
      return this.#sendAction(where, bare);
    }
    const field = findField(blocks, actionId);
    const state = await this.#toState(field, value);
    values[field.blockId] = { ...values[field.blockId], [field.actionId]: state };
    const block = blocks.find(candidate => candidate.block_id === field.blockId);
    if (field.isInput && block?.dispatch_action !== true) return notSent();
    return this.#sendAction(where, { ...state, action_id: field.actionId, block_id: field.blockId });
  }

  /** Fills in fields of the modal without sending it. */
  async fill(values: FormValues): Promise<void> {
    const view = this.#openModal();
    for (const [name, value] of Object.entries(values)) {
      const field = findField(view.blocks, name);
      view.values[field.blockId] = {
        ...view.values[field.blockId],
        [field.actionId]: await this.#toState(field, value),
      };
    }
  }

  /**
   * Fills the modal in and sends it. What Slack's client refuses itself (a required field left empty, text too long)
   * is not sent: the answer has `failed: 'incomplete'` and `view.errors` says where.
   */
  async submit(values: FormValues = {}): Promise<AppAnswer> {
    await this.fill(values);
    const submission = toSubmission(this.context, this.#sender, this.#openModal());
    return submission === undefined ? notSent('incomplete') : this.#sendSubmission(submission);
  }

  /** Sends the modal twice at once, as a double click on a slow line does. */
  async submitTwice(values: FormValues = {}): Promise<[AppAnswer, AppAnswer]> {
    await this.fill(values);
    const submission = toSubmission(this.context, this.#sender, this.#openModal());
    if (submission === undefined) return [notSent('incomplete'), notSent('incomplete')];
    return Promise.all([this.#sendSubmission(submission), this.#sendSubmission(this.#renewTrigger(submission))]);
  }

  /** Sends the last submission again, even when its modal is closed. */
  async resubmit(): Promise<AppAnswer> {
    if (this.#lastSubmission === undefined) throw new Error(`${this.name} has not submitted a modal yet.`);
    return this.#sendSubmission(this.#renewTrigger(this.#lastSubmission));
  }

  /** Closes the modal in front. The app hears of it only with `notify_on_close`. */
  async close(): Promise<AppAnswer> {
    const view = this.#openModal();
    const isCleared = view.payload.clear_on_close === true;
    if (isCleared) this.context.modals.clear(this.id);
    else this.context.modals.close(view);
    if (view.payload.notify_on_close !== true) return notSent();
    return this.#sendInteraction(toViewClosed(this.#sender, view, isCleared));
  }

  /** The options an external select of the modal offers for typed text. Throws when Slack would refuse them. */
  async suggestions(name: string, typed = ''): Promise<JsonObject[]> {
    const view = this.#openModal();
    const field = findField(view.blocks, name);
    const sent = { actionId: field.actionId, blockId: field.blockId, typed };
    const reply = await this.context.deliveries.send('interaction', toSuggestionRequest(this.#sender, view, sent));
    return toSuggestions(reply);
  }

  #renewTrigger({ view, payload }: Submission): Submission {
    return { view, payload: { ...payload, trigger_id: this.#issueTrigger(view.channelId) } };
  }

  async #sendSubmission(submission: Submission): Promise<AppAnswer> {
    this.#lastSubmission = submission;
    const reply = await this.#sendInteraction(submission.payload);
    applyResponseAction(this.context, submission.view, reply);
    this.context.onChange();
    return reply;
  }

  /** Sends a click or choice from where it was made. */
  async #sendAction(where: ClickTarget, bare: JsonObject): Promise<AppAnswer> {
    const action = { ...bare, action_ts: this.context.workspace.nextTs() };
    if (typeof where === 'string') {
      const view = this.#viewAt(where);
      return this.#sendInteraction(
        toViewActions(this.#sender, view, { action, triggerId: this.#issueTrigger(view.channelId) }),
      );
    }
    const message = this.visibleMessage(where);
    const channel = this.findChannel(message.channel);
    const responseUrl = this.context.responseUrls.issue(this.id, channel.id, message);
    const sent = {
      action,
      state: this.#blocksAt(where).values,
      triggerId: this.#issueTrigger(channel.id),
      responseUrl,
    };
    return this.#sendInteraction(toMessageActions(this.#sender, message, channel, sent));
  }

  async #sendInteraction(payload: JsonObject): Promise<AppAnswer> {
    const reply = await this.context.deliveries.send('interaction', payload);
    this.context.onChange();
    return reply;
  }

  #blocksAt(where: ClickTarget): { blocks: readonly JsonObject[]; values: StateValues } {
    if (typeof where === 'string') return this.#viewAt(where);
    const message = this.visibleMessage(where);
    const blocks = [...message.blocks, ...message.attachments.flatMap(attachment => toObjects(attachment.blocks))];
    const values = initialValues(blocks, this.#messageStates.get(message));
    this.#messageStates.set(message, values);
    return { blocks, values };
  }

  #viewAt(where: 'home' | 'view'): OpenView {
    if (where === 'view') return this.#openModal();
    if (this.home === undefined) throw new Error(`${this.name}'s home tab is empty: the app has not published it.`);
    return this.home;
  }

  #openModal(): OpenView {
    if (this.view === undefined) throw new Error(`${this.name} has no modal open.`);
    return this.view;
  }

  /** The state of a field after a person fills it in. For an external select, the app is asked for the options. */
  async #toState(field: Field, value: FormValue): Promise<JsonObject> {
    const isExternal = toText(field.element.type).endsWith('external_select');
    const typed = toText(Array.isArray(value) ? value[0] : value);
    const exact = isExternal ? await this.suggestions(field.actionId, typed) : optionsOf(field.element);
    const options = isExternal && exact.length === 0 ? await this.suggestions(field.actionId) : exact;
    return toStateValue(field.element, resolveValue(this.context, field.element, value, options));
  }

  #issueTrigger(channelId?: string): string {
    return this.context.triggers.issue(this.id, channelId);
  }
}
