import type { Channel, FakeSlackBase, Person } from '../../playground/fake-slack/fake-slack.ts';
import type { ApiClient } from '../../src/client/client.ts';
import type { Workplace } from './workplace.ts';

/** A room of `openIncident` or `openVerbs`, in which more happens before a test begins. */
interface Room {
  readonly place: Pick<Workplace, 'quiet' | 'reads' | 'messages'>;
  readonly slack: FakeSlackBase;
  readonly api: ApiClient;
  readonly alice: Person;
  readonly bob: Person;
  readonly carol: Person;
  readonly home: Channel;
  readonly general: Channel;
  readonly announced: () => readonly string[];
  type(line: string, person?: Person, channel?: Channel): Promise<string>;
  wait(minutes: number): void;
  last(person?: Person, channel?: Channel): ReturnType<Person['sees']>[number];
  reads(person?: Person, channel?: Channel): string;
  submit(values?: Parameters<Person['submit']>[0]): Promise<unknown>;
}

/** An hour of work on the incident: bob leads, there are updates, notes and tasks. */
export async function playHour<R extends Room>(room: R) {
  const { type, wait, alice, bob, place, home } = room;
  wait(5);
  await type('/incident severity major');
  await type('/role assign @bob commander');
  wait(10);
  await type('/incident update Rolling back release 1141 --next 30m', bob);
  await type('/note Decision: we roll back before we look further', bob);
  wait(5);
  await type('/task add Call the bank @alice', bob);
  await type('/task add Roll back @bob', bob);
  await type('/task done 2', bob);
  wait(10);
  await type('/note Does the cache survive a restart?', bob);
  wait(30);
  /** The texts that a person alone reads in the room. */
  const alone = (who = alice) =>
    place
      .messages(who, home.id)
      .filter(each => each.ephemeralTo === who.id)
      .map(each => each.text);
  return { ...room, alone };
}

/** Two incidents without rooms of their own, so that both are handled in #general. */
export async function declareTwoHere<R extends Room>(room: R) {
  const { place, slack, alice, general, type, wait } = room;
  alice.invite(general, slack.botUserId);
  slack.fail('conversations.create', { error: 'restricted_action' }, { times: 100 });
  await type('/incident declare Disk is full --now', alice, general);
  wait(1);
  await type('/incident declare Mail is late --now', alice, general);
  return {
    ...room,
    here: (line: string) => type(line, alice, general),
    pick: async (button: string) => {
      await alice.press(room.last(alice, general), button);
      await place.quiet();
      return room.reads(alice, general);
    },
  };
}

/** A second incident, “Disk is full”, without a room, and the channels #db and #web, which may become its room. */
export async function offerChannels<R extends Room>(
  room: R,
  options: { isPrivate?: boolean; isShared?: boolean; botIsMember?: boolean } = {},
) {
  const { slack, alice, bob, carol, place, api } = room;
  const { botIsMember = true, isPrivate = false, isShared = false } = options;
  const db = slack.addChannel({ name: 'db', members: [alice, bob], botIsMember, isPrivate, isExtShared: isShared });
  const web = slack.addChannel({ name: 'web', members: [alice, bob, carol], botIsMember: true });
  await api.IncidentsService.CreateIncident({ title: 'Disk is full', severity: 'major', status: 'active' });
  const isOfDisk = (text: string) => text.includes('Disk is full');
  return {
    ...room,
    db,
    web,
    here: (line: string, person = alice) => room.type(line, person, db),
    /** Presses a button in #db, and yields everything new that the person reads there. */
    pressHere: async (what: string, person = alice) => {
      const offers = place.messages(person, db.id).filter(each => JSON.stringify(each.blocks).includes(`"${what}"`));
      const known = place.reads(person, db.id).length;
      const last = offers.at(-1);
      if (!last) throw new Error(`There is no button “${what}”`);
      await person.press(last, what);
      await place.quiet();
      return place.reads(person, db.id).slice(known).join('\n');
    },
    cards: (channel: Channel = db) => place.reads(bob, channel.id).filter(isOfDisk),
    announced: () => room.announced().filter(isOfDisk),
  };
}
