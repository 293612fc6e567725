import type { FakeSlackBase, Person } from '../../playground/fake-slack/fake-slack.ts';
import { type BareOptions, openBareWorkplace } from './bare-workplace.ts';
import { openWorkplace, type Workplace, type WorkplaceOptions } from './workplace.ts';

/** What is known of alice. */
interface OfAlice {
  readonly profile?: Partial<Parameters<FakeSlackBase['addPerson']>[0]>;
}

/** How a team differs from the usual. */
export interface GeneralOptions extends WorkplaceOptions, OfAlice {}

/** Alice in #general, with the bot. */
export async function openGeneral({ profile, ...options }: GeneralOptions = {}) {
  return withAlice(await openWorkplace(options), profile);
}

/** The same team where verbs are tried. */
export async function openBareGeneral({ profile, ...options }: BareOptions & OfAlice = {}) {
  return withAlice(await openBareWorkplace(options), profile);
}

function withAlice<P extends Pick<Workplace, 'quiet' | 'lastRead'> & { readonly slack: FakeSlackBase }>(
  place: P,
  profile: OfAlice['profile'],
) {
  const slack: P['slack'] = place.slack;
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
