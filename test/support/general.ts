import type { FakeSlack, Person } from '../../src/fake-slack/fake-slack.ts';
import { openWorkplace, type WorkplaceOptions } from './workplace.ts';

/** How a team differs from the usual. */
export interface GeneralOptions extends WorkplaceOptions {
  /** What is known of alice. */
  readonly profile?: Partial<Parameters<FakeSlack['addPerson']>[0]>;
}

/** Alice in #general, with the bot. */
export async function openGeneral({ profile, ...options }: GeneralOptions = {}) {
  const place = await openWorkplace(options);
  const { slack } = place;
  const alice = slack.addPerson({ name: 'alice', ...profile });
  const general = slack.addChannel({ name: 'general', members: [alice], botIsMember: true });
  return {
    place,
    slack,
    alice,
    general,
    /** Types a line and yields the last thing the person reads there. */
    type: async (line: string, channel: string = general.name, person: Person = alice) => {
      await person.command(channel, line);
      await place.quiet();
      return place.lastRead(person, channel);
    },
  };
}
