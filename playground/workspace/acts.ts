import type { AppAnswer, Channel, FakeSlackBase, Message, OpenView, Person } from '../fake-slack/fake-slack.ts';
import type { AppFace } from './app-face.ts';
import type { Backstage } from './backstage.ts';
import type { Feeds } from './feeds.ts';
import { type MessagePlace, openChannel, readMessage } from './looking.ts';
import type { Act, ActAnswer, Place } from './protocol.ts';
import type { ReadMarks } from './read-marks.ts';
import { Refusal, refusalOf } from './refusal.ts';

/** What acts need. */
export interface Stage {
  readonly slack: FakeSlackBase;
  readonly face: AppFace;
  readonly reads: ReadMarks;
  readonly feeds: Feeds;
  readonly backstage: Backstage;
}

/** Does what a person did on their page. The answer says in words why it had no effect. */
export async function perform(stage: Stage, person: Person, act: Act): Promise<ActAnswer> {
  try {
    return (await new Deed(stage, person).run(act)) ?? {};
  } catch (error) {
    return { problem: refusalOf(error) };
  }
}

type Outcome = Promise<ActAnswer | undefined> | undefined;

/** One act of one person. */
class Deed {
  readonly #stage: Stage;
  readonly #person: Person;

  constructor(stage: Stage, person: Person) {
    this.#stage = stage;
    this.#person = person;
  }

  run(act: Act): Outcome {
    const person = this.#person;
    switch (act.do) {
      case 'say':
        return void person.say(this.#writable(act.channel), act.text, { threadTs: act.threadTs });
      case 'upload':
        return void person.upload(this.#writable(act.channel), act, act.text, { threadTs: act.threadTs });
      case 'command':
        return this.#command(act.channel, act.line);
      case 'edit':
        return void person.editMessage(this.#message(act), act.text);
      case 'delete':
        return void person.deleteMessage(this.#message(act), person.record.isAdmin ? 'administrator' : 'author');
      case 'react':
        return void person.react(this.#message(act), act.emoji);
      case 'unreact':
        return void person.unreact(this.#message(act), act.emoji);
      case 'pin':
      case 'unpin':
        return void person.pin(this.#message(act), act.do === 'pin');
      case 'shortcut':
        return this.#shortcut(act);
      case 'use':
        return this.#use(act);
      case 'submit':
        return this.#submit(act.view, act.values);
      case 'close':
        this.#front(act.view);
        return person.close().then(() => undefined);
      case 'openHome':
        return void person.openHome();
      case 'setFault':
        return this.#stage.backstage.setFault(act.fault, act.isOn).then(() => undefined);
      case 'alert':
        return void this.#stage.backstage.watchdog?.act(act.event);
      case 'acknowledge':
        return void this.#stage.backstage.pager?.acknowledge(act.key, person.record.realName);
      case 'story':
        return this.#stage.backstage.playStory?.(act).then(() => undefined);
      default:
        return this.#inChannel(act);
    }
  }

  #inChannel(act: Extract<Act, { do: 'join' | 'leave' | 'archive' | 'invite' | 'read' | 'createChannel' }>): Outcome {
    const person = this.#person;
    if (act.do === 'createChannel') {
      this.#mustBeMemberOfTheWorkspace('make channels');
      return void person.createChannel(act.name, act.isPrivate);
    }
    const channel = openChannel(this.#stage.slack, person, act.channel);
    switch (act.do) {
      case 'read':
        this.#stage.reads.set(person.id, channel.id, act.ts);
        return void this.#stage.feeds.touch(person, channel);
      case 'join':
        if (channel.isArchived) throw new Refusal(`#${channel.name} is archived.`);
        return void person.join(channel);
      case 'leave':
        return void person.leave(channel);
      case 'archive':
        this.#mustBeMemberOfTheWorkspace('archive channels');
        return void person.archive(this.#writable(channel.id));
      case 'invite':
        this.#mustBeMemberOfTheWorkspace('invite people');
        if (!this.#stage.slack.users.some(each => each.id === act.person))
          throw new Refusal('There is no such person.');
        return void person.invite(this.#writable(channel.id), act.person);
    }
  }

  async #command(channelId: string, line: string): Promise<ActAnswer | undefined> {
    const channel = this.#writable(channelId);
    const name = /^\S+/.exec(line)?.[0] ?? '';
    const isKnown = this.#stage.face.commands.some(each => each.name === name);
    if (!isKnown || this.#person.record.isStranger) {
      return {
        problem: `${name} is not a valid command. Slack takes every message that starts with “/” for a command.`,
      };
    }
    await this.#person.command(channel, line);
    return undefined;
  }

  async #shortcut(act: Extract<Act, { do: 'shortcut' }>): Promise<ActAnswer | undefined> {
    const shortcut = this.#stage.face.shortcuts.find(each => each.id === act.id);
    const needsMessage = shortcut?.type === 'message';
    if (shortcut === undefined || this.#person.record.isStranger || needsMessage !== (act.message !== undefined)) {
      throw new Refusal('There is no such shortcut here.');
    }
    const { slack } = this.#stage;
    const channel = act.channel === undefined ? undefined : openChannel(slack, this.#person, act.channel);
    const where = act.message === undefined ? channel : this.#message(act.message);
    return toAnswer(await this.#person.shortcut(act.id, where));
  }

  async #use({ place, blockId, actionId, value }: Extract<Act, { do: 'use' }>): Promise<ActAnswer | undefined> {
    return toAnswer(await this.#person.use(this.#target(place), { blockId, actionId }, value));
  }

  async #submit(viewId: string, values: Extract<Act, { do: 'submit' }>['values']): Promise<undefined> {
    const view = this.#front(viewId);
    this.#person.fillIn(view, values);
    await this.#person.send(view);
    return undefined;
  }

  #message(place: MessagePlace): Message {
    return readMessage(this.#stage.slack, this.#person, place);
  }

  #target(place: Place): Message | OpenView {
    if ('message' in place) return this.#message(place.message);
    const { home } = this.#person;
    return home?.id === place.view ? home : this.#front(place.view);
  }

  /** The modal in front, which is the only one that a person can use. */
  #front(viewId: string): OpenView {
    const { view } = this.#person;
    if (view?.id !== viewId) throw new Refusal('This window is no longer open.');
    return view;
  }

  #writable(channelId: string): Channel {
    const channel = openChannel(this.#stage.slack, this.#person, channelId);
    if (channel.isArchived) throw new Refusal(`#${channel.name} is archived. It can only be read.`);
    if (!channel.members.has(this.#person.id)) throw new Refusal(`Join #${channel.name} first.`);
    return channel;
  }

  #mustBeMemberOfTheWorkspace(purpose: string): void {
    const { isStranger, isRestricted, isUltraRestricted } = this.#person.record;
    if (isStranger || isRestricted || isUltraRestricted) throw new Refusal(`Guests cannot ${purpose}.`);
  }
}

/** What Slack's client says when the app did not take a click. */
function toAnswer({ failed }: AppAnswer): ActAnswer | undefined {
  if (failed === undefined || failed === 'incomplete') return undefined;
  return { problem: `Muster did not take this: ${failed}. Try again.` };
}
