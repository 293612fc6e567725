import type { Actor } from '../actor.ts';
import { type Channel, type FormValues, type Message, renderMessage } from '../fake-slack/fake-slack.ts';
import type { Story } from '../story.ts';
import { findCard } from './incident.ts';

/** What people do in a story. Each step is checked: afterwards the person reads certain words, in a form or as Muster’s last message. */
export interface Steps {
  types(who: Actor, line: string, words: string): Promise<void>;
  /** Presses a button of the last message of Muster that they see, or of another one; `near` are words beside it. */
  presses(who: Actor, button: string, words: string, where?: { message?: Message; near?: string }): Promise<void>;
  /** Presses a button of the incident's card. */
  pressesOnCard(who: Actor, button: string, words: string): Promise<void>;
  /** Fills in the form in front of them and sends it. */
  submits(who: Actor, button: string, values: FormValues, words: string): Promise<void>;
  /** Chooses an entry of a message's menu. */
  chooses(who: Actor, message: Message, entry: Entry, words: string): Promise<void>;
}

/** An entry of a menu, by its id and its name. */
interface Entry {
  readonly id: string;
  readonly name: string;
}

/** Opens the steps that people take in one channel. */
export function openSteps(story: Story, channel: Channel | string): Steps {
  const { check, system } = story;
  /** What somebody has in front of them: a form, or the last message of Muster. The mark tells it from anything that was there before. */
  const inFrontOf = (who: Actor): { readonly text: string; readonly mark: string } => {
    if (who.form !== '') return { text: who.form, mark: who.form };
    const newest = who.findLastMessage(channel);
    const text = newest ? renderMessage(system.slack, newest) : 'nothing';
    return { text, mark: `${newest?.ts} ${text}` };
  };
  const reads = (who: Actor, words: string, act: () => Promise<void>) => {
    let before = '';
    return check(`${who.name} reads “${words}”.`, {
      act: () => {
        system.clock.pass(1);
        before = inFrontOf(who).mark;
        return act();
      },
      look: expect => {
        const { text, mark } = inFrontOf(who);
        expect(mark !== before && text.includes(words), `“${words}”, and there was ${text}`);
      },
    });
  };
  return {
    types: (who, line, words) => reads(who, words, () => who.types(channel, line)),
    presses: (who, button, words, where = {}) =>
      reads(who, words, () => who.presses(where.message ?? who.lastMessage(channel), button, where.near)),
    pressesOnCard: (who, button, words) => reads(who, words, () => who.presses(findCard(story), button)),
    submits: (who, button, values, words) => reads(who, words, () => who.submits(button, values)),
    chooses: (who, message, entry, words) =>
      reads(who, words, () => who.choosesFromMenu(message, 'the message', entry)),
  };
}
