import {
  type Field,
  fieldsOf,
  initialValues,
  optionsOf,
  type StateValues,
  toStateOf,
  toStateValue,
} from '../block-kit/fields.ts';
import { blocksOf } from '../block-kit/message-blocks.ts';
import { type JsonObject, toText } from '../protocol/json.ts';
import {
  type Sender,
  toCommandPayload,
  toGlobalShortcut,
  toMessageActions,
  toMessageShortcut,
  toViewActions,
  toViewClosed,
} from '../to-app/payloads.ts';
import { OpenView } from '../workspace/modals.ts';
import type { Channel, Message, PersonRecord, StoredMessage } from '../workspace/records.ts';
import { showAcknowledgement } from './acknowledgement.ts';
import { type ButtonQuery, findButton, findElement, findOverflow, resolveValue } from './find-element.ts';
import { type FormValue, type FormValues, findField } from './form-values.ts';
import { Member } from './member.ts';
import { type AppAnswer, type ClickTarget, type ElementPlace, notSent, type PersonContext } from './person-context.ts';
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

  /** Their modals from the bottom to the top. */
  get views(): readonly OpenView[] {
    return this.context.modals.stack(this.id);
  }

  /** Their home tab, once published. */
  get home(): OpenView | undefined {
    return this.context.modals.home(this.id);
  }

  /** Opens the app's home tab, or its messages. */
  openHome(tab: 'home' | 'messages' = 'home'): void {
    const { workspace, modals } = this.context;
    const home = this.home;
    workspace.emit({
      type: 'app_home_opened',
      user: this.id,
      channel: workspace.directMessage(this.id).id,
      tab,
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
    return this.#act(where, block, element, {});
  }

  /** Chooses in a select, picker, overflow menu or checkboxes; in a form input it only fills the field in. */
  async choose(where: ClickTarget, actionId: string, value: FormValue): Promise<AppAnswer> {
    const { blocks } = this.#blocksAt(where);
    const overflow = findOverflow(blocks, actionId);
    if (overflow !== undefined) {
      const { block, element } = overflow;
      const option = resolveValue(this.context, element, value, optionsOf(element));
      return this.#act(where, block, element, { selected_option: option });
    }
    const field = findField(blocks, actionId);
    const block = blocks.find(candidate => candidate.block_id === field.blockId) ?? {};
    return this.#act(where, block, field.element, this.#toState(field, value));
  }

  /** Uses the element at a place as Slack's client does: `state` is what the element holds then, empty for a button. */
  async use(where: ClickTarget, place: ElementPlace, state: JsonObject = {}): Promise<AppAnswer> {
    const { block, element } = findElement(this.#blocksAt(where).blocks, place);
    return this.#act(where, block, element, state);
  }

  /** Fills in fields of the modal without sending it. */
  async fill(values: FormValues): Promise<void> {
    const view = this.#openModal();
    const states: StateValues = {};
    for (const [name, value] of Object.entries(values)) {
      const field = findField(view.blocks, name);
      states[field.blockId] = { ...states[field.blockId], [field.actionId]: this.#toState(field, value) };
    }
    this.fillIn(view, states);
  }

  /** Fills in fields of a view by their states. A field that the view lacks is left out. */
  fillIn(view: OpenView, states: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>): void {
    for (const { blockId, actionId, element } of fieldsOf(view.blocks)) {
      const state = states[blockId]?.[actionId];
      if (state === undefined) continue;
      view.values[blockId] = { ...view.values[blockId], [actionId]: toStateOf(element, state) };
    }
  }

  /**
   * Fills the modal in and sends it. What Slack's client refuses itself (a required field left empty, text too long)
   * is not sent: the answer has `failed: 'incomplete'` and `view.errors` says where.
   */
  async submit(values: FormValues = {}): Promise<AppAnswer> {
    await this.fill(values);
    return this.send(this.#openModal());
  }

  /** Sends a modal as it is filled in. */
  async send(view: OpenView): Promise<AppAnswer> {
    const submission = toSubmission(this.context, this.#sender, view);
    if (submission !== undefined) return this.#sendSubmission(submission);
    this.context.modals.tell(this.id);
    return notSent('incomplete');
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

  #renewTrigger({ view, payload }: Submission): Submission {
    return { view, payload: { ...payload, trigger_id: this.#issueTrigger(view.channelId) } };
  }

  async #sendSubmission(submission: Submission): Promise<AppAnswer> {
    this.#lastSubmission = submission;
    const reply = await this.#sendInteraction(submission.payload);
    applyResponseAction(this.context, submission.view, reply);
    this.context.modals.tell(this.id);
    this.context.onChange();
    return reply;
  }

  /** Does what a click on an element, or a choice in it, does. In a form input a choice is only kept. */
  async #act(where: ClickTarget, block: JsonObject, element: JsonObject, state: JsonObject): Promise<AppAnswer> {
    const { type, action_id, text, value, style } = element;
    const place = { action_id, block_id: block.block_id };
    if (type === 'button') {
      const face = { text, ...(value === undefined ? {} : { value }), ...(style === undefined ? {} : { style }) };
      return this.#sendAction(where, { ...place, ...face, type });
    }
    if (type === 'overflow') return this.#sendAction(where, { ...place, type, selected_option: state.selected_option });
    const { values } = this.#blocksAt(where);
    const blockId = toText(block.block_id);
    const held = toStateOf(element, state);
    values[blockId] = { ...values[blockId], [toText(action_id)]: held };
    if (block.type === 'input' && block.dispatch_action !== true) return notSent();
    return this.#sendAction(where, { ...held, ...place });
  }

  /** Sends a click or choice from where it was made. */
  async #sendAction(where: ClickTarget, bare: JsonObject): Promise<AppAnswer> {
    const action = { ...bare, action_ts: this.context.workspace.nextTs() };
    const view = this.#viewOf(where);
    if (view !== undefined) {
      return this.#sendInteraction(
        toViewActions(this.#sender, view, { action, triggerId: this.#issueTrigger(view.channelId) }),
      );
    }
    const message = this.#messageOf(where);
    const channel = this.findChannel(message.channel);
    const responseUrl = this.context.responseUrls.issue(this.id, channel.id, message);
    const state = this.#blocksAt(where).values;
    const sent = { action, state, triggerId: this.#issueTrigger(channel.id), responseUrl };
    return this.#sendInteraction(toMessageActions(this.#sender, message, channel, sent));
  }

  async #sendInteraction(payload: JsonObject): Promise<AppAnswer> {
    const reply = await this.context.deliveries.send('interaction', payload);
    this.context.onChange();
    return reply;
  }

  #blocksAt(where: ClickTarget): { blocks: readonly JsonObject[]; values: StateValues } {
    const view = this.#viewOf(where);
    if (view !== undefined) return view;
    const message = this.#messageOf(where);
    const blocks = blocksOf(message);
    const values = initialValues(blocks, this.#messageStates.get(message));
    this.#messageStates.set(message, values);
    return { blocks, values };
  }

  /** The view a person clicks in; `undefined` when it is a message. */
  #viewOf(where: ClickTarget): OpenView | undefined {
    if (where instanceof OpenView) return where;
    if (where === 'view') return this.#openModal();
    if (where !== 'home') return undefined;
    if (this.home === undefined) throw new Error(`${this.name}'s home tab is empty: the app has not published it.`);
    return this.home;
  }

  #messageOf(where: ClickTarget): StoredMessage {
    if (typeof where === 'string' || where instanceof OpenView) throw new Error('This is no message.');
    return this.visibleMessage(where);
  }

  #openModal(): OpenView {
    if (this.view === undefined) throw new Error(`${this.name} has no modal open.`);
    return this.view;
  }

  /** The state of a field after a person fills it in. */
  #toState({ element }: Field, value: FormValue): JsonObject {
    return toStateValue(element, resolveValue(this.context, element, value, optionsOf(element)));
  }

  #issueTrigger(channelId?: string): string {
    return this.context.triggers.issue(this.id, channelId);
  }
}
