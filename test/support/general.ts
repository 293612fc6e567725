import { type FakeSlackBase, type Person, renderView } from '../../playground/fake-slack/fake-slack.ts';
import type { ApiClient } from '../../src/client/client.ts';
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

/** The team of {@link openGeneral} in a bare workplace. */
export async function openBareGeneral({ profile, ...options }: BareOptions & OfAlice = {}) {
  return withAlice(await openBareWorkplace(options), profile);
}

function withAlice<
  P extends Pick<Workplace, 'quiet' | 'lastRead'> & { readonly slack: FakeSlackBase; readonly api: ApiClient },
>(place: P, profile: OfAlice['profile']) {
  const slack: P['slack'] = place.slack;
  const alice = slack.addPerson({ name: 'alice', ...profile });
  const general = slack.addChannel({ name: 'general', members: [alice], botIsMember: true });
  /** Types a line and yields the last thing the person reads there. */
  const type = async (line: string, channel: string = general.name, person: Person = alice) => {
    await person.command(channel, line);
    await place.quiet();
    return place.lastRead(person, channel);
  };
  return {
    place,
    slack,
    alice,
    general,
    /** A person does something, and all of its effects happen. */
    act: async (what: () => unknown) => {
      await what();
      await place.quiet();
    },
    incident: async (incidentID = '1') => (await place.api.IncidentsService.GetIncident({ incidentID })).incident,
    /** The texts of the tasks of an incident. */
    tasks: async (incidentID: string) =>
      (await place.api.IncidentsService.GetIncident({ incidentID })).incident.taskList.tasks.map(each => each.text),
    /** Previews of all incidents, oldest first. */
    incidents: async () =>
      (await place.api.IncidentsService.QueryIncidentPreviews({ query: { orderDirection: 'ASC' } })).incidentPreviews,
    /** The open form of alice as it shows. */
    form: () => {
      if (!alice.view) throw new Error(`No form is open; last read: ${place.lastRead(alice, general.name)}`);
      return renderView(slack, alice.view);
    },
    /** Types a line as alice, and yields what its acknowledgement says. */
    ask: async (line: string) => (await alice.command(general, line)).text ?? '',
    declare: (typed: string) => type(`/incident declare ${typed}`),
    timeline: async (incidentID: string) =>
      (await place.api.ActivityService.QueryActivity({ query: { incidentID, limit: 100 } })).activityItems,
    type,
  };
}
