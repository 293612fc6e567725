import type { Message, Person } from '../../playground/fake-slack/fake-slack.ts';
import { renderMessage } from '../../playground/fake-slack/fake-slack.ts';
import { declareNow, lastMessage } from './incident-room.ts';
import { openInstalledSlack, openWorkplace, type WorkplaceOptions } from './workplace.ts';

/** The messages that an act brings to each of four people: those that are new or were edited, oldest first. */
export interface Seen {
  /** What the person who acts reads alone, wherever it appears. */
  readonly typist: readonly string[];
  /** What wendy, who only looks on, reads in the incident's room and in #general. What is edited with each change is left out. */
  readonly bystander: readonly string[];
  /** What bob, who gets tasks and roles, reads in his direct messages. */
  readonly assignee: readonly string[];
  /** What rhea reads in the channel of the announcements. Edits of the announcement itself are left out. */
  readonly announcements: readonly string[];
}

/** Nobody reads anything. */
export const unseen: Seen = { typist: [], bystander: [], assignee: [], announcements: [] };

/**
 * A workplace with four pairs of eyes: alice types in #general and in the room, wendy looks on in both, bob is given work, and rhea
 * reads only the announcements.
 */
export async function openSeats(options: Omit<WorkplaceOptions, 'slack' | 'clock'> = {}) {
  let now = new Date('2026-11-20T12:15:00Z');
  const clock = () => now;
  const slack = await openInstalledSlack(clock);
  const [alice, bob, wendy, rhea] = (['alice', 'bob', 'wendy', 'rhea'] as const).map(name =>
    slack.addPerson({ name }),
  ) as [Person, Person, Person, Person];
  const alerts = slack.addChannel({ name: 'alerts', members: [rhea], botIsMember: true });
  const general = slack.addChannel({ name: 'general', members: [alice, bob, wendy], botIsMember: true });
  const settings = { ANNOUNCE_CHANNEL: alerts.id, ...options.settings };
  const place = await openWorkplace({ ...options, clock, slack, settings });

  /** All messages that a person sees, with their present words, except for those that nobody else may read. */
  const seenBy = (person: Person, isCounted: (message: Message) => boolean) => {
    const found = new Map<string, { words: string; isEditedOften: boolean }>();
    for (const channel of slack.channels.filter(each => each.members.has(person.id))) {
      for (const message of place.messages(person, channel.id).filter(isCounted)) {
        const isAnnouncement = channel.id === alerts.id && message.subtype !== 'thread_broadcast';
        const isEditedOften = message.pinned || isAnnouncement || isOrigin(message);
        found.set(`${channel.id}/${message.ts}`, { words: renderMessage(slack, message), isEditedOften });
      }
    }
    return found;
  };
  const isOrigin = ({ channel, text }: Message) => channel === general.id && / declared \S/.test(text);
  const isDirect = (message: Message) => slack.channel(message.channel).isIm;
  const isPrivate = (message: Message) => message.ephemeralTo !== undefined || isDirect(message);
  const look = () => ({
    typist: seenBy(alice, message => isPrivate(message) && message.userId !== alice.id),
    bystander: seenBy(wendy, () => true),
    assignee: seenBy(bob, isDirect),
    announcements: seenBy(rhea, () => true),
  });
  let before = look();

  /** The messages that came to each of the four since the last call. */
  const seen = (): Seen => {
    const after = look();
    const anew = (seat: keyof Seen) =>
      [...after[seat]]
        .filter(([key, { words, isEditedOften }]) => {
          const known = before[seat].get(key);
          return known === undefined || (!isEditedOften && known.words !== words);
        })
        .map(([, { words }]) => words);
    const news = {
      typist: anew('typist'),
      bystander: anew('bystander'),
      assignee: anew('assignee'),
      announcements: anew('announcements'),
    };
    before = after;
    return news;
  };

  return {
    ...{ place, slack, alice, bob, wendy, rhea, alerts, general, seen },
    /** Two minutes later somebody does something, and all of its effects happen; yields the messages that it brings to each of the four. */
    after: async (act: () => unknown): Promise<Seen> => {
      now = new Date(now.getTime() + 120_000);
      await act();
      await place.quiet();
      return seen();
    },
    /** Declares a minor incident in #general; alice and wendy alone are in its room. */
    declare: async (flags = '') => {
      const room = await declareNow(place, alice, general, `Checkout answers 500 --severity minor ${flags}`.trim());
      wendy.join(room.id);
      await place.quiet();
      seen();
      return room;
    },
    last: (person: Person, channel: { id: string; name: string }) =>
      lastMessage(place, person, slack.channel(channel.id)),
  };
}
