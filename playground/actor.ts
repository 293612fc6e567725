import { isLine } from '../src/bot/incident/lines/mark.ts';
import {
  type Channel,
  type FormValues,
  type Message,
  type Person,
  renderMessage,
  renderView,
} from './fake-slack/fake-slack.ts';
import type { Observation } from './observer.ts';
import type { StorySystem } from './story-system.ts';
import type { Transcript } from './transcript.ts';
import type { AlertEvent } from './workspace/protocol.ts';

/** What an actor needs: the running system, the transcript, and what people see since the last look. */
export interface ActorContext {
  readonly system: StorySystem;
  readonly transcript: Transcript;
  readonly observe: () => readonly Observation[];
  /** Hears what somebody is about to do, in words, and the id of the channel in which it happens. They do it when this resolves. */
  readonly beforeDeed?: (deed: string, place?: string) => Promise<void>;
}

/** A person of the story. The transcript records each thing they do, and then what people see of it. */
export class Actor {
  readonly #person: Person;
  readonly #context: ActorContext;

  constructor(person: Person, context: ActorContext) {
    this.#person = person;
    this.#context = context;
  }

  get id(): string {
    return this.#person.id;
  }

  get name(): string {
    return this.#person.name;
  }

  /** The form in front of them as they read it; empty when there is none. */
  get form(): string {
    return this.#person.view ? renderView(this.#context.system.slack, this.#person.view) : '';
  }

  /** The app's home tab as they read it; empty when there is none. */
  get home(): string {
    return this.#person.home ? renderView(this.#context.system.slack, this.#person.home) : '';
  }

  /** Their direct message with the app. */
  get direct(): Channel {
    return this.#context.system.slack.openDm(this.#person);
  }

  /** The last message of Muster that they see in a channel, lines about changes aside; undefined when there is none. */
  findLastMessage(channel: Channel | string): Message | undefined {
    const { botId } = this.#context.system.slack;
    return this.#person.sees(channel).findLast(message => message.botId === botId && !isLine(message));
  }

  /** The last message of Muster that they see in a channel, lines about changes aside. Throws when there is none. */
  lastMessage(channel: Channel | string): Message {
    const last = this.findLastMessage(channel);
    if (last === undefined) throw new Error(`${this.name} sees no message of Muster in ${nameOf(channel)}.`);
    return last;
  }

