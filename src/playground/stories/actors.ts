import type { Channel, FormValues, Message, Person } from '../../fake-slack/fake-slack.ts';
import { openWatch } from './observer.ts';
import type { Stage } from './stage.ts';
import type { Transcript } from './transcript.ts';

/** What people do in the play. Each deed is written down, done, and followed by what everybody sees of it. */
export interface Hands {
  says(person: Person, channel: Channel | string, text: string, inThreadOf?: Message): Promise<Message>;
  types(person: Person, channel: Channel | string, line: string): Promise<void>;
  /** Fills in some fields of the form in front of them and sends it; `button` is what its button says. */
  submits(person: Person, button: string, values?: FormValues): Promise<void>;
  /** Presses a button of a message, the one next to the words `near` when there are several. */
  presses(person: Person, message: Message, button: string, near?: string): Promise<void>;
  /** Chooses an entry of a message's menu. */
  choosesFromMenu(person: Person, message: Message, shortcut: { id: string; name: string }): Promise<void>;
  joins(person: Person, channel: Channel): Promise<void>;
}

/** Opens the hands of everybody on the stage. */
export function openHands(stage: Stage, transcript: Transcript): Hands {
  const { slack } = stage;
  const look = openWatch(slack);
  const nameOf = (channel: Channel | string) => (typeof channel === 'string' ? channel : `#${channel.name}`);

  const deed = (person: Person, what: string, words?: string) =>
    transcript.does(stage.clock.now(), person.name, what, words);

  async function see(): Promise<void> {
    await stage.quiet();
    transcript.news(look());
  }

  return {
    says: async (person, channel, text, parent) => {
      const where = parent ? `answers in a thread of ${nameOf(channel)}` : `writes in ${nameOf(channel)}`;
      deed(person, where, text);
      const message = person.say(channel, text, parent ? { threadTs: parent.ts } : {});
      await see();
      return message;
    },
    types: async (person, channel, line) => {
      deed(person, `types in ${nameOf(channel)}`, line);
      await person.command(channel, line);
      await see();
    },
    submits: async (person, button, values = {}) => {
      const filled = Object.entries(values).map(([field, value]) => `${field}: ${toWords(value)}`);
      deed(person, `${filled.length > 0 ? 'changes the form and ' : ''}presses [${button}]`, filled.join('\n'));
      const { failed } = await person.submit(values);
      await see();
      if (failed !== undefined) throw new Error(`The form was not sent: ${failed}.`);
    },
    presses: async (person, message, button, near) => {
      deed(person, `presses [${button}]${near === undefined ? '' : ` beside “${near}”`}`);
      await person.press(message, near === undefined ? button : { text: button, near });
      await see();
    },
    choosesFromMenu: async (person, message, shortcut) => {
      deed(person, `opens the menu of that message and chooses “${shortcut.name}”`);
      await person.shortcut(shortcut.id, message);
      await see();
    },
    joins: async (person, channel) => {
      deed(person, `joins ${nameOf(channel)}`);
      person.join(channel);
      await see();
    },
  };
}

function toWords(value: FormValues[string]): string {
  if (value instanceof Date) return value.toISOString().slice(0, 16).replace('T', ' ');
  return Array.isArray(value) ? value.join(', ') : String(value);
}
