import type { Channel, FakeSlackBase, Message, Person } from '../../playground/fake-slack/fake-slack.ts';
import type { BareWorkplace } from './bare-workplace.ts';
import { type IncidentOptions, openIncident } from './incident-room.ts';
import { openVerbs, type VerbOptions } from './verbs.ts';

/**
 * The incident of `openIncident` in a team that wants reminders. Its quiet hours are off unless the test sets them. `declare` are words that
 * follow the title.
 */
export async function openReminded({ settings, ...options }: IncidentOptions = {}) {
  const incident = await openIncident({
    ...options,
    settings: { REMINDERS: 'on', QUIET_HOURS: 'off', ...settings },
  });
  const { place, home, wait } = incident;
  const tick = async () => {
    for (let times = 0; times < 2; times += 1) {
      await place.muster.bot.journal.tick();
      await place.quiet();
    }
  };
  return {
    ...incident,
    tick,
    ...remindedAlone(place),
    ...passing(wait, tick),
    /** What the room reads of reminders, oldest first. */
    inRoom: (): string[] => place.reads(incident.alice, home.id).filter(isReminder),
    lastInRoom: (): Message => {
      const message = place
        .messages(incident.alice, home.id)
        .findLast(each => JSON.stringify(each).includes('reminder.'));
      if (!message) throw new Error('The room reads no reminder with buttons');
      return message;
    },
  };
}

/** The team of {@link openReminded} in a bare workplace: its room reads lines as they are stored, without their buttons. */
export async function openRemindedVerbs({ settings, ...options }: VerbOptions = {}) {
  const verbs = await openVerbs({ ...options, settings: { REMINDERS: 'on', QUIET_HOURS: 'off', ...settings } });
  const { place, wait, publicLines } = verbs;
  const tick = async () => {
    await place.follow('1');
    await place.muster.bot.journal.tick();
    await place.quiet();
  };
  await place.follow('1');
  const inRoom = async () => (await publicLines()).filter(isReminder);
  return { ...verbs, tick, ...remindedAlone(place), ...passing(wait, tick), inRoom };
}

/** What people read of Muster alone. */
function remindedAlone({
  slack,
  reads,
  messages,
}: Pick<BareWorkplace, 'reads' | 'messages'> & { readonly slack: Pick<FakeSlackBase, 'channels'> }) {
  const direct = (person: Person): Channel | undefined =>
    slack.channels.find(each => each.isIm && each.members.has(person.id));
  return {
    direct,
    /** What a person reads of Muster alone, oldest first, without what is no reminder. */
    alone: (person: Person): string[] => {
      const channel = direct(person);
      return channel === undefined ? [] : reads(person, channel.id).filter(isReminder);
    },
    /** The last message to a person alone. */
    lastAlone: (person: Person): Message => {
      const channel = direct(person);
      const message = channel && messages(person, channel.id).at(-1);
      if (!message) throw new Error(`Muster wrote nothing to ${person.name}`);
      return message;
    },
  };
}

/** Time that goes by. */
function passing(wait: (minutes: number) => void, tick: () => Promise<void>) {
  return {
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
