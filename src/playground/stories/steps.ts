import type { Channel, FormValues, Message } from '../../fake-slack/fake-slack.ts';
import type { Actor } from '../actor.ts';
import type { Story } from '../story.ts';
import { shownCard } from './incident.ts';

/** What people do in a story. Each step is checked: afterwards the person reads certain words, in a form or as the newest message. */
export interface Steps {
  types(who: Actor, line: string, words: string): Promise<void>;
  /** Presses a button of the newest message they see, or of another one; `near` are words beside it. */
  presses(who: Actor, button: string, words: string, where?: { message?: Message; near?: string }): Promise<void>;
  /** Presses a button of the incident's card, once the card shows what was done before. */
  pressesOnCard(who: Actor, button: string, words: string): Promise<void>;
  /** Chooses an entry behind the three dots of the card, once it shows what was done before. */
  choosesOnCard(who: Actor, entry: string, words: string): Promise<void>;
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
  const reads = (who: Actor, words: string, act: () => Promise<void>) =>
    check(`${who.name} reads “${words}”.`, async expect => {
      system.clock.pass(1);
      await act();
      const seen = who.form || who.lastRead(channel);
      expect(seen.includes(words), `“${words}”, and there was ${seen}`);
    });
  return {
    types: (who, line, words) => reads(who, words, () => who.types(channel, line)),
    presses: (who, button, words, where = {}) =>
      reads(who, words, () => who.presses(where.message ?? who.lastMessage(channel), button, where.near)),
    pressesOnCard: (who, button, words) => reads(who, words, async () => who.presses(await shownCard(story), button)),
    choosesOnCard: (who, entry, words) =>
      reads(who, words, async () => who.choosesOnCard(await shownCard(story), entry)),
    submits: (who, button, values, words) => reads(who, words, () => who.submits(button, values)),
    chooses: (who, message, entry, words) =>
      reads(who, words, () => who.choosesFromMenu(message, 'the message', entry)),
  };
}