  /** The text of the last message of Muster that they see in a channel. Throws when there is none. */
  lastRead(channel: Channel | string): string {
    return renderMessage(this.#context.system.slack, this.lastMessage(channel));
  }

  /** Every message they see in a channel, oldest first, the lines of an incident's room aside. */
  reads(channel: Channel | string): readonly string[] {
    const { slack } = this.#context.system;
    const isRead = (message: Message) => !isLine(message) || message.subtype === 'thread_broadcast';
    return this.#person
      .sees(channel)
      .filter(isRead)
      .map(message => renderMessage(slack, message));
  }

  async says(channel: Channel | string, text: string): Promise<Message> {
    await this.#announce(`writes in ${nameOf(channel)}`, text, channel);
    const message = this.#person.say(channel, text);
    await this.#showEffects();
    return message;
  }

  /** Answers a message in its thread. */
  async answers(channel: Channel, parent: Message, text: string): Promise<Message> {
    await this.#announce(`answers in a thread of ${nameOf(channel)}`, text, channel);
    const message = this.#person.say(channel, text, { threadTs: parent.ts });
    await this.#showEffects();
    return message;
  }

  /** Sends alerts to Muster, as monitoring does; with `Fire`, the one of that name. */
  async alerts(event: AlertEvent, name?: string): Promise<void> {
    const { watchdog } = this.#context.system;
    await this.#announce(deeds[event]);
    watchdog.act(event, name);
    await watchdog.sent();
    await this.#showEffects();
  }

  /** Acknowledges the newest page in the pager. */
  async acknowledges(): Promise<void> {
    const { pager } = this.#context.system;
    await this.#announce('acknowledges the page in the pager');
    pager.acknowledge(pager.facts().pages.at(-1)?.key ?? '', this.#person.record.realName);
    await pager.sent();
    await this.#showEffects();
  }

  /** Does nothing for some minutes: `what` says so. On a clock that does not jump, they are still to come when this resolves. */
  async waits(what: string, minutes: number): Promise<void> {
    await this.#announce(what);
    this.#context.system.clock.pass(minutes);
    await this.#showEffects();
  }

  /** Types a slash command. */
  async types(channel: Channel | string, line: string): Promise<void> {
    await this.#announce(`types in ${nameOf(channel)}`, line, channel);
    await this.#person.command(channel, line);
    await this.#showEffects();
  }

  /** Fills in some fields of the form in front of them and sends it; `button` is the text of its button. */
  async submits(button: string, values: FormValues = {}): Promise<void> {
    const filled = Object.entries(values).map(([field, value]) => `${field.replace(/\?$/, '')}: ${toWords(value)}`);
    await this.#announce(`${filled.length > 0 ? 'fills in the form and ' : ''}presses [${button}]`, filled.join('\n'));
    const { failed } = await this.#person.submit(values);
    await this.#showEffects();
    if (failed !== undefined) throw new Error(`The form was not sent: ${failed}.`);
  }

  /** Closes what is open in front of them. */
  async closes(): Promise<void> {
    await this.#announce('closes the window');
    await this.#person.close();
  }

  /** Presses a button of a message: the one beside the words `near` when several have that text. */
  async presses(message: Message, button: string, near?: string): Promise<void> {
    await this.#announce(`presses [${button}]${near === undefined ? '' : ` beside “${near}”`}`, '', message.channel);
    await this.#person.press(message, near === undefined ? button : { text: button, near });
    await this.#showEffects();
  }

  /** Chooses an entry of a message's menu; `whose` message it is tells the reader. */
  async choosesFromMenu(message: Message, whose: string, shortcut: { id: string; name: string }): Promise<void> {
    await this.#announce(`opens the menu of ${whose} and chooses “${shortcut.name}”`, '', message.channel);
    await this.#person.shortcut(shortcut.id, message);
    await this.#showEffects();
  }

  /** Chooses an entry of the menu of Slack itself. */
  async chooses(menu: string, entry: { id: string; name: string }): Promise<void> {
    await this.#announce(`opens ${menu} and chooses “${entry.name}”`);
    await this.#person.shortcut(entry.id);
    await this.#showEffects();
  }

  /** Picks a person, or an entry by its words, in a menu of a message, by the action id of the menu. */
  async picks(message: Message, menu: string, chosen: Actor | string): Promise<void> {
    await this.#announce(`picks ${typeof chosen === 'string' ? `“${chosen}”` : chosen.name} in a menu`);
    await this.#person.choose(message, menu, typeof chosen === 'string' ? chosen : { id: chosen.id });
    await this.#showEffects();
  }

  async opensHome(): Promise<void> {
    await this.#announce('opens the home tab of the app');
    this.#person.openHome();
    await this.#showEffects();
  }

  /** Presses a button of the home tab: the one beside the words `near` when several have that text. */
  async pressesOnHome(button: string, near?: string): Promise<void> {
    await this.#announce(`presses [${button}] on the home tab${near === undefined ? '' : ` beside “${near}”`}`);
    await this.#person.press('home', near === undefined ? button : { text: button, near });
    await this.#showEffects();
  }

  /** Presses a button in the form in front of them. */
  async pressesInForm(button: string): Promise<void> {
    await this.#announce(`presses [${button}] in the form`);
    await this.#person.press('view', button);
    await this.#showEffects();
  }

  async joins(channel: Channel): Promise<void> {
    await this.#announce(`joins ${nameOf(channel)}`, '', channel);
    this.#person.join(channel);
    await this.#showEffects();
  }

  async #announce(deed: string, words = '', place?: Channel | string): Promise<void> {
    const { system, transcript, beforeDeed } = this.#context;
    const channel = typeof place === 'string' ? system.slack.channel(place) : place;
    await beforeDeed?.(words ? `${this.name} ${deed}: ${words}` : `${this.name} ${deed}`, channel?.id);
    transcript.does(system.clock.now(), this.name, deed, words);
  }

  async #showEffects(): Promise<void> {
    await this.#context.system.quiet();
    this.#context.transcript.shows(this.#context.observe());
  }
}

/** What monitoring does, in words. */
const deeds: Readonly<Record<AlertEvent, string>> = {
  Fire: 'sends an alert to Muster',
  Repeat: 'sends the alert again',
  Grow: 'sends one more alert of the same group',
  Worsen: 'says that the alert is critical',
  Storm: 'sends alerts of everything',
  'End all': 'says that the alert ended',
};

function nameOf(channel: Channel | string): string {
  return typeof channel === 'string' ? channel : `#${channel.name}`;
}

function toWords(value: FormValues[string]): string {
  if (value instanceof Date) return value.toISOString().slice(0, 16).replace('T', ' ');
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' && 'name' in value ? String(value.name) : String(value);
}
