import type { FakeSlackBase, Person } from '../../playground/fake-slack/fake-slack.ts';
import { openBareSlack } from './bare-workplace.ts';
import { type IncidentOptions, openIncident } from './incident-room.ts';
import { openVerbs, type VerbOptions } from './verbs.ts';
import { openInstalledSlack } from './workplace.ts';

/** Dave and erin, and the groups @sre and @sre-leads; `staff` puts those into @sre who are there only with the incident. */
function formTeam(slack: FakeSlackBase) {
  const [dave, erin] = [slack.addPerson({ name: 'dave' }), slack.addPerson({ name: 'erin' })];
  const sre = slack.addUserGroup({ handle: 'sre' });
  const leads = slack.addUserGroup({ handle: 'sre-leads', members: [erin] });
  const staff = () => slack.setGroupMembers(sre.id, [slack.person('carol'), dave, slack.person('gus')]);
  return { dave, erin, sre, leads, staff };
}

/** What those who are called read and press, in their direct messages with Muster. */
function called(place: {
  readonly slack: FakeSlackBase;
  readonly muster: { readonly bot: { readonly journal: { tick(): Promise<void> } } };
  messages(person: Person, channel: string): ReturnType<Person['sees']>;
  reads(person: Person, channel: string): string[];
  quiet(): Promise<void>;
}) {
  const dm = (person: Person) => place.slack.openDm(person).id;
  return {
    /** The tick of a second, until nothing more follows from it. */
    tick: async () => {
      for (let step = 0; step < 3; step += 1) {
        await place.muster.bot.journal.tick();
        await place.quiet();
      }
    },
    /** What Muster asked a person, newest last. */
    asked: (person: Person) => place.messages(person, dm(person)),
    readsDirectly: (person: Person) => place.reads(person, dm(person)).at(-1) ?? '',
    /** The person presses a button of the newest question. */
    answer: async (person: Person, label: string) => {
      const message = place.messages(person, dm(person)).at(-1);
      if (!message) throw new Error(`${person.name} was not asked`);
      await person.press(message, label);
      await place.quiet();
      return place.reads(person, dm(person)).at(-1) ?? '';
    },
  };
}

/** The team of {@link openOnDuty} where verbs are tried; `calls` are the lines about calls as they are stored. */
export async function openOnDutyVerbs(options: VerbOptions = {}) {
  const slack = openBareSlack(() => new Date('2026-11-20T12:15:00Z'));
  const { staff, ...team } = formTeam(slack);
  const prepare: VerbOptions['prepare'] = async (...given) => {
    staff();
    await options.prepare?.(...given);
  };
  const opened = await openVerbs({ ...options, slack, prepare });
  const calls = async () => (await opened.publicLines()).filter(text => text.includes('📟 Called'));
  return { ...opened, ...team, ...called(opened.place), calls };
}

/**
 * The incident of {@link openIncident}, where carol, dave and gus, a guest, are in the group @sre, and erin leads in @sre-leads. Nobody of
 * them but gus is in the room.
 */
export async function openOnDuty(options: IncidentOptions = {}) {
  let now = new Date('2026-11-20T12:15:00Z');
  const clock = () => now;
  const slack = options.slack ?? (await openInstalledSlack(clock));
  const { staff, ...team } = formTeam(slack);
  const prepare: IncidentOptions['prepare'] = async (...given) => {
    staff();
    await options.prepare?.(...given);
  };
  const opened = await openIncident({ ...options, slack, clock, prepare });
  const { place, home, alice } = opened;
  return {
    ...{ ...opened, ...team, ...called(place) },
    now: () => now,
    wait: (minutes: number) => {
      now = new Date(now.getTime() + minutes * 60_000);
    },
    /** The lines about calls in the room, oldest first. */
    calls: (room = home) => place.reads(alice, room.id).filter(text => text.includes('📟 Called')),
  };
}
