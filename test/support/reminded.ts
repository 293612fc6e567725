import type { Channel, Message, Person } from '../../src/fake-slack/fake-slack.ts';
import { type IncidentOptions, openIncident } from './incident-room.ts';

/**
 * The incident of `openIncident` in a team that wants reminders. Its quiet hours are off unless the test sets them. `declare` are words that
 * follow the title.
 */
export async function openReminded({ settings, ...options }: IncidentOptions = {}) {
  const incident = await openIncident({
    ...options,
    settings: { REMINDERS: 'on', QUIET_HOURS: 'off', ...settings },
  });
  const { place, slack, home, wait } = incident;
  const tick = async () => {
    for (let times = 0; times < 2; times += 1) {
      await place.muster.bot.journal.tick();
      await place.quiet();
    }
  };
  const direct = (person: Person): Channel | undefined =>
    slack.channels.find(each => each.isIm && each.members.has(person.id));
  /** What a person reads of Muster alone, oldest first, without what is no reminder. */
  const alone = (person: Person): string[] => {
    const channel = direct(person);
    return channel === undefined ? [] : place.reads(person, channel.id).filter(isReminder);
  };
  const messagesAlone = (person: Person): Message[] => {
    const channel = direct(person);
    return channel === undefined ? [] : place.messages(person, channel.id);
  };
  return {
    ...incident,
    tick,
    direct,
    alone,
    /** The last message to a person alone. */
    lastAlone: (person: Person): Message => {
      const message = messagesAlone(person).at(-1);
      if (!message) throw new Error(`Muster wrote nothing to ${person.name}`);
      return message;
    },
    /** What the room reads of reminders, oldest first. */
    inRoom: (): string[] => place.reads(incident.alice, home.id).filter(isReminder),
    lastInRoom: (): Message => {
      const message = place
        .messages(incident.alice, home.id)
        .findLast(each => JSON.stringify(each).includes('reminder.'));
      if (!message) throw new Error('The room reads no reminder with buttons');
      return message;
    },
    /** Minutes go by, with a look at what is due in each. */
    pass: async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        wait(1);
        await tick();
      }
    },
    /** Minutes go by, with one look at their end. */
    jump: async (minutes: number) => {
      wait(minutes);
      await tick();
    },
  };
}

/** Whether a message reminds of something, or did. */
function isReminder(text: string): boolean {
  return /:alarm_clock:|☑️ No longer owed|🔕/.test(text);
}
