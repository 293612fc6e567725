import { expect } from 'vitest';
import type { KnownPerson } from '../../src/contract/define.ts';
import type { Deadlines } from '../../src/deadlines.ts';
import { patient } from './deadlines.ts';
import { type GrafanaFault, openFakeGrafana } from './fake-grafana.ts';
import { openWorkplace, type WorkplaceOptions } from './workplace.ts';

/** The deadlines of a test whose API fails in this way. Of one that never answers the client gives up an attempt soon. */
export function deadlinesFor(answer: GrafanaFault['answer']): Deadlines {
  if (answer !== 'stall') return patient();
  return patient({ api: { attemptTimeout: 250, budget: 600 }, lateCall: 250, reads: { aside: 600, asked: 600 } });
}

/** Alice and bob in #general of a team whose API is a Grafana that goes away and comes back. */
export async function openOutage(options: WorkplaceOptions & { users?: readonly KnownPerson[] } = {}) {
  const grafana = await openFakeGrafana(options.users ? { users: options.users } : {});
  const place = await openWorkplace({ ...options, settings: { ...grafana.settings, ...options.settings } });
  const { slack, api } = place;
  const alice = slack.addPerson({ name: 'alice', email: 'alice@example.com' });
  const bob = slack.addPerson({ name: 'bob', email: 'bob@example.com' });
  const general = slack.addChannel({ name: 'general', members: [alice, bob], botIsMember: true });
  /** Resolves when a call gets through: until then the client's breaker lets only one try at a time. */
  const reachable = () =>
    expect
      .poll(() =>
        api.RolesService.GetRoles({}).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
  const reads = (person = alice, channel: string = general.name) => place.lastRead(person, channel);
  return {
    place,
    slack,
    api,
    grafana,
    reachable,
    alice,
    bob,
    general,
    reads,
    /** From now on every call is cut off before it is answered, and has no effect. */
    goAway: () => grafana.fail({ when: /./, answer: 'hang up' }),
    /** The API answers again, and everything that waited is done and told. */
    comeBack: async () => {
      // An attempt that goes on now would fail after the others are woken, and wait longer than they do.
      await place.muster.bot.journal.idle();
      grafana.heal();
      await reachable();
      await place.muster.bot.journal.wake();
      await place.quiet();
    },
    /** A person does something, and all of its effects happen. */
    act: async (what: () => unknown) => {
      await what();
      await place.quiet();
    },
    /** Types a line and yields the last thing the person reads there. */
    type: async (line: string, person = alice, channel: string = general.name) => {
      await person.command(channel, line);
      await place.quiet();
      return place.lastRead(person, channel);
    },
    /** Presses a button of the last message a person reads in a channel, and yields what they read last then. */
    press: async (button: string, person = alice, channel: string = general.name) => {
      const message = place.messages(person, channel).at(-1);
      if (!message) throw new Error(`${person.name} reads nothing in #${channel}`);
      await person.press(message, button);
      await place.quiet();
      return place.lastRead(person, channel);
    },
    /** Everything that a person reads, in every channel. */
    readsAll: (person = alice) =>
      slack.channels.flatMap(each => (each.members.has(person.id) ? place.reads(person, each.id) : [])),
    /** The incident's own channel. */
    room: () => {
      const found = slack.channels.findLast(each => each.name.startsWith('inc-'));
      if (!found) throw new Error('No channel was made');
      return found;
    },
    titles: async () => {
      const { incidentPreviews } = await api.IncidentsService.QueryIncidentPreviews({ query: {} });
      return incidentPreviews.map(each => each.title);
    },
    incident: async (incidentID = '1') => (await api.IncidentsService.GetIncident({ incidentID })).incident,
    /** The timeline, oldest first. */
    timeline: async (incidentID = '1') => {
      const query = { incidentID, orderDirection: 'ASC' as const, limit: 100 };
      return (await api.ActivityService.QueryActivity({ query })).activityItems;
    },
    /** How many intents are in each state. */
    states: async (): Promise<Record<string, number>> =>
      Object.fromEntries((await place.muster.bot.journal.countByState()).map(({ state, count }) => [state, count])),
  };
}
