import type { Person } from '../../src/fake-slack/fake-slack.ts';
import { type IncidentOptions, openIncident } from './incident-room.ts';
import { openInstalledSlack } from './workplace.ts';

/**
 * The incident of {@link openIncident}, where carol, dave and gus, a guest, are in the group @sre, and erin leads in @sre-leads. Nobody of
 * them but gus is in the room.
 */
export async function openOnDuty(options: IncidentOptions = {}) {
  let now = new Date('2026-11-20T12:15:00Z');
  const clock = () => now;
  const slack = options.slack ?? (await openInstalledSlack(clock));
  const [dave, erin] = [slack.addPerson({ name: 'dave' }), slack.addPerson({ name: 'erin' })];
  const sre = slack.addUserGroup({ handle: 'sre' });
  const leads = slack.addUserGroup({ handle: 'sre-leads', members: [erin] });
  const prepare: IncidentOptions['prepare'] = async (...given) => {
    slack.setGroupMembers(sre.id, [slack.person('carol'), dave, slack.person('gus')]);
    await options.prepare?.(...given);
  };
  const opened = await openIncident({ ...options, slack, clock, prepare });
  const { place, home, alice } = opened;
  const dm = (person: Person) => slack.openDm(person).id;
  return {
    ...{ ...opened, dave, erin, sre, leads },
    now: () => now,
    wait: (minutes: number) => {
      now = new Date(now.getTime() + minutes * 60_000);
    },
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
    /** The lines about calls in the room, oldest first. */
    calls: (room = home) => place.reads(alice, room.id).filter(text => text.includes('📟 Called')),
  };
}
